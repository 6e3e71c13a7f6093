// The surest mistakes, and labels that the model of all other texts doubts.

const OPEN = 6; // mistakes that are shown before the rest is unfolded

function mistakes() {
  const { texts, count: all } = data.mistakes;
  byId("mistakes-shown").textContent = all
    ? `Shown ${count(texts.length)} of ${count(all)}: those where the label that was said is most probable, and the gold one least.`
    : `There are none: every ${NOUN} was given its own label.`;
  const cards = texts.map((i) => textCard(data.texts[i]));
  const place = byId("worst");
  if (texts.length) place.append(legend("what was said", "the gold label"));
  place.append(...cards.slice(0, OPEN));
  if (cards.length > OPEN) {
    place.append(el("details", { class: "rest" },
      el("summary", {}, `${count(cards.length - OPEN)} more`), ...cards.slice(OPEN)));
  }
}

function doubts() {
  const { rows, found, of, why, learned } = data.doubts;
  byId("doubts-shown").textContent = found === null ? `They cannot be told: ${why}.` : doubtful(rows, found, of, learned);
  if (!rows.length) {
    byId("suspects").remove();
    return;
  }
  const both = rows.some((row) => row.both) && !data.held_out;
  const heads = ["Where", "Label", "Rather", "Log odds", ...(both ? ["The judged model"] : []), NOUN === "row" ? "Row" : "Text"];
  byId("suspects").append(boxed("Labels to check", el("table", { class: "data suspects" },
    el("caption", { class: "hidden" }, "Labels to check, the most doubtful first"),
    el("thead", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows.map((row) => el("tr", {},
      el("th", { scope: "row" }, row.where),
      el("td", {}, el("bdi", {}, row.label)), el("td", {}, el("bdi", {}, row.rather)),
      el("td", {}, signed(row.log_odds)),
      both ? el("td", {}, row.both ? "doubts it too" : "agrees with it") : null,
      el("td", { dir: "auto" }, row.text)))))));
}

function doubtful(rows, found, of, learned) {
  const where = learned ? `${NOUN}s that the model learned` : `judged ${NOUN}s`;
  if (!found) return `None of the ${count(of)} ${where} has a label that a model of all the others doubts.`;
  return `A model of all other ${NOUN}s would rather give another label to ${count(found)} of the ${count(of)} ${where}. `
    + `Shown ${count(rows.length)}, the most doubtful first: either the label is wrong, or the ${NOUN} is unlike its class.`;
}
