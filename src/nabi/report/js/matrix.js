// The confusion matrix: a table whose numbers open their texts, and the largest confusions beside it.

const FEW = 12; // classes up to which empty cells are written as 0

function matrix() {
  const cells = new Map(data.cells.map((cell) => [`${cell.said} ${cell.gold}`, cell]));
  const all = data.chosen.length === data.classes.length;
  byId("table-of-cells").append(
    boxed("Confusion matrix", cellTable(cells)),
    el("p", { class: "muted small" },
      "The stronger the colour, the larger the share of its column. Within the table, arrow keys go from number to number.",
      all ? "" : ` Shown are the ${data.chosen.length} of ${count(data.classes.length)} classes with the most mistakes.`));
  byId("confusions").append(confusions());
  if (data.chosen.length > FEW) byId("cells").classList.add("stacked"); // the table takes the width
}

function cellTable(cells) {
  const many = data.chosen.length > FEW ? " many" : data.chosen.length <= 4 ? " few" : "";
  const upright = data.chosen.length > 5 ? " upright" : "";
  const table = el("table", { class: `cells${many}${upright}` },
    el("caption", { class: "hidden" }, "Rows: what the system said. Columns: the gold label."),
    el("thead", {},
      el("tr", {}, el("td", {}), el("th", { colspan: data.chosen.length + 1, scope: "colgroup", class: "axis" },
        el("span", {}, "Gold label"))),
      el("tr", {}, el("th", { scope: "col", class: "axis corner" }, "The system said"),
        data.chosen.map((c) => el("th", { scope: "col", title: data.classes[c].name }, named(c))),
        el("th", { scope: "col", class: "total" }, "all"))),
    el("tbody", {}, data.chosen.map((said) => el("tr", {},
      el("th", { scope: "row", title: data.classes[said].name }, named(said)),
      data.chosen.map((gold) => cellOf(cells.get(`${said} ${gold}`), said, gold)),
      el("td", { class: "total" }, count(data.classes[said].said))))),
    el("tfoot", {}, el("tr", {}, el("th", { scope: "row", class: "total" }, "all"),
      data.chosen.map((c) => el("td", { class: "total" }, count(data.classes[c].support))),
      el("td", { class: "total" }, count(data.judged)))));
  roving(table);
  return table;
}

function cellOf(cell, said, gold) {
  const kind = said === gold ? "right" : "wrong";
  if (!cell) return el("td", { class: `${kind} none` }, data.chosen.length <= FEW ? "0" : "");
  const part = cell.count / data.classes[gold].support;
  const button = el("button", {
    type: "button", tabindex: "-1", click: () => openTexts(cell), title: spoken(cell, part),
    "aria-label": spoken(cell, part),
  }, count(cell.count));
  const place = el("td", { class: kind }, button);
  place.style.setProperty("--part", `${Math.round(100 * Math.sqrt(part))}%`);
  return place;
}

function spoken(cell, part) {
  const [said, gold] = [cell.said, cell.gold].map((c) => data.classes[c].name);
  return `${counted(cell.count, NOUN)} of ${gold} said to be ${said}, ${share(part)} of its ${NOUN}s`;
}

/** One stop for Tab, arrow keys within: seventy-seven classes would be a thousand stops. */
function roving(table) {
  const buttons = [...table.querySelectorAll("button")];
  if (!buttons.length) return;
  buttons[0].tabIndex = 0;
  const grid = [...table.tBodies[0].rows].map((row) => [...row.cells].map((c) => c.querySelector("button")));
  table.addEventListener("keydown", (event) => {
    const step = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] }[event.key];
    const cell = event.target.closest("td");
    if (!step || !cell) return;
    event.preventDefault();
    const here = buttons.indexOf(event.target);
    const next = beyond(grid, cell.parentNode.sectionRowIndex, cell.cellIndex, step)
      || buttons[here + step[0] + step[1]]; // no number lies that way: the one after it, or before
    if (!next) return;
    buttons.forEach((button) => { button.tabIndex = button === next ? 0 : -1; });
    next.focus();
  });
}

function beyond(grid, row, column, [down, right]) {
  for (let i = 1; i <= grid.length + 1; i += 1) {
    const found = grid[row + i * down]?.[column + i * right];
    if (found) return found;
  }
  return null;
}

function confusions() {
  const wrong = data.cells.filter((cell) => cell.said !== cell.gold).slice(0, 50);
  if (!wrong.length) return el("p", {}, `None: every ${NOUN} was given its own label.`);
  const rows = wrong.map((cell) => el("li", {}, el("button", { type: "button", click: () => openTexts(cell) },
    el("span", { class: "number" }, count(cell.count)),
    el("span", {}, named(cell.gold), " said to be ", named(cell.said),
      el("span", { class: "muted small" }, ` ${share(cell.count / data.classes[cell.gold].support)} of its ${NOUN}s`)))));
  const rest = data.confusions - wrong.length;
  return el("div", {}, el("ol", { class: "confusions", tabindex: "0", "aria-label": "Largest confusions" }, rows),
    rest > 0 ? el("p", { class: "muted small" }, `Shown ${count(wrong.length)} of ${count(data.confusions)}.`) : null);
}
