// Classes renamed, joined and dropped: the effect on accuracy is shown before it is done.
import { el, fill, label } from "./elements.js";
import { counted, parts, say, share } from "./locale.js";
import { call, randomId, refusal } from "./session.js";

export function classEditor(app, changed) {
  const place = el("section", { class: "card class-editor", "aria-labelledby": "classes-title" });
  const effect = el("div", { role: "status", tabindex: "-1" });
  const draw = () => fill(place, 
    el("h2", { id: "classes-title" }, say("classes")),
    app.role === "admin" ? el("p", { class: "muted small" }, say("classes_help")) : el("p", { class: "muted small" }, say("classes_role")),
    el("ul", { class: "class-list" }, app.classes.map((one) => row(one, app, show))), effect);
  const show = async (body, sentence) => {
    fill(effect, el("p", { class: "muted" }, say("classes_judging")));
    const { status, answer } = await call("POST", "/classes/preview", body);
    fill(effect, ...preview(status, answer, sentence, async () => {
      const done = await call("POST", "/classes", body, { "Idempotency-Key": randomId() });
      fill(effect);
      app.tell(done.status === 200 ? say("classes_done") : refusal(done.answer));
      await app.reload();
      draw();
      changed();
    }, () => fill(effect)));
    effect.focus(); // not its button: a key that is held down would press it
  };
  draw();
  return place;
}

/** A class: a field for its new name, a list to join it into another, and a button to drop it. */
function row({ name, examples }, app, show) {
  const head = el("span", { class: "class-head" }, label(name), " ", el("span", { class: "muted small" }, counted(examples, "example")));
  if (app.role !== "admin" || !examples) return el("li", {}, head);
  const field = el("input", { type: "text", value: name, maxlength: 200, "aria-label": say("rename_of", { name }) });
  const others = app.classes.filter((one) => one.name !== name);
  const into = el("select", { "aria-label": say("join_of", { name }) }, el("option", { value: "" }, say("join_into")), others.map((one) => el("option", { value: one.name }, one.name)));
  const rename = () => field.value.trim() && field.value !== name && show({ rename: { [name]: field.value.trim() } }, parts("will_rename", { name: label(name), to: label(field.value.trim()) }));
  into.addEventListener("change", () => into.value && show({ join: [{ labels: [name], into: into.value }] }, parts("will_join", { name: label(name), to: label(into.value) })));
  return el("li", {}, head, el("span", { class: "class-tools" }, field,
    el("button", { type: "button", class: "quiet", click: rename }, say("rename")), into,
    el("button", { type: "button", class: "link danger", click: () => show({ drop: [name] }, parts("will_drop", { name: label(name) })) }, say("drop"))));
}

/** What would change, with the buttons that do it or leave it. */
function preview(status, answer, sentence, go, leave) {
  const buttons = el("p", { class: "actions" }, el("button", { type: "button", class: "primary", click: go }, say("do_it")),
    el("button", { type: "button", class: "quiet", click: leave }, say("leave_it")));
  if (status !== 200) return [el("p", { class: "wrong-note" }, refusal(answer))];
  const { before, after, moved } = answer;
  const figures = (name) => say("before_after", { name: say(name), before: rate(before?.[name]), after: rate(after?.[name]) });
  return [el("p", {}, sentence, " ", say("will_move", { n: moved })), el("p", {}, figures("accuracy"), el("br"), figures("macro_f1")), buttons];
}

function rate(value) {
  const one = Array.isArray(value) ? value[0] : value;
  return one === null || one === undefined ? "–" : share(one);
}
