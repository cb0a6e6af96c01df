// The page of the search: claims and terms that answer stand before the pages, each with a link to its
// row, and excerpts of pages are words of the text, without bars and TeX.
"use strict";

(() => {
  const MOST = 8; // claims and terms that are shown; the ledger shows the rest

  // --- TeX as plain text --------------------------------------------------------------------------
  const SIGNS = {
    le: "≤", leq: "≤", ge: "≥", geq: "≥", ne: "≠", neq: "≠", times: "×", cdot: "·", in: "∈", notin: "∉", infty: "∞",
    sum: "Σ", prod: "Π", int: "∫", to: "→", rightarrow: "→", mapsto: "↦", approx: "≈", sim: "~", mid: "|", vert: "|", Vert: "‖",
    pm: "±", subset: "⊂", subseteq: "⊆", cup: "∪", cap: "∩", emptyset: "∅", ldots: "…", dots: "…", cdots: "…", sqrt: "√",
    partial: "∂", nabla: "∇", forall: "∀", exists: "∃", propto: "∝", oplus: "⊕", ell: "ℓ", lfloor: "⌊", rfloor: "⌋",
    lceil: "⌈", rceil: "⌉", langle: "⟨", rangle: "⟩", prime: "′", star: "*", lVert: "‖", rVert: "‖", known: "K", unknown: "U",
    alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", varepsilon: "ε", zeta: "ζ", eta: "η", theta: "θ", kappa: "κ",
    lambda: "λ", mu: "μ", nu: "ν", xi: "ξ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", varphi: "φ", chi: "χ", psi: "ψ",
    omega: "ω", Gamma: "Γ", Delta: "Δ", Theta: "Θ", Lambda: "Λ", Pi: "Π", Sigma: "Σ", Phi: "Φ", Psi: "Ψ", Omega: "Ω",
    left: "", right: "", big: "", Big: "", bigl: "", bigr: "", Bigl: "", Bigr: "", quad: " ", qquad: " ", displaystyle: "",
    mathrm: "", mathbf: "", mathcal: "", mathbb: "", mathsf: "", mathit: "", operatorname: "", text: "", textit: "", boldsymbol: "", class: "", limits: "", nolimits: "",
    one: "1", adversary: "A",
  };
  const OVER = { hat: "\u0302", widehat: "\u0302", bar: "\u0304", overline: "\u0304", tilde: "\u0303", widetilde: "\u0303", vec: "\u20d7" };
  const LOW = "₀₁₂₃₄₅₆₇₈₉", HIGH = "⁰¹²³⁴⁵⁶⁷⁸⁹";

  const RELATION = /^[≤≥≠×∈∉→≈~|±⊂⊆∪∩∝⊕]$/;
  const argument = String.raw`\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|([^\s{}]))`;

  function untex(tex) {
    let text = tex.replace(/\\(?:begin|end)\{[^}]*\}|\\(?:tag|label)\{[^}]*\}/g, " ")
      .replace(new RegExp(`\\\\(${Object.keys(OVER).join("|")})(?![A-Za-z])(?:\\s*\\{\\s*(\\w)\\s*\\}|\\s*(\\w))`, "g"), (_, mark, a, b) => (a ?? b) + OVER[mark])
      .replace(new RegExp(`\\\\(?:${Object.keys(OVER).join("|")})(?![A-Za-z])`, "g"), "")
      .replace(/\\(?![dt]?frac|binom)([A-Za-z]+)(\s*)(?=([\w\\])?)/g, (_, name, gap, next) => {
        const sign = SIGNS[name];
        if (sign === undefined) return next ? `${name} ` : name; // log, Pr, max
        return RELATION.test(sign) ? ` ${sign} ` : next ? sign : sign + gap;
      });
    for (let k = 0; k < 3; k += 1)
      text = text
        .replace(new RegExp(`\\\\[dt]?frac${argument}${argument}`, "g"), (_, a, b, c, d) => `${bracket(a ?? b)}/${bracket(c ?? d)}`)
        .replace(new RegExp(`\\\\binom${argument}${argument}`, "g"), (_, a, b, c, d) => `C(${a ?? b}, ${c ?? d})`);
    text = text.replace(/\\\|/g, "‖").replace(/\\[,;:!> ]|~/g, " ").replace(/\\\\|&/g, " ").replace(/\\/g, "")
      .replace(/([_^])(?:\{(\d+)\}|(\d))/g, (_, way, several, one) => [...(several ?? one)].map((d) => (way === "_" ? LOW : HIGH)[d]).join(""))
      .replace(/([_^])\{([^{}]{2,})\}/g, "$1($2)").replace(/[{}]/g, "").replace(/ (?=[_^])/g, "");
    return text.replace(/\s+/g, " ").replace(/ ([,.;:)])/g, "$1").trim();
  }

  function bracket(text) {
    return /^[\p{L}\p{N}]+$/u.test(text) ? text : `(${text})`;
  }

  // Formulas of a text in Markdown or of a page, emphasis and citations of Markdown.
  const words = (text) => text
    .replace(/\\\(([\s\S]*?)\\\)|\\\[([\s\S]*?)\\\]/g, (_, a, b) => untex(a ?? b))
    .replace(/\s+/g, " ").trim();
  const markdown = (text) => words(text
    .replace(/\{cite:\w\}`[^`]*`/g, "").replace(/\{claim\}`([^`]*)`/g, "$1")
    .replace(/\$\$?([^$]+)\$\$?/g, (_, tex) => untex(tex))
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[*`]/g, ""));

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
    } else shown.append(make("small", "term"));
    shown.append(make("p", markdown(entry.says), { className: "context" }));
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
    box.setAttribute("aria-label", "Claims and terms");
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
