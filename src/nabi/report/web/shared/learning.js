// Accuracy against the number of texts that were learned from.
import { axes, chart, line, mark, shares } from "./charts.js";
import { el, numberTable, svg } from "./elements.js";
import { count, rounded, say, share } from "./locale.js";

/** The curve of points [learned, accuracy, low, high], and its numbers as a table. */
export function learningCurve(points) {
  if (points.length < 2) return el("p", {}, say("too_few"));
  const picture = el("div", { class: "chart" });
  const [first, last] = [points[0], points.at(-1)];
  const name = say("learning_name", { low: share(first[1]), a: first[0], high: share(last[1]), b: last[0] });
  chart(picture, name, (into, size) => drawLearning(into, size, points));
  return el("div", { class: "sides even" }, picture,
    numberTable(say("accuracy_by"), [say("nouns_learned"), say("accuracy"), say("from"), say("to")],
      points.map(([n, ...rates]) => [count(n), ...rates.map((rate) => share(rate))])));
}

export function drawLearning(into, size, points) {
  const [low, high] = [Math.min(...points.map((p) => p[2])), Math.max(...points.map((p) => p[3]))];
  const step = high - low > 0.2 ? 0.1 : 0.02;
  const up = shares(say("accuracy"), Math.floor(low / step) * step, Math.min(1, Math.ceil(high / step) * step));
  const sizes = points.map((p) => p[0]);
  const across = {
    name: say("nouns_learned"), low: sizes[0], high: sizes.at(-1), through: Math.log,
    ticks: apart(sizes, 52 / size.width), text: rounded,
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
