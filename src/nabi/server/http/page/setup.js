// Set-up: load texts, name the classes and their keys.
import { el, fill } from "./elements.js";
import { count, say, share } from "./locale.js";
import { call, query, refusal } from "./session.js";

const KEYS = "1234567890";

export class Setup {
  constructor(app) {
    this.app = app;
  }

  open(place) {
    this.told = el("div", { class: "told", role: "status" });
    this.start = el("p", {}, el("a", { class: "primary", href: "#label" }, say("setup_start")));
    const admin = this.app.role === "admin";
    fill(place, el("h1", {}, say("setup_title")), el("p", { class: "lead" }, say("setup_lead")),
      admin ? null : el("p", { class: "card" }, say("setup_role")),
      admin ? this.#classes() : null, this.#texts(admin), admin ? this.#people() : null, this.told, this.start);
    this.#ready();
  }

  close() {}

  changed() {}

  // ---- classes ----

  #classes() {
    const rows = el("ul", { class: "class-rows" });
    const known = this.app.classes.map(({ name, key }) => [name, key]);
    const filled = known.length ? known : [["", "1"], ["", "2"]];
    const add = ([name, key]) => rows.append(this.#classRow(name, key, rows));
    filled.forEach(add);
    const form = el("form", { class: "card", submit: (event) => { event.preventDefault(); this.#saveClasses(rows); } },
      el("h2", {}, say("setup_classes")), el("p", { class: "muted" }, say("setup_classes_help")), rows,
      el("p", { class: "actions" },
        el("button", { type: "button", class: "quiet", click: () => { add(["", KEYS[rows.children.length] ?? ""]); rows.lastChild.querySelector("input").focus(); } }, say("setup_add_class")),
        el("button", { type: "submit", class: "primary" }, say("save"))));
    return form;
  }

  #classRow(name, key, rows) {
    const old = name !== "";
    const field = el("input", { type: "text", class: "class-name", "aria-label": say("class_name"), placeholder: say("class_name"), value: name, maxlength: 200, readonly: old, autocomplete: "off" });
    const short = el("input", { type: "text", class: "class-key", "aria-label": say("class_key"), value: key ?? "", maxlength: 1, size: 1, autocomplete: "off" });
    const row = el("li", {}, short, field, old ? null : el("button", { type: "button", class: "quiet icon", "aria-label": say("remove"), click: () => { row.remove(); rows.querySelector("input")?.focus(); } }, "×"));
    return row;
  }

  async #saveClasses(rows) {
    const classes = [...rows.children].map((row) => ({ name: row.querySelector(".class-name").value.trim(), key: row.querySelector(".class-key").value.trim().toLowerCase() }))
      .filter(({ name }) => name);
    const { status, answer } = await call("POST", "/project", { classes });
    if (status !== 200) return this.#say(refusal(answer), true);
    await this.app.reload();
    return this.#say(say("setup_saved", { n: this.app.classes.length }));
  }

  // ---- people ----

  #people() {
    const { overlap } = this.app.project;
    const field = el("input", { type: "number", id: "overlap", min: 0, max: 100, step: "any", value: Math.round(1e4 * overlap) / 100 });
    return el("form", { class: "card", submit: (event) => { event.preventDefault(); this.#saveOverlap(field.valueAsNumber / 100); } },
      el("h2", {}, say("setup_people")), el("p", { class: "muted" }, say("setup_people_help")),
      el("p", { class: "field" }, el("label", { for: "overlap" }, say("setup_overlap")), field),
      el("p", { class: "actions" }, el("button", { type: "submit", class: "primary" }, say("save"))));
  }

  async #saveOverlap(overlap) {
    const { status, answer } = await call("POST", "/project", { overlap });
    if (status !== 200) return this.#say(refusal(answer), true);
    await this.app.reload();
    return this.#say(say("setup_overlap_saved", { share: share(overlap) }));
  }

  // ---- texts ----

  #texts(admin) {
    const paste = el("textarea", { id: "paste", rows: 6, spellcheck: "false", dir: "auto", placeholder: say("setup_paste_example") });
    return el("div", { class: "card" }, el("h2", {}, say("setup_texts")),
      admin ? this.#file() : null,
      el("p", { class: "field" }, el("label", { for: "paste" }, say("setup_paste")), paste),
      el("p", { class: "actions" }, el("button", { type: "button", class: "primary", click: () => this.#pasted(paste) }, say("setup_add_lines"))),
      admin ? this.#path() : null);
  }

  #file() {
    const file = el("input", { type: "file", id: "file", accept: ".csv,.tsv,.jsonl,.ndjson,.parquet,.txt,.gz,.zst" });
    const label = el("input", { type: "text", id: "label-column", autocomplete: "off", spellcheck: "false", maxlength: 200 });
    const drop = el("div", { class: "drop" }, el("label", { for: "file" }, say("setup_file")), file, el("p", { class: "muted small" }, say("setup_file_help")),
      el("p", { class: "field" }, el("label", { for: "label-column" }, say("setup_label_column")), label));
    const upload = (chosen) => chosen && this.#upload(chosen, label.value ? { label: label.value } : {});
    file.addEventListener("change", () => upload(file.files[0]));
    drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
    drop.addEventListener("dragleave", () => drop.classList.remove("over"));
    drop.addEventListener("drop", (event) => {
      event.preventDefault();
      drop.classList.remove("over");
      upload(event.dataTransfer.files[0]);
    });
    return drop;
  }

  async #upload(file, columns = {}) {
    this.#say(say("loading_file", { name: file.name }));
    const blob = new Blob([file], { type: "application/octet-stream" });
    const { status, answer } = await call("POST", query("/pool/file", { name: file.name, ...columns }), blob);
    await this.#added(status, answer, (more) => this.#upload(file, { ...columns, ...more }));
  }

  #path() {
    const field = el("input", { type: "text", id: "path", autocomplete: "off", spellcheck: "false" });
    const load = async (columns = {}) => {
      const { status, answer } = await call("POST", "/pool/path", { path: field.value, ...columns });
      await this.#added(status, answer, (more) => load({ ...columns, ...more }));
    };
    return el("details", {}, el("summary", {}, say("setup_path_title")),
      el("p", { class: "field" }, el("label", { for: "path" }, say("setup_path")), field),
      el("p", {}, el("button", { type: "button", class: "quiet", click: () => load() }, say("setup_load"))));
  }

  async #pasted(paste) {
    const texts = paste.value.split(/\r?\n/).filter((line) => line.trim()).map((text) => ({ text }));
    if (!texts.length) return paste.focus();
    const { status, answer } = await call("POST", "/pool", { texts });
    if (status === 200) paste.value = "";
    return this.#added(status, answer);
  }

