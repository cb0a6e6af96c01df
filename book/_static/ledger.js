// Ledger and errata pages: the filter bar, and the panel and tracing of the dependency graph.
// Without this script the pages show every row and a graph whose boxes are plain links.
"use strict";

(() => {
  // --- filter -------------------------------------------------------------------------------
  // Each row carries a <span class="claim-key"> with what can be asked for and is not as in most rows, written
  // by the build. What a claim says is read off its row where that shows it, before its formulas are set.
  const MOST = { verdict: "verified", reach: "", fully: "no", kind: "paper" };

  function saysOf(row) {
    const said = row.closest(".claims-all") ? row.cells[1] : row.closest(".claims-ledger") && row.cells[2].firstElementChild;
    return said ? said.textContent.replace(/\\[()]/g, "$") : "";
  }

  function setUpFilter(form) {
    const controls = [...form.elements].filter((c) => c.name);
    const rows = [...document.querySelectorAll("table.claims tr")]
      .map((row) => ({ row, body: row.parentElement, key: row.querySelector(".claim-key") }))
      .filter((item) => item.key)
      .map(({ row, body, key }) => {
        const data = { ...MOST, ...key.dataset };
        const by = document.querySelector(`.claims-wholes[data-part="${data.part}"]`)?.dataset.text ?? "";
        // id, where, says and text, for find.js
        return { ...data, row, body, id: row.querySelector(".claim-id").textContent, says: saysOf(row), text: `${data.text} ${by}` };
      });
    const status = document.querySelector(".claims-status");
    const none = document.querySelector(".claims-none");
    const question = form.elements.q;
    const wholes = [...document.querySelectorAll(".claims-wholes li")].map(readWhole);
    let ranked = false; // whether the rows stand in the order of a search

    // Printed objects: how each stands as a whole is said above the rows where a question names it.
    function readWhole(line) {
      const { part, by, text } = line.parentElement.dataset;
      const link = line.querySelector("a");
      const name = link.textContent;
      if (!name.endsWith(" as a whole")) link.textContent = `${name} of ${by} as a whole`;
      return { object: true, id: name, where: name, text, part, line };
    }

    function showWholes(words, part) {
      const found = words ? privlibFind.search(wholes, words).filter((whole) => !part || whole.part === part) : [];
      for (const whole of wholes) whole.line.hidden = !found.includes(whole);
      for (const list of document.querySelectorAll(".claims-wholes")) list.hidden = !list.querySelector("li:not([hidden])");
    }

    function fits(data, name, wanted) {
      if (name === "verdict" && wanted === "fully verified") return data.fully === "yes";
      return data[name] === wanted;
    }

    function apply() {
      const asked = controls.filter((c) => c.value.trim());
      const words_ = question?.value.trim();
      const found = words_ ? privlibFind.search(rows, words_) : rows;
      const answers = new Set(found);
      const chosen = asked.filter((c) => c !== question);
      let shown = 0;
      for (const item of rows) {
        item.row.hidden = !answers.has(item) || !chosen.every((c) => fits(item, c.name, c.value.trim()));
        shown += !item.row.hidden;
      }
      // The best answers first; without words the order of the papers.
      if (words_ || ranked) for (const { row, body } of found) body.append(row);
      ranked = Boolean(words_);
      showWholes(words_, form.elements.part?.value);
      help(shown ? "" : words_ ?? "", shown, chosen.length > 0 && answers.size);
      for (const table of document.querySelectorAll("table.claims:has(.claim-key)"))
        table.classList.toggle("is-empty", !table.querySelector("tbody tr:not([hidden])"));
      // Most pages have results beyond the papers too: a row is more than a claim of a paper.
      const beyond = rows.filter((item) => item.kind === "beyond").length;
      const limited = rows.filter((item) => item.row.closest(".claims-limits")).length;
      const more = status.dataset.what === "claims" ? `${rows.length - beyond} claims, ${beyond} results beyond the papers`
        : `${rows.length - limited} errata, ${limited} claims with a limit, which are none`;
      const words = asked.map((c) =>
        c.name === "q" ? `text “${c.value.trim()}”` : `${c.dataset.name} ${c.selectedOptions[0].text}`);
      status.textContent =
        `${shown} of ${rows.length} rows shown (${more})` +
        (words.length ? `, asked for: ${words.join(", ")}.` : ".");
    }

    // What to do when nothing fits.
    function help(words, shown, others) {
      none.hidden = shown > 0;
      if (shown) return;
      const instead = none.querySelector(".claims-instead");
      none.querySelector(".claims-nothing").textContent = words ? `Nothing found for “${words}”.` : "Nothing found.";
      const offers = words && !others ? privlibFind.instead(rows, words) : [];
      instead.hidden = !offers.length;
      instead.replaceChildren("Did you mean ");
      offers.forEach((offer, k) => {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = offer;
        button.addEventListener("click", () => { question.value = offer; again(question); });
        instead.append(k ? " " : "", button);
      });
      const without = none.querySelector(".claims-without");
      without.hidden = without.parentElement.hidden = !(words && others);
      without.textContent = `without the other filters: ${others} found`;
      const everywhere = none.querySelector(".claims-everywhere");
      everywhere.search = words ? `?q=${encodeURIComponent(words)}` : "";
    }

    function again(focus) {
      apply();
      toAddress();
      focus?.focus(); // what was pressed may be hidden now
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
    none.querySelector(".claims-reset").addEventListener("click", () => { form.reset(); again(question ?? controls[0]); });
    none.querySelector(".claims-without").addEventListener("click", () => {
      for (const c of controls) if (c !== question) c.value = "";
      again(question);
    });
    addEventListener("hashchange", revealTarget);
    // A click on the address that stands there already fires no hashchange.
    document.addEventListener("click", (event) => {
      const link = event.defaultPrevented ? null : event.target.closest('a[href*="#"]');
      if (link) setTimeout(revealTarget);
      if (link?.getAttribute("href") === "#every-claim") setTimeout(toQuestion);
    });
    addEventListener("popstate", () => { fromAddress(); apply(); revealTarget(); });
    form.hidden = false;
    fromAddress();
    apply();
    revealTarget();
    // Who comes to look for a claim can type at once; a screen with a keyboard of its own would be covered.
    // (Going to the place that the address names takes the focus away: later.)
    function toQuestion() {
      if (matchMedia("(hover: hover)").matches) question?.focus({ preventScroll: true });
    }

    if (location.hash === "#every-claim" && !location.search) addEventListener("load", () => setTimeout(toQuestion));
  }

  // --- graph --------------------------------------------------------------------------------

  function setUpGraph(frame) {
    const graph = frame.querySelector(".claim-graph");
    const panel = frame.querySelector(".claim-panel");
    const boxes = new Map();
    for (const box of graph.querySelectorAll("a")) {
      boxes.set(box.getAttribute("href").slice(1), box);
      // The panel says it, and more; who hears the page hears the claim.
      const title = box.querySelector("title");
      box.setAttribute("aria-label", `${title.textContent}. ${saysOf(document.getElementById(box.getAttribute("href").slice(1)))}`);
      title.remove();
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

    let touched = false; // whether the last press on a box came from a finger or a pen
    let chosen = null; // the box that was tapped: it stays traced, and a second tap follows its link

    function hint() {
      const text = document.createElement("p");
      text.className = "claim-hint";
      text.textContent = "Point at a box, move to it with the Tab key, or tap it on a touch screen: what it " +
        "rests on stands out with solid lines, what falls if it falls with dashed lines and frames. A click, the " +
        "Enter key or a second tap leads to its row.";
      frame.before(text);
      panel.innerHTML = "<p>The claim of the box that you point at, move to or tap is shown here.</p>";
    }

    function trace(id) {
      const rests = reach(id, above), carries = reach(id, below);
      graph.classList.add("is-tracing");
      for (const [other, box] of boxes) {
        box.classList.toggle("is-on", rests.has(other) || carries.has(other));
        box.classList.toggle("is-below", other !== id && carries.has(other));
      }
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
      if (!cells || panel.dataset.claim === id) return; // a link that is being pressed stays in place
      panel.dataset.claim = id;
      const head = document.createElement("p");
      for (const part of cells[0].querySelectorAll(".claim-id, .claim-pill, .claim-reach, .claim-fully"))
        head.append(part.cloneNode(true), " ");
      const count = document.createElement("small");
      count.textContent = `· rests on ${rests}, if it falls ${carries} fall${carries === 1 ? "s" : ""}, directly or not`;
      const link = document.createElement("a");
      link.className = "claim-row-link";
      link.href = `#${id}`;
      link.textContent = "to its row";
      head.append(count, " ", link);
      panel.replaceChildren(head, ...[...cells[2].childNodes].map((node) => node.cloneNode(true)));
    }

    function clear() {
      graph.classList.remove("is-tracing");
      const focused = graph.querySelector("a:focus");
      if (chosen) trace(chosen);
      else if (focused) trace(focused.getAttribute("href").slice(1));
    }

    function forget() {
      chosen = null;
      graph.classList.remove("is-tracing");
    }

    for (const [id, box] of boxes) {
      // A finger enters and leaves with every tap and every scroll: only a mouse points.
      box.addEventListener("pointerenter", (event) => {
        if (event.pointerType !== "mouse") return;
        chosen = null;
        trace(id);
      });
      box.addEventListener("pointerleave", (event) => {
        if (event.pointerType === "mouse") clear();
      });
      box.addEventListener("pointerdown", (event) => { touched = event.pointerType !== "mouse"; });
      box.addEventListener("click", (event) => {
        const tap = touched && event.detail > 0; // the Enter key clicks too, with detail 0
        touched = false;
        if (!tap || chosen === id) return;
        event.preventDefault();
        chosen = id;
        trace(id);
        box.scrollIntoView({ block: "nearest", inline: "nearest" }); // not under the panel
      });
      box.addEventListener("focus", () => {
        if (touched) return; // the tap that follows decides
        chosen = null;
        trace(id);
      });
      box.addEventListener("blur", (event) => {
        if (!panel.contains(event.relatedTarget)) clear();
      });
    }
    graph.addEventListener("click", (event) => {
      if (!event.target.closest("a")) forget();
    });
    addEventListener("keydown", (event) => {
      if (event.key === "Escape") forget();
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
