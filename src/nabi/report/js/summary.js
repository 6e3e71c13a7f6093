// The first screen: what was judged, the figures, what was found and what to do.

function summary() {
  byId("facts").textContent = facts();
  byId("figures").append(...figures());
  byId("sentences").append(...data.sentences.map((text) => el("li", {}, text)));
  // In the frame of a notebook, "#words" alone would be a place in the notebook.
  const here = location.protocol === "about:" ? "about:srcdoc" : "";
  byId("advice").append(...data.advice.map((step) =>
    el("li", {}, `${step.text} `, el("a", { href: `${here}#${step.section}` }, "See why"))));
  byId("made").textContent = `Made by nabi ${data.version}. ${model()} This file fetches nothing and sends nothing.`;
}

function facts() {
  const { read, used, rejected } = data.rows;
  const parts = [`${counted(data.judged, NOUN)} judged${data.way}`];
  if (read !== undefined) {
    parts.push(`${count(read)} rows read = ${count(used)} used + ${count(rejected)} rejected`);
  }
  return `${parts.join(". ")}.`;
}

function model() {
  const { event, documents, vocabulary, recipe, ...settings } = data.model;
  const given = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  const features = vocabulary === null ? "" : `, ${counted(vocabulary, "feature")}`;
  return `The model: ${[event, ...given, recipe].join(", ")}; ${counted(documents, NOUN)} learned${features}.`;
}

function figures() {
  const { accuracy, baseline, macro_f1: f1 } = data.totals;
  const after = data.reliability.after;
  // A calibrated model says what is after; a cross-validated one would, if it were.
  const [first, other, named] = after && !data.held_out
    ? [after, data.totals, "not calibrated"] : [data.totals, after, "calibrated"];
  const { log_loss: loss, calibration_error: error } = first;
  return [
    figure("Accuracy", share(accuracy[0]), `${share(accuracy[1])} to ${share(accuracy[2])}`, gauge()),
    figure("Baseline", share(baseline), "always the largest class"),
    figure("Macro F1", share(f1[0]), `${share(f1[1])} to ${share(f1[2])}`),
    figure("Log loss", loss === null ? "unknown" : loss.toFixed(3),
      other && other.log_loss !== null ? `${named}: ${other.log_loss.toFixed(3)}` : "the smaller the better"),
    figure("Calibration error", share(error),
      other ? `${named}: ${share(other.calibration_error)}` : "the smaller the better"),
  ];
}

function figure(name, value, more, picture = null) {
  return el("div", { class: "card figure" },
    el("dt", {}, name), el("dd", { class: "value" }, value), el("dd", { class: "muted small" }, more),
    picture && el("dd", {}, picture));
}

/** Accuracy with its interval, on a line from 0 to 100 %, and where the largest class stands. */
function gauge() {
  const { accuracy, baseline } = data.totals;
  const at = (value) => 2 + value * 196;
  return svg("svg", {
    role: "img", class: "gauge", viewBox: "0 0 200 18", "aria-label":
      `Accuracy ${share(accuracy[0])} on a line from 0 to 100 %; the largest class is at ${share(baseline)}`,
  },
  svg("rect", { class: "rail", x: 2, y: 6, width: 196, height: 6, rx: 3 }),
  svg("rect", { class: "fill", x: 2, y: 6, width: 196 * accuracy[0], height: 6, rx: 3 }),
  svg("rect", {
    class: "interval", x: at(accuracy[1]), y: 4, width: Math.max(2, 196 * (accuracy[2] - accuracy[1])),
    height: 10, rx: 1,
  }),
  svg("line", { class: "base", x1: at(baseline), x2: at(baseline), y1: 0, y2: 18 }));
}
