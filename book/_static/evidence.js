// Folded evidence: a link to a claim opens the cell with its checks, and a switch opens all of them.
// Without this script each cell opens with its own button.
"use strict";

(() => {
  const KEY = "privlib-all-checks";
  const CHECKS = ".cell.tag_evidence details.hide";

  // From a file a browser may refuse storage; the switch works all the same.
  function kept() {
    try { return localStorage.getItem(KEY) === "yes"; } catch { return false; }
  }

  function keep(open) {
    try {
      if (open) localStorage.setItem(KEY, "yes");
      else localStorage.removeItem(KEY);
    } catch { /* the next page begins folded */ }
  }

  // What the address names is seen: open what folds it, and the code of the cell that shows it.
  function reveal() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const cell = target?.closest(".cell");
    const folds = [...(cell?.querySelectorAll("details.hide") ?? [])];
    for (let at = target; at; at = at.parentElement) if (at.matches("details")) folds.push(at);
    const closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
    for (const old of document.querySelectorAll(".cell.is-named")) if (old !== cell) old.classList.remove("is-named");
    if (cell && target.id.startsWith("claim-")) show(target, cell);
    else if (closed.length) target.scrollIntoView();
    return target;
  }

  // The cell begins a fifth down the screen, below the words that it checks, and the claim is in sight:
  // long code scrolls in itself, and in a longer cell the claim comes first.
  function show(target, cell) {
    cell.classList.add("is-named");
    for (const code of cell.querySelectorAll("details.hide pre"))
      if (code.scrollHeight > code.clientHeight) {
        code.tabIndex = 0;
        toClaim(code, target.id);
      }
    const down = target.getBoundingClientRect().top - cell.getBoundingClientRect().top;
    const head = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const room = innerHeight - head - target.offsetHeight - 16;
    target.style.scrollMarginTop = `${Math.max(0, Math.min(down + innerHeight / 5, room))}px`;
    target.scrollIntoView({ behavior: "instant" });
  }

  // Long code begins at the line that names the claim: claim("Y-Th5.2" has the target claim-Y-Th5-2.
  function toClaim(code, id) {
    const named = [...code.textContent.matchAll(/(claim\(\s*)?"([A-Z]-[^"\s]+)"/g)]
      .filter(([, , name]) => `claim-${name.replaceAll(".", "-").replaceAll("'", "p")}` === id);
    const at = (named.find(([, call]) => call) ?? named[0])?.index;
    if (at === undefined) return;
    const lines = code.textContent.slice(0, at).split("\n").length - 1;
    const style = getComputedStyle(code);
    code.scrollTop = Math.max(0, lines - 1) * parseFloat(style.lineHeight); // the line before is seen, too
  }

  // Pictures and formulas that come later move what stands below: look again, unless the reader has moved on.
  function settle() {
    let moved = false;
    for (const name of ["wheel", "touchstart", "keydown", "pointerdown"])
      addEventListener(name, () => { moved = true; }, { passive: true, once: true });
    const again = () => {
      if (moved) return;
      const target = reveal();
      if (target && !target.closest(".cell.is-named")) target.scrollIntoView({ behavior: "instant" });
    };
    addEventListener("load", () => {
      again();
      globalThis.MathJax?.startup?.promise?.then(again);
    });
  }

  function addSwitch() {
    const title = document.querySelector(".bd-article h1");
    if (!title || !document.querySelector(CHECKS)) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "all-checks";
    button.textContent = "All checks";
    button.title = "Open or close the checks of this page";

    function set(open) {
      button.setAttribute("aria-pressed", String(open));
      for (const fold of document.querySelectorAll(CHECKS)) fold.open = open;
    }

    button.addEventListener("click", () => {
      const open = button.getAttribute("aria-pressed") !== "true";
      keep(open);
      set(open);
    });
    set(kept());
    title.after(button);
  }

  function start() {
    addSwitch();
    reveal();
    settle();
    addEventListener("hashchange", reveal);
    // A click on the address that stands there already fires no hashchange.
    document.addEventListener("click", (event) => {
      if (!event.defaultPrevented && event.target.closest('a[href*="#"]')) setTimeout(reveal);
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
