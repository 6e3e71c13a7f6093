// The confusion matrix: a table whose numbers open their texts, and the largest confusions.
import { boxed, el, label } from "./elements.js";
import { count, parts, say, share } from "./locale.js";

const FEW = 12; // classes up to which empty cells are written as 0

/** The table with what is said below it; `open(cell)` shows the texts of a cell. */
export function matrix(data, open) {
  const all = data.chosen.length === data.classes.length;
  return [boxed(say("matrix_name"), cellTable(data, open)),
    el("p", { class: "muted small" }, say("matrix_help"),
      all ? "" : say("matrix_some", { shown: data.chosen.length, n: data.classes.length }))];
}

/** Whether the table takes the whole width. */
export function isWide(data) {
  return data.chosen.length > FEW;
}

function cellTable(data, open) {
  const { chosen, classes } = data;
  const cells = new Map(data.cells.map((cell) => [`${cell.predicted} ${cell.actual}`, cell]));
  const many = chosen.length > FEW ? " many" : chosen.length <= 4 ? " few" : "";
  const upright = chosen.length > 5 ? " upright" : "";
  const name = (c) => label(classes[c].name);
  const place = (predicted, actual) => {
    const cell = cells.get(`${predicted} ${actual}`);
    return cell ? fullCell(cell, data, open) : el("td", { class: `${kind(predicted, actual)} none` }, isWide(data) ? "" : "0");
  };
  const table = el("table", { class: `cells${many}${upright}` },
    el("caption", { class: "hidden" }, say("matrix_caption")),
    el("thead", {},
      el("tr", {}, el("td", {}), el("th", { colspan: chosen.length + 1, scope: "colgroup", class: "axis" },
        el("span", {}, say("actual_class")))),
      el("tr", {}, el("th", { scope: "col", class: "axis corner" }, say("predicted_class")),
        chosen.map((c) => el("th", { scope: "col", title: classes[c].name }, name(c))),
        el("th", { scope: "col", class: "total" }, say("all")))),
    el("tbody", {}, chosen.map((predicted) => el("tr", {},
      el("th", { scope: "row", title: classes[predicted].name }, name(predicted)),
      chosen.map((actual) => place(predicted, actual)),
      el("td", { class: "total" }, count(classes[predicted].predicted))))),
    el("tfoot", {}, el("tr", {}, el("th", { scope: "row", class: "total" }, say("all")),
      chosen.map((c) => el("td", { class: "total" }, count(classes[c].support))),
      el("td", { class: "total" }, count(data.judged)))));
  roving(table);
  return table;
}

function kind(predicted, actual) {
  return predicted === actual ? "right" : "wrong";
}

function fullCell(cell, { classes }, open) {
  const part = cell.count / classes[cell.actual].support;
  const name = say("cell", { n: cell.count, actual: classes[cell.actual].name, predicted: classes[cell.predicted].name, part: share(part) });
  const place = el("td", { class: kind(cell.predicted, cell.actual) }, el("button", {
    type: "button", tabindex: "-1", click: () => open(cell), title: name, "aria-label": name,
  }, count(cell.count)));
  place.style.setProperty("--part", `${Math.round(100 * Math.sqrt(part))}%`);
  return place;
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

/** The largest confusions as a list, each of which opens its texts. */
export function confusions(data, open) {
  const wrong = data.cells.filter((cell) => cell.predicted !== cell.actual).slice(0, 50);
  if (!wrong.length) return el("p", {}, say("no_confusions"));
  const name = (c) => label(data.classes[c].name);
  const rows = wrong.map((cell) => el("li", {}, el("button", { type: "button", click: () => open(cell) },
    el("span", { class: "number" }, count(cell.count)),
    el("span", {}, parts("confusion", { actual: name(cell.actual), predicted: name(cell.predicted) }),
      el("span", { class: "muted small" }, say("confusion_share", { part: share(cell.count / data.classes[cell.actual].support) }))))));
  const rest = data.confusions - wrong.length;
  return el("div", {},
    el("ol", { class: "confusions", tabindex: "0", "aria-label": say("largest_confusions") }, rows),
    rest > 0 ? el("p", { class: "muted small" }, say("shown_of", { shown: wrong.length, n: data.confusions })) : null);
}
