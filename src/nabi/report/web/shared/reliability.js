// Confidence against accuracy, before and after calibration.
import { axes, chart, line, mark, shares } from "./charts.js";
import { el, folded, numberTable, svg } from "./elements.js";
import { count, fixed, say, share } from "./locale.js";

export function reliability(data) {
  const { before, after } = data.reliability;
  const curves = [[say("as_it_is"), before, "against"], ...(after ? [[say("Calibrated"), after, "for"]] : [])];
  const picture = el("div", { class: "chart" });
  chart(picture, reliabilityName(curves), (into, size) => drawReliability(into, size, curves));
  return el("div", { class: "sides even" }, picture, el("div", {}, figures(data, curves),
    el("p", { class: "muted small" }, say("marks"), after || data.calibrated ? "" : say("model_uncalibrated")),
    folded(say("confidence_accuracy"),
      [say("probabilities"), say("mean_confidence"), say("accuracy"), say("from"), say("to"), say("all_of_nouns")],
      curves.flatMap(([name, { bins }]) => bins.map(([sure, right, low, high, n]) =>
        [name, share(sure), share(right), share(low), share(high), count(n)])))));
}

function figures(data, curves) {
  const heads = curves.map(([name, , side]) => el("span", {}, el("span", { class: `key ${side}` }), name));
  const of = (what) => curves.map(([, curve]) => what(curve));
  return numberTable(say("all_nouns"), [say("probabilities"), ...heads], [
    [say("how_sure"), ...of((curve) => share(curve.confidence))],
    [say("how_right"), ...of(() => share(data.totals.accuracy[0]))],
    [say("calibration_error"), ...of((curve) => share(curve.calibration_error))],
    [say("log_loss"), ...of((curve) => (curve.log_loss === null ? say("unknown") : fixed(curve.log_loss, 3)))],
  ]);
}

function reliabilityName(curves) {
  const each = curves.map(([name, curve]) => say("off_by", { name, error: share(curve.calibration_error) }));
  return say("reliability_name", { curves: each.join(". ") });
}

function drawReliability(into, size, curves) {
  const at = axes(into, size, shares(say("sure_axis")), shares(say("how_right")));
  into.append(line([[at.x(0), at.y(0)], [at.x(1), at.y(1)]], "line ideal"));
  for (const [, { bins }, side] of curves) {
    const most = Math.max(...bins.map((bin) => bin[4]));
    into.append(line(bins.map(([sure, right]) => [at.x(sure), at.y(right)]), `line ${side}`));
    for (const [sure, right, low, high, n] of bins) {
      into.append(
        svg("line", { class: `whisker ${side}`, x1: at.x(sure), x2: at.x(sure), y1: at.y(low), y2: at.y(high) }),
        mark(at.x(sure), at.y(right), `dot ${side}`, 2.5 + 4.5 * Math.sqrt(n / most)));
    }
  }
}
