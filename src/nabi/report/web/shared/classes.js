// The table of classes, sorted by the head that is chosen.
import { bar, boxed, el, label } from "./elements.js";
import { count, fixed, say, share } from "./locale.js";

const ROWS = 1000;

export function classTable(data) {
  const columns = [
    [say("class"), (c) => c.name], [say("precision"), (c) => c.precision[0]], [say("recall"), (c) => c.recall[0]],
    [say("f1"), (c) => c.f1[0]], [say("all_of_nouns"), (c) => c.support], [say("predicted"), (c) => c.predicted], [say("learned"), (c) => c.learned],
  ];
  const body = el("tbody");
  const heads = columns.map(([name], i) => el("th", { scope: "col", "aria-sort": "none" },
    el("button", { type: "button", class: "sort", click: () => sort(i) }, name)));
  const sort = (i, way = null) => {
    const before = heads[i].getAttribute("aria-sort");
    const down = way === null ? before !== "descending" && (i > 0 || before === "ascending") : way;
    heads.forEach((head, j) => head.setAttribute("aria-sort", i !== j ? "none" : down ? "descending" : "ascending"));
    body.replaceChildren(...sorted(data.classes, columns[i][1], down).slice(0, ROWS).map(classRow));
  };
  const table = el("table", { class: "data classes" },
    el("caption", { class: "hidden" }, say("rates_caption")), el("thead", {}, el("tr", {}, heads)), body);
  sort(3, false); // the worst first
  const more = data.classes.length > ROWS
    ? el("p", { class: "muted small inset" }, say("classes_shown", { shown: ROWS, n: data.classes.length })) : null;
  return [boxed(say("rates_of_classes"), table), more];
}

function sorted(classes, of, down) {
  const order = (a, b) => (typeof of(a) === "string" ? of(a).localeCompare(of(b)) : of(a) - of(b));
  const both = (a, b) => (down ? order(b[0], a[0]) : order(a[0], b[0])) || a[1] - b[1];
  return classes.map((one, i) => [one, i]).sort(both).map(([one]) => one);
}

function classRow({ name, precision, recall, f1, support, predicted, learned }) {
  return el("tr", {}, el("th", { scope: "row" }, label(name)),
    rate(precision, predicted), rate(recall, support), rate(f1, support + predicted),
    el("td", {}, count(support)), el("td", {}, count(predicted)), el("td", {}, count(learned)));
}

/** A rate with its interval, and a bar for the eye. */
function rate([value, low, high], of) {
  if (!of) return el("td", { class: "muted" }, say("none"));
  const range = say("range", { low: fixed(100 * low, 1), high: fixed(100 * high, 1) });
  return el("td", {},
    el("span", { class: "estimate" }, el("span", { class: "number" }, share(value)), el("span", { class: "muted small" }, range)),
    bar([["rail", 0, 100], ["interval", 100 * low, Math.max(1, 100 * (high - low))], ["point", Math.min(98.5, 100 * value), 1.5]]));
}
