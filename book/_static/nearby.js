// Plotly, 1.2 MB, is loaded when a live figure comes within a screen's height of what is seen. Until
// then this stands in for it and remembers what each figure asked for last.
"use strict";

(() => {
  const source = new URL("plotly-small.min.js", document.currentScript.src);
  const asked = new Map(); // element -> what is to be drawn there
  const drawn = new Map(); // element -> the promise that it will be

  let watcher;
  const near = new Promise((done) => {
    watcher = new IntersectionObserver((seen) => {
      if (!seen.some((entry) => entry.isIntersecting)) return;
      watcher.disconnect();
      done();
    }, { rootMargin: "100% 0%" });
  });

  const loaded = near.then(() => new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = done; // it has put itself in the place of what stands below
    script.onerror = () => fail(new Error(`${source} cannot be loaded`));
    document.head.append(script);
  }));

  window.Plotly = {
    react(plot, ...what) {
      asked.set(plot, what);
      if (!drawn.has(plot)) {
        drawn.set(plot, loaded.then(() => window.Plotly.react(plot, ...asked.get(plot))));
        watcher.observe(plot);
      }
      return drawn.get(plot);
    },
  };
})();
