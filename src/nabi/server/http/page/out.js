// Out: labels, model and report as files, and a snippet that uses the model.
import { el, fill } from "./elements.js";
import { say } from "./locale.js";
import { call } from "./session.js";

const FILES = [
  ["labels_csv", "/export/labels?format=csv", "labels.csv"],
  ["labels_jsonl", "/export/labels?format=jsonl", "labels.jsonl"],
  ["labels_parquet", "/export/labels?format=parquet", "labels.parquet"],
  ["model_file", "/export/model.nabi", "model.nabi"],
  ["report_file", "/export/report.html", "report.html"],
];

export class Out {
  constructor(app) {
    this.app = app;
  }

  async open(place) {
    const snippet = el("div");
    fill(place, el("h1", {}, say("out_title")), el("p", { class: "lead" }, say("out_lead")),
      el("ul", { class: "downloads" }, FILES.map((file) => this.#file(...file))), snippet);
    const { status, answer } = await call("GET", "/export/snippet");
    if (status === 200) fill(snippet, ...code("python", answer.python, "Python"), ...code("shell", answer.shell, say("shell")));
  }

  close() {}

  changed() {}

  #file(name, path, file) {
    return el("li", {}, el("a", { href: path, download: file }, el("strong", {}, file), el("span", { class: "muted" }, say(`out_${name}`))));
  }
}

/** A text to copy. */
function code(name, text, title) {
  const told = el("span", { class: "muted small", role: "status" });
  const copy = el("button", { type: "button", class: "quiet", click: async () => { await navigator.clipboard.writeText(text); told.textContent = say("copied"); } }, say("copy"));
  return [el("h2", {}, title), el("pre", { tabindex: "0", "aria-label": title, id: `snippet-${name}` }, el("code", {}, text)), el("p", { class: "actions" }, copy, told)];
}
