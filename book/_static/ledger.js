// The filter bar of ledger and errata: fields to choose from, and one for words. What is asked for
// stands in the address. Without this script the pages show every row.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  // Each row has a <span class="claim-key"> with what can be asked for, as far as it differs from these.
  const MOST = { verdict: "verified", reach: "", fully: "no", kind: "paper" };
  const plain = (text) => text.normalize("NFKC").toLowerCase();

  function setUp(form) {
    const controls = [...form.elements].filter((control) => control.name);
    const rows = [...document.querySelectorAll("table.claims tr:has(.claim-key)")].map((row) => {
      const data = { ...MOST, ...row.querySelector(".claim-key").dataset };
      return { ...data, row, words: plain(`${row.textContent} ${data.where} ${data.text}`) };
    });
    const status = document.querySelector(".claims-status");

    function fits(item, { name, value }) {
      const wanted = value.trim();
      if (!wanted) return true;
      if (name === "q") return plain(wanted).split(/\s+/).every((word) => item.words.includes(word));
      if (name === "verdict" && wanted === "fully verified") return item.fully === "yes";
      return item[name] === wanted;
    }

    function apply() {
      let shown = 0;
      for (const item of rows) {
        item.row.hidden = !controls.every((control) => fits(item, control));
        shown += !item.row.hidden;
      }
      for (const table of document.querySelectorAll("table.claims:has(.claim-key)"))
        table.classList.toggle("is-empty", !table.querySelector("tbody tr:not([hidden])"));
      status.textContent = `${shown} of ${rows.length} rows shown.`;
    }

    function toAddress() {
      const query = new URLSearchParams();
      for (const { name, value } of controls) if (value.trim()) query.set(name, value.trim());
      const text = query.toString();
      try {
        history.replaceState(null, "", location.pathname + (text ? `?${text}` : "") + location.hash);
      } catch { /* some browsers refuse this for file:// addresses; the filter works all the same */ }
    }

    function fromAddress() {
      const query = new URLSearchParams(location.search);
      for (const control of controls) {
        const wanted = query.get(control.name) ?? "";
        control.value = wanted;
        if (control.value !== wanted) control.value = ""; // a value that the list does not have
      }
      apply();
    }

    /** The row that the address names is always visible. */
    function reveal() {
      const row = document.getElementById(location.hash.slice(1))?.closest("tr"); // our ids are ASCII
      if (!row?.hidden) return;
      form.reset();
      apply();
      toAddress();
      row.scrollIntoView();
    }

    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("input", () => { apply(); toAddress(); });
    form.addEventListener("reset", () => setTimeout(() => { apply(); toAddress(); }));
    addEventListener("hashchange", reveal);
    // A click on the address that stands there already fires no hashchange.
    document.addEventListener("click", (event) => {
      if (event.target.closest('a[href*="#"]')) setTimeout(reveal);
    });
    addEventListener("popstate", () => { fromAddress(); reveal(); });
    form.hidden = false;
    fromAddress();
    reveal();
  }

  document.querySelectorAll("form.claims-filter").forEach(setUp);
});
