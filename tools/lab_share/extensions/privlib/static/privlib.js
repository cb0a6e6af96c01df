/* JupyterLab shows a notebook of the book as the book does.
 *
 * `jupyterlab-myst` renders MyST. What it does not know is translated before it sees the text:
 * numbers from outputs (`glue`), citations, references to other notebooks, and exercises and
 * solutions that span cells. Solutions are folded with their cells. Live figures are drawn from the
 * numbers in their outputs. Badges lead to the built book.
 *
 * Only what is seen is changed. The model of the notebook, and so what is saved, stays as it is.
 * tools/lab.py says where the page's `privlib` comes from.
 */
"use strict";

(() => {
  const page = JSON.parse(document.getElementById("jupyter-config-data").textContent);
  const told = JSON.parse(page.privlib ?? "{}");
  const BOOK = `${page.baseUrl}book/`;
  const BLACK = "#000000"; // stands for the text colour of the theme

  // --- numbers from outputs ---------------------------------------------------------------------

  /** Return what `glue` has stored in the outputs of a notebook: names and their text. */
  function glued(cells) {
    const found = {};
    for (const cell of cells) {
      const outputs = cell.type === "code" ? cell.outputs : { length: 0 };
      for (let k = 0; k < outputs.length; k++) {
        const { scrapbook } = outputs.get(k).metadata;
        if (!scrapbook) continue;
        const value = outputs.get(k).data[`${scrapbook.mime_prefix}text/plain`];
        found[scrapbook.name] = [value].flat().join("");
      }
    }
    return found;
  }

  /** Format a number as Python does: `.2f`, `.0%`, `,d` and the like. */
  function formatted(text, spec) {
    const known = /^(,?)(?:d|(?:\.(\d+))?([f%])?)$/.exec(spec);
    if (!spec || !known || text === "" || Number.isNaN(Number(text))) {
      return text.replace(/^'(.*)'$/s, "$1");
    }
    const [, comma, digits, kind] = known;
    const value = kind === "%" ? Number(text) * 100 : Number(text);
    const places = digits ?? (kind ? 6 : undefined);
    let shown = places === undefined ? text : value.toFixed(places);
    const halves = Math.abs(value) * 10 ** (places ?? 0);
    if (places !== undefined && (value * 4096) % 1 === 0 && halves % 1 === 0.5) {
      // Python rounds a tie to the even neighbour, toFixed away from zero.
      const even = 2 * Math.round(halves / 2);
      shown = ((Math.sign(value) * even) / 10 ** places).toFixed(places);
    }
    if (comma) shown = shown.replace(/\B(?<![.\d]*\.\d*)(?=(\d{3})+(?!\d))/g, ",");
    return kind === "%" ? `${shown}%` : shown;
  }

  // --- text -------------------------------------------------------------------------------------

  /** Return a citation as a link: its authors and its year. */
  function cited(kind, keys) {
    const works = keys.split(",").map((key) => {
      const [who, year, url] = told.citations?.[key.trim()] ?? [key.trim(), "", ""];
      const words = kind === "t" && year ? `${who} (${year})` : [who, year].filter(Boolean).join(", ");
      return url ? `[${words}](${url})` : words;
    });
    return kind === "t" ? works.join(", ") : `(${works.join("; ")})`;
  }

  /** Return a reference: the title, linked to the notebook that has the label. */
  function referred(target, labels) {
    const [, words, label] = /^(.*?)\s*<(.*)>$/s.exec(target) ?? [null, "", target];
    const [path, title] = told.labels?.[label] ?? ["", label];
    if (labels.has(label)) return words ? `[${words}](#${label})` : `[](#${label})`;
    if (path) return `[${words || title}](../${path}.ipynb)`;
    return words || (label.startsWith("fig-") ? "the figure" : label);
  }

  function linked(target) {
    const [, words, path] = /^(.*?)\s*<(.*)>$/s.exec(target) ?? [null, target, target];
    const inBook = path.startsWith("/");
    return `[${words}](${inBook ? `${location.origin}${BOOK}${path.slice(1)}.html` : `${path}.ipynb`})`;
  }

  const ROLE = /\{(glue:text|cite:[pt]|(?:prf:)?ref|numref|eq|doc)\}`([^`]+)`/g;

  /** Write what the renderer does not know in words that it knows. */
  function translated(source, values, labels, inSolution) {
    const roles = (_, role, target) => {
      if (role === "glue:text") {
        const [, name, spec] = /^([^:]+):?(.*)$/.exec(target);
        return name in values ? formatted(values[name], spec) : "…";
      }
      if (role === "doc") return linked(target);
      if (role.startsWith("cite")) return cited(role.at(-1), target);
      return referred(target, labels);
    };
    return gated(source.replace(ROLE, roles), inSolution);
  }

  // Longer than any fence within.
  const FENCE = "`".repeat(8);
  const END_ALONE = /^\s*```\{solution-end\}\s*```[ \t]*/;
  const SOLUTION = `${FENCE}{admonition} Solution\n:class: dropdown tip\n`;

  /** Make blocks of exercises and solutions, which are marked by where they start and end. */
  function gated(source, begins) {
    const text = begins ? source.replace(END_ALONE, "") : source;
    const inSolution = begins && text === source;
    if (!inSolution && !/\{(exercise|solution)-/.test(text)) return text;
    let open = inSolution;
    const gate = /^```\{(exercise|solution)-(start|end)\}[ \t]*(.*)\n((?:.*\n)*?)```[ \t]*$/gm;
    const changed = text.replace(gate, (_, kind, side, title, options) => {
      open = side === "start";
      if (side === "end") return `\n${FENCE}\n`;
      return kind === "exercise" ? `${FENCE}{exercise} ${title}\n${options}` : SOLUTION;
    });
    return `${inSolution ? SOLUTION : ""}\n${changed}\n${open ? FENCE : ""}\n`;
  }

  /** Return of each cell whether it begins within a solution. */
  function within(sources) {
    let inside = false;
    return sources.map(([type, source]) => {
      const before = inside;
      if (type === "markdown") {
        for (const [, side] of source.matchAll(/^```\{solution-(start|end)\}/gm)) {
          inside = side === "start";
        }
      }
      return before;
    });
  }

  // --- live figures -----------------------------------------------------------------------------

  let plotly = null;

  /** Load plotly once, from the installed package. */
  function drawing() {
    plotly ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      script.src = `${page.baseUrl}static/plotly.min.js`;
      script.onload = () => resolve(window.Plotly);
      script.onerror = reject;
      document.head.append(script);
    });
    return plotly;
  }

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  /** Set a property by its path, such as "marker.color" or "shapes[0].x0". */
  function set(target, path, value) {
    const keys = path.split(/[.[\]]+/).filter((key) => key !== "");
    const last = keys.pop();
    for (const key of keys) target = target[key] ??= {};
    target[last] = value;
  }

  /** Copy a value, with black replaced by the text colour. */
  function themed(value, text) {
    if (Array.isArray(value)) return value.map((entry) => themed(entry, text));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, themed(v, text)]));
    }
    return value === BLACK ? text : value;
  }

  /** Give a layout the theme's colours. */
  function dressed(layout, { text, line, family }) {
    for (const axis of Object.keys(layout).filter((key) => /^[xy]axis/.test(key))) {
      layout[axis] = { automargin: true, gridcolor: line, zerolinecolor: line, ...layout[axis] };
    }
    return {
      ...layout, autosize: true, dragmode: false, hovermode: "closest",
      font: { color: text, family, size: 13, ...layout.font },
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", ...layout.legend },
      margin: { l: 56, r: 16, t: 24, b: 48, ...layout.margin },
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    };
  }

  /** Put sliders below a figure; each position is one frame of what is stored. */
  async function enliven(box, stored) {
    const plot = element("div", { class: "privlib-plot" });
    const note = element("p", { role: "status" });
    const inputs = stored.sliders.map(({ label, readouts, start }) => {
      const input = element("input", {
        type: "range", min: 0, max: readouts.length - 1, step: 1, value: start,
      });
      const output = element("output");
      box.append(element("label", {}, element("span", {}, label), input, output));
      return { input, output, readouts };
    });
    box.querySelector(".privlib-hint")?.remove();
    box.prepend(plot);
    box.append(note);
    const Plotly = await drawing();
    const redraw = () => {
      let position = 0; // in the product of all sliders, the last one fastest
      for (const { input, output, readouts } of inputs) {
        position = position * readouts.length + Number(input.value);
        output.textContent = readouts[input.value];
        input.setAttribute("aria-valuetext", readouts[input.value]);
      }
      const traces = structuredClone(stored.data);
      const layout = structuredClone(stored.layout);
      for (const change of stored.frames[position]) {
        note.textContent = change.note ?? note.textContent;
        const target = "layout" in change ? layout : traces[change.trace];
        for (const [path, value] of Object.entries(change.layout ?? change)) {
          if (path !== "trace" && path !== "note") set(target, path, value);
        }
      }
      const style = getComputedStyle(box);
      const text = style.color;
      const line = style.getPropertyValue("--jp-border-color2").trim();
      const whole = dressed(layout, { text, line, family: style.fontFamily });
      Plotly.react(plot, themed(traces, text), themed(whole, text),
        { displayModeBar: false, responsive: true });
    };
    for (const { input } of inputs) input.addEventListener("input", redraw);
    new MutationObserver(redraw).observe(document.body, { attributeFilter: ["data-jp-theme-name"] });
    redraw();
  }

  /** Draw the live figures of a cell from its outputs; whether they are trusted does not matter. */
  function live(cell) {
    const outputs = cell.model.outputs;
    for (let k = 0; k < outputs.length; k++) {
      const name = outputs.get(k).metadata.privlib?.live;
      const box = name && cell.node.querySelector(".privlib-interactive:not(.privlib-live)");
      if (!box) continue;
      const markup = [outputs.get(k).data["text/html"]].flat().join("");
      const script = new DOMParser().parseFromString(markup, "text/html").querySelector("script");
      box.classList.add("privlib-live");
      enliven(box, JSON.parse(script.textContent)).catch(console.error);
    }
  }

  // --- a notebook -------------------------------------------------------------------------------

  /** Let links to pages of the book lead to the built book. */
  function lead(node) {
    for (const link of node.querySelectorAll("a[href*='/book/'][href*='.html']")) {
      const found = /(?:\.\.\/|\/files\/)(book\/.*)$/.exec(link.getAttribute("href"));
      if (!found) continue;
      link.href = `${BOOK}${found[1].replace(/\?[^#]*/, "")}`;
      link.target = "_blank";
    }
  }

  /** Show the cells of a solution while it is open. */
  function fold(notebook) {
    const cells = notebook.widgets;
    const inside = within(cells.map((cell) => [cell.model.type, cell.model.sharedModel.getSource()]));
    let open = false;
    cells.forEach((cell, k) => {
      const source = cell.model.type === "markdown" ? cell.model.sharedModel.getSource() : "";
      const ends = source.includes("{solution-end}");
      const boxes = source ? [...cell.node.querySelectorAll("details")] : [];
      if (inside[k] && !ends) return cell.setHidden(!open);
      cell.setHidden(false);
      // What is left of a solution, before it ends, opens and closes with it.
      if (inside[k] && !END_ALONE.test(source) && boxes.length) boxes[0].open = open;
      open = boxes.at(-1)?.open ?? false;
    });
  }

  const patched = new WeakSet();
  const notebooks = new WeakMap(); // notebook -> its values and labels

  function facts(notebook) {
    const model = notebook.model;
    if (!model) return { values: {}, labels: new Set(), inside: {} };
    const cells = [...model.cells];
    const sources = cells.map((cell) => [cell.type, cell.sharedModel.getSource()]);
    const marked = sources.filter(([type]) => type === "markdown").map(([, text]) => text).join("\n");
    const inside = within(sources);
    return {
      values: glued(cells),
      labels: new Set([...marked.matchAll(/^(?::label:|\()\s*([\w-]+)/gm)].map((m) => m[1])),
      inside: Object.fromEntries(cells.map((cell, k) => [cell.id, inside[k]])),
    };
  }

  /** Let a cell of the renderer read the translated text. */
  function patch(cell, notebook) {
    const own = cell.updateFragmentMDAST;
    if (!own || patched.has(cell)) return;
    patched.add(cell);
    cell.updateFragmentMDAST = function () {
      const shared = this.model.sharedModel;
      const { values, labels, inside } = notebooks.get(notebook) ?? facts(notebook);
      const text = translated(shared.getSource(), values, labels, inside[this.model.id]);
      shared.getSource = () => text; // read once, before anything is awaited
      try {
        return own.call(this);
      } finally {
        delete shared.getSource;
      }
    };
  }

  /** Render all text again if the numbers in it, or its folds, may have changed. */
  async function refresh(notebook) {
    const now = facts(notebook);
    const before = notebooks.get(notebook);
    if (before && JSON.stringify([before.values, before.inside]) ===
        JSON.stringify([now.values, now.inside])) return;
    notebooks.set(notebook, now);
    const cells = notebook.widgets.filter((cell) => cell.updateFragmentMDAST);
    for (const cell of cells) patch(cell, notebook);
    await Promise.all(cells.map((cell) => cell.updateFragmentMDAST()));
    await cells.find((cell) => cell.rendered && cell.isAttached)?.render();
  }

  function attend(panel) {
    const notebook = panel.content;
    let waiting = false;
    const look = () => {
      waiting = false;
      if (panel.isDisposed) return;
      for (const cell of notebook.widgets) if (cell.model.type === "code") live(cell);
      lead(notebook.node);
      fold(notebook);
    };
    const soon = () => {
      if (!waiting) setTimeout(look, 50);
      waiting = true;
    };
    new MutationObserver(soon).observe(notebook.node, {
      subtree: true, childList: true, attributes: true, attributeFilter: ["href"],
    });
    notebook.node.addEventListener("toggle", soon, true);
    panel.context.ready.then(() => {
      refresh(notebook);
      panel.sessionContext.statusChanged.connect((_, status) => {
        if (status === "idle") refresh(notebook);
      });
    });
    panel.context.saveState.connect(() => refresh(notebook));
  }

  document.head.append(element("style", {}, `
    .privlib-live > label { display: flex; gap: .8em; align-items: center; max-width: 44em; }
    .privlib-live > label > span { flex: 0 0 16em; }
    .privlib-live > label > input { flex: 1; }
    .privlib-live > label > output { flex: 0 0 5em; }
    .privlib-plot { min-height: 380px; }
  `));

  // Lab would look for the page among the files.
  window.addEventListener("click", (event) => {
    if (event.target.closest?.(`a[href^="${BOOK}"]`)) event.stopImmediatePropagation();
  }, true);
  // And arrows would move among cells.
  window.addEventListener("keydown", (event) => {
    if (event.target.closest?.(".privlib-live")) event.stopImmediatePropagation();
  }, true);

  let registry = null;

  const extender = { createNew: (panel) => void attend(panel) };
  const plugin = {
    id: "privlib:notebooks",
    description: "Shows the notebooks of the book as the book does.",
    autoStart: true,
    activate: ({ docRegistry, restored }) => {
      registry = docRegistry;
      // The text face of a notebook opens as one; other Markdown would be paired when it is saved.
      restored.then(() => {
        const type = docRegistry.getFileType("myst"); // jupytext's, whose default is in the settings
        if (type) type.pattern = "^\\d\\d-.*\\.md$";
      });
      for (const name of ["Notebook", "Jupytext Notebook"]) {
        docRegistry.addWidgetExtension(name, extender);
      }
    },
  };
  window._JUPYTERLAB ??= {};
  window._JUPYTERLAB.privlib = {
    init() {},
    get: async () => () => ({ __esModule: true, default: [plugin] }),
    formatted, // this and the next: for the tests
    opens: (path) => registry?.defaultWidgetFactory(path)?.name,
  };
})();
