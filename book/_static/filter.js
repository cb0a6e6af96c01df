// Tables that can be filtered: ledger and errata, glossary, index of the exercises.
"use strict";

// Small letters, one Unicode form.
const plain = (text) => text.normalize("NFKC").toLowerCase();

// A question as readers type it, in words that the ledger has: "Is Thm. 5.3 (Yang, Sato) right?" asks for theorem,
// 5.3, yang and sato.
const asked = (() => {
  const KINDS = {
    theorem: "theorem", thm: "theorem", th: "theorem", definition: "definition", defn: "definition", def: "definition",
    proposition: "proposition", prop: "proposition", lemma: "lemma", lem: "lemma", corollary: "corollary",
    cor: "corollary", equation: "equation", eqn: "equation", eq: "equation", algorithm: "algorithm", alg: "algorithm",
    section: "section", sect: "section", sec: "section", chapter: "chapter", claim: "claim", example: "example",
    figure: "figure", fig: "figure", table: "table", tab: "table",
  };
  const KINDS_JA = "定理|命題|定義|主張|補題|系|アルゴリズム|式|例|図|表";
  const IDLE = new Set(("a al an and are at by can correct do does et explain false hold holds in is it of on or really right "
    + "stand stands that the this to true was what wrong you").split(" "));
  // A kind before its number: Thm. 5.3, theorem5.3, eq(29). Not within an id, such as Y-Th5.3.
  const NAMED = new RegExp(`(^|[^\\w-])(${Object.keys(KINDS).join("|")})s?\\.?\\s*(?=\\(?\\d)`, "g");
  const NUMBERED_JA = new RegExp(`^(?:${KINDS_JA})\\d`);
  const isKind = new RegExp(`^(?:${Object.values(KINDS).join("|")}|${KINDS_JA})$`);

  /** The words that a row must have. */
  function words(question) {
    return plain(question)
      .replace(/は?(?:正しい|成り立つ|成立する)(?:のですか|ですか|のか|か)?/g, " ")
      .replace(new RegExp(`の(?=${KINDS_JA})`, "g"), " ")
      .replace(NAMED, (_, before, kind) => `${before}${KINDS[kind]} `)
      .split(/[\s,;:!?"…、。・]+/)
      .map((word) => (/^\(\d+\)$/.test(word) ? word : word.replace(/^[(['“‘「『]+|[)\]'”’」』.]+$/g, "")))
      .filter((word) => word && !IDLE.has(word));
  }

  /** A text without what may or may not stand in a place: theorem5.3, equation29. */
  const squeezed = (text) => plain(text).replace(/[\s()]/g, "");

  /** The numbered statements among some words, squeezed. */
  function places(wanted) {
    const found = wanted.filter((word) => NUMBERED_JA.test(word));
    wanted.forEach((word, k) => {
      if (isKind.test(word) && /^\(?\d/.test(wanted[k + 1] ?? "")) found.push(word + wanted[k + 1]);
    });
    return found.map(squeezed);
  }

  /** Whether a squeezed text names a place: Theorem 5.3, not 5.31 or 5.3.1. */
  const names = (text, place) => text.split(place).slice(1).some((rest) => !/^\.?\d/.test(rest));

  return { words, places, squeezed, names };
})();

// The search finds pages. Who looks there for a numbered statement of a paper is shown the way to its verdict.
document.addEventListener("DOMContentLoaded", () => {
  const results = document.getElementById("search-results");
  const question = new URLSearchParams(location.search).get("q") ?? "";
  if (!results || !asked.places(asked.words(question)).length) return;
  const line = document.createElement("p");
  line.className = "search-ledger";
  const link = document.createElement("a");
  link.href = `${document.documentElement.dataset.content_root ?? ""}book/ledger/index.html?`
    + `${new URLSearchParams({ q: question })}#every-claim`;
  if (/[\u3041-\u9fff]/.test(question)) {
    line.lang = "ja";
    link.textContent = `「${question}」の判定を台帳（英語）で見る`;
    line.append(link);
  } else {
    link.textContent = `Find the verdict of “${question}”`;
    line.append("A statement of a paper? ", link, " in the ledger.");
  }
  results.before(line);
});

// The filter bar of ledger and errata: fields to choose from, and one for words. What is asked for
// stands in the address. Without this script the pages show every row.
document.addEventListener("DOMContentLoaded", () => {
  // Each row has a <span class="claim-key"> with what can be asked for, as far as it differs from these.
  const MOST = { verdict: "verified", strength: "", fully: "no", limit: "no", kind: "paper" };

  function setUp(form) {
    const controls = [...form.elements].filter((control) => control.name);
    const tables = [...document.querySelectorAll("table.claims:has(.claim-key)")];
    const page = [...document.querySelectorAll("table.claims tr:has(.claim-key)")].map((row) => {
      const data = { ...MOST, ...row.querySelector(".claim-key").dataset };
      const words = plain(`${row.textContent} ${data.where} ${data.text}`);
      const places = asked.squeezed(`${data.where} ${data.text}`);
      return { ...data, row, words, places, table: tables.indexOf(row.closest("table")), follower: row.nextElementSibling };
    });
    let rows = page; // as they stand now
    const status = document.querySelector(".claims-status");
    // A telephone shows so many rows of what fits, and more on request; paper does so where all claims would be
    // printed that nobody asked for.
    const AT_ONCE = 30;
    const phone = matchMedia("screen and (max-width: 720px)");
    let most = AT_ONCE;
    const more = document.createElement("p");
    more.className = "claims-more";
    more.innerHTML = '<button type="button">Show 30 more</button> <button type="button">Show all</button>';
    const [next, all] = more.children;
    next.addEventListener("click", () => { most += AT_ONCE; cut(); });
    all.addEventListener("click", () => { most = Infinity; cut(); });
    phone.addEventListener("change", () => cut());

    /** Leave out, on a telephone, what comes after the first rows. */
    function cut() {
      let shown = 0;
      let left = 0;
      let last = null; // the table that the buttons stand below
      for (const item of rows) {
        if (item.row.hidden) continue;
        shown += 1;
        const late = phone.matches && shown > most;
        item.row.classList.toggle("is-late", late);
        item.row.classList.toggle("is-late-on-paper", shown > AT_ONCE);
        if (late) left += 1;
        else last = item.row;
      }
      if (left) last.closest("table").after(more);
      more.hidden = left === 0;
      for (const table of tables)
        table.classList.toggle("is-late", Boolean(left) && !table.querySelector("tbody tr:not([hidden], .is-late)"));
    }

    let first = []; // the rows that stand before the others, in the order of the page

    /** Put the rows of a place that is asked for before those that have its words elsewhere, as in an id. */
    function sort(places) {
      const wanted = places.length ? page.filter((item) => places.every((place) => asked.names(item.places, place))) : [];
      if (wanted.length === first.length && wanted.every((item, k) => item === first[k])) return;
      for (const { row, follower } of first.reverse()) row.parentElement.insertBefore(row, follower);
      for (const { row } of [...wanted].reverse()) row.parentElement.prepend(row);
      first = wanted;
      rows = [...page].sort((one, other) => one.table - other.table || wanted.includes(other) - wanted.includes(one));
    }

    function fits(item, { name, value }, words) {
      const wanted = value.trim();
      if (!wanted) return true;
      if (name === "q") return words.every((word) => item.words.includes(word));
      if (name === "verdict" && wanted === "fully verified") return item.fully === "yes";
      if (name === "verdict" && wanted === "with a limit") return item.limit === "yes";
      return item[name] === wanted;
    }

    function apply() {
      const question = controls.find((control) => control.name === "q")?.value ?? "";
      const words = asked.words(question);
      sort(asked.places(words));
      let shown = 0;
      for (const item of rows) {
        item.row.hidden = !controls.every((control) => fits(item, control, words));
        shown += !item.row.hidden;
      }
      for (const table of tables)
        table.classList.toggle("is-empty", !table.querySelector("tbody tr:not([hidden])"));
      status.textContent = document.documentElement.dataset.shown === "ja"
        ? `${rows.length} 件中 ${shown} 件が該当`
        : `${shown} of ${rows.length} rows match.`;
      if (!shown && words.length) status.append(" ", advice(question));
      most = AT_ONCE;
      cut();
      document.documentElement.classList.toggle("is-asked", controls.some((control) => control.value.trim()));
    }

    /** What to try when nothing has the words of a question, in the language of the page or of the question. */
    function advice(question) {
      const all = form.querySelector("button[type=reset]").innerText;
      const said = document.createElement("span");
      if (document.documentElement.dataset.shown === "ja" || /[\u3041-\u9fff]/.test(question)) {
        said.lang = "ja";
        said.textContent = "これらの語をすべて含む行はない。論文にあるとおりの箇所（定理 5.3 など）か、著者名を一つだけ入れる。"
          + `「${all}」を押すと、条件が消える。`;
      } else {
        said.textContent = "No row has all of these words. Try the place as it is printed (Theorem 5.3), one author, "
          + `or the button “${all}”.`;
      }
      return said;
    }

    function toAddress() {
      const query = new URLSearchParams();
      for (const { name, value } of controls) if (value.trim()) query.set(name, value.trim());
      const text = query.toString();
      try {
        history.replaceState(null, "", location.pathname + (text ? `?${text}` : "") + location.hash);
      } catch { /* some browsers refuse this for file:// addresses; the filter works all the same */ }
    }

    function fromAddress() {
      const query = new URLSearchParams(location.search);
      for (const control of controls) {
        const wanted = query.get(control.name) ?? "";
        control.value = wanted;
        if (control.value !== wanted) control.value = ""; // a value that the list does not have
      }
      apply();
    }

    /** The row that the address names is always visible. */
    function reveal() {
      const row = document.getElementById(location.hash.slice(1))?.closest("tr"); // our ids are ASCII
      if (row?.classList.contains("is-late")) {
        most = Infinity;
        cut();
        row.scrollIntoView();
      }
      if (!row?.hidden) return;
      form.reset();
      apply();
      toAddress();
      row.scrollIntoView();
    }

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => { apply(); toAddress(); });
    form.addEventListener("reset", () => setTimeout(() => { apply(); toAddress(); }));
    addEventListener("hashchange", reveal);
    // A click on the address that stands there already fires no hashchange.
    document.addEventListener("click", (event) => {
      if (event.target.closest('a[href*="#"]')) setTimeout(reveal);
    });
    addEventListener("popstate", () => { fromAddress(); reveal(); });
    document.addEventListener("privlib:language", apply);
    form.hidden = false;
    fromAddress();
    reveal();
  }

  document.querySelectorAll("form.claims-filter").forEach(setUp);
});

// Glossary: a box that shows the entries with some text, in both lists. Without this script all are shown.
document.addEventListener("DOMContentLoaded", () => {
  const first = document.querySelector("table.glossary");
  if (!first) return;
  // Small letters, one Unicode form, no macrons: "kogekisha" finds kōgekisha.
  const plain = (text) => text.normalize("NFKC").normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const tables = [...document.querySelectorAll("table.glossary, table.glossary-english")];
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows])
    .map((row) => ({ row, text: plain(row.textContent) }));

  const box = document.createElement("div");
  box.className = "glossary-filter";
  box.innerHTML = '<label><span class="in-en">Show entries with</span><span class="in-ja" lang="ja">検索</span> '
    + '<input type="search" autocomplete="off" spellcheck="false"></label>'
    + "<output></output>"; // read aloud when it changes
  const [input, shown] = [box.querySelector("input"), box.querySelector("output")];

  function update() {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    const inJapanese = document.documentElement.dataset.shown === "ja";
    for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
    shown.textContent = words.length
      ? tables.map((table, k) => {
        const count = [...table.tBodies[0].rows].filter((row) => !row.hidden).length;
        if (inJapanese) return `${k ? "英語" : "日本語"} ${count} 件`;
        return `${count} ${k ? "English" : "Japanese"}`;
      }).join(inJapanese ? "、" : ", ")
      : "";
  }

  // What the address names is always shown.
  function reveal() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("tr");
    if (!row?.hidden) return;
    input.value = "";
    update();
    row.scrollIntoView();
  }

  input.addEventListener("input", update);
  document.addEventListener("privlib:language", update);
  addEventListener("hashchange", reveal);
  first.closest("section").before(box);
});

// Index of the exercises: check boxes that show or hide a level. Without this script all are shown.
document.addEventListener("DOMContentLoaded", () => {
  const rows = [...document.querySelectorAll("table.exercise-index tbody tr")];
  const first = document.querySelector("table.exercise-index");
  if (!first) return;
  const levelOf = new Map(rows.map((row) => [row, row.querySelector("[data-level]").dataset.level]));

  const box = document.createElement("fieldset");
  box.className = "exercise-filter";
  box.innerHTML = "<legend>Show</legend>";
  for (const level of new Set(levelOf.values())) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "checkbox";
    input.checked = true;
    input.value = level;
    label.append(input, ` ${level}`);
    box.append(label);
  }
  const shown = document.createElement("output"); // read aloud when it changes
  box.append(shown);

  const update = () => {
    const wanted = new Set([...box.querySelectorAll("input:checked")].map((input) => input.value));
    for (const row of rows) row.hidden = !wanted.has(levelOf.get(row));
    const count = rows.filter((row) => !row.hidden).length;
    shown.textContent = `${count} of ${rows.length} exercises`;
  };
  box.addEventListener("change", update);
  update();
  first.closest("section").before(box);
});
