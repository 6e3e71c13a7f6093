// The honest figure: how good the model is by the audit keys alone, and when to stop.
import { chart } from "./charts.js";
import { el } from "./elements.js";
import { drawLearning } from "./learning.js";
import { fixed, say, share } from "./locale.js";

/** The card with the figure; null values before there are enough audit keys. */
export function honestCard(honest) {
  const { accuracy, macro_f1: f1, audits, rest } = honest;
  return [
    el("h2", { id: "honest-title" }, say("honest_title")),
    accuracy ? el("dl", { class: "honest-figures" }, ratio("accuracy", accuracy), f1 ? ratio("macro_f1", f1) : null) : null,
    rest ? el("p", {}, say("honest_rest", Object.fromEntries(["value", "low", "high"].map((name, i) => [name, share(rest[i], 0)])))) : null,
    el("p", { class: "advice" }, advice(honest)),
    honest.curve.length > 1 ? curve(honest.curve) : null,
    audits === 0 ? null : el("p", { class: "muted small" }, say("honest_how", { n: audits }), " ", agreement(honest.agreement)),
  ];
}

function ratio(name, [value, low, high]) {
  return el("div", {}, el("dt", {}, say(name)), el("dd", { class: "value" }, share(value, 0)),
    el("dd", { class: "muted small" }, say("interval", { low: share(low, 0), high: share(high, 0) })));
}

function advice({ advice: given, audits }) {
  if (!given) return "";
  const gain = fixed(Math.max(0, given.gain ?? 0), 1);
  return say(`advice_${given.code}`, { gain, last: given.last ?? 0, audits });
}

function agreement(found) {
  return found && found.pairs ? say("agreement", { n: found.pairs, kappa: found.kappa === null ? "–" : fixed(found.kappa, 2) }) : "";
}

function curve(points) {
  const rows = points.map(({ labels, accuracy, low, high }) => [labels, accuracy, low, high]);
  const picture = el("div", { class: "chart small-chart" });
  const [first, last] = [rows[0], rows.at(-1)];
  const name = say("learning_name", { low: share(first[1]), a: first[0], high: share(last[1]), b: last[0] });
  chart(picture, name, (into, size) => drawLearning(into, size, rows));
  return el("details", {}, el("summary", {}, say("honest_curve")), picture);
}
