// A link to a claim shows the cell with its checks, and a link into something folded opens it.
"use strict";

(() => {
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
  // in a cell longer than the screen the claim comes first.
  function show(target, cell) {
    cell.classList.add("is-named");
    const down = target.getBoundingClientRect().top - cell.getBoundingClientRect().top;
    const head = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0;
    const room = innerHeight - head - target.offsetHeight - 16;
    target.style.scrollMarginTop = `${Math.max(0, Math.min(down + innerHeight / 5, room))}px`;
    target.scrollIntoView({ behavior: "instant" });
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

  function start() {
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
