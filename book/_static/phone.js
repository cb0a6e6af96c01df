// Telephones: a picture is a link to itself at full size, and cells that stand below each other say
// which column they are. A wide screen needs neither, so nothing is done there.
"use strict";

(() => {
  const CARDS = "table:is(.claims-all, .claims-ledger, .claims-errata, .claims-limits)"; // as in phone.css
  const narrow = window.matchMedia("(max-width: 720px)");

  function linkPictures() {
    for (const picture of document.querySelectorAll(".bd-article :is(figure, .cell_output) img")) {
      if (picture.closest("a, .privlib-interactive") || !picture.getAttribute("src")) continue;
      const link = document.createElement("a");
      link.className = "full-picture";
      link.href = picture.src;
      const number = picture.closest("figure")?.querySelector(".caption-number")?.textContent.trim();
      link.setAttribute("aria-label", ["Full picture", number].filter(Boolean).join(", "));
      picture.replaceWith(link);
      link.append(picture);
    }
  }

  function labelCells() {
    for (const table of document.querySelectorAll(CARDS)) {
      const heads = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => ({
        label: (head.querySelector(".in-en") ?? head).textContent.trim(),
        labelJa: head.querySelector(".in-ja")?.textContent.trim(),
      }));
      for (const row of table.tBodies[0]?.rows ?? []) {
        heads.forEach((head, k) => {
          if (k && head.label && row.cells[k]) Object.assign(row.cells[k].dataset, head.labelJa ? head : { label: head.label });
        });
      }
    }
  }

  function start() {
    if (!narrow.matches) return;
    narrow.removeEventListener("change", start);
    linkPictures();
    labelCells();
  }

  document.addEventListener("DOMContentLoaded", () => {
    narrow.addEventListener("change", start);
    start();
  });
})();
