// Precision against recall for one class, and a threshold that can be moved.
import { axes, chart, line, shares } from "./charts.js";
import { chooser, el, svg } from "./elements.js";
import { count, say, share } from "./locale.js";
import { worst } from "./words.js";

export function thresholds(data) {
  const known = Object.keys(data.curves).map(Number);
  if (!known.length) return [el("p", {}, say("no_curves"))];
  const first = known.length === 2 ? known[1] : worst(known, data.classes);
  const place = el("div");
  const show = (c) => place.replaceChildren(...curvePanel(Number(c), data));
  show(first);
  return [chooser("curve-class", say("class"), known.map((c) => [c, data.classes[c].name]), first, show), place];
}

/** The chart, the slider, the wish and the numbers of one class. */
function curvePanel(c, data) {
  const curve = data.curves[c];
  const points = curve.threshold.map((threshold, i) => pointOf(threshold, curve.true[i], curve.false[i], data.classes[c].support, data.judged));
  const half = points.findIndex((point) => point.threshold >= 0);
  const picture = el("div", { class: "chart" });
  const figures = el("dl", { class: "live", "aria-live": "polite", "aria-atomic": "true" });
  const said = el("output", { for: "slider", id: "threshold-said" });
  const slider = el("input", {
    type: "range", id: "slider", min: 0, max: points.length - 1, step: 1, value: half < 0 ? points.length - 1 : half,
    input: () => move(),
  });
  let mark = () => {};
  const move = () => {
    const point = points[Number(slider.value)];
    const p = asProbability(point.threshold);
    slider.setAttribute("aria-valuetext", say("at_least", { p }));
    said.textContent = say("threshold_is", { p, odds: String(Number(point.threshold.toPrecision(6))) });
    figures.replaceChildren(...liveFigures(point, data.judged));
    mark(point);
  };
  const name = say("curve_name", { name: data.classes[c].name, ap: share(curve.average_precision) });
  chart(picture, name, (into, size) => { mark = drawCurve(into, size, points); mark(points[Number(slider.value)]); });
  move();
  return [
    el("div", { class: "sides even" }, picture, el("div", {},
      el("p", { class: "field" }, el("label", { for: "slider" }, say("threshold")), slider, said),
      wish(points, (i) => { slider.value = i; move(); }), figures)),
    el("p", { class: "muted small" }, thinning(points, curve, data.calibrated)),
  ];
}

/** Draw the curve; the function that moves the dot to a point. */
function drawCurve(into, size, points) {
  const at = axes(into, size, shares(say("recall")), shares(say("precision")));
  const dot = svg("circle", { class: "dot for", r: 7 });
  into.append(line(points.map((p) => [at.x(p.recall), at.y(p.precision)]), "line for"), dot);
  return (p) => { dot.setAttribute("cx", at.x(p.recall)); dot.setAttribute("cy", at.y(p.precision)); };
}

function thinning(points, curve, calibrated) {
  const shown = points.length < curve.points ? say("thinned", { shown: points.length, n: curve.points }) : "";
  return say("average_precision", { ap: share(curve.average_precision), shown, by: calibrated ? say("calibrated_ones") : "" });
}

function pointOf(threshold, tp, fp, support, judged) {
  const precision = tp + fp ? tp / (tp + fp) : 0;
  const f1 = (2 * tp) / (tp + fp + support);
  return { threshold, tp, fp, fn: support - tp, tn: judged - support - fp, precision, recall: tp / support, f1 };
}

function liveFigures(point, judged) {
  const predicted = point.tp + point.fp;
  const rows = [
    ["precision", share(point.precision)], ["recall", share(point.recall)], ["f1", share(point.f1)],
    ["predicted", say("predicted_share", { n: predicted, part: share(predicted / judged) })],
    ["true_positives", count(point.tp)], ["false_positives", count(point.fp)],
    ["false_negatives", count(point.fn)], ["true_negatives", count(point.tn)],
  ];
  return rows.map(([name, value]) => el("div", {}, el("dt", {}, say(name)), el("dd", {}, value)));
}

/** `I want precision of at least ...`: the threshold that reaches it with the most recall. */
function wish(points, choose) {
  const answer = el("span", { class: "muted small", role: "status" });
  const field = el("input", {
    type: "number", id: "wish", min: 0, max: 100, step: "any", inputmode: "decimal", size: 5,
    placeholder: "95", input: () => {
      answer.textContent = field.value === "" ? "" : reached(points, Number(field.value) / 100, choose);
    },
  });
  return el("p", { class: "field" }, el("label", { for: "wish" }, say("want_precision")),
    el("span", {}, field, say("wish_unit")), answer);
}

function reached(points, least, choose) {
  const good = points.map((p, i) => [p, i]).filter(([p]) => p.precision >= least);
  if (!good.length) return say("out_of_reach", { best: share(Math.max(...points.map((p) => p.precision))) });
  const [best, i] = good.reduce((a, b) =>
    (b[0].recall > a[0].recall || (b[0].recall === a[0].recall && b[0].precision > a[0].precision) ? b : a));
  choose(i);
  return say("reached", { recall: share(best.recall) });
}

/** Log odds as a probability, with as many nines as it takes. */
function asProbability(odds) {
  const rest = 1 / (1 + Math.exp(Math.abs(odds)));
  const digits = Math.min(12, Math.max(3, Math.ceil(-Math.log10(rest || 1e-300)) + 1));
  const exponent = Math.round(Math.log10(rest || 1e-300));
  if (rest < 1e-11) return odds > 0 ? `1 − 1e${exponent}` : `1e${exponent}`;
  return (odds > 0 ? 1 - rest : rest).toFixed(digits);
}
