// Accuracy against the number of texts that were learned from.

const WAYS = {
  halves: `Models that learned from fewer of the ${NOUN}s, judged on ${NOUN}s of which they saw none; the last point is the model of all.`,
  fewer: `Models that learned from fewer of the ${NOUN}s, judged on the same test data; the last point is the model itself.`,
  more: `The model as it is, and after learning a share of the judged ${NOUN}s as well, then judged on those that it still has not seen.`,
};
const LEARNED = NOUN === "row" ? "Rows learned" : "Texts learned";

function learning() {
  if (data.learning === null) return;
  const { points, way } = data.learning;
  byId("learning-way").textContent = WAYS[way];
  if (points.length < 2) {
    byId("curve").append(el("p", {}, `There are too few ${NOUN}s to learn from fewer of them.`));
    return;
  }
  const picture = el("div", { class: "chart" });
  byId("curve").append(el("div", { class: "sides even" }, picture,
    numbers(`Accuracy by ${NOUN}s learned`, [LEARNED, "Accuracy", "From", "To"],
      points.map(([n, ...rates]) => [count(n), ...rates.map(share)]))));
  const name = `Accuracy from ${share(points[0][1])} with ${counted(points[0][0], NOUN)} to `
    + `${share(points.at(-1)[1])} with ${counted(points.at(-1)[0], NOUN)}`;
  chart(picture, name, (into, size) => drawLearning(into, size, points));
}

function drawLearning(into, size, points) {
  const [low, high] = [Math.min(...points.map((p) => p[2])), Math.max(...points.map((p) => p[3]))];
  const step = high - low > 0.2 ? 0.1 : 0.02;
  const up = shares("Accuracy", Math.floor(low / step) * step, Math.min(1, Math.ceil(high / step) * step));
  const sizes = points.map((p) => p[0]);
  const across = {
    name: LEARNED, low: sizes[0], high: sizes.at(-1), through: Math.log, ticks: apart(sizes, 52 / size.width), text: rounded,
  };
  const at = axes(into, size, across, up);
  for (const [n, , from, to] of points) {
    into.append(svg("line", { class: "whisker for", x1: at.x(n), x2: at.x(n), y1: at.y(from), y2: at.y(to) }));
  }
  into.append(line(points.map(([n, right]) => [at.x(n), at.y(right)]), "line for"),
    ...points.map(([n, right]) => mark(at.x(n), at.y(right), "dot for")));
}

/** Sizes that lie far enough apart to be written side by side. */
function apart(sizes, least) {
  const span = Math.log(sizes.at(-1) / sizes[0]) || 1;
  const found = [sizes.at(-1)];
  for (const n of [...sizes].reverse()) if (Math.log(found.at(-1) / n) / span > least * 1.3) found.push(n);
  return found;
}

/** 12500 -> "12.5k" */
function rounded(n) {
  if (n >= 1e6) return `${Number((n / 1e6).toPrecision(3))}m`;
  return n >= 10000 ? `${Number((n / 1000).toPrecision(3))}k` : count(n);
}
