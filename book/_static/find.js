// How the ledger's filter and the page of the search look for claims and terms: by place ("Prop. 5.1",
// 命題5.1), by id, by words in English or Japanese. Exact places come first.
"use strict";

globalThis.privlibFind = (() => {
  // Names of printed places, as people write them; a Japanese one needs no space before its number.
  const KINDS = {
    theorem: "theorems?|thms?|定理", proposition: "propositions?|props?|命題", claim: "claims?|主張",
    definition: "definitions?|defs?|defn|定義", lemma: "lemmas?|補題", corollary: "corollar(?:y|ies)|cor|系",
    algorithm: "algorithms?|algo?s?|アルゴリズム", table: "tables?|tabs?|tbl|表", figure: "figures?|figs?|図",
    equation: "equations?|eqns?|eqs?|式", example: "examples?|ex|例", section: "sections?|secs?|sect|§|節",
    chapter: "chapters?|chap|ch|章", line: "lines?|行", case: "cases?|場合", footnote: "footnotes?|脚注",
    reference: "references?|refs?|文献",
  };
  const names = Object.entries(KINDS);
  const kindOf = (word) => names.find(([, alias]) => new RegExp(`^(?:${alias})$`).test(word))?.[0];
  const ANY = names.map(([, alias]) => alias).join("|");
  // A number such as 5.1, 5(b) or (13), and several: "4, 5 and 6", "(13)-(16)".
  const NUMBER = String.raw`(?:\(\d+\)|\d+(?:\.\d+)*(?:\([a-z]\)|[a-z](?![a-z]))?)`;
  const SEVERAL = String.raw`${NUMBER}(?:\s*(?:,|、|and|と|[-–~])\s*${NUMBER})*`;
  const PLACE = new RegExp(
    String.raw`(?<![a-z-])(${ANY})\.?\s*(${SEVERAL})(?![\d.]*\d)|(\d+(?:\.\d+)*)\s*(節|章)|(\(\d+\)(?:\s*[-–]\s*\(\d+\))?)`,
    "g");

  // The authors as the papers print them.
  const AUTHORS = { 楊: "yang", 佐藤: "sato", 中川: "nakagawa", 菊池: "kikuchi", 川本: "kawamoto", 佐久間: "sakuma", 清水: "shimizu" };
  const AUTHOR = new RegExp(Object.keys(AUTHORS).join("|"), "g");
  // What a question has besides what it asks for; what begins with one of ASKS, or ends with a mark, is a question.
  const ASKS = /^(?:is|are|was|were|does|do|did|can|has|have|what|which|who|where|why|how|whether)$/;
  const FILLER = /^(?:the|an?|of|in|by|it|that|this|about|really|still|right|correct|true|wrong|false|valid|proved|proven|holds?|says?|paper|article|[のはがで]?(?:正しい|本当|です|か)*)$/;

  const plain = (text) => text.normalize("NFKC").toLowerCase();
  const squeeze = (text) => text.replace(/[\s.\-‐–_'’"()]+/g, "");
  // Both spellings of randomise and neighbour are one, and an adversary is an attacker.
  const spelled = (text) => text.replace(/is(?=e|ing|ation)/g, "iz").replace(/our/g, "or").replace(/adversar(?:y|ies)/g, "attacker");
  const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

  function numbers(kind, list) {
    const found = [];
    // What stands in brackets behind "Theorem 5.2," is an equation, behind "case" it is not.
    for (const [, gap, number] of list.matchAll(new RegExp(`(^|[^\\d.a-z()]+)(${NUMBER})`, "g"))) {
      const bare = number.replace(/^\((\d+)\)$/, "$1");
      const one = bare !== number && found.length && !/^(?:equation|case)/.test(found[0]) ? "equation" : kind;
      const last = found.at(-1)?.split(" ")[1];
      if (/[-–~]/.test(gap) && Number(bare) - Number(last) < 50)
        for (let n = Number(last) + 1; n < Number(bare); n += 1) found.push(`${one} ${n}`);
      found.push(`${one} ${bare.replace(/[()]/g, "")}`);
      if (/\d\(?[a-z]/.test(bare)) found.push(`${one} ${bare.replace(/\(?[a-z]\)?$/, "")}`);
    }
    return found;
  }

  // The places that a text names, and the text without them.
  function split(text) {
    const places = [];
    const rest = text.replace(PLACE, (_, name, list, number, unit, equation) => {
      places.push(...(name ? numbers(kindOf(name), list) : unit ? [`${kindOf(unit)} ${number}`] : numbers("equation", equation)));
      return " ";
    });
    return { places, rest };
  }

  // An entry is a claim, a term or a printed object; it has an id, a place (where) and a text; what is derived of them is kept with it.
  function prepare(entry) {
    if (entry.own) return entry;
    const where = plain(entry.where);
    const { places, rest } = split(where);
    entry.id_ = squeeze(plain(entry.id));
    entry.own = new Set(places);
    entry.beyond = where.startsWith("beyond");
    // What a place is besides its objects: "proof of", "declaration", a line of an algorithm.
    entry.extra = Math.min(rest.replace(/[\s,;]+/g, "").length + places.filter((p) => p.startsWith("line")).length, 15);
    entry.text_ = `${plain(entry.id)} ${where} ${plain(entry.says ?? "")} ${plain(entry.text)}`;
    entry.besides = rest.split(/[\s,;]+/).filter((word) => word && !FILLER.test(word));
    entry.spelled = spelled(entry.text_);
    entry.squeezed = squeeze(entry.text_);
    return entry;
  }

  const mentioned = (entry) => (entry.mentions ??= new Set(split(entry.text_).places));

  // With `loose` the words of a question are dropped from what is not one, too.
  function parse(query, loose = false) {
    const text = plain(query).trim();
    const bare = text.replace(/['’]s(?![a-z])/g, "").replace(AUTHOR, (name) => ` ${AUTHORS[name]} `);
    const { places, rest } = split(bare);
    // "5(b)" asks for that, not for all of 5.
    const wanted = places.filter((place, k) => !(k && places[k - 1].startsWith(place) && /[a-z]$/.test(places[k - 1])));
    const every = rest.split(/[\s,;"“”「」?!。]+/).filter((word) => /[\p{L}\p{N}]/u.test(word));
    const few = every.filter((word) => !ASKS.test(word) && !FILLER.test(word));
    const asks = /[?か]。?$/.test(text) || ASKS.test(text.split(/\s/)[0]);
    const words = (asks || loose) && (few.length || wanted.length) ? few : every;
    return { text, phrase: words.join(" "), wanted, words };
  }

  function has(entry, word, whole = false) {
    const kind = kindOf(word.replace(/\.$/, ""));
    // A short word is one, not a part of another: "OT" is not in "protocol".
    if (whole && /^[a-z]{1,4}$/.test(word))
      return [entry.text_, entry.spelled].some((text) => new RegExp(`(?<![a-z])${word}(?:e?s)?(?![a-z])`).test(text)) ||
        (kind && entry.text_.includes(kind));
    if (/^[\d.]+$/.test(word)) return new RegExp(`(?<![\\d.])${escaped(word)}(?!\\d|\\.\\d)`).test(entry.text_);
    return entry.text_.includes(word) || entry.spelled.includes(spelled(word)) ||
      entry.squeezed.includes(squeeze(word) || word) || (kind && entry.text_.includes(kind));
  }

  // Whether a question names a printed object: "Claim 4.1" is not its proof.
  function named(entry, asked) {
    if (!asked.wanted.length !== !entry.own.size || !(asked.wanted.length || asked.words.length)) return false;
    return asked.wanted.every((place) => entry.own.has(place)) && asked.words.every((word) => has(entry, word)) &&
      entry.besides.every((word) => asked.words.includes(word));
  }

  // How well an entry answers: below zero not at all, more is better.
  function score(entry, asked, whole) {
    prepare(entry);
    if (entry.object) return named(entry, asked) ? 120 - entry.own.size : -1;
    const isId = entry.id_ === squeeze(asked.text);
    if (isId) return 100;
    const placed = asked.wanted.every((place) => entry.own.has(place));
    if (!placed && !asked.wanted.every((place) => entry.own.has(place) || mentioned(entry).has(place))) return -1;
    if (!asked.words.every((word) => has(entry, word, whole))) return -1;
    let found = 0;
    if (asked.wanted.length && placed) found += entry.beyond ? 20 : 50 - entry.extra;
    if (asked.phrase && entry.id_.startsWith(squeeze(asked.phrase))) found += 30;
    if (asked.phrase && asked.words.length > 1 && entry.spelled.includes(spelled(asked.phrase))) found += 5;
    if (asked.phrase && (entry.names ?? []).some((name) => spelled(plain(name)) === spelled(asked.phrase))) found += 60;
    return found;
  }

  // The entries that answer, best first, else in their own order.
  function search(entries, query) {
    for (const whole of [true, false])
      for (const loose of [false, true]) {
        const found = answers(entries, parse(query, loose), whole);
        if (found.length) return found;
      }
    return [];
  }

  function answers(entries, asked, whole) {
    return entries.map((entry, order) => ({ entry, order, score: score(entry, asked, whole) }))
      .filter((item) => item.score >= 0)
      .sort((a, b) => b.score - a.score || a.order - b.order)
      .map((item) => item.entry);
  }

  // How many letters must change, be dropped, added or exchanged with their neighbours; at most `most`.
  function distance(a, b, most) {
    if (Math.abs(a.length - b.length) > most) return most + 1;
    let [before, last] = [[], Array.from({ length: b.length + 1 }, (_, k) => k)];
    for (let i = 1; i <= a.length; i += 1) {
      const row = [i];
      for (let j = 1; j <= b.length; j += 1) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] !== b[j - 1]));
        if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
      if (Math.min(...row) > most) return most + 1;
      [before, last] = [last, row];
    }
    return last[b.length];
  }

  // Other questions that have an answer: the place alone, words spelled like these, and where no claim has
  // the place, one of another kind with its number.
  function instead(entries, query) {
    const asked = parse(query, true);
    const found = [];
    entries.forEach(prepare);
    for (const place of asked.wanted) {
      if (entries.some((entry) => entry.own.has(place))) continue;
      const number = place.split(" ")[1];
      for (const entry of entries)
        for (const own of entry.own) if (own.split(" ")[1] === number && own !== place) found.push(own);
    }
    found.sort((a, b) => a.startsWith("section") - b.startsWith("section"));
    const known = new Set(entries.flatMap((entry) => entry.text_.match(/\p{L}{4,}/gu) ?? []));
    const mended = asked.words.map((word) => {
      if (!/^\p{L}{4,}$/u.test(word) || entries.some((entry) => has(entry, word))) return word;
      const most = word.length < 7 ? 1 : 2;
      let [best, at] = [word, most + 1];
      for (const other of known) {
        const far = distance(word, other, most);
        if (far < at) [best, at] = [other, far];
      }
      return best;
    }).join(" ");
    if (mended !== asked.phrase) found.unshift([...asked.wanted, mended].join(" "));
    if (asked.words.length && asked.wanted.length) found.unshift(asked.wanted.join(" "));
    return [...new Set(found)].filter((one) => search(entries, one).length).slice(0, 4)
      .map((one) => one[0].toUpperCase() + one.slice(1));
  }

  return { places: (text) => split(plain(text)).places, search, instead, plain };
})();
