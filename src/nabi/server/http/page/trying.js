// Try: type or paste a text, and the decision moves as you type.
import { el, fill, label } from "./elements.js";
import { parts, say, share, sureness } from "./locale.js";
import { evidence, markTitle, meter, pieces, topClasses } from "./passage.js";
import { call, refusal } from "./session.js";
import { colour } from "./texts.js";
import { wordCard } from "./wordcard.js";

const WAIT = 60; // milliseconds of no key before the server is asked
const LONG = 4000; // characters whose words are shown; all of them count

export class Trying {
  constructor(app) {
    this.app = app;
    this.text = "";
    this.prior = null; // [class, share] where it was moved
    this.asked = 0;
  }

  open(place) {
    this.field = el("textarea", { id: "try-text", rows: 4, dir: "auto", spellcheck: "false", placeholder: say("try_example"), input: () => this.#typed() });
    this.field.value = this.text;
    this.decision = el("div", { class: "decision", "aria-live": "polite" });
    this.words = el("div", { class: "try-words" });
    this.flip = el("p", { class: "flip", role: "status" });
    this.card = el("div");
    fill(place, el("h1", {}, say("try_title")),
      el("p", { class: "field wide" }, el("label", { for: "try-text" }, say("try_text")), this.field),
      this.decision, this.words, this.flip, this.#priors(), this.card);
    this.#ask();
  }

  close() {}

  changed() {
    if (document.contains(this.field)) this.#ask();
  }

  #typed() {
    this.text = this.field.value;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#ask(), WAIT);
  }

  /** The slider of the prior: how frequent a class is where the model will be used. */
  #priors() {
    const names = this.app.classes.filter(({ examples }) => examples > 0).map(({ name }) => name);
    if (names.length < 2) return null;
    const list = el("select", { id: "prior-class", change: () => { this.prior = null; reset(); this.#ask(); } }, names.map((name) => el("option", { value: name }, name)));
    const slider = el("input", { type: "range", id: "prior", min: 1, max: 99, step: 1, input: () => { this.prior = [list.value, Number(slider.value) / 100]; said(); this.#typed(); } });
    const output = el("output", { for: "prior" });
    const own = () => { const all = this.app.classes.reduce((n, one) => n + one.examples, 0); return this.app.classes.find(({ name }) => name === list.value).examples / all; };
    const said = () => { output.textContent = share(this.prior?.[1] ?? own(), 0); slider.setAttribute("aria-valuetext", output.textContent); };
    const reset = () => { slider.value = Math.round(100 * own()); said(); };
    if (this.prior) [list.value, slider.value] = [this.prior[0], 100 * this.prior[1]];
    else reset();
    said();
    return el("details", { class: "prior", open: this.prior !== null }, el("summary", {}, say("prior_title")),
      el("p", { class: "muted small" }, say("prior_help")),
      el("p", { class: "field" }, el("label", { for: "prior-class" }, say("class")), list),
      el("p", { class: "field wide" }, el("label", { for: "prior" }, say("prior_share")), slider, output),
      el("p", {}, el("button", { type: "button", class: "quiet", click: () => { this.prior = null; reset(); this.#ask(); } }, say("prior_reset"))));
  }

  #priorBody() {
    if (!this.prior) return {};
    const [name, part] = this.prior;
    const others = this.app.classes.filter((one) => one.examples > 0 && one.name !== name);
    const all = others.reduce((n, one) => n + one.examples, 0);
    return { prior: { [name]: part, ...Object.fromEntries(others.map((one) => [one.name, ((1 - part) * one.examples) / all])) } };
  }

  async #ask() {
    const mine = (this.asked += 1);
    const body = { text: this.text, ...this.#priorBody() };
    const untaught = this.app.learns && !this.app.classes.some(({ examples }) => examples > 0);
    if (untaught || !this.text.trim()) return this.#nothing(el("p", { class: "muted" }, say(untaught ? "try_untaught" : "try_nothing")));
    const { status, answer } = await call("POST", "/explain", body);
    if (mine !== this.asked) return undefined; // the text has moved on
    if (status !== 200) return this.#nothing(el("p", { class: "wrong-note" }, refusal(answer)));
    this.#draw(answer.explanation);
    if (!this.app.judges) return undefined;
    const flip = await call("POST", "/flip", body);
    return mine === this.asked ? this.#drawFlip(flip) : undefined;
  }

  #nothing(sentence) {
    fill(this.decision, sentence);
    fill(this.words);
    fill(this.flip);
  }

  #draw(explanation) {
    const rows = topClasses(explanation, 5).map(([name, p], i) => {
      const kind = i ? "" : "top";
      if (p === null) return el("li", { class: kind }, label(name), i ? null : el("span", { class: "muted small" }, say("leans")));
      return el("li", { class: kind }, label(name), el("span", { class: "number" }, sureness(p)), meter(p, i ? "less" : ""));
    });
    fill(this.decision, el("ol", { class: "classes-now" }, rows),
      explanation.calibrated || rows.length < 2 ? null : el("p", { class: "muted small" }, say("sure_later")));
    fill(this.words, this.#marked(explanation));
    this.#roving();
  }

  /** The text, its words as buttons that are one stop for Tab. */
  #marked(explanation) {
    const shown = this.text.slice(0, LONG);
    return el("p", { class: "words big", dir: "auto", role: "group", "aria-label": say("try_words") }, pieces(shown, explanation, 0.005).map((piece) => {
      if (typeof piece === "string") return piece;
      const [letters, term] = piece;
      const weak = Math.abs(evidence(term)) < 0.5 ? " weak" : "";
      return el("button", {
        type: "button", class: `word ${colour(evidence(term))}${weak}`, tabindex: "-1", title: markTitle(term, explanation),
        click: () => this.#open(term, explanation),
      }, letters);
    }), shown.length < this.text.length ? "…" : "");
  }

  #roving() {
    const buttons = [...this.words.querySelectorAll("button")];
    if (!buttons.length) return;
    buttons[0].tabIndex = 0;
    this.words.onkeydown = (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const next = buttons[buttons.indexOf(event.target) + step];
      if (!next) return;
      event.preventDefault();
      event.target.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    };
  }

  async #open(term, explanation) {
    fill(this.card, await wordCard(term, explanation, this.app, async () => { await this.app.reload(); this.#ask(); }));
    this.card.querySelector("h2").focus();
  }

  #drawFlip({ status, answer }) {
    if (status !== 200) return fill(this.flip);
    if (!answer.flip) return fill(this.flip, say("flip_none"));
    const words = answer.flip.words.map((word, i) => [i ? ", " : "", el("bdi", { class: "label" }, word)]);
    return fill(this.flip, parts("flip", { words: el("span", {}, words), name: label(answer.flip.label) }));
  }
}
