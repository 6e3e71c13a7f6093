// Confidence against accuracy, before and after calibration.

function reliability() {
  const { before, after } = data.reliability;
  const curves = after ? [["As it is", before, "against"], ["Calibrated", after, "for"]] : [["As it is", before, "against"]];
  const picture = el("div", { class: "chart" });
  const heads = curves.map(([name, , side]) => el("span", {}, el("span", { class: `key ${side}` }), name));
  const of = (what) => curves.map(([, curve]) => what(curve));
  byId("reliable").append(el("div", { class: "sides even" }, picture, el("div", {},
    numbers(`All ${NOUN}s`, ["Probabilities", ...heads], [
      ["How sure it is, on average", ...of((curve) => share(curve.confidence))],
      ["How often it is right", ...of(() => share(data.totals.accuracy[0]))],
      ["Calibration error", ...of((curve) => share(curve.calibration_error))],
      ["Log loss", ...of((curve) => (curve.log_loss === null ? "unknown" : curve.log_loss.toFixed(3)))],
    ]),
    el("p", { class: "muted small" }, `The larger a mark, the more ${NOUN}s; the lines through it are intervals of 95 %. `,
      after || data.calibrated ? "" : "The model is not calibrated."),
    folded("Confidence and accuracy", ["Probabilities", "Mean confidence", "Accuracy", "From", "To", NOUN === "row" ? "Rows" : "Texts"],
      curves.flatMap(([name, { bins }]) => bins.map(([sure, right, low, high, n]) =>
        [name, share(sure), share(right), share(low), share(high), count(n)]))))));
  chart(picture, reliabilityName(curves), (into, size) => drawReliability(into, size, curves));
}

function reliabilityName(curves) {
  return `Accuracy against confidence. ${curves.map(([name, curve]) =>
    `${name}: off by ${share(curve.calibration_error)} on average`).join(". ")}`;
}

function drawReliability(into, size, curves) {
  const at = axes(into, size, shares("How sure it is"), shares("How often it is right"));
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
