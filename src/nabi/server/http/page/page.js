// The page: who is here, in which language, which view is open, and whether the server answers.
import { Changes } from "./changes.js";
import { byId, el, fill } from "./elements.js";
import { ENGLISH } from "./english.js";
import { Examples } from "./examples.js";
import { Judge } from "./judge.js";
import { Keys } from "./keys.js";
import { KOREAN } from "./korean.js";
import { Label } from "./label.js";
import { say, speak } from "./locale.js";
import { Out } from "./out.js";
import { Outbox } from "./outbox.js";
import { PAGE_ENGLISH } from "./page_english.js";
import { PAGE_KOREAN } from "./page_korean.js";
import { call, refusal, session } from "./session.js";
import { Setup } from "./setup.js";
import { Trying } from "./trying.js";

const LANGUAGES = { en: ["English", [ENGLISH, PAGE_ENGLISH]], ko: ["한국어", [KOREAN, PAGE_KOREAN]] };
const VIEWS = { label: Label, try: Trying, examples: Examples, judge: Judge, out: Out, setup: Setup };
const NOTE = 7000; // milliseconds that a note stays

class App {
  constructor({ name, role }) {
    Object.assign(this, { who: name, role, place: byId("main"), views: {}, classes: [], project: { title: "", texts: 0 } });
  }

  async start() {
    const api = await call("GET", "/openapi.json");
    this.learns = "/project" in (api.answer.paths ?? {}); // else a model file is served
    await this.reload();
    if (this.learns) this.busy = (await call("GET", "/pool")).answer.busy; // texts are being loaded
    this.outbox = new Outbox(`${this.project.id ?? ""}.${this.who}`);
    this.keys = new Keys(() => this.classes, (action) => this.opened === this.views.label && this.views.label.act(action));
    const names = this.learns ? Object.keys(VIEWS) : ["try"];
    for (const name of names) this.views[name] = new VIEWS[name](this);
    for (const event of ["connection", "kept", "sent", "dropped"]) this.outbox.addEventListener(event, () => this.#connection());
    this.outbox.send();
    if (this.learns) {
      this.changes = new Changes(this.project.position);
      this.changes.addEventListener("changed", ({ detail }) => this.#changed(detail));
      this.changes.addEventListener("connection", () => this.#connection());
    }
    addEventListener("hashchange", () => this.#route());
    this.draw();
    document.documentElement.dataset.ready = "yes";
  }

  get offline() {
    return this.outbox.offline || (this.changes?.away ?? false);
  }

  /** Whether there is a model that can be judged: examples of two classes. */
  get judges() {
    return this.classes.filter(({ examples }) => examples > 0).length > 1;
  }

  /** The classes and their keys, anew. */
  async reload() {
    if (!this.learns) return;
    const { status, answer } = await call("GET", "/project");
    if (status === 200) Object.assign(this, { project: answer, classes: answer.classes });
  }

  /** What was changed, here or elsewhere: the counts of classes move, and classes may be new. */
  async #changed(labels) {
    this.views.label.others(labels.filter(({ id }) => id !== null));
    const before = this.classes.map(({ name }) => name).join("\n");
    await this.reload();
    if (before !== this.classes.map(({ name }) => name).join("\n")) this.views.label.changed();
  }

  // ---- the frame ----

  draw() {
    document.title = this.project.title || "nabi";
    byId("skip").textContent = say("skip_to_text");
    drawHead(el("a", { class: "brand", href: this.learns ? "#label" : "#try" }, butterfly(), el("span", {}, "nabi")),
      el("nav", { "aria-label": say("views") }, el("ul", {}, Object.keys(this.views).map((name) =>
        el("li", {}, el("a", { href: `#${name}`, "data-view": name }, say(`view_${name}`)))))),
      languages(() => this.draw()));
    this.#route(true);
    this.#connection();
  }

  #route(anew = false) {
    const asked = location.hash.slice(1);
    const first = this.learns ? (this.classes.length && (this.project.texts || this.busy) ? "label" : "setup") : "try";
    if (asked === "main") return;
    const name = asked in this.views ? asked : first;
    const view = this.views[name];
    if (view === this.opened && !anew) return;
    this.opened?.close();
    const isFirst = !this.opened;
    this.opened = view;
    for (const link of document.querySelectorAll("[data-view]")) {
      if (link.dataset.view === name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.place.dataset.view = name;
    scrollTo(0, 0);
    view.open(this.place);
    if (!isFirst && !anew) this.place.focus({ preventScroll: true });
  }

  /** Say whether the server answers, and how many changes wait. */
  #connection() {
    const { status, changes, full } = this.outbox;
    const offline = this.offline;
    const sentence = () => say(status === 401 ? "signed_out" : "offline", { n: changes.length }) + (full ? ` ${say("storage_full")}` : "");
    const now = offline ? sentence() : "";
    if (byId("connection").textContent === now) return;
    byId("connection").textContent = now;
    if (!offline) this.views.label?.connected();
  }

  // ---- what is said ----

  /** Tell everybody: on the screen for a while, and by a reader. */
  tell(text) {
    const note = el("p", {}, text);
    byId("notes").append(note);
    setTimeout(() => note.remove(), NOTE);
  }

  /** Tell those who listen. */
  announce(text) {
    byId("live").textContent = text;
  }
}

function drawHead(...parts) {
  fill(byId("head"), el("div", { class: "head-inner" }, parts));
}

function butterfly() {
  return el("span", { class: "wings", "aria-hidden": "true" }, el("i"), el("i"));
}

function languages(changed) {
  const now = document.documentElement.lang;
  const list = el("select", { class: "languages", "aria-label": say("language") }, Object.entries(LANGUAGES).map(([code, [name]]) =>
    el("option", { value: code, lang: code, selected: code === now }, name)));
  list.addEventListener("change", () => {
    localStorage.setItem("nabi.language", list.value);
    inLanguage(list.value);
    changed();
    document.querySelector(".languages").focus();
  });
  return list;
}

function inLanguage(code) {
  speak(code, LANGUAGES[code][1]);
  document.documentElement.lang = code;
}

/** Ask for the token where the address had none. */
function signIn(found) {
  byId("skip").textContent = say("skip_to_text");
  drawHead(el("span", { class: "brand" }, butterfly(), el("span", {}, "nabi")), languages(() => signIn(found)));
  const field = el("input", { type: "password", id: "token", autocomplete: "off" });
  const form = el("form", { class: "card sign-in", submit: (event) => {
    event.preventDefault();
    location.hash = `token=${encodeURIComponent(field.value.trim())}`;
    location.reload();
  } },
  el("h1", {}, say("sign_in")), el("p", { class: "muted" }, found.status === 0 ? refusal(found.answer) : say("sign_in_help")),
  el("p", { class: "field wide" }, el("label", { for: "token" }, say("token")), field),
  el("p", {}, el("button", { type: "submit", class: "primary" }, say("sign_in_go"))));
  fill(byId("main"), form);
}

inLanguage(localStorage.getItem("nabi.language") ?? (navigator.language.startsWith("ko") ? "ko" : "en"));
const found = await session();
if (found.status === 200) await new App(found.answer).start();
else signIn(found);
