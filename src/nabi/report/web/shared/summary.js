// The figures of the first screen: accuracy, baseline, macro F1, log loss, calibration error.
import { el, svg } from "./elements.js";
import { fixed, say, share } from "./locale.js";

export function figures(data) {
  const { accuracy, baseline, macro_f1: f1 } = data.totals;
  const after = data.reliability.after;
  // A calibrated model says what is after; a cross-validated one would, if it were.
  const [first, other, which] = after && !data.held_out
    ? [after, data.totals, say("not_calibrated")] : [data.totals, after, say("calibrated")];
  const { log_loss: loss, calibration_error: error } = first;
  const range = ([, low, high]) => say("range", { low: share(low), high: share(high) });
  const others = (value) => say("other_figure", { which, value });
  return [
    figure(say("accuracy"), share(accuracy[0]), range(accuracy), gauge(accuracy, baseline)),
    figure(say("baseline"), share(baseline), say("baseline_is")),
    figure(say("macro_f1"), share(f1[0]), range(f1)),
    figure(say("log_loss"), loss === null ? say("unknown") : fixed(loss, 3),
      other && other.log_loss !== null ? others(fixed(other.log_loss, 3)) : say("the_smaller")),
    figure(say("calibration_error"), share(error), other ? others(share(other.calibration_error)) : say("the_smaller")),
  ];
}

export function figure(name, value, more, picture = null) {
  return el("div", { class: "card figure" },
    el("dt", {}, name), el("dd", { class: "value" }, value), el("dd", { class: "muted small" }, more),
    picture && el("dd", {}, picture));
}

/** Accuracy with its interval, on a line from 0 to 100 %, and where the largest class stands. */
export function gauge(accuracy, baseline) {
  const at = (value) => 2 + value * 196;
  const name = say("gauge", { accuracy: share(accuracy[0]), whole: share(1, 0), baseline: share(baseline) });
  return svg("svg", { role: "img", class: "gauge", viewBox: "0 0 200 18", "aria-label": name },
    svg("rect", { class: "rail", x: 2, y: 6, width: 196, height: 6, rx: 3 }),
    svg("rect", { class: "fill", x: 2, y: 6, width: 196 * accuracy[0], height: 6, rx: 3 }),
    svg("rect", {
      class: "interval", x: at(accuracy[1]), y: 4, width: Math.max(2, 196 * (accuracy[2] - accuracy[1])),
      height: 10, rx: 1,
    }),
    svg("line", { class: "base", x1: at(baseline), x2: at(baseline), y1: 0, y2: 18 }));
}
