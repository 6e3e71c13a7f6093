// A text with its words coloured by what they speak for, and the window that shows those of a cell.
import { el, label } from "./elements.js";
import { count, frequency, parts, say, signed, sureness } from "./locale.js";

const STRONG = 1.5; // evidence from which a word is filled

/** The class of a word's mark: blue for what was said, orange for the other; filled where strong. */
export function colour(evidence) {
  return `${evidence > 0 ? "for" : "against"}${Math.abs(evidence) >= STRONG ? " strong" : ""}`;
}

/** A text: what was said of it, its words by their evidence, and the weights of the strongest. */
export function textCard(text, data, level = "h3") {
  return el("article", { class: "text" },
    el(level, { class: "verdict" }, verdict(text, data)),
    el("p", { class: "words", dir: "auto" }, text.pieces.length
      ? text.pieces.map((piece) => (typeof piece === "string" ? piece : word(piece, text, data)))
      : el("em", { class: "muted" }, say("no_text"))),
    remarks(text),
    text.words.length ? weights(text, data) : null,
    text.near ? neighbours(text) : null);
}

/** The learned texts that voted, the nearest first. */
function neighbours(text) {
  return el("div", {},
    el("p", { class: "muted small tally" }, say("nearest", { tally: text.tally })),
    el("ul", { class: "near" }, text.near.map(([similarity, name, letters]) => el("li", {},
      el("span", { class: "number" }, similarity.toFixed(2)), " ", label(name), " ",
      el("span", { class: "muted", dir: "auto" }, letters)))));
}

function verdict(text, { classes }) {
  const name = (c) => label(classes[c].name);
  return [
    el("span", { class: "for" }, parts("verdict_predicted", { predicted: name(text.predicted), sure: sureness(text.proba) })),
    text.predicted === text.actual ? el("span", { class: "right" }, say("which_is_right"))
      : el("span", { class: "against" }, parts("verdict_actual", { actual: name(text.actual), sure: sureness(text.actual_proba) })),
    el("span", { class: "muted" }, text.where),
  ];
}

function word([letters, evidence], text, { classes }) {
  const of = evidence > 0 ? text.predicted : text.against;
  const speaks = of === null ? "" : say("speaks_for", { name: classes[of].name });
  return el("mark", { class: colour(evidence), title: `${signed(evidence)}${speaks}` }, letters);
}

function remarks(text) {
  const found = [];
  if (text.cut) found.push(say("cut_from", { n: text.length }));
  if (text.unknown) found.push(say("passed_over", { n: text.unknown }));
  if (text.absent) found.push(say("absent", { weight: signed(text.absent) }));
  if (!text.words.length) found.push(say("only_prior"));
  return found.length ? el("p", { class: "muted small" }, found.join(" ")) : null;
}

/** The strongest words or columns with their weights, and what the classes have seen of them. */
function weights(text, data) {
  const sides = [text.predicted, text.against].filter((c) => c !== null).map((c) => el("bdi", {}, data.classes[c].name));
  const seen = text.words.some(([, , ...counts]) => counts.some((each) => each !== ""));
  const what = say(data.noun === "row" ? "strongest_columns" : "strongest_counts");
  return el("div", {},
    el("p", { class: "muted small" }, ...(seen
      ? [what, ...sides.flatMap((name, i) => (i ? [" : ", name] : [name])), ":"]
      : [say(text.near ? "by_votes" : "strongest")])),
    el("ul", { class: "weights" }, text.words.map(([letters, evidence, ...counts]) => el("li", {},
      el("bdi", { class: evidence > 0 ? "for" : "against" }, letters), ` ${signed(evidence)} `,
      seen ? el("span", { class: "muted" }, counts.map(learnedOf).join(" : ")) : null))));
}

/** [12, 0.012] -> "12 (1.2 %)"; of a column, words. */
function learnedOf(seen) {
  if (typeof seen === "string") return seen || say("nothing");
  const [n, rate] = seen;
  return n ? `${count(n)} (${frequency(rate)})` : "0";
}

/** Which colour speaks for what. */
export function legend(predicted, other) {
  return el("p", { class: "legend" }, parts("legend", {
    blue: el("mark", { class: "for strong" }, say("blue")), predicted,
    orange: el("mark", { class: "against strong" }, say("orange")), other,
  }));
}

/** The window of a cell's texts, and the function that opens it: Escape or the button closes it. */
export function textWindow(data) {
  const title = el("h2", { id: "texts-title", tabindex: "-1" });
  const shown = el("p", { id: "texts-shown", class: "muted" });
  const list = el("div", { id: "texts-list" });
  const close = el("button", { type: "button", id: "close", class: "quiet", click: () => window.close() }, say("close"));
  const window = el("dialog", { id: "texts", "aria-labelledby": "texts-title" },
    el("div", { class: "head" }, title, close), shown, list);
  window.addEventListener("click", (event) => {
    if (event.target === window) window.close(); // beside it
  });
  const open = (cell) => {
    title.replaceChildren(...cellTitle(cell, data));
    shown.textContent = cellSentence(cell);
    const right = cell.predicted === cell.actual;
    list.replaceChildren(legend(say("the_predicted_class"), say(right ? "next_best" : "the_actual_class")),
      ...cell.texts.map((i) => textCard(data.texts[i], data)));
    window.showModal();
    window.scrollTop = 0;
    title.focus();
  };
  return { window, open };
}

function cellTitle({ predicted, actual }, { classes }) {
  const names = { predicted: label(classes[predicted].name), actual: label(classes[actual].name) };
  return parts(predicted === actual ? "rightly_predicted" : "wrongly_predicted", names);
}

function cellSentence({ predicted, actual, count: n, texts }) {
  if (!texts.length) return say("none_kept", { n });
  return say(predicted === actual ? "shown_closest" : "shown_surest", { shown: texts.length, n });
}
