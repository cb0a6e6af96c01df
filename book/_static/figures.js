/* Live figures: draws with plotly the frames that privlib.notebook.interactive stored in the page.
 *
 * A frame lists properties of traces and of the layout by their path, for one position of the
 * sliders; its numbers were computed in a notebook cell. The sliders are native inputs, so that
 * the keyboard moves them and screen readers announce them. Without JavaScript, and in print, the
 * static picture stands in the figure's place.
 */
"use strict";

(() => {
  const BLACK = "#000000"; // stands for the text colour of the theme
  const NARROW = 520; // pixels; below that two panels stand one above the other

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
  function dress(layout) {
    const page = getComputedStyle(document.documentElement);
    const colour = (name) => page.getPropertyValue(`--pst-color-${name}`).trim();
    const text = colour("text-base");
    const axis = {
      automargin: true, fixedrange: true, gridcolor: colour("border"),
      linecolor: colour("text-muted"), zerolinecolor: colour("border"),
    };
    for (const shape of layout.shapes ?? []) fill(shape, { line: { color: text } });
    const axes = Object.keys(layout).filter((key) => /^[xy]axis/.test(key));
    for (const name of new Set(["xaxis", "yaxis", ...axes])) fill((layout[name] ??= {}), axis);
    fill(layout, {
      dragmode: false, hovermode: "closest",
      font: { color: text, family: getComputedStyle(document.body).fontFamily, size: 13 },
      hoverlabel: {
        bgcolor: colour("surface"), bordercolor: colour("border"), font: { color: text },
      },
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
      margin: { l: 56, r: 16, t: 24, b: 48 },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    });
    return text;
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

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** Take the place of the static picture: stand before its caption. */
  function takePlace(box, name) {
    const figure = document.getElementById(`fig-${name}`);
    if (!figure) return;
    const output = box.closest(".cell_output");
    figure.insertBefore(box, figure.querySelector("figcaption"));
    figure.classList.add("privlib-live");
    if (output && output.textContent.trim() === "") output.remove();
  }

  function start(box) {
    const stored = JSON.parse(box.querySelector("script").textContent);
    const height = stored.layout.height ?? 380;
    const plot = element("div", { class: "privlib-plot", "aria-hidden": "true" });
    const note = element("p", { class: "privlib-note", role: "status" });

    const controls = stored.sliders.map(({ label, readouts, start: first }, k) => {
      const id = `${box.id}-${k}`;
      const input = element("input", {
        id, type: "range", min: 0, max: readouts.length - 1, step: 1, value: first,
        autocomplete: "off", // Firefox would restore a position that is not drawn
      });
      const output = element("output", { for: id });
      input.addEventListener("input", draw);
      const row = element("div", { class: "privlib-slider" },
        element("label", { for: id }, label), input, output);
      return { input, output, readouts, row };
    });

    async function draw() {
      let position = 0; // in the product of all sliders, the last one fastest
      for (const { input, output, readouts } of controls) {
        output.textContent = readouts[input.value];
        input.setAttribute("aria-valuetext", readouts[input.value]);
        position = position * readouts.length + Number(input.value);
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
      // The height is the element's own, so that plotly keeps it when the width changes.
      delete layout.height;
      plot.style.height = `${height * (narrow ? 1.4 : 1)}px`;
      const text = dress(layout);
      await Plotly.react(plot, themed(traces, text), themed(layout, text),
        { displayModeBar: false, responsive: true });
    }

    takePlace(box, stored.name);
    box.querySelector(".privlib-hint").remove();
    box.append(plot, note, ...controls.map(({ row }) => row));
    new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    if (stored.layout.xaxis2) window.addEventListener("resize", draw);
    draw();
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.querySelectorAll(".privlib-interactive").forEach(start);
  });
})();