  async #added(status, answer, again) {
    if (answer.error?.code === "which_column" && again) return this.#whichColumn(answer.error, again);
    if (status !== 200) return this.#say(refusal(answer), true);
    const values = { added: answer.added, duplicates: answer.duplicates ?? 0, empty: answer.empty ?? 0 };
    this.#say(say("setup_added", values) + (answer.rejected ? ` ${say("setup_rejected", { n: answer.rejected })}` : ""));
    await this.app.reload();
    return this.#ready();
  }

  /** Where the column of the texts is not clear, the person says which it is. */
  #whichColumn(error, again) {
    const candidates = error.candidates ?? [];
    const list = el("select", { id: "which-column" }, candidates.map((name) => el("option", { value: name }, name)));
    const label = el("select", { id: "which-label" }, el("option", { value: "" }, say("setup_no_label")), candidates.map((name) => el("option", { value: name }, name)));
    fill(this.told, el("div", { class: "card" }, el("p", {}, say("setup_which")),
      el("p", { class: "field" }, el("label", { for: "which-column" }, say("setup_text_column")), list),
      el("p", { class: "field" }, el("label", { for: "which-label" }, say("setup_label_column")), label),
      el("p", {}, el("button", { type: "button", class: "primary", click: () => again({ text: list.value, ...(label.value ? { label: label.value } : {}) }) }, say("setup_load")))));
    list.focus();
  }

  #say(text, wrong = false) {
    fill(this.told, el("p", { class: wrong ? "wrong-note" : "good-note" }, text));
  }

  #ready() {
    this.start.hidden = this.app.classes.length < 1 || this.app.project.texts === 0;
    this.start.firstChild.textContent = `${say("setup_start")} (${count(this.app.project.texts)})`;
  }
}
