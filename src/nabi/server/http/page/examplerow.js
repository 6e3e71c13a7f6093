// An example as a row: its text, its label to be changed, and forgetting it.
import { el } from "./elements.js";
import { language, say } from "./locale.js";
import { call, randomId, refusal } from "./session.js";

const LONG = 600; // characters that are shown

/** A row of a list; `changed(what)` is called after a change that the server has on its disk. */
export function exampleRow(one, app, changed, note = null) {
  const row = el("li", { class: "example", "data-id": one.id });
  const text = el("p", { class: "example-text", dir: "auto" }, shortened(one.text));
  if (one.text.length > LONG) text.append(" ", el("button", { type: "button", class: "link", click: () => { text.textContent = one.text; } }, say("show_all", { n: one.text.length })));
  row.append(text, el("div", { class: "example-line" }, labelList(one, app, row, changed), note, origin(one), forgetButton(one, app, row, changed)));
  return row;
}

function shortened(text) {
  return text.length > LONG ? `${Array.from(text.slice(0, LONG)).slice(0, -1).join("")}…` : text;
}

function origin(one) {
  const when = one.time ? new Date(one.time * 1000).toLocaleDateString(language(), { dateStyle: "medium" }) : "";
  return el("span", { class: "muted small" }, [one.who, one.source, when].filter(Boolean).map((each, i) => [i ? " · " : "", el("bdi", {}, each)]));
}

function labelList(one, app, row, changed) {
  const names = [...new Set([...app.classes.map(({ name }) => name), ...(one.label === null ? [] : [one.label])])];
  const list = el("select", { "aria-label": say("label_of", { text: one.text.slice(0, 40) }) },
    one.label === null ? el("option", { value: "" }, say("no_label")) : null,
    names.map((name) => el("option", { value: name, selected: name === one.label }, name)));
  list.addEventListener("change", async () => {
    const { status, answer } = await change("/relabel", { examples: [{ id: one.id, label: list.value }] });
    if (status >= 300 || status === 0) {
      list.value = one.label ?? "";
      app.tell(refusal(answer));
      return;
    }
    one.label = list.value;
    app.announce(say("relabelled", { name: one.label }));
    changed("relabel", answer.position);
  });
  return list;
}

/** Forgetting is for good, so it is asked twice, in place. */
function forgetButton(one, app, row, changed) {
  const button = el("button", { type: "button", class: "link danger" }, say("forget"));
  button.addEventListener("click", async () => {
    if (!button.dataset.sure) {
      button.dataset.sure = "yes";
      button.textContent = say("forget_sure");
      button.addEventListener("blur", () => { delete button.dataset.sure; button.textContent = say("forget"); }, { once: true });
      return;
    }
    const { status, answer } = await change("/forget", { ids: [one.id] });
    if (status !== 200) return app.tell(refusal(answer));
    const next = row.nextElementSibling ?? row.previousElementSibling;
    row.remove();
    next?.querySelector("select, button")?.focus();
    changed("forget", answer.position);
  });
  return button;
}

function change(path, body) {
  return call("POST", path, body, { "Idempotency-Key": randomId() });
}
