/* Live figures: draws what privlib.kit.interactive stored in the page, with plotly.
 *
 * A stored frame lists properties of traces and of the layout by their path, for one position of
 * the sliders. Between the stored positions, and for controls that no frame knows, the closed form
 * in compute.js returns such a list; a figure without one keeps to its frames. The controls are
 * native inputs, so arrows, Home, End and Page keys work, and screen readers announce label and
 * value. What is set stands in the address.
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

  // What the sliders of a figure call their stored values, where those are but numbers.
  const NAMES = {
    "cheapest-live": [["karate club", "families of Florence", "star of twelve", "path of twelve"]],
    "sk-05-cheat": [["V3, without coin", "V5, with coin", "V6, item locked"]],
  };

  // --- controls -----------------------------------------------------------------------------------

  /** A question with its answer folded, to be guessed before the control is moved. */
  const question = ([ask, answer] = []) => (ask ? [element("details", { class: "privlib-question" },
    element("summary", {}, `Guess first: ${ask}`), element("p", {}, answer))] : []);

  /** A slider: over the stored values only (`grid`), whole numbers, or all that lie between. */
  function slide(id, { label, readouts, start, grid, whole, asked, names }) {
    const stored = readouts.map(privlib.parse), last = stored.length - 1;
    const unit = readouts[0].replace(/^[-\d.,]+/, "");
    const input = element("input", {
      id, type: "range", min: whole ? stored[0] : 0, max: whole ? stored[last] : last,
      step: whole ? (stored[0] % 1000 ? 1 : 1000) : grid ? 1 : 0.05,
      autocomplete: "off", // Firefox would restore a position that is not drawn
    });
    const output = element("output", { for: id });
    const value = () => {
      const at = Number(input.value), k = Math.floor(at);
      if (whole) return at;
      if (k === at) return stored[k];
      return Number((stored[k] + (at - k) * (stored[k + 1] - stored[k])).toPrecision(3));
    };
    const read = () => {
      const now = value(), k = stored.indexOf(now);
      const shown = unit.startsWith("%") ? Number((100 * now).toPrecision(3)) : now;
      const told = names?.[k] ?? (k < 0 ? `${whole ? privlib.whole(now) : shown}${unit}` : readouts[k]);
      output.textContent = told;
      input.setAttribute("aria-valuetext", told);
    };
    const write = (text) => {
      const now = text ? Number(text) : stored[start], k = stored.findLastIndex((v) => v <= now);
      if (Number.isNaN(now)) return;
      const rest = (now - stored[k]) / (stored[k + 1] - stored[k]);
      input.value = whole ? now : now >= stored[last] ? last : k < 0 ? 0 : k + rest;
    };
    const node = element("div", { class: "privlib-control" }, ...question(asked),
      element("div", { class: "privlib-slider" },
        element("label", { for: id }, label), input, output));
    write();
    return { input, node, value, read, write, index: () => stored.indexOf(value()), start: stored[start] };
  }

  /** A line of text: a table to be typed. */
  function type(id, { label, start, asked }) {
    const input = element("input", { id, type: "text", autocomplete: "off", inputmode: "text" });
    const node = element("div", { class: "privlib-control" }, ...question(asked),
      element("div", { class: "privlib-typed" }, element("label", { for: id }, label), input));
    const write = (text) => { input.value = text ?? start; };
    write();
    return { input, node, label, start, value: () => input.value, read: () => {}, write };
  }

  // --- the address --------------------------------------------------------------------------------

  const settings = new Map(); // by the figure's name: { controls, redraw }
  let moved; // the control that this entry of the history is about, if it was set since we came to it
  let settled = ""; // what the figures were set to before

  const saved = ({ controls }) => controls.map((control) => control.value()).join("_");

  /** The settings of every figure that is not at its start. */
  function all() {
    const changed = [...settings].filter(([, { controls }]) =>
      controls.some((control) => control.value() !== control.start));
    return String(new URLSearchParams(changed.map(([name, set]) => [name, saved(set)])));
  }

  /** Put the settings into the address; Back undoes one control. */
  function remember(input) {
    // An entry whose address names a place on the page has no settings yet.
    if (!moved && history.state?.privlib === undefined) history.replaceState({ privlib: settled }, "");
    settled = all();
    history[moved === input ? "replaceState" : "pushState"]({ privlib: settled }, "", `#${settled}`);
    moved = input;
  }

  /** Set the figures as the entry or else its address says; return the first one that it names. */
  function recall() {
    moved = undefined; // what is set next is a new entry: this one stays as it is
    const hash = location.hash.slice(1);
    const asked = new URLSearchParams(history.state?.privlib ?? hash);
    const named = [...new URLSearchParams(hash).keys()].find((name) => settings.has(name));
    if (!named && history.state?.privlib === undefined) return undefined; // an address of a place on the page
    for (const [name, { controls, redraw }] of settings) {
      const texts = asked.get(name)?.split("_") ?? [], before = controls.map((one) => one.value());
      controls.forEach((control, k) => {
        if (texts[k] !== String(before[k])) control.write(texts[k]);
      });
      if (controls.some((one, k) => one.value() !== before[k])) redraw();
    }
    settled = all();
    return named;
  }

  /** Let the controls of a figure redraw it and go into the address. */
  function join(name, controls, redraw) {
    settings.set(name, { controls, redraw });
    for (const { input } of controls) {
      if (input.type === "range") input.addEventListener("input", redraw);
      input.addEventListener("change", () => { redraw(); remember(input); });
    }
    const themes = new MutationObserver(redraw);
    themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  }

  // --- figures ------------------------------------------------------------------------------------

  /** An element to draw in. The height is its own, so that plotly keeps it when the width changes. */
  function canvas(box, height) {
    // The label of the group says what is shown; the sliders and the note say the rest.
    const plot = element("div", { class: "privlib-plot", "aria-hidden": "true" });
    async function paint(traces, layout) {
      const narrow = Boolean(layout.xaxis2) && plot.clientWidth < NARROW;
      if (narrow) stack(layout);
      plot.style.height = `${height * (narrow ? 1.4 : 1)}px`;
      plot.classList.toggle("privlib-tall", height * 1.4 > 600);
      await Plotly.react(plot, ...dress(layout, traces, box), CONFIG);
    }
    return { plot, paint };
  }

  /**
   * Bars that can be dragged up and down: a strip over each bar of a trace takes the pointer. `write`
   * gets the bars when another whole number is reached, `drop` is called when they are let go.
   */
  function grips(plot, trace, { move, write, drop }) {
    let held; // { bar, y, bars, unit, range }
    const strips = plot.data[trace].y.map((_, bar) => {
      const strip = element("div", { class: "privlib-grip" });
      strip.addEventListener("pointerdown", (event) => {
        if (event.button) return;
        const { yaxis } = plot._fullLayout, bars = [...plot.data[trace].y];
        strip.setPointerCapture(event.pointerId);
        held = { bar, y: event.clientY, bars, unit: yaxis.d2p(0) - yaxis.d2p(1), range: [...yaxis.range] };
        event.preventDefault(); // no text is marked
      });
      strip.addEventListener("pointermove", (event) => {
        if (!held) return;
        const by = Math.round((held.y - event.clientY) / held.unit);
        write(move(held.bars, held.bar, held.bars[held.bar] + by));
      });
      strip.addEventListener("pointerup", () => { if (held) { held = undefined; drop(); } });
      strip.addEventListener("pointercancel", () => { // the page was scrolled or zoomed after all
        if (held) write(held.bars);
        held = undefined;
      });
      return strip;
    });
    plot.append(...strips);
    /** Put the strips over the bars, a little higher, so that an empty bar can be taken too. */
    const place = () => strips.forEach((strip, bar) => {
      const { xaxis, yaxis } = plot._fullLayout, { p0, p1, s1 } = plot.calcdata[trace][bar];
      const [left, right] = [p0, p1].map((at) => xaxis._offset + xaxis.d2p(at));
      const top = yaxis._offset + yaxis.d2p(s1) - 16, bottom = yaxis._offset + yaxis._length;
      Object.assign(strip.style, { left: `${left - 4}px`, width: `${right - left + 4}px`,
        top: `${top}px`, height: `${bottom - top}px` });
    });
    return { place, range: () => held?.range };
  }

  function start(box) {
    const stored = JSON.parse(box.querySelector("script").textContent);
    const { layout: { height = 380 } } = stored;
    delete stored.layout.height;
    const form = privlib.figures[stored.name] ?? {}, asked = privlib.questions[stored.name] ?? [];
    const { plot, paint } = canvas(box, height);
    const note = element("p", { class: "privlib-note", role: "status" });
    const sliders = [...stored.sliders, ...(form.extra ?? [])].map((slider, k) =>
      slide(`${box.id}-${k}`,
        { ...slider, ...(form.compute ? asked[k]?.[2] : { grid: true }), asked: asked[k],
          names: NAMES[stored.name]?.[k] }));
    const typed = (form.texts ?? []).map((text, k) =>
      type(`${box.id}-text-${k}`, { ...text, asked: asked[sliders.length + k] }));
    const controls = [...sliders, ...typed];
    let bars; // that can be dragged

    const opening = () => controls.every((one) => one.value() === one.start);

    /** The stored frame of where the controls are, else what the closed form gives there. */
    function changes() {
      if (stored.first && opening()) return stored.first;
      let position = 0; // in the product of all sliders, the last one fastest
      stored.sliders.forEach(({ readouts }, k) => {
        const index = sliders[k].index();
        position = index < 0 ? NaN : position * readouts.length + index;
      });
      const more = controls.slice(stored.sliders.length);
      const frame = more.every((one) => one.value() === one.start) && stored.frames[position];
      return frame || form.compute(sliders.map((one) => one.value()), stored,
        typed.length ? typed.map((one) => one.value()) : undefined);
    }

    async function draw() {
      for (const control of controls) control.read();
      if (typeof stored.frames === "string" && !opening()) stored.frames = await privlib.framesOf(stored, plot);
      const traces = structuredClone(stored.data), layout = structuredClone(stored.layout);
      let list = [];
      try {
        list = changes();
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        note.textContent = error.message; // a table that cannot be; what was drawn stays
      }
      for (const { input, label } of typed) {
        input.setAttribute("aria-invalid", !list.length && note.textContent.startsWith(label.split(",")[0]));
      }
      if (!list.length) return;
      for (const change of list) {
        if ("note" in change) note.textContent = change.note;
        const target = "layout" in change ? layout : traces[change.trace];
        for (const [path, value] of Object.entries(change.layout ?? change)) {
          if (path !== "trace" && path !== "note") set(target, path, value);
        }
      }
      if (bars?.range()) layout.yaxis.range = bars.range(); // the axis stays while a bar is held
      await paint(traces, layout);
      bars?.place();
    }

    const giveBack = takePlace(box, stored.name);
    box.querySelector(".privlib-hint").remove();
    const hint = form.drag ? [element("p", { class: "privlib-hint" }, form.drag.hint)] : [];
    box.append(plot, ...hint, note, ...controls.map(({ node }) => node));
    const redraw = () => draw().catch((error) => {
      giveBack(); // the reader keeps the static picture
      box.hidden = true;
      throw error;
    });
    join(stored.name, controls, redraw);
    if (stored.layout.xaxis2) window.addEventListener("resize", redraw);
    redraw().then(() => {
      if (form.drag) {
        const { input } = typed[form.drag.text];
        let wait; // the curve takes a while: it follows when the pointer rests, the bar at once
        const write = (counts) => {
          if (input.value === counts.join(", ")) return;
          input.value = counts.join(", ");
          Plotly.restyle(plot, { y: [counts] }, [form.drag.trace]);
          clearTimeout(wait);
          wait = setTimeout(redraw, 150);
        };
        const drop = () => {
          clearTimeout(wait);
          input.dispatchEvent(new Event("change"));
        };
        bars = grips(plot, form.drag.trace, { move: form.drag.move, write, drop });
        bars.place();
        plot.on("plotly_afterplot", bars.place); // a turned telephone
      }
      if (!form.toggle) return;
      const [{ input }] = typed;
      plot.on("plotly_click", ({ points: [{ curveNumber, pointNumber }] }) => {
        if (curveNumber !== 1) return;
        input.value = form.toggle(input.value, pointNumber);
        input.dispatchEvent(new Event("change"));
      });
    });
  }

  Object.assign(privlib, { page: { canvas, element, join, remember, slide, type } });

  document.addEventListener("DOMContentLoaded", () => {
    if (!window.Plotly) return;
    document.querySelectorAll(".privlib-interactive:not([data-bet])").forEach(start);
    document.querySelectorAll("[data-bet]").forEach(privlib.startBet);
    addEventListener("popstate", recall); // a changed hash, too
    const named = recall();
    if (named) document.getElementById(`interactive-${named}`).scrollIntoView();
  });
})();
