// Paper is white: print in the light theme, and go back to the reader's theme afterwards. Pictures that
// wait until they come near begin to load, too, and those whose place a live figure takes on the screen.
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

// A bracket before a formula and a mark after it stay on its line.
document.addEventListener("DOMContentLoaded", () => {
  const found = (node, pattern) => (node?.nodeType === Node.TEXT_NODE && pattern.exec(node.data)?.[0]) || "";
  for (const formula of document.querySelectorAll(".bd-article span.math")) {
    const [before, after] = [formula.previousSibling, formula.nextSibling];
    const opening = found(before, /[([“‘]+$/);
    const closing = found(after, /^[)\]’”,.;:?!–-]+/);
    if (!opening && !closing) continue;
    const line = document.createElement("span");
    line.className = "one-line";
    formula.replaceWith(line);
    if (opening) before.data = before.data.slice(0, -opening.length);
    if (closing) after.data = after.data.slice(closing.length);
    line.append(opening, formula, closing);
  }
});

// The button "Back to top" stays away on arrival at what the address names, until the reader moves.
(() => {
  const root = document.documentElement;
  const arrive = () => { if (location.hash.length > 1) root.dataset.arrived = ""; };
  for (const name of ["wheel", "touchmove", "keydown"])
    window.addEventListener(name, () => { delete root.dataset.arrived; }, { passive: true });
  window.addEventListener("hashchange", arrive);
  arrive();
})();

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
