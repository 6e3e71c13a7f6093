// Label: one text at a time, one key a label.
import { el, fill } from "./elements.js";
import { honestCard } from "./honest.js";
import { count, parts, say, share, sureness } from "./locale.js";
import { meter, passage, topClasses } from "./passage.js";
import { undoAt } from "./outbox.js";
import { Queue } from "./queue.js";
import { call, query, refusal } from "./session.js";

const BY = ["doubt", "random", "few", "search", "suspects", "disagreements"];
const SWIPE = 70; // pixels
const MANY = 12; // classes from which a field finds one
const HELD_BACK = ["audit", "first"]; // whose guess is not shown before the key

export class Label {
  constructor(app) {
    this.app = app;
    this.queue = new Queue();
    this.past = []; // what was done on this page, the latest last
    this.returned = new Set(); // ids of texts that an undo here has brought back
    this.last = null; // {what, name, state, item}
    this.honest = null;
    this.pool = null;
    for (const event of ["filled", "explained"]) this.queue.addEventListener(event, () => this.#arrived(event));
    this.queue.addEventListener("refused", ({ detail }) => app.tell(refusal(detail)));
    app.outbox.addEventListener("sent", ({ detail }) => this.#sent(detail));
    app.outbox.addEventListener("refused", ({ detail }) => this.#refused(detail));
    app.outbox.changes.forEach(({ about }) => about.id && this.queue.taken.add(about.id));
  }

  /** The view; the queue goes on where it was. */
  open(place) {
    this.parts = {
      progress: el("p", { class: "progress" }), card: el("article", { class: "text-card", tabindex: "-1", id: "card" }),
      guess: el("div", { class: "guess" }), choices: el("div", { class: "choices", role: "group", "aria-label": say("classes") }),
      last: el("p", { class: "last" }), honest: el("section", { class: "honest", "aria-labelledby": "honest-title" }),
      bar: el("div", { class: "progress-bar", "aria-hidden": "true" }, el("div")),
    };
    const { progress, bar, card, guess, choices, last, honest } = this.parts;
    const deck = this.parts.deck = el("div", { class: "deck" }, guess, this.#finder(), choices, this.#others());
    fill(place, el("h1", { class: "hidden" }, say("view_label")),
      el("div", { class: "line" }, progress, this.#asking()), bar, card, deck, last, honest);
    this.#swipes(card);
    this.#draw();
    this.#drawHonest();
    this.#counts();
    this.#judge();
    if (!this.queue.first) this.queue.fill();
  }

  close() {
    this.parts = null;
  }

  /** The classes or the keys have changed. */
  changed() {
    if (this.parts) this.open(this.app.place);
  }

  /** The server is back: more texts come. */
  connected() {
    this.queue.fill();
    this.#later();
  }

  // ---- which text next ----

  /** Ask for other texts, from another view. */
  ask(by) {
    this.queue.ask({ by });
  }

  #asking() {
    const field = el("input", { type: "search", id: "ask-search", "aria-label": say("ask_search"), placeholder: say("ask_search"), value: this.queue.asked.contains ?? "" });
    const label = el("select", { id: "ask-label", "aria-label": say("class") }, this.app.classes.map(({ name }) => el("option", { value: name, selected: name === this.queue.asked.label }, name)));
    const list = el("select", { id: "ask-by" }, BY.map((by) => el("option", { value: by, selected: by === this.queue.asked.by }, say(`by_${by}`))));
    const show = () => { field.hidden = list.value !== "search"; label.hidden = list.value !== "few"; };
    const ask = () => {
      show();
      if (list.value === "search" && !field.value) return field.focus();
      const more = { search: { contains: field.value }, few: { label: label.value } }[list.value] ?? {};
      return this.queue.ask({ by: list.value, ...more });
    };
    list.addEventListener("change", ask);
    label.addEventListener("change", ask);
    field.addEventListener("change", ask);
    show();
    return el("div", { class: "asking" }, el("label", { for: "ask-by", class: "hidden" }, say("ask_by")), list, label, field,
      el("button", { type: "button", class: "quiet", title: say("keys_title"), click: () => this.app.keys.dialog(() => this.changed()) }, say("keys")));
  }

  // ---- what is shown ----

  #arrived(event) {
    if (!this.parts) return;
    if (event === "explained") return;
    const shown = this.parts.card.dataset.id;
    if (!this.queue.first || shown !== this.queue.first.id) this.#draw();
    this.#progress();
  }

  #draw() {
    if (!this.parts) return;
    const item = this.queue.first;
    const { card, deck, guess, choices } = this.parts;
    deck.hidden = !item && !this.#hasTexts;
    card.dataset.id = item?.id ?? "";
    if (!item) {
      fill(card, ...this.#nothing());
      fill(guess);
      fill(choices);
      return;
    }
    const hidden = HELD_BACK.includes(item.why);
    card.setAttribute("aria-label", say("text_to_label"));
    fill(card, 
      el("p", { class: `why ${item.why}` }, say(`why_${item.why}`), item.near > 0 ? ` · ${say("near", { n: item.near })}` : ""),
      passage(item.text, hidden ? null : item.explanation), said(item));
    fill(guess, ...this.#guess(item, hidden));
    fill(choices, ...this.app.classes.map(({ name }) => this.#choice(name, item)));
  }

  get #hasTexts() {
    return (this.pool?.texts ?? this.app.project.texts) > 0;
  }

  #nothing() {
    if (this.queue.fetching || this.app.offline || this.pool?.busy) {
      return [el("p", { class: "muted" }, say(this.app.offline ? "waiting_offline" : "loading"))];
    }
    if (!this.#hasTexts) {
      return [el("p", { class: "big" }, say("no_texts")), el("p", { class: "muted" }, say("no_texts_more"), " ", el("a", { href: "#setup" }, say("view_setup")))];
    }
    const left = this.queue.left;
    return [el("p", { class: "big" }, say(left === 0 ? "all_done" : "none_found")),
      el("p", { class: "muted" }, say("all_done_more"), " ", el("a", { href: "#out" }, say("view_out")))];
  }

  #guess(item, hidden) {
    if (hidden && item.explanation) return [el("p", { class: "muted small" }, say("guess_hidden"))];
    if (!item.explanation) return item.why === "again" ? [] : [el("p", { class: "muted small" }, say("guess_none"))];
    const [[name, sure]] = topClasses(item.explanation, 1);
    const guess = el("bdi", { class: "label" }, name);
    if (sure === null) return [el("p", { title: say("sure_later") }, parts("guess_leans", { name: guess }))];
    return [el("p", {}, parts("guess", { name: guess, sure: el("span", { class: "number" }, sureness(sure)) })), meter(sure)];
  }

  #choice(name, item) {
    const key = this.app.keys.nameOf(`class:${name}`);
    const now = item.label === name ? ` ${say("now")}` : "";
    return el("button", { type: "button", class: "choice", click: () => this.label(name) },
      key ? el("kbd", {}, key) : null, el("bdi", {}, name), now ? el("span", { class: "muted small" }, now) : null);
  }

  #others() {
    const button = (action, act) => el("button", { type: "button", class: "quiet", click: act },
      el("kbd", {}, this.app.keys.nameOf(action) || "·"), say(action));
    return el("div", { class: "others" }, button("skip", () => this.skip()), button("undo", () => this.undo()));
  }

  /** Of many classes, one is found by typing. */
  #finder() {
    if (this.app.classes.length <= MANY) return null;
    const names = () => this.app.classes.map(({ name }) => name).filter((name) => name.toLowerCase().includes(field.value.toLowerCase()));
    const field = el("input", {
      type: "search", id: "find-class", "aria-label": say("find_class"), placeholder: say("find_class"),
      input: () => { for (const one of this.parts.choices.children) one.hidden = !names().includes(one.querySelector("bdi").textContent); },
      keydown: (event) => {
        if (event.key !== "Enter" || event.isComposing || names().length < 1) return;
        this.label(names()[0]);
        field.value = "";
      },
    });
    return field;
  }

  /** On a touch screen: to the left skips, to the right undoes. */
  #swipes(card) {
    let from = null;
    card.addEventListener("touchstart", ({ touches: [touch] }) => { from = [touch.clientX, touch.clientY]; }, { passive: true });
    card.addEventListener("touchend", ({ changedTouches: [touch] }) => {
      if (!from) return;
      const [across, down] = [touch.clientX - from[0], touch.clientY - from[1]];
      from = null;
      if (Math.abs(across) < SWIPE || Math.abs(down) > Math.abs(across) / 2 || getSelection()?.toString()) return;
      if (across < 0) this.skip();
      else this.undo();
    });
  }

