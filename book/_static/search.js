// The page of the search: claims, printed objects and terms that answer stand before the pages, each with a link to its
// row, and excerpts of pages are words of the text, without bars and TeX.
"use strict";

(() => {
  const MOST = 8; // claims and terms that are shown; the ledger shows the rest

  // --- TeX as plain text --------------------------------------------------------------------------
  const SIGNS = {
    cdot: "·", infty: "∞", sum: "Σ", prod: "Π", int: "∫", vert: "|", lvert: "|", rvert: "|", Vert: "‖", lVert: "‖", rVert: "‖",
    emptyset: "∅", varnothing: "∅", ldots: "…", dots: "…", cdots: "…", partial: "∂", nabla: "∇", forall: "∀", exists: "∃",
    ell: "ℓ", lfloor: "⌊", rfloor: "⌋", lceil: "⌈", rceil: "⌉", langle: "⟨", rangle: "⟩", prime: "′", star: "*", ast: "*", top: "⊤",
    square: "□", alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", zeta: "ζ", eta: "η", theta: "θ",
    kappa: "κ", lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", varphi: "φ", chi: "χ",
    psi: "ψ", omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Xi: "Ξ", Pi: "Π", Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
    quad: " ", qquad: " ", known: "K", unknown: "U", one: "1", adversary: "A", backslash: "\\",
  };
  // Signs with a space on both sides.
  const BETWEEN = {
    le: "≤", leq: "≤", ge: "≥", geq: "≥", ne: "≠", neq: "≠", gg: "≫", ll: "≪", times: "×", in: "∈", notin: "∉", to: "→", rightarrow: "→",
    longrightarrow: "→", leftarrow: "←", gets: "←", mapsto: "↦", Rightarrow: "⇒", Longrightarrow: "⇒", implies: "⇒", iff: "⇔",
    Leftrightarrow: "⇔", Longleftrightarrow: "⇔", approx: "≈", equiv: "≡", sim: "~", mid: "|", pm: "±", mp: "∓", circ: "∘", subset: "⊂",
    subseteq: "⊆", supseteq: "⊇", cup: "∪", cap: "∩", setminus: "∖", propto: "∝", oplus: "⊕", wedge: "∧", vee: "∨", succeq: "⪰", bmod: "mod",
  };
  // What only sets its argument in another way, and what shows nothing.
  const PLAIN = /^(?:math(?:rm|bf|cal|bb|sf|it|tt)|text(?:it|bf|rm|tt)?|operatorname|boldsymbol|underbrace|underline|substack)$/;
  const NOTHING = /^(?:(?:d|text|script)isplaystyle|displaystyle|limits|nolimits|[bB]igg?[lrm]?|left|right|middle)$/;
  const OVER = { hat: "\u0302", widehat: "\u0302", bar: "\u0304", overline: "\u0304", tilde: "\u0303", widetilde: "\u0303", vec: "\u20d7" };
  const LOW = "₀₁₂₃₄₅₆₇₈₉", HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  function untex(tex) {
    const tokens = tex.match(/\\[A-Za-z]+|\\[^]|\s+|[^]/gu) ?? [];
    let at = 0;

    const space = () => { while (/^\s/.test(tokens[at] ?? "")) at += 1; };

    function argument() {
      space();
      return at < tokens.length ? one() : "";
    }

    function group(closing) {
      const pieces = []; // with the command that each comes of
      while (at < tokens.length && tokens[at] !== closing) {
        const [from, begins] = [at, tokens[at]];
        const piece = one();
        // As in TeX, the space only ends the name of a command, but for one before a sign.
        if (at === from + 1 && /^\\[A-Za-z]/.test(begins) && /^(?:[A-Za-z\d{]|\\[A-Za-z])/.test(tokens[at + 1] ?? "")) space();
        if (/^\\(?:l(?:[vV]ert|floor|ceil)|langle)$/.test(begins)) space();
        if (piece) pieces.push([piece, begins]);
      }
      at += 1;
      return pieces.reduce((text, [piece, begins], k) => join(text, piece, begins, pieces[k - 1], pieces.slice(k + 1)), "");
    }

    // Two words, such as λ and "ln", do not grow together, nor a fraction with a factor.
    function join(text, piece, begins, last, rest) {
      const word = /^[A-Za-z]{2,}$/;
      const before = text.trimEnd(), next = rest.find(([other]) => other.trim())?.[0] ?? "";
      if (/^\\[dt]?frac$/.test(begins) && ((/[\p{L}\p{N}\p{M})⌋⌉]$/u.test(before) && !/[A-Za-z]{2,}$/.test(before)) ||
          (/^[\p{L}\p{N}√(⌊⌈]/u.test(next) && !word.test(next)))) return `${text}(${piece})`;
      if (/^\\(?:r(?:[vV]ert|floor|ceil)|rangle)$/.test(begins)) return before + piece;
      const command = ([text_, from]) => from.startsWith("\\") && word.test(text_);
      const apart = command([piece, begins]) ? /[\p{L}\p{N}\p{M})]$/u.test(text)
        : last && command(last) && /[A-Za-z]{2,}$/.test(text) && /^[\p{L}\p{N}√]/u.test(piece);
      return apart ? `${text} ${piece}` : text + piece;
    }

    function one() {
      const token = tokens[at];
      at += 1;
      if (token === "{") return group("}");
      if (token === "_" || token === "^") return script(token, argument());
      if (token === "~" || token === "&") return " ";
      if (token === "\\\\") return "; ";
      if (!token.startsWith("\\")) return token;
      const name = token.slice(1);
      if (Object.hasOwn(SIGNS, name)) return SIGNS[name];
      if (Object.hasOwn(BETWEEN, name)) return ` ${BETWEEN[name]} `;
      if (Object.hasOwn(OVER, name)) return accent(argument(), OVER[name]);
      if (PLAIN.test(name)) return argument();
      if (NOTHING.test(name)) {
        if (/^(?:left|right|middle)$/.test(name) && tokens[at] === ".") at += 1;
        return "";
      }
      if (/^[dt]?frac$/.test(name)) return `${bracket(argument())}/${bracket(argument(), true)}`;
      if (/^[dt]?binom$/.test(name)) return `C(${argument()}, ${argument()})`;
      if (name === "sqrt") return `√${bracket(argument(), true)}`;
      if (name === "class") { argument(); return argument(); }
      if (/^(?:begin|end|tag|label|phantom)$/.test(name)) {
        const what = argument();
        if (what === "array" && name === "begin") argument();
        return /matrix$/.test(what) ? (name === "begin" ? "(" : ")") : " ";
      }
      if (name === "|") return "‖";
      if (/^[,;:> \s]$/.test(name)) return " ";
      return name === "!" ? "" : name; // log, Pr, max, and signs such as \{
    }

    let text = "";
    while (at < tokens.length) text += group("");
    return text.replace(/\s+/g, " ").replace(/ (?=[_^₀-₉⁰¹²³⁴-⁹])/g, "").replace(/ (?=[,.;:)])|(?<=\() /g, "").trim();
  }

  function accent(text, mark) {
    const first = /^[\p{L}\p{N}](?=$|[_^₀-₉⁰¹²³⁴-⁹])/u.exec(text)?.[0];
    return first ? first + mark + text.slice(first.length) : `(${text})${mark}`;
  }

  function script(way, text) {
    text = text.trim();
    if (/^\d+$/.test(text)) return [...text].map((digit) => (way === "_" ? LOW : HIGH)[digit]).join("");
    if (way === "^" && text === "⊤") return "ᵀ";
    if (way === "^" && text === "′") return text;
    return way + (/^.\p{M}*$|^\([^()]*\)$/u.test(text) ? text : `(${text})`);
  }

  // What is below a fraction or a root is one sign or number, or stands in brackets.
  function bracket(text, below = false) {
    return (below ? /^(?:\d+|\p{L}\p{M}*)$/u : /^[\p{L}\p{N}\p{M}]+$/u).test(text) ? text : `(${text})`;
  }

  // Formulas of a text in Markdown or of a page, emphasis and citations of Markdown.
  const words = (text) => text
    .replace(/\\\(([\s\S]*?)\\\)|\\\[([\s\S]*?)\\\]/g, (_, a, b) => untex(a ?? b))
    .replace(/\s+/g, " ").trim();

  // Formulas and code are put aside, as a star in them is no emphasis.
  function markdown(text) {
    const aside = [];
    const keep = (piece) => `\ue000${aside.push(piece) - 1}\ue001`;
    return text.replace(/\{cite:\w\}`[^`]*`/g, "").replace(/\{claim\}`([^`]*)`/g, "$1")
      .replace(/\$\$?([^$]+)\$\$?/g, (_, tex) => keep(untex(tex))).replace(/`([^`]*)`/g, (_, code) => keep(code))
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/(\*\*?)(?=\S)([^*]+)\1/g, "$2")
      .replace(/\ue000(\d+)\ue001/g, (_, k) => aside[k]).replace(/\s+/g, " ").trim();
  }

  // --- claims and terms ---------------------------------------------------------------------------
  function make(tag, text = "", more = {}) {
    return Object.assign(document.createElement(tag), { textContent: text }, more);
  }

  function item(entry) {
    const shown = make("li");
    shown.append(make("a", entry.title, { href: entry.link }), " ");
    if (entry.verdict) {
      const pill = make("span", entry.verdict, { className: "claim-pill" });
      pill.style.background = entry.colour;
      shown.append(pill);
    } else shown.append(make("small", entry.object ? "printed object" : "term"));
    shown.append(make("p", markdown(entry.says) + (entry.object ? ` （${entry.ja}）` : ""), { className: "context" }));
    if (entry.cells.length) {
      const where = make("small", entry.verdict ? "Checked in " : "First used in ");
      entry.cells.forEach(([name, link], k) => where.append(k ? ", " : "", make("a", name, { href: link })));
      shown.append(where);
    }
    return shown;
  }

  function showFound(query) {
    const before = document.getElementById("search-results");
    const found = query && before ? privlibFind.search(privlibFound, query) : [];
    if (!found.length) return;
    const box = make("section", "", { id: "found-first" });
    box.setAttribute("aria-label", "Claims, printed objects and terms");
    const list = make("ul");
    list.append(...found.slice(0, MOST).map(item));
    box.append(make("h2", "Claims and terms"), list);
    const claims = found.filter((entry) => entry.verdict).length;
    if (found.length > MOST && claims) {
      const all = make("a", `All ${claims} claims in the ledger`,
        { href: `book/ledger/index.html?q=${encodeURIComponent(query)}#every-claim` });
      const line = make("p");
      line.append(all);
      box.append(line);
    }
    before.before(box);
  }

  // Where no page answers: what to do, in place of the stock words about categories.
  const STOCK = "Your search did not match any documents. Please make sure that all words are spelled " +
    "correctly and that you've selected enough categories.";

  function showTips(query) {
    const box = make("section", "", { id: "search-tips" });
    box.setAttribute("aria-label", "What to do");
    const list = make("ul");
    const tip = (...pieces) => { const one = make("li"); one.append(...pieces); list.append(one); };
    const offers = privlibFind.instead(privlibFound, query).flatMap((words_, k) =>
      [k ? ", " : "", make("a", words_, { href: `?q=${encodeURIComponent(words_)}` })]);
    if (offers.length) tip("Did you mean ", ...offers, "?");
    tip("Look at the spelling, or take fewer words.");
    tip("A claim is found by its place in the paper or its id: ", make("a", "the ledger", { href: "book/ledger/index.html#every-claim" }), ".");
    tip("Terms in English and Japanese: ", make("a", "the glossary", { href: "book/glossary.html" }), ".");
    Documentation.TRANSLATIONS[STOCK] = document.getElementById("found-first")
      ? "No page has all of these words; the claims and terms above have." : `Nothing found for “${query}”.`;
    box.append(list);
    Search.status.after(box);
  }

  const { stopPulse } = Search;
  Search.stopPulse = () => {
    stopPulse();
    if (Search.output && !Search.output.children.length && asked() && !document.getElementById("search-tips")) showTips(asked());
  };

  const asked = () => new URLSearchParams(location.search).get("q")?.trim() ?? "";

  // --- excerpts -----------------------------------------------------------------------------------
  const LENGTH = 220;

  Search.htmlToText = (source, anchor) => {
    const page = new DOMParser().parseFromString(source, "text/html");
    const article = page.querySelector("article.bd-article") ?? page.querySelector('[role="main"]');
    const part = (anchor && article?.querySelector(anchor)) || article;
    part?.querySelectorAll("script, style, svg, form, button, summary, .headerlink, .cell_input, .toctree-wrapper, [hidden]")
      .forEach((piece) => piece.remove());
    // A page in two languages speaks that of the question.
    const other = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(asked()) ? ".in-en" : ".in-ja";
    part?.querySelectorAll(other).forEach((piece) => piece.remove());
    part?.querySelectorAll("br").forEach((piece) => piece.replaceWith(" "));
    part?.querySelectorAll("p, li, td, th, h1, h2, h3, dt, div").forEach((piece) => piece.append(" "));
    return words(part?.textContent ?? "");
  };

  // The first stretch that has most of the words, from the beginning of a word to the end of one.
  Search.makeSearchSummary = (source, keywords, anchor) => {
    const text = Search.htmlToText(source, anchor);
    if (!text) return null;
    const low = text.toLowerCase();
    const places = [];
    for (const word of keywords)
      for (let at = low.indexOf(word.toLowerCase()); at >= 0; at = low.indexOf(word.toLowerCase(), at + 1))
        places.push([at, word]);
    places.sort((a, b) => a[0] - b[0]);
    let [start, most] = [0, 0];
    for (const [at] of places) {
      const near = new Set(places.filter(([other]) => other >= at && other < at + LENGTH - 60).map(([, word]) => word)).size;
      if (near > most) [start, most] = [at, near];
    }
    let from = Math.max(0, start - 60);
    if (from) from = text.indexOf(" ", from) + 1;
    let to = Math.min(text.length, from + LENGTH);
    if (to < text.length) to = text.lastIndexOf(" ", to);
    return make("p", `${from ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`, { className: "context" });
  };

  globalThis.privlibSearch = { untex, markdown };
  const start = () => showFound(asked());
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
