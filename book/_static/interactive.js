/* Live figures: draws what privlib.kit.interactive stored in the page, with plotly.
 *
 * Nothing is computed here. Each position of the sliders is one frame of the JSON; a frame lists
 * properties of traces and of the layout by their path. The controls are native range inputs, so
 * arrows, Home, End and Page keys work, and screen readers announce label and value.
 */
"use strict";

(() => {
  const BLACK = "#000000"; // stands for the text colour of the theme
  const NARROW = 520; // pixels; below that two panels stand one above the other
  const CONFIG = { displayModeBar: false, responsive: true };

  const isObject = (value) => value !== null && typeof value === "object";

  /** Set a property by its path, such as "marker.color" or "shapes[0].x0". */
  function set(target, path, value) {
    const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
    const last = keys.pop();
    for (const key of keys) target = target[key] ??= {};
    target[last] = value;
  }

  /** Add to `target` what `source` has and it lacks. */
  function fill(target, source) {
    for (const [key, value] of Object.entries(source)) {
      if (isObject(value) && !Array.isArray(value)) fill((target[key] ??= {}), value);
      else target[key] ??= value;
    }
  }

  /** Copy a value, with black replaced by the text colour. */
  function themed(value, text) {
    if (Array.isArray(value)) return value.map((entry) => themed(entry, text));
    if (isObject(value)) {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v, text)]));
    }
    return value === BLACK ? text : value;
  }

  /** Give a layout the page's colours and font, where the figure has none of its own. */
  function dress(layout, traces, body) {
    const page = getComputedStyle(document.documentElement);
    const colour = (name) => page.getPropertyValue(`--pst-color-${name}`).trim();
    const text = colour("text-base");
    const axis = {
      automargin: true, fixedrange: true, gridcolor: colour("border"),
      linecolor: colour("text-muted"), zerolinecolor: colour("border"),
    };
    for (const shape of layout.shapes ?? []) fill(shape, { line: { color: text } });
    const own = Object.keys(layout).filter((key) => /^[xy]axis/.test(key));
    const names = new Set(["xaxis", "yaxis", ...own]);
    fill(layout, {
      ...Object.fromEntries([...names].map((name) => [name, axis])),
      dragmode: false, hovermode: "closest",
      font: { color: text, family: getComputedStyle(body).fontFamily, size: 13 },
      hoverlabel: {
        bgcolor: colour("surface"), bordercolor: colour("border"), font: { color: text },
      },
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
      margin: { l: 56, r: 16, t: 24, b: 48 },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    });
    return [themed(traces, text), themed(layout, text)];
  }

  /** Put panels that stand side by side below each other, in their order. */
  function stack(layout) {
    const names = Object.keys(layout).filter((name) => /^xaxis\d*$/.test(name)).sort();
    const gap = names.length > 2 ? 0.13 : 0.2;
    const size = (1 + gap) / names.length; // of a panel and the gap below it
    names.forEach((name, k) => {
      layout[name].domain = [0, 1];
      layout[name.replace("x", "y")].domain = [1 - k * size - (size - gap), 1 - k * size];
    });
  }

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** Take the place of the static picture: stand before its caption. Return the way back. */
  function takePlace(box, name) {
    const figure = document.getElementById(`fig-${name}`);
    if (!figure) return () => {};
    const output = box.closest(".cell_output");
    figure.insertBefore(box, figure.querySelector("figcaption"));
    figure.classList.add("privlib-live");
    if (output && output.textContent.trim() === "") output.remove();
    return () => figure.classList.remove("privlib-live");
  }

  function start(box) {
    const stored = JSON.parse(box.querySelector("script").textContent);
    // The label of the group says what is shown; the sliders and the note say the rest.
    const plot = element("div", { class: "privlib-plot", "aria-hidden": "true" });
    const note = element("p", { class: "privlib-note", role: "status" });
    const controls = [];
    const inputs = stored.sliders.map((slider, k) => {
      const id = `${box.id}-${k}`;
      const input = element("input", {
        id, type: "range", min: 0, max: slider.readouts.length - 1, step: 1, value: slider.start,
        autocomplete: "off", // Firefox would restore a position that is not drawn
      });
      const output = element("output", { for: id });
      controls.push(element("div", { class: "privlib-slider" },
        element("label", { for: id }, slider.label), input, output));
      return { input, output, readouts: slider.readouts };
    });

    async function draw() {
      let position = 0; // in the product of all sliders, the last one fastest
      for (const { input, output, readouts } of inputs) {
        const k = Number(input.value);
        output.textContent = readouts[k];
        input.setAttribute("aria-valuetext", readouts[k]);
        position = position * readouts.length + k;
      }
      const traces = structuredClone(stored.data);
      const layout = structuredClone(stored.layout);
      for (const change of stored.frames[position]) {
        if ("note" in change) note.textContent = change.note;
        const target = "layout" in change ? layout : traces[change.trace];
        for (const [path, value] of Object.entries(change.layout ?? change)) {
          if (path !== "trace" && path !== "note") set(target, path, value);
        }
      }
      const narrow = Boolean(layout.xaxis2) && plot.clientWidth < NARROW;
      if (narrow) stack(layout);
      plot.style.height = `${height * (narrow ? 1.7 : 1)}px`;
      await Plotly.react(plot, ...dress(layout, traces, box), CONFIG);
    }

    // The height is the element's, so that plotly keeps it when the width changes.
    const height = stored.layout.height ?? 380;
    delete stored.layout.height;
    const giveBack = takePlace(box, stored.name);
    box.querySelector(".privlib-hint").remove();
    box.append(plot, ...controls);
    if (stored.frames[0].some((change) => "note" in change)) box.append(note);
    const redraw = () => draw().catch((error) => {
      giveBack(); // the reader keeps the static picture
      box.hidden = true;
      throw error;
    });
    for (const { input } of inputs) input.addEventListener("input", redraw);
    if (stored.layout.xaxis2) window.addEventListener("resize", redraw);
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    redraw();
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (window.Plotly) document.querySelectorAll(".privlib-interactive").forEach(start);
  });
})();
