// People: how far they agree, and how the model would do without the labels of one of them.
import { el, fill, numberTable } from "./elements.js";
import { count, counted, fixed, say, share } from "./locale.js";
import { call, query, refusal } from "./session.js";

/** The part, once its figures are there. */
export async function peoplePart() {
  const [people, agreement] = await Promise.all([call("GET", "/people"), call("GET", "/agreement")]);
  if (people.status !== 200) return el("p", {}, refusal(people.answer));
  const told = el("div", { role: "status" });
  const rows = people.answer.people.map(({ who, labels, seconds }) =>
    [el("bdi", {}, who), count(labels), count(seconds), button(who, told)]);
  return el("div", { class: "card" },
    numberTable(say("people_table"), [say("people_who"), say("people_labels"), say("people_seconds"), say("people_without")], rows),
    told, agreement.status === 200 ? agreed(agreement.answer) : null);
}

function button(who, told) {
  const show = async () => {
    fill(told, el("p", { class: "muted" }, say("judging")));
    const { status, answer } = await call("GET", query("/without", { who }));
    fill(told, status === 200 ? without(answer) : el("p", { class: "wrong-note" }, refusal(answer)));
  };
  return el("button", { type: "button", class: "quiet", "aria-label": say("people_without_of", { who }), click: show }, say("people_show"));
}

function without(found) {
  const rows = ["audits", "others"].filter((name) => found[name]).map((name) => {
    const { texts, full, without: rest, worse, better, p } = found[name];
    return [say(`people_on_${name}`, { n: texts }), rate(full), rate(rest), say("people_changed", { worse, better, p: fixed(p, 3) })];
  });
  return el("div", {}, el("h3", {}, say("people_without_of", { who: found.who })),
    el("p", {}, say("people_left", { labels: counted(found.labels, "label"), examples: counted(found.examples, "example") })),
    rows.length ? numberTable(say("people_beside"), [say("people_judged_on"), say("people_full"), say("people_rest"), say("people_difference")], rows) : el("p", {}, say("people_nothing")),
    found.own ? el("p", {}, say("people_own", { who: found.who, value: rate(found.own) })) : null,
    el("p", {}, el("a", { href: query("/export/model.nabi", { without: found.who }), download: "model.nabi" }, say("people_model"))));
}

function rate([value, low, high]) {
  return `${share(value)} (${share(low)}–${share(high)})`;
}

function agreed({ texts, kappa, fleiss, pairs, disagreements }) {
  if (!texts) return el("p", { class: "muted" }, say("people_none_twice"));
  const open = disagreements.filter(({ settled }) => !settled).length;
  const rows = pairs.map(({ who, texts: n, kappa: own }) => [el("bdi", {}, who.join(" – ")), count(n), fixed(own, 2)]);
  return el("div", {}, el("h3", {}, say("people_agreement")),
    el("p", {}, say("people_agree", { n: texts, kappa: fixed(kappa, 2), fleiss: fixed(fleiss, 2) })),
    numberTable(say("people_pairs"), [say("people_pair"), say("people_texts"), say("people_kappa")], rows),
    el("p", {}, open ? el("a", { href: "#label", "data-ask": "disagreements" }, say("people_open", { n: open })) : say("people_all_settled")));
}
