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
