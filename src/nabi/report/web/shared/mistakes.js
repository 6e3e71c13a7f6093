// The surest mistakes, and labels that the model of all other texts doubts.
import { boxed, el } from "./elements.js";
import { say, signed } from "./locale.js";
import { legend, textCard } from "./texts.js";

const OPEN = 6; // mistakes that are shown before the rest is unfolded

export function mistakesSentence({ mistakes: { texts, count: all } }) {
  return all ? say("mistakes_shown", { shown: texts.length, n: all }) : say("no_mistakes");
}

export function mistakes(data) {
  const cards = data.mistakes.texts.map((i) => textCard(data.texts[i], data));
  const rest = cards.slice(OPEN);
  return [
    cards.length ? legend(say("the_predicted_class"), say("the_actual_class")) : null,
    ...cards.slice(0, OPEN),
    rest.length ? el("details", { class: "rest" }, el("summary", {}, say("more", { n: rest.length })), rest) : null,
  ];
}

export function doubtsSentence({ doubts: { rows, found, of, why, learned } }) {
  if (found === null) return say("doubts_unknown", { why });
  const where = say(learned ? "learned_nouns" : "judged_nouns");
  return found ? say("doubts", { found, of, where, shown: rows.length }) : say("no_doubts", { of, where });
}

/** The table of doubtful labels; null where there is none. */
export function doubts(data) {
  const { rows } = data.doubts;
  if (!rows.length) return null;
  const both = rows.some((row) => row.both) && !data.held_out;
  const heads = [say("where"), say("label"), say("rather"), say("log_odds"), ...(both ? [say("judged_model")] : []), say("a_noun")];
  return boxed(say("labels_to_check"), el("table", { class: "data suspects" },
    el("caption", { class: "hidden" }, say("doubts_caption")),
    el("thead", {}, el("tr", {}, heads.map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows.map((row) => el("tr", {},
      el("th", { scope: "row" }, row.where),
      el("td", {}, el("bdi", {}, row.label)), el("td", {}, el("bdi", {}, row.rather)),
      el("td", {}, signed(row.log_odds)),
      both ? el("td", {}, say(row.both ? "doubts_it" : "agrees")) : null,
      el("td", { dir: "auto" }, row.text))))));
}
