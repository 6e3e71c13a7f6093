// Draws the report.
import { classTable } from "./classes.js";
import { byId, el } from "./elements.js";
import { ENGLISH } from "./english.js";
import { learningCurve } from "./learning.js";
import { say, speak } from "./locale.js";
import { confusions, isWide, matrix } from "./matrix.js";
import { doubts, doubtsSentence, mistakes, mistakesSentence } from "./mistakes.js";
import { reliability } from "./reliability.js";
import { figures } from "./summary.js";
import { textWindow } from "./texts.js";
import { thresholds } from "./thresholds.js";
import { tellingWords } from "./words.js";

const data = JSON.parse(byId("data").textContent);

/** Leave out what this model does not have. */
function leaveOut(id) {
  byId(id).remove();
  document.querySelector(`nav a[href$="#${id}"]`).parentNode.remove();
}

function put(id, ...children) {
  byId(id).append(...children.flat().filter((child) => child !== null));
}

/** What was judged, what was found and what to do. */
function summary() {
  byId("facts").textContent = facts();
  put("figures", figures(data));
  put("sentences", data.sentences.map((text) => el("li", {}, text)));
  // In the frame of a notebook, "#words" alone would be a place in the notebook.
  const here = location.protocol === "about:" ? "about:srcdoc" : "";
  put("advice", data.advice.map((step) =>
    el("li", {}, `${step.text} `, el("a", { href: `${here}#${step.section}` }, say("see_why")))));
  byId("made").textContent = say("made", { version: data.version, model: model() });
}

function facts() {
  const { read, used, rejected } = data.rows;
  const judged = { n: data.judged, way: data.way };
  return read === undefined ? say("facts", judged) : say("facts_read", { ...judged, read, used, rejected });
}

function model() {
  const { event, documents, vocabulary, recipe, ...settings } = data.model;
  const given = Object.entries(settings).map(([name, value]) => `${name} ${value}`);
  const features = vocabulary === null ? "" : say("model_features", { n: vocabulary });
  return say("model", { recipe: [event, ...given, recipe].join(", "), n: documents, features });
}

function cells() {
  const { window, open } = textWindow(data);
  document.body.append(window);
  put("table-of-cells", matrix(data, open));
  put("confusions", confusions(data, open));
  if (isWide(data)) byId("cells").classList.add("stacked");
}

function words() {
  if (data.words === null) return leaveOut("words");
  byId("words-about").textContent = data.weights;
  return put("telling", tellingWords(data));
}

function learning() {
  if (data.learning === null) return leaveOut("learning");
  byId("learning-way").textContent = say(`way_${data.learning.way}`);
  return put("curve", learningCurve(data.learning.points));
}

function doubtful() {
  byId("doubts-shown").textContent = doubtsSentence(data);
  const table = doubts(data);
  if (table) put("suspects", table);
  else byId("suspects").remove();
}

speak("en", [ENGLISH], data.noun);
summary();
cells();
put("class-table", classTable(data));
put("threshold", thresholds(data));
put("reliable", reliability(data));
words();
learning();
byId("mistakes-shown").textContent = mistakesSentence(data);
put("worst", mistakes(data));
doubtful();
document.documentElement.dataset.drawn = "yes";
