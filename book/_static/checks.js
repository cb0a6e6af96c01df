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
    const folds = [...(target?.closest(".cell")?.querySelectorAll("details.hide") ?? [])];
    for (let at = target; at; at = at.parentElement) if (at.matches("details")) folds.push(at);
    const closed = folds.filter((fold) => !fold.open);
    for (const fold of closed) fold.open = true;
    if (closed.length) target.scrollIntoView();
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
    addEventListener("hashchange", reveal);
    // A click on the address that stands there already fires no hashchange.
    document.addEventListener("click", (event) => {
      if (!event.defaultPrevented && event.target.closest('a[href*="#"]')) setTimeout(reveal);
    });
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
