// Index of the exercises: check boxes that show or hide a level. Without this script all are shown.
document.addEventListener("DOMContentLoaded", () => {
  const rows = [...document.querySelectorAll("table.exercise-index tbody tr")];
  const first = document.querySelector("table.exercise-index");
  if (!first) return;
  const levelOf = new Map(rows.map((row) => [row, row.querySelector("[data-level]").dataset.level]));

  const box = document.createElement("fieldset");
  box.className = "exercise-filter";
  box.innerHTML = "<legend>Show</legend>";
  for (const level of new Set(levelOf.values())) {
    const label = document.createElement("label");
    const input = document.createElement("input");
    input.type = "checkbox";
    input.checked = true;
    input.value = level;
    label.append(input, ` ${level}`);
    box.append(label);
  }
  const shown = document.createElement("output"); // read aloud when it changes
  box.append(shown);

  const update = () => {
    const wanted = new Set([...box.querySelectorAll("input:checked")].map((input) => input.value));
    for (const row of rows) row.hidden = !wanted.has(levelOf.get(row));
    const count = rows.filter((row) => !row.hidden).length;
    shown.textContent = `${count} of ${rows.length} exercises`;
  };
  box.addEventListener("change", update);
  update();
  first.closest("section").before(box);
});
