// Ledger and errata pages: the filter bar, and the panel and tracing of the dependency graph.
// Without this script the pages show every row and a graph whose boxes are plain links.
"use strict";

(() => {
  // --- filter -------------------------------------------------------------------------------
  // Each row carries a <span class="claim-key"> with what can be asked for, written by the build.

  function plain(text) {
    return text.normalize("NFKC").toLowerCase();
  }

  function setUpFilter(form) {
    const controls = [...form.elements].filter((c) => c.name);
    const rows = [...document.querySelectorAll("table.claims tr")]
      .map((row) => ({ row, key: row.querySelector(".claim-key") }))
      .filter((item) => item.key);
    const status = document.querySelector(".claims-status");

    function fits(data, name, wanted) {
      if (name === "q") return plain(wanted).split(/\s+/).every((word) => data.text.includes(word));
      if (name === "verdict" && wanted === "fully verified") return data.fully === "yes";
      return data[name] === wanted;
    }

    function apply() {
      const asked = controls.filter((c) => c.value.trim());
      let shown = 0;
      for (const { row, key } of rows) {
        row.hidden = !asked.every((c) => fits(key.dataset, c.name, c.value.trim()));
        shown += !row.hidden;
      }
      for (const table of document.querySelectorAll("table.claims:has(.claim-key)"))
        table.classList.toggle("is-empty", !table.querySelector("tbody tr:not([hidden])"));
      const words = asked.map((c) =>
        c.name === "q" ? `text “${c.value.trim()}”` : `${c.dataset.name} ${c.selectedOptions[0].text}`);
      status.textContent =
        `${shown} of ${rows.length} ${status.dataset.what} shown` +
        (words.length ? ` (${words.join(", ")}).` : ".");
    }

    function toAddress() {
      const query = new URLSearchParams();
      for (const c of controls) if (c.value.trim()) query.set(c.name, c.value.trim());
      const text = query.toString();
      try {
        history.replaceState(null, "", location.pathname + (text ? `?${text}` : "") + location.hash);
      } catch { /* some browsers refuse this for file:// addresses; the filter works all the same */ }
    }

    function fromAddress() {
      const query = new URLSearchParams(location.search);
      for (const c of controls) {
        const wanted = query.get(c.name) ?? "";
        c.value = wanted;
        if (c.value !== wanted) c.value = ""; // a value that the list does not have
      }
    }

    // The row that the address names is always visible.
    function revealTarget() {
      const target = document.getElementById(location.hash.slice(1)); // our ids are ASCII
      const row = target?.closest("tr");
      if (!row?.hidden) return;
      form.reset();
      apply();
      toAddress();
      row.scrollIntoView();
    }

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => { apply(); toAddress(); });
    form.addEventListener("reset", () => setTimeout(() => { apply(); toAddress(); }));
    addEventListener("hashchange", revealTarget);
    // A click on the address that stands there already fires no hashchange.
    document.addEventListener("click", (event) => {
      if (event.target.closest('a[href*="#"]')) setTimeout(revealTarget);
    });
    addEventListener("popstate", () => { fromAddress(); apply(); revealTarget(); });
    form.hidden = false;
    fromAddress();
    apply();
    revealTarget();
  }

  // --- graph --------------------------------------------------------------------------------

  function setUpGraph(frame) {
    const graph = frame.querySelector(".claim-graph");
    const panel = frame.querySelector(".claim-panel");
    const boxes = new Map();
    for (const box of graph.querySelectorAll("a")) {
      boxes.set(box.getAttribute("href").slice(1), box);
      box.querySelector("title")?.remove(); // the panel says it, and more
    }
    const lines = [...graph.querySelectorAll(".edges path")];
    const above = new Map(), below = new Map();
    const push = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
    for (const line of lines) {
      push(above, line.dataset.to, line.dataset.from);
      push(below, line.dataset.from, line.dataset.to);
    }

    function reach(start, next) {
      const found = new Set([start]);
      for (const id of found) for (const other of next.get(id) ?? []) found.add(other);
      return found;
    }

    function hint() {
      panel.innerHTML = "<p>Point at a box, or move to it with the Tab key. What it rests on stands out with " +
        "solid lines, what rests on it with dashed ones, and the claim is shown here.</p>";
    }

    function trace(id) {
      const rests = reach(id, above), carries = reach(id, below);
      graph.classList.add("is-tracing");
      for (const [other, box] of boxes)
        box.classList.toggle("is-on", rests.has(other) || carries.has(other));
      for (const line of lines) {
        const up = rests.has(line.dataset.from) && rests.has(line.dataset.to);
        const down = carries.has(line.dataset.from) && carries.has(line.dataset.to);
        line.classList.toggle("is-on", up || down);
        line.classList.toggle("is-below", down);
      }
      show(id, rests.size - 1, carries.size - 1);
    }

    // The words come from the claim's row, so that formulas are set and links work.
    function show(id, rests, carries) {
      const cells = document.getElementById(id)?.cells;
      if (!cells) return;
      const head = document.createElement("p");
      for (const part of cells[0].querySelectorAll(".claim-id, .claim-pill, .claim-fully"))
        head.append(part.cloneNode(true), " ");
      const count = document.createElement("small");
      count.textContent = `rests on ${rests}, carries ${carries}, directly or not`;
      head.append(count);
      panel.replaceChildren(head, ...[...cells[2].childNodes].map((node) => node.cloneNode(true)));
    }

    function clear() {
      graph.classList.remove("is-tracing");
      const focused = graph.querySelector("a:focus");
      if (focused) trace(focused.getAttribute("href").slice(1));
    }

    for (const [id, box] of boxes) {
      box.addEventListener("pointerenter", () => trace(id));
      box.addEventListener("pointerleave", clear);
      box.addEventListener("focus", () => trace(id));
      box.addEventListener("blur", clear);
    }
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") graph.classList.remove("is-tracing");
    });
    hint();
    panel.hidden = false;
  }

  function start() {
    document.querySelectorAll("form.claims-filter").forEach(setUpFilter);
    document.querySelectorAll(".claim-graph-frame").forEach(setUpGraph);
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
