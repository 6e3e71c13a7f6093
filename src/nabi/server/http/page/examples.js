// Examples: search, filter, relabel, forget, undo; classes renamed, joined and dropped.
import { classEditor } from "./classeditor.js";
import { el, fill, label } from "./elements.js";
import { exampleRow } from "./examplerow.js";
import { count, counted, parts, say, signed } from "./locale.js";
import { call, query, refusal } from "./session.js";

const PAGE = 30;
const WAIT = 200;

export class Examples {
  constructor(app) {
    this.app = app;
    this.asked = 0;
    this.filters = { contains: "", label: "", who: "", source: "", order: "newest" };
  }

  open(place) {
    this.list = el("ul", { class: "example-list" });
    this.total = el("p", { class: "muted", role: "status" });
    this.more = el("button", { type: "button", class: "quiet", hidden: true, click: () => this.#load(true) }, say("more_examples"));
    const undo = el("button", { type: "button", class: "quiet", click: () => this.#undo() }, say("undo_last"));
    fill(place, el("h1", {}, say("view_examples")), this.#search(),
      el("div", { class: "line" }, this.total, undo), this.list, el("p", {}, this.more),
      classEditor(this.app, () => this.#load()));
    this.#load();
  }

  close() {}

  changed() {}

  #search() {
    const field = (name, type = "search") => el("input", {
      type, id: `filter-${name}`, value: this.filters[name], input: (event) => { this.filters[name] = event.target.value; this.#soon(); },
    });
    const list = (name, options) => el("select", { id: `filter-${name}`, change: (event) => { this.filters[name] = event.target.value; this.#load(); } },
      options.map(([value, title]) => el("option", { value, selected: value === this.filters[name] }, title)));
    const given = (name, control) => el("p", { class: "field" }, el("label", { for: `filter-${name}` }, say(`filter_${name}`)), control);
    const classes = [["", say("all_classes")], ...this.app.classes.map(({ name }) => [name, name])];
    const orders = ["newest", "oldest", "suspects", "uncounted"].map((name) => [name, say(`order_${name}`)]);
    return el("search", { class: "filters" },
      given("contains", field("contains")), given("label", list("label", classes)), given("order", list("order", orders)),
      given("who", field("who")), given("source", field("source")));
  }

  #soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#load(), WAIT);
  }

  async #load(further = false) {
    const mine = (this.asked += 1);
    const suspects = this.filters.order === "suspects";
    if (suspects && !this.app.judges) {
      fill(this.list);
      this.total.textContent = say("suspects_none_yet");
      return;
    }
    const found = suspects ? await this.#suspects() : await this.#page(further ? this.cursor : null);
    if (mine !== this.asked) return;
    const { status, answer } = found;
    if (status !== 200) {
      fill(this.list);
      this.total.textContent = refusal(answer);
      return;
    }
    const rows = suspects ? answer.suspects.filter((one) => this.#fits(one)).map((one) => this.#suspectRow(one))
      : answer.examples.map((one) => exampleRow(one, this.app, (what) => this.#changed(what)));
    if (further) this.list.append(...rows);
    else fill(this.list, ...rows);
    this.cursor = answer.cursor ?? null;
    this.more.hidden = this.cursor === null;
    this.total.textContent = suspects ? say("suspects_total", { n: answer.total }) : counted(answer.total, "example");
  }

  #page(cursor) {
    const { contains, label: name, who, source, order } = this.filters;
    return call("GET", query("/examples", {
      contains, label: name, who, source, cursor, limit: PAGE, newest: order !== "oldest", ...(order === "uncounted" ? { counted: false } : {}),
    }));
  }

  #suspects() {
    return call("GET", query("/suspects", { top: 100 }));
  }

  #fits(one) {
    const { contains, label: name } = this.filters;
    return one.text.toLowerCase().includes(contains.toLowerCase()) && (!name || one.label === name);
  }

  #suspectRow(one) {
    const note = el("span", { class: "suspect-note" }, parts("rather_label", { name: label(one.rather), odds: signed(one.log_odds) }));
    return exampleRow(one, this.app, (what) => this.#changed(what), note);
  }

  async #undo() {
    const { status, answer } = await call("POST", "/undo", {});
    this.app.tell(status === 200 ? say("undone_count", { n: count(answer.undone) }) : refusal(answer));
    this.#changed("undo");
  }

  async #changed(what) {
    await this.app.reload();
    if (what !== "relabel") this.#load();
  }
}
