// Drift: accuracy by day or week from random checks, and the words that moved most.
import { axes, chart, line, mark, shares } from "./charts.js";
import { chooser, el, fill, label, numberTable, svg } from "./elements.js";
import { count, fixed, language, say, share } from "./locale.js";
import { call, query, refusal } from "./session.js";

const FALLEN = 4; // standard errors, from which on it is no chance (docs/team.md)
const LIKELY = 0.05; // a probability from which on a word may have moved by chance
const TICK = 70; // pixels that a date takes

/** The part, once its figures are there; another period is asked for anew. */
export async function driftPart(by = "week") {
  const place = el("div", { class: "card" });
  await draw(place, by);
  return place;
}

async function draw(place, by) {
  const { status, answer } = await call("GET", query("/drift", { by }));
  if (status !== 200) return void fill(place, el("p", {}, refusal(answer)));
  const options = ["day", "week"].map((each) => [each, say(`drift_by_${each}`)]);
  fill(place, chooser("drift-by", say("drift_by"), options, by, async (chosen) => {
    await draw(place, chosen);
    document.getElementById("drift-by")?.focus();
  }), alarm(answer.alert), accuracy(answer, by), words(answer.moved));
}

function alarm(found) {
  if (!found) return null;
  const values = { recent: share(found.recent), before: share(found.before), z: fixed(Math.abs(found.z), 1) };
  const way = found.z > FALLEN ? "fallen" : "level";
  return el("p", { class: way === "fallen" ? "wrong-note" : "" }, say(`drift_${way}`, values));
}

function accuracy({ periods }, by) {
  if (!periods.length) return el("p", {}, say("drift_none"));
  const rows = periods.map((one) => [day(one.start), count(one.audits), share(one.accuracy), share(one.low), share(one.high)]);
  const table = numberTable(say("drift_table"), [say(`drift_by_${by}`), say("drift_audits"), say("accuracy"), say("from"), say("to")], rows);
  if (periods.length < 2) return table;
  const picture = el("div", { class: "chart" });
  const [first, last] = [periods[0], periods.at(-1)];
  const name = say("drift_name", { from: day(first.start), a: share(first.accuracy), to: day(last.start), b: share(last.accuracy) });
  chart(picture, name, (into, size) => curve(into, size, periods, by));
  return el("div", {}, picture, table);
}

function curve(into, size, periods, by) {
  const points = periods.map(({ start, accuracy: right, low, high }) => [Date.parse(start), right, low, high]);
  const low = Math.floor(5 * Math.min(...points.map((p) => p[2]))) / 5; // a tick: axes have one for each fifth
  const across = { name: say(`drift_by_${by}`), low: points[0][0], high: points.at(-1)[0], ticks: ticks(points, size), text: shortDay };
  const at = axes(into, size, across, shares(say("accuracy"), low, 1));
  for (const [when, , from, to] of points) {
    into.append(svg("line", { class: "whisker for", x1: at.x(when), x2: at.x(when), y1: at.y(from), y2: at.y(to) }));
  }
  into.append(line(points.map(([when, right]) => [at.x(when), at.y(right)]), "line for"),
    ...points.map(([when, right]) => mark(at.x(when), at.y(right), "dot for")));
}

/** Dates that lie far enough apart to be written side by side, the last one among them. */
function ticks(points, size) {
  const times = points.map(([when]) => when);
  const least = (TICK / size.width) * (times.at(-1) - times[0]) * 1.3;
  const found = [times.at(-1)];
  for (const when of [...times].reverse()) if (found.at(-1) - when >= least) found.push(when);
  return found;
}

function words(moved) {
  if (!moved || !moved.words.length) return el("p", { class: "muted" }, say("drift_no_words"));
  const rows = moved.words.map((one) => {
    const [[name, [before, after]]] = Object.entries(one.classes).sort((a, b) => change(b[1], moved.texts[b[0]]) - change(a[1], moved.texts[a[0]]));
    return [el("bdi", {}, one.word), fixed(one.g2, 1), chance(one.p), count(one.before), count(one.after),
      el("span", {}, label(name), ` ${count(before)} → ${count(after)}`)];
  });
  const heads = ["word", "g2", "p", "before", "after", "most"].map((name) => say(`drift_${name}`));
  return el("div", {}, numberTable(say("drift_words"), heads, rows),
    el("p", { class: "muted small" }, say("drift_words_lead", { when: day(1000 * moved.since) }),
      moved.words.every((one) => one.p >= LIKELY) ? ` ${say("drift_words_chance")}` : ""));
}

/** How much the share of texts with a word moved in a class. */
function change([before, after], [n, m]) {
  return n && m ? Math.abs(before / n - after / m) : 0;
}

function chance(p) {
  return p < 0.001 ? `<\u00a0${fixed(0.001, 3)}` : fixed(p, 3);
}

/** A day in UTC, short, in the page's language. */
function day(when) {
  return new Intl.DateTimeFormat(language(), { dateStyle: "medium", timeZone: "UTC" }).format(new Date(when));
}

/** The same without the year, for an axis. */
function shortDay(when) {
  return new Intl.DateTimeFormat(language(), { month: "short", day: "numeric", timeZone: "UTC" }).format(new Date(when));
}
