// One word: its counts and weight in each class, and the examples that taught it.
import { el, label, numberTable } from "./elements.js";
import { exampleRow } from "./examplerow.js";
import { count, frequency, parts, say, signed } from "./locale.js";
import { call, query } from "./session.js";

const SHOWN = 5; // examples

/** What a word adds to a class against the best of the others. */
function against(name, weights) {
  const others = Object.entries(weights ?? {}).filter(([other, value]) => other !== name && Number.isFinite(value)).map(([, value]) => value);
  return others.length && Number.isFinite(weights[name]) ? signed(weights[name] - Math.max(...others)) : "";
}

/** The card of a term of an explanation; `changed` is called after an example was changed. */
export async function wordCard(term, explanation, app, changed) {
  const names = Object.keys(explanation.proba);
  const sides = [explanation.of, explanation.against].filter((each) => each !== null);
  const rows = [...new Set([...sides, ...names])].slice(0, 12).map((name) => [
    label(name), count(term.counts?.[name] ?? 0), term.rates?.[name] === undefined ? "" : frequency(term.rates[name]),
    against(name, term.weights),
  ]);
  const list = el("ul", { class: "example-list" });
  const { status, answer } = await call("GET", query("/examples", { contains: term.word, limit: SHOWN, newest: true }));
  const found = status === 200 ? answer.examples : [];
  list.append(...found.map((one) => exampleRow(one, app, changed)));
  const speaks = term.evidence > 0 ? explanation.of : explanation.against;
  return el("section", { class: "card word-card", "aria-labelledby": "word-title" },
    el("h2", { id: "word-title", tabindex: "-1" }, el("bdi", {}, term.word)),
    el("p", {}, speaks === null ? signed(term.evidence) : parts("word_speaks", { weight: signed(Math.abs(term.evidence)), name: label(speaks) })),
    numberTable(say("word_counts"), [say("class"), say("times"), say("word_share"), say("weight")], rows),
    el("h3", {}, say("word_examples", { n: status === 200 ? answer.total : 0 })), list);
}
