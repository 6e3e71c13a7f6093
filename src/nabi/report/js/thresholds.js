// Precision against recall for one class, and a threshold that can be moved.

function thresholds() {
  const known = Object.keys(data.curves).map(Number);
  if (!known.length) {
    byId("threshold").append(el("p", {}, `No class that the model knows has ${NOUN}s here.`));
    return;
  }
  const first = known.length === 2 ? known[1] : worst(known);
  const place = el("div");
  const show = (c) => place.replaceChildren(...curvePanel(c));
  byId("threshold").append(chooser("curve-class", "Class", known, first, show), place);
  show(first);
}

/** The chart, the slider, the wish and the numbers of one class. */
function curvePanel(c) {
  const curve = data.curves[c];
  const points = curve.threshold.map((threshold, i) => pointOf(c, curve, i));
  const last = points.length - 1;
  const half = points.findIndex((point) => point.threshold >= 0);
  const picture = el("div", { class: "chart" });
  const figures = el("dl", { class: "live", "aria-live": "polite", "aria-atomic": "true" });
  const said = el("output", { for: "slider", id: "threshold-said" });
  const slider = el("input", {
    type: "range", id: "slider", min: 0, max: last, step: 1, value: half < 0 ? last : half,
    input: () => move(),
  });
  let dot = null;
  let place = null;
  const move = () => {
    const point = points[Number(slider.value)];
    slider.setAttribute("aria-valuetext", `probability of at least ${asProbability(point.threshold)}`);
    said.textContent = `probability ≥ ${asProbability(point.threshold)} (log odds ≥ ${Number(point.threshold.toPrecision(6))})`;
    figures.replaceChildren(...liveFigures(point));
    if (dot) place(dot, point);
  };
  chart(picture, curveName(c, curve), (into, size) => {
    const at = axes(into, size, shares("Recall"), shares("Precision"));
    into.append(line(points.map((p) => [at.x(p.recall), at.y(p.precision)]), "line for"));
    dot = svg("circle", { class: "dot for", r: 7 });
    place = (circle, p) => { circle.setAttribute("cx", at.x(p.recall)); circle.setAttribute("cy", at.y(p.precision)); };
    place(dot, points[Number(slider.value)]);
    into.append(dot);
  });
  move();
  return [
    el("div", { class: "sides even" }, picture, el("div", {},
      el("p", { class: "field" }, el("label", { for: "slider" }, "Threshold"), slider, said),
      wish(points, (i) => { slider.value = i; move(); }), figures)),
    el("p", { class: "muted small" }, thinning(points, curve)),
  ];
}

function thinning(points, curve) {
  const shown = points.length < curve.points
    ? `Shown are ${count(points.length)} of ${count(curve.points)} thresholds, each with its exact numbers. ` : "";
  const by = data.calibrated ? "The probabilities are the calibrated ones. " : "";
  return `Average precision ${share(curve.average_precision)}. ${shown}${by}A threshold looks a little too good on the ${NOUN}s on which it is chosen: check it on others.`;
}

function curveName(c, curve) {
  return `Precision against recall of ${data.classes[c].name}, of average precision ${share(curve.average_precision)}`;
}

function pointOf(c, curve, i) {
  const [tp, fp, threshold] = [curve.true[i], curve.false[i], curve.threshold[i]];
  const { support } = data.classes[c];
  const precision = tp + fp ? tp / (tp + fp) : 0;
  const recall = tp / support;
  const f1 = (2 * tp) / (tp + fp + support);
  return { threshold, tp, fp, fn: support - tp, tn: data.judged - support - fp, precision, recall, f1 };
}

function liveFigures(point) {
  const rows = [
    ["Precision", share(point.precision)], ["Recall", share(point.recall)], ["F1", share(point.f1)],
    ["Said", `${count(point.tp + point.fp)} (${share((point.tp + point.fp) / data.judged)})`],
    ["True positives", count(point.tp)], ["False positives", count(point.fp)],
    ["False negatives", count(point.fn)], ["True negatives", count(point.tn)],
  ];
  return rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)));
}

/** `I want precision of at least ...`: the threshold that reaches it with the most recall. */
function wish(points, choose) {
  const answer = el("span", { class: "muted small", role: "status" });
  const field = el("input", {
    type: "number", id: "wish", min: 0, max: 100, step: "any", inputmode: "decimal", size: 5,
    placeholder: "95", input: () => {
      if (field.value === "") answer.textContent = "";
      else answer.textContent = reached(points, Number(field.value) / 100, choose);
    },
  });
  return el("p", { class: "field" }, el("label", { for: "wish" }, "I want precision of at least"),
    el("span", {}, field, " %"), answer);
}

function reached(points, least, choose) {
  const good = points.map((p, i) => [p, i]).filter(([p]) => p.precision >= least);
  if (!good.length) {
    return `No threshold reaches it: the best is ${share(Math.max(...points.map((p) => p.precision)))}.`;
  }
  const [best, i] = good.reduce((a, b) =>
    (b[0].recall > a[0].recall || (b[0].recall === a[0].recall && b[0].precision > a[0].precision) ? b : a));
  choose(i);
  return `Reached with ${share(best.recall)} recall.`;
}

/** Log odds as a probability, with as many nines as it takes. */
function asProbability(odds) {
  const rest = 1 / (1 + Math.exp(Math.abs(odds)));
  const digits = Math.min(12, Math.max(3, Math.ceil(-Math.log10(rest || 1e-300)) + 1));
  if (rest < 1e-11) return odds > 0 ? `1 − 1e${Math.round(Math.log10(rest || 1e-300))}` : `1e${Math.round(Math.log10(rest || 1e-300))}`;
  return (odds > 0 ? 1 - rest : rest).toFixed(digits);
}
