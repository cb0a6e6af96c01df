// What live figures draw with and what they show weighs much. Plotly, 1.2 MB, is loaded when a figure
// comes within a screen's height of what is seen; until then this stands in for it and remembers what
// each figure asked for last. Frames that are a script of their own are loaded when a control is moved.
"use strict";

(() => {
  const source = new URL("plotly-small.min.js", document.currentScript.src);
  const asked = new Map(); // element -> what is to be drawn there
  const drawn = new Map(); // element -> the promise that it will be
  const waiting = new Map(); // element -> what to do when it comes near

  const watcher = new IntersectionObserver((seen) => {
    for (const { isIntersecting, target } of seen) {
      if (!isIntersecting) continue;
      watcher.unobserve(target);
      waiting.get(target)();
    }
  }, { rootMargin: "100% 0%" });

  const comes = new Map(); // element -> the promise that it comes near
  function near(element) {
    if (!comes.has(element)) {
      comes.set(element, new Promise((done) => waiting.set(element, done)));
      watcher.observe(element);
    }
    return comes.get(element);
  }

  const scripts = new Map(); // address -> the promise that it has run
  function load(address) {
    if (!scripts.has(address)) {
      scripts.set(address, new Promise((done, fail) => {
        const script = document.createElement("script");
        script.src = address;
        script.onload = done;
        script.onerror = () => fail(new Error(`${address} cannot be loaded`));
        document.head.append(script);
      }));
    }
    return scripts.get(address);
  }

  let first; // the promise that any figure comes near
  const one = new Promise((done) => { first = done; });
  // The script puts itself in the place of what stands below.
  const loaded = one.then(() => load(String(source)));

  window.Plotly = {
    react(plot, ...what) {
      asked.set(plot, what);
      if (!drawn.has(plot)) {
        near(plot).then(first);
        drawn.set(plot, loaded.then(() => window.Plotly.react(plot, ...asked.get(plot))));
      }
      return drawn.get(plot);
    },
  };

  window.privlib.frames = {};
  /** The frames of a figure, from the script that it names. An address may set one that is far away. */
  window.privlib.framesOf = async ({ name, frames }, element) => {
    await near(element);
    await load(frames);
    return window.privlib.frames[name];
  };
})();
