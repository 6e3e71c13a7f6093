// A text with its words coloured by an explanation's evidence.
import { el, fill } from "./elements.js";
import { say, signed } from "./locale.js";
import { colour } from "./texts.js";

const WEAK = 0.5; // evidence below it stays uncoloured: else every word would shout
const LONG = 4000; // characters that are shown before the rest is asked for

/** The words of an explanation: character n-grams are summed onto words. */
export function termsOf(explanation) {
  return explanation?.words ?? explanation?.terms ?? [];
}

/** Strings, and [letters, term] for words that speak. Spans count code points. */
export function pieces(text, explanation, weak = WEAK) {
  const letters = Array.from(text);
  const owner = new Array(letters.length).fill(-1);
  const terms = termsOf(explanation).filter((term) => Math.abs(evidence(term)) >= weak);
  terms.sort((a, b) => Math.abs(evidence(b)) - Math.abs(evidence(a)));
  terms.forEach((term, i) => term.spans.forEach(([from, to]) => {
    for (let at = from; at < Math.min(to, letters.length); at += 1) if (owner[at] < 0) owner[at] = i;
  }));
  const found = [];
  for (let at = 0, from = 0; at < letters.length; from = at) {
    while (at < letters.length && owner[at] === owner[from]) at += 1;
    const part = letters.slice(from, at).join("");
    found.push(owner[from] < 0 ? part : [part, terms[owner[from]]]);
  }
  return found;
}

/** The evidence of one occurrence for the label, against the next best. */
export function evidence(term) {
  return term.evidence / (term.times || 1);
}

/** What a mark says when it is pointed at. */
export function markTitle(term, explanation) {
  const of = evidence(term) > 0 ? explanation.of : explanation.against;
  return `${signed(evidence(term))}${of === null ? "" : say("speaks_for", { name: of })}`;
}

/** A paragraph with coloured words; a long text is cut, and a button shows the rest. */
export function passage(text, explanation, { long = LONG } = {}) {
  const place = el("div", { class: "passage" });
  const draw = (shown, cut) => fill(place, 
    el("p", { class: "words big", dir: "auto" }, shown ? marked(shown, explanation) : el("em", { class: "muted" }, say("no_text"))),
    ...(cut ? [el("p", {}, el("button", { type: "button", class: "quiet", click: () => draw(text, false) }, say("show_all", { n: text.length })))] : []));
  draw(text.length > long ? whole(text, long) : text, text.length > long);
  return place;
}

/** The beginning of a text, not cut within a character. */
function whole(text, length) {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

function marked(text, explanation) {
  return pieces(text, explanation).map((piece) => (typeof piece === "string" ? piece
    : el("mark", { class: colour(evidence(piece[1])), title: markTitle(piece[1], explanation) }, piece[0])));
}

/** [class, calibrated probability] of the most probable classes; null: nobody knows yet how sure. */
export function topClasses(explanation, most = 3) {
  const { proba, calibrated, label } = explanation;
  const order = (name) => (name === String(label) ? 2 : (calibrated ?? proba)[name]);
  return Object.keys(proba).sort((a, b) => order(b) - order(a)).slice(0, most).map((name) => [name, calibrated?.[name] ?? null]);
}

/** The bar of a probability. */
export function meter(sure, kind = "") {
  const bar = el("span", { class: "meter", "aria-hidden": "true" }, el("span", { class: kind }));
  bar.firstChild.style.setProperty("width", `${100 * sure}%`);
  return bar;
}
