// The table of classes, sorted by the head that is chosen.

const HEADS = [
  ["Class", (c) => data.classes[c].name],
  ["Precision", (c) => data.classes[c].precision[0]],
  ["Recall", (c) => data.classes[c].recall[0]],
  ["F1", (c) => data.classes[c].f1[0]],
  [NOUN === "row" ? "Rows" : "Texts", (c) => data.classes[c].support],
  ["Said", (c) => data.classes[c].said],
  ["Learned", (c) => data.classes[c].learned],
];
const ROWS = 1000;

function classTable() {
  const body = el("tbody");
  const heads = HEADS.map(([name], i) => el("th", { scope: "col", "aria-sort": "none" },
    el("button", { type: "button", class: "sort", click: () => sort(i) }, name)));
  const sort = (i, way = null) => {
    const before = heads[i].getAttribute("aria-sort");
    const down = way === null ? before !== "descending" && (i > 0 || before === "ascending") : way;
    heads.forEach((head, j) => head.setAttribute("aria-sort", i !== j ? "none" : down ? "descending" : "ascending"));
    body.replaceChildren(...sorted(i, down).slice(0, ROWS).map(classRow));
  };
  const table = el("table", { class: "data classes" },
    el("caption", { class: "hidden" }, "Rates of each class; the heads sort it"),
    el("thead", {}, el("tr", {}, heads)), body);
  sort(3, false); // the worst first
  const more = data.classes.length > ROWS ? el("p", { class: "muted small inset" },
    `Shown ${count(ROWS)} of ${count(data.classes.length)}, in the order that is chosen.`) : null;
  byId("class-table").append(boxed("Rates of each class", table), ...(more ? [more] : []));
}

function sorted(i, down) {
  const of = HEADS[i][1];
  const order = (a, b) => (typeof of(a) === "string" ? of(a).localeCompare(of(b)) : of(a) - of(b));
  return data.classes.map((_, c) => c).sort((a, b) => (down ? order(b, a) : order(a, b)) || a - b);
}

function classRow(c) {
  const { precision, recall, f1, support, said, learned } = data.classes[c];
  return el("tr", {}, el("th", { scope: "row" }, named(c)),
    rate(precision, said), rate(recall, support), rate(f1, support + said),
    el("td", {}, count(support)), el("td", {}, count(said)), el("td", {}, count(learned)));
}

/** A rate with its interval, and a bar for the eye. */
function rate([value, low, high], of) {
  if (!of) return el("td", { class: "muted" }, "none");
  const bar = svg("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "rail", x: 0, y: 2, width: 100, height: 2 }),
    svg("rect", { class: "interval", x: 100 * low, y: 0, width: Math.max(1, 100 * (high - low)), height: 6 }),
    svg("rect", { class: "point", x: Math.min(98.5, 100 * value), y: 0, width: 1.5, height: 6 }));
  return el("td", {}, el("span", { class: "estimate" }, el("span", { class: "number" }, share(value)),
    el("span", { class: "muted small" }, `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`)), bar);
}
