// Glossary: a box that shows the entries with some text, in both lists. Without this script all are shown.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const first = document.querySelector("table.glossary");
  if (!first) return;
  // Small letters, one Unicode form, no macrons: "kogekisha" finds kōgekisha.
  const plain = (text) => text.normalize("NFKC").normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
  const tables = [...document.querySelectorAll("table.glossary, table.glossary-english")];
  const rows = tables.flatMap((table) => [...table.tBodies[0].rows])
    .map((row) => ({ row, text: plain(row.textContent) }));

  const box = document.createElement("div");
  box.className = "glossary-filter";
  box.innerHTML = '<label>Show entries with <input type="search" autocomplete="off" spellcheck="false"></label>'
    + "<output></output>"; // read aloud when it changes
  const [input, shown] = [box.querySelector("input"), box.querySelector("output")];

  function update() {
    const words = plain(input.value).split(/\s+/).filter(Boolean);
    for (const { row, text } of rows) row.hidden = !words.every((word) => text.includes(word));
    shown.textContent = words.length
      ? tables.map((table, k) => {
        const count = [...table.tBodies[0].rows].filter((row) => !row.hidden).length;
        return `${count} ${k ? "English" : "Japanese"}`;
      }).join(", ")
      : "";
  }

  // What the address names is always shown.
  function reveal() {
    const row = document.getElementById(decodeURIComponent(location.hash.slice(1)))?.closest("tr");
    if (!row?.hidden) return;
    input.value = "";
    update();
    row.scrollIntoView();
  }

  input.addEventListener("input", update);
  addEventListener("hashchange", reveal);
  first.closest("section").before(box);
});
