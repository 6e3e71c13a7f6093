// The most telling words of each class, their weights as bars.
import { bar, boxed, chooser, el, label } from "./elements.js";
import { count, ENDLESS, frequency, parts, say, signed } from "./locale.js";

const SIDE_BY_SIDE = 3; // classes that are shown at once

export function tellingWords(data) {
  const known = Object.keys(data.words).map(Number);
  const place = el("div", { class: "columns" });
  if (!known.length) return [el("p", {}, say("no_telling"))];
  if (known.length <= SIDE_BY_SIDE) {
    place.append(...known.map((c) => wordList(c, data)));
    return [place];
  }
  const first = worst(known, data.classes);
  place.append(wordList(first, data));
  return [chooser("word-class", say("class"), known.map((c) => [c, data.classes[c].name]), first,
    (c) => place.replaceChildren(wordList(Number(c), data))), place];
}

/** Of these classes, the one that it does worst on. */
export function worst(some, classes) {
  return some.reduce((a, b) => (classes[b].f1[0] < classes[a].f1[0] ? b : a));
}

/** A count, and below it its share of all words. */
function seenIn(n, rate) {
  return [count(n), n ? el("span", { class: "muted small rate" }, frequency(rate)) : null];
}

function wordList(c, { words, classes }) {
  const rows = words[c];
  const most = Math.max(...rows.map(([, weight]) => Math.min(weight, ENDLESS)));
  const heads = ["word", "weight", "in_it", "elsewhere"].map((name) => el("th", { scope: "col" }, say(name)));
  const table = el("table", { class: "data telling" },
    el("caption", {}, parts("for_class", { name: label(classes[c].name) })),
    el("thead", {}, el("tr", {}, heads)),
    el("tbody", {}, rows.map(([letters, weight, mine, rest, rate, rateOfRest]) =>
      el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, letters)),
        el("td", {}, el("span", { class: "number" }, signed(weight)), bar([["fill", 0, (100 * weight) / most]])),
        el("td", {}, seenIn(mine, rate)), el("td", {}, seenIn(rest, rateOfRest))))));
  return boxed(say("words_for", { name: classes[c].name }), table);
}
