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

// A notebook's exercises, for who sees only its page: where their cells answer.
document.addEventListener("DOMContentLoaded", () => {
  const head = document.querySelector(".cell.tag_exercise")?.closest("section")?.querySelector("h2");
  if (!head) return;
  const line = document.createElement("p");
  line.className = "exercise-where";
  line.innerHTML = "The cells with <code>check</code> answer in JupyterLab or in the downloaded notebook, not on this page: " +
    '<a>how to work on the exercises</a>.';
  line.querySelector("a").href = `${document.documentElement.dataset.content_root ?? ""}book/exercises.html`;
  head.after(line);
});
