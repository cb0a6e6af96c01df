// Paper is white: print in the light theme, and go back to the reader's theme afterwards. Pictures that
// wait until they come near begin to load, too, and those whose place a live figure takes on the screen.
(() => {
  const root = document.documentElement;
  let theme = null;
  const start = () => {
    if (theme === null) {
      theme = root.dataset.theme;
      root.dataset.theme = "light";
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

// Who opens the search with the keyboard and leaves it with Esc is back where they were.
document.addEventListener("DOMContentLoaded", () => {
  const box = document.querySelector(".search-button__wrapper");
  let before = null;
  document.addEventListener("pointerdown", () => { before = null; }, true);
  document.addEventListener("focusin", (event) => { if (!box?.contains(event.target)) before = event.target; });
  // The theme has closed the box by now.
  document.addEventListener("keydown", (event) => {
    if (box?.contains(event.target) && !box.classList.contains("show")) before?.focus({ preventScroll: true });
  });
});
