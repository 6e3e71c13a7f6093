// Judge: the report's parts, live, of what was learned; each text judged by the model without it.
import { classTable } from "./classes.js";
import { driftPart } from "./drift.js";
import { el, fill } from "./elements.js";
import { learningCurve } from "./learning.js";
import { counted, say } from "./locale.js";
import { confusions, isWide, matrix } from "./matrix.js";
import { doubts, doubtsSentence, mistakes, mistakesSentence } from "./mistakes.js";
import { peoplePart } from "./people.js";
import { reliability } from "./reliability.js";
import { call, refusal } from "./session.js";
import { figures } from "./summary.js";
import { textWindow } from "./texts.js";
import { thresholds } from "./thresholds.js";
import { tellingWords } from "./words.js";

export class Judge {
  constructor(app) {
    this.app = app;
  }

  async open(place) {
    const told = el("p", { class: "muted", role: "status" }, say("judging"));
    const body = el("div");
    fill(place, el("h1", {}, say("judge_title")), told, body);
    if (!this.app.judges) return void (told.textContent = say("judge_none"));
    const { status, answer } = await call("GET", "/judge");
    if (!document.contains(body)) return;
    if (status !== 200) return void (told.textContent = refusal(answer));
    this.data = answer.report;
    fill(told, say("judged_sentence", { examples: counted(this.data.judged, "example") }));
    this.#draw(body);
    const [drift, people] = await Promise.all([driftPart(), peoplePart()]);
    body.append(section("drift", say("drift_lead"), drift), section("people", say("people_lead"), people));
    body.querySelector("[data-ask]")?.addEventListener("click", ({ target }) => this.app.views.label.ask(target.dataset.ask));
    body.dataset.drawn = "yes";
  }

  close() {
    this.window?.remove();
  }

  changed() {}

  #draw(place) {
    const { data } = this;
    const { window, open } = textWindow(data);
    this.window = window;
    document.body.append(window);
    place.append(el("dl", { class: "figures" }, figures(data)),
      section("matrix", say("matrix_lead"), el("div", { class: `card sides${isWide(data) ? " stacked" : ""}` },
        el("div", { id: "table-of-cells" }, matrix(data, open)),
        el("div", { id: "largest" }, el("h3", {}, say("largest_confusions")), confusions(data, open)))),
      section("classes", say("classes_lead"), el("div", { class: "card flush" }, classTable(data))),
      section("threshold", say("threshold_lead"), card(thresholds(data))),
      section("reliability", say("reliability_lead"), card(reliability(data))),
      data.words ? section("words", say("words_lead"), card(tellingWords(data))) : "",
      data.learning ? section("learning", say(`way_${data.learning.way}`), card(learningCurve(data.learning.points))) : "",
      section("mistakes", mistakesSentence(data), el("div", {}, mistakes(data))),
      section("doubts", doubtsSentence(data), doubts(data) ? el("div", { class: "card flush" }, doubts(data)) : null));
  }
}

function section(name, lead, content) {
  return el("section", { "aria-labelledby": `judge-${name}` },
    el("h2", { id: `judge-${name}` }, say(`judge_${name}`)), el("p", { class: "lead" }, lead), content);
}

function card(...content) {
  return el("div", { class: "card" }, content);
}
