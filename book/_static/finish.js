// Paper is white: print in the light theme, and go back to the reader's theme afterwards.
(() => {
  const root = document.documentElement;
  let theme = null;
  const start = () => {
    if (theme === null) {
      theme = root.dataset.theme;
      root.dataset.theme = "light";
    }
  };
  const end = () => {
    if (theme !== null) {
      root.dataset.theme = theme;
      theme = null;
    }
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
