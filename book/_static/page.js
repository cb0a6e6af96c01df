// What every page needs: printing, search from a file, boxes that scroll, two languages.
"use strict";

// Paper is white: print in the light theme, and go back to the reader's theme afterwards. The picture
// whose place a live figure takes on the screen is loaded, too.
(() => {
  const root = document.documentElement;
  const head = document.createElement("style"); // the title of the page, above each sheet
  let theme = null;
  const start = () => {
    if (theme === null) {
      theme = root.dataset.theme;
      root.dataset.theme = "light";
      const title = JSON.stringify(document.title).replaceAll("<", "\\3c ");
      head.textContent = `@page { @top-left { content: ${title}; color: #444; font: 7.5pt sans-serif; } }`;
      document.head.prepend(head); // who prints with other words (tools/pdf.py) comes later
      for (const picture of document.images) picture.loading = "eager";
    }
  };
  const end = () => {
    if (theme !== null) {
      root.dataset.theme = theme;
      theme = null;
    }
    delete root.dataset.print; // with or without solutions: asked for each time
  };
  window.addEventListener("beforeprint", start);
  window.addEventListener("afterprint", end);
  window.matchMedia("print").addEventListener("change", (event) => (event.matches ? start() : end()));
})();

// Search shows an excerpt of each page that it finds, and fetches the page for that. From a file a
// browser refuses, with an error for each; the list of pages is complete without.
if (window.location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

// What is wider than its box scrolls in it, with the keys too: for as long as it does, it is a stop of the Tab
// key with a name. A table and a figure stay what they are; anything else is a group, as a region each would
// be one more landmark of the page.
document.addEventListener("DOMContentLoaded", () => {
  const article = document.querySelector(".bd-article");
  if (!article) return;
  const NAMES = { PRE: "Code", TABLE: "Table", FIGURE: "Figure", "MJX-CONTAINER": "Formula", SPAN: "Formula" };
  const CAN = "pre, table, figure, mjx-container, span.math, .output, .pst-scrollable-table-container";
  const known = new Set();

  function mark(box) {
    const inner = box.matches("div") ? box.querySelector("table, pre, figure, img, svg") : box;
    const name = inner?.caption?.textContent.trim() || NAMES[inner?.tagName] || "Figure";
    box.tabIndex = 0;
    box.setAttribute("aria-label", `${name}, scrolls sideways`);
    if (!box.matches("table, figure")) box.setAttribute("role", "group");
    known.add(box);
  }

  function unmark(box) {
    for (const name of ["tabindex", "aria-label", ...(box.matches("table, figure") ? [] : ["role"])]) box.removeAttribute(name);
    known.delete(box);
  }

  // All sizes are read before anything is written.
  function look() {
    const scrolls = new Set([...article.querySelectorAll(CAN)].filter((box) =>
      box.scrollWidth > box.clientWidth + 1
      && (box.matches("span.math") ? /auto|hidden/ : /auto|scroll/).test(getComputedStyle(box).overflowX)));
    for (const box of known) if (!scrolls.has(box)) unmark(box);
    for (const box of scrolls) if (!known.has(box)) mark(box);
  }

  // The page changes its size with the window, when formulas are set and when something is opened or closed;
  // fonts that come later make only a line longer.
  new ResizeObserver(look).observe(article);
  document.fonts.addEventListener("loadingdone", look);
});

// A notebook's exercises, for those who see only its page: below each cell that waits for an answer, where to type one.
document.addEventListener("DOMContentLoaded", () => {
  const root = document.documentElement.dataset.content_root ?? "";
  for (const output of document.querySelectorAll(".cell.tag_exercise .cell_output")) {
    const line = document.createElement("p");
    line.className = "exercise-where";
    line.innerHTML = "To answer, open this page in Jupyter and replace the dots: <a>how to work on the exercises</a>.";
    line.querySelector("a").href = `${root}book/exercises.html`;
    output.append(line);
  }
});

// Two languages. A page of claims holds both: #ja or ?lang=ja shows the Japanese, #en the English, and without
// either the language is the one that the reader chose last. Formulas of the Japanese are set only when it is
// shown. Other pages lead to their Japanese one; where there is none, a reader of Japanese is shown where some is.
document.addEventListener("DOMContentLoaded", () => {
  const KEY = "privlib-language";

  // From a file a browser may refuse storage; then each page begins in English.
  function kept() {
    try { return localStorage.getItem(KEY) ?? ""; } catch { return ""; }
  }

  function keep(language) {
    try { localStorage.setItem(KEY, language); } catch { /* the next page does not know */ }
  }

  document.addEventListener("click", (event) => {
    const language = event.target.closest("a[hreflang]")?.hreflang;
    if (["ja", "en"].includes(language)) keep(language);
  });

  const links = [...document.querySelectorAll(".languages a")];
  if (!links.length) {
    offer();
    return;
  }
  // The tab is named as the page is.
  const [en, ja] = ["en", "ja"].map((name) => document.querySelector(`h1 > .in-${name}`)?.textContent ?? "");
  const titles = { en: document.title, ja: document.title.replace(en, ja) };

  /** Show the way to pages in Japanese to who chose it, or whose browser asks for it: quietly, by a line. */
  function offer() {
    const wants = kept() || (navigator.languages.some((tag) => /^ja\b/i.test(tag)) ? "ja" : "");
    const title = document.querySelector("article h1");
    if (wants !== "ja" || !title || document.querySelector("article :is([lang='ja'] h1, a[hreflang])")) return;
    const line = document.createElement("p");
    line.className = "other-language";
    line.innerHTML = '<a lang="ja" hreflang="ja">日本語の案内</a>';
    line.firstChild.href = `${document.documentElement.dataset.content_root ?? ""}book/ja/index.html`;
    title.before(line);
  }

  async function setFormulas() {
    const late = [...document.querySelectorAll(".in-ja code.tex")];
    const fresh = late.map((code) => {
      const formula = document.createElement("span");
      formula.className = "math notranslate nohighlight";
      formula.textContent = `\\(${code.textContent}\\)`;
      code.replaceWith(formula);
      return formula;
    });
    if (!fresh.length || !document.querySelector("script[src*='mathjax']")) return;
    while (!window.MathJax?.startup?.promise) await new Promise((go) => { setTimeout(go, 50); });
    await window.MathJax.startup.promise;
    await window.MathJax.typesetPromise(fresh);
  }

  function show(language) {
    document.documentElement.dataset.shown = language;
    document.title = titles[language];
    for (const link of links)
      if (link.id === language) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    for (const option of document.querySelectorAll("option[data-ja]")) {
      option.dataset.en ??= option.textContent;
      option.textContent = option.dataset[language];
    }
    document.dispatchEvent(new Event("privlib:language"));
    const done = language === "ja" ? setFormulas() : Promise.resolve();
    done.then(() => { document.documentElement.dataset.set = language; });
  }

  const named = () => (["#ja", "#en"].includes(location.hash) ? location.hash.slice(1) : "");
  const asked = new URLSearchParams(location.search).get("lang") === "ja" ? "ja" : "";
  addEventListener("hashchange", () => { if (named()) show(named()); });
  if (named()) keep(named());
  show(named() || asked || (kept() === "ja" ? "ja" : "en"));
});