  // ---- what is done ----

  /** Do what a key asks for; false: nothing could be done. */
  act(action) {
    if (!this.parts) return false;
    if (action === "undo") this.undo();
    else if (action === "skip") this.skip();
    else this.label(action.slice("class:".length));
    return true;
  }

  label(name) {
    const item = this.queue.first;
    if (!item) return;
    this.queue.take();
    const about = { id: item.id, what: "label", name };
    const change = item.second ? this.app.outbox.add("/second", { id: item.id, label: name }, about) : item.label
      ? this.app.outbox.add("/relabel", { examples: [{ id: item.id, label: name }] }, about)
      : this.app.outbox.add("/learn", { examples: [{ text: item.text, label: name, id: item.id }] }, about);
    this.past.push({ item, change, name });
    this.#next({ what: "label", name, item, change });
  }

  skip() {
    const item = this.queue.first;
    if (!item) return;
    this.queue.take();
    const change = this.app.outbox.add("/skip", { id: item.id }, { id: item.id, what: "skip" });
    this.past.push({ item, change, name: null });
    this.#next({ what: "skip", name: "", item, change });
  }

  /** Show the next text at once; all else comes after it is painted. */
  #next(last) {
    this.returned.delete(last.item.id);
    this.last = { ...last, state: "sending" };
    this.#draw();
    this.#drawLast();
    this.#focus();
    this.queue.fill();
  }

  /** The focus goes to the text: Space then skips, and a reader reads it. */
  #focus() {
    this.parts?.card.focus({ preventScroll: true });
  }

  async undo() {
    const past = this.past.pop();
    if (!past) {
      this.older = (this.older ?? Promise.resolve()).then(() => this.#undoOlder()); // one after the other
      await this.older;
      return;
    }
    const { item, change, name } = past;
    if (!this.app.outbox.drop(change) && !item.second) { // a second label is replaced by the next
      const about = { id: item.id, what: "undo" };
      if (name === null) this.app.outbox.add("/skip", { id: item.id, undo: true }, about);
      else this.app.outbox.undo(change, about);
    }
    this.#again(item, name);
  }

  /** Undo what was labelled before this page was opened: this person's newest example. */
  async #undoOlder() {
    const after = await this.app.outbox.idle();
    const { status, answer } = await call("GET", query("/examples", { who: this.app.who, newest: true, limit: 1, after }));
    const example = status === 200 ? answer.examples[0] : null;
    if (!example) {
      this.app.tell(say("nothing_to_undo"));
      return;
    }
    this.app.outbox.add("/undo", undoAt(example.position), { id: example.id, what: "undo" });
    this.#again({ id: example.id, text: example.text, why: "again", near: 0, label: null, explanation: null }, example.label);
  }

  #again(item, name) {
    this.queue.back(item);
    this.returned.add(item.id);
    this.last = null;
    this.#draw();
    this.#drawLast();
    this.#focus();
    this.app.announce(name === null ? say("unskipped") : say("undone", { name: name ?? "" }));
  }

  // ---- what became of it ----

  #sent({ change }) {
    this.queue.taken.delete(change.about.id);
    const name = change.about.name ?? "";
    if (this.last?.change.key === change.key) {
      this.last.state = "saved";
      this.#drawLast();
      this.app.announce(say(change.about.what === "skip" ? "announce_skip" : "announce_saved", { name }));
    }
    if (change.about.what === "skip") return;
    if (change.about.what === "label") this.queue.refresh(); // after an undo there may be no model
    this.#later();
  }

  #refused({ change, answer }) {
    this.queue.taken.delete(change.about.id);
    if (this.last?.change.key === change.key) this.last.state = "refused";
    this.past = this.past.filter((one) => one.change !== change);
    if (change.about.what === "undo" && this.queue.remove(change.about.id)) this.#draw(); // it keeps its label
    this.#drawLast();
    this.app.tell(answer.error ? refusal(answer) : say("refused"));
  }

  /** Counts and the honest figure, at most once in half a second. */
  #later() {
    this.timer ??= setTimeout(() => {
      this.timer = null;
      this.#counts();
      this.#judge();
    }, 500);
  }

  async #counts() {
    const { status, answer } = await call("GET", "/pool");
    if (status === 200) this.pool = answer;
    this.#progress();
    if (this.pool?.busy) this.#loads();
  }

  /** Texts are being loaded: look again soon. */
  #loads() {
    if (!this.queue.first) this.queue.fill();
    this.loading ??= setTimeout(() => {
      this.loading = null;
      if (this.parts) this.#counts();
    }, 700);
  }

  async #judge() {
    const { status, answer } = await call("GET", "/honest");
    if (status === 200) this.honest = answer;
    this.#drawHonest();
  }

  #progress() {
    if (!this.parts || !this.pool) return;
    const { labelled, texts, skipped } = this.pool;
    fill(this.parts.progress, 
      el("span", {}, parts("progress", { labelled: el("strong", {}, count(labelled)), texts: count(texts) })),
      el("span", { class: "muted" }, skipped ? ` · ${say("skipped", { n: skipped })}` : ""));
    this.parts.bar.firstChild.style.setProperty("width", `${texts ? Math.max(0.4, (100 * labelled) / texts) : 0}%`);
  }

  #drawLast() {
    if (!this.parts) return;
    if (!this.last) return void fill(this.parts.last);
    const { what, name, item, state } = this.last;
    const tick = el("span", { class: `tick-${state}`, role: "img", "aria-label": say(`state_${state}`) }, { sending: "○", saved: "✓", refused: "!" }[state]);
    const said = HELD_BACK.includes(item.why) && item.explanation && what === "label" ? this.#reveal(item.explanation, name) : "";
    fill(this.parts.last, tick, " ",
      what === "skip" ? say("skipped_one") : el("bdi", { class: "label" }, name), " ",
      el("span", { class: "muted" }, said ? `${said} · ` : "", el("bdi", {}, opening(item.text))));
  }

  /** What the model would have said of an audit text. */
  #reveal(explanation, name) {
    const [[guess, sure]] = topClasses(explanation, 1);
    return say(guess === name ? "audit_same" : "audit_other", { guess }) + (sure === null ? "" : `, ${share(sure, 0)}`);
  }

  #drawHonest() {
    if (!this.parts || !this.honest) return;
    const open = this.parts.honest.querySelector("details")?.open ?? false;
    fill(this.parts.honest, ...honestCard(this.honest).filter(Boolean));
    const details = this.parts.honest.querySelector("details");
    if (details) details.open = open;
    this.#progress();
  }

  /** Labels that were not given on this page: their texts leave the queue, and the counts move. */
  others(labels) {
    const mine = new Set([...this.queue.taken, ...this.past.map(({ item }) => item.id)]);
    const others = labels.filter(({ id }) => !mine.has(id));
    for (const { id, label, who } of others) {
      const isShown = this.queue.first?.id === id;
      if (who === this.app.who && this.returned.has(id)) continue; // the label that is being undone, told late
      if (label === null || (isShown && this.queue.first.label === label)) continue;
      if (isShown && HELD_BACK.includes(this.queue.first.why)) continue; // a second label is worth having
      this.queue.remove(id);
      if (isShown) {
        this.app.tell(say("other_labelled", { who, name: label }));
        this.#draw();
      }
    }
    if (!others.length) return;
    this.queue.fill();
    this.#later();
  }
}

/** What people said of a text on which they disagree. */
function said({ labels = [] }) {
  if (!labels.length) return null;
  return el("ul", { class: "said muted" }, labels.map(([who, name]) => el("li", {}, parts("said", { who: el("bdi", {}, who), name: el("bdi", { class: "label" }, name) }))));
}

/** The first words of a text. */
function opening(text, most = 60) {
  const line = text.slice(0, 4 * most).replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most)}…` : line;
}
