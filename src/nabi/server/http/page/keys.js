// Shortcuts: by the place of a key (event.code), so that they work while Hangul is typed.
import { el, fill } from "./elements.js";
import { parts, say } from "./locale.js";

const PLACE = "nabi.keys";
const FIXED = { skip: "Space", undo: "Backspace" };
const PRESSED = { Space: "button, summary, input", Enter: "button, a, summary, input" }; // by the browser itself
const TYPING = "input:not([type=checkbox], [type=radio], [type=range]), textarea, select, [contenteditable]";

/** The code of a class's key: "1" -> "Digit1", "a" -> "KeyA". */
function codeOf(key) {
  if (/^\d$/.test(key)) return `Digit${key}`;
  return /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : "";
}

/** A code as people call it: "Digit1" -> "1". */
export function keyName(code) {
  const named = { Space: say("key_space"), Backspace: "⌫", Enter: "⏎", ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Delete: "Del" };
  return named[code] ?? code.replace(/^(Digit|Key|Numpad)/, "");
}

export class Keys {
  /** `classes` gives the classes with their keys; `act(action)` does what a key asks for. */
  constructor(classes, act) {
    this.classes = classes;
    this.act = act;
    this.chosen = { on: true, codes: {} };
    try {
      Object.assign(this.chosen, JSON.parse(localStorage.getItem(PLACE)));
    } catch { /* the defaults */ }
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  get on() {
    return this.chosen.on;
  }

  /** Each action with its code: {skip, undo, "class:spam": ...}. */
  codes() {
    const own = Object.fromEntries(this.classes().map(({ name, key }) => [`class:${name}`, codeOf(key || "")]));
    return { ...own, ...FIXED, ...this.chosen.codes };
  }

  nameOf(action) {
    const code = this.codes()[action];
    return this.on && code ? keyName(code) : "";
  }

  #pressed(event) {
    if (!this.on || event.isComposing || event.keyCode === 229 || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    if (event.code in PRESSED && event.target.closest?.(PRESSED[event.code])) return;
    const code = event.code.replace(/^Numpad(?=\d)/, "Digit");
    const known = new Set(["skip", "undo", ...this.classes().map(({ name }) => `class:${name}`)]);
    const found = Object.entries(this.codes()).find(([action, each]) => known.has(action) && each && each === code);
    if (found && this.act(found[0])) event.preventDefault();
  }

  #keep(changes) {
    Object.assign(this.chosen, changes);
    localStorage.setItem(PLACE, JSON.stringify(this.chosen));
  }

  /** The window in which shortcuts are turned off and remapped. */
  dialog(changed) {
    const list = el("ul", { class: "keys" });
    const told = el("p", { class: "muted small", role: "status" });
    const draw = () => fill(list, ...this.#rows(draw, told, changed));
    const on = el("input", { type: "checkbox", id: "keys-on", checked: this.on, change: () => { this.#keep({ on: on.checked }); changed(); } });
    const window = el("dialog", { class: "small-window", "aria-labelledby": "keys-title", close: () => window.remove() },
      el("div", { class: "head" }, el("h2", { id: "keys-title", tabindex: "-1" }, say("keys_title")),
        el("button", { type: "button", class: "quiet", click: () => window.close() }, say("close"))),
      el("p", { class: "check" }, on, el("label", { for: "keys-on" }, say("keys_on"))),
      el("p", { class: "muted small" }, say("keys_help")), list, told,
      el("p", {}, el("button", { type: "button", class: "quiet", click: () => { this.#keep({ codes: {} }); draw(); changed(); } }, say("keys_reset"))));
    draw();
    document.body.append(window);
    window.showModal();
    window.querySelector("h2").focus();
  }

  #rows(draw, told, changed) {
    const codes = this.codes();
    const actions = [...this.classes().map(({ name }) => [`class:${name}`, el("bdi", {}, name)]), ["skip", say("skip")], ["undo", say("undo")]];
    return actions.map(([action, name], i) => {
      const button = el("button", { type: "button", class: "key-choice", "aria-describedby": `key-name-${i}` }, codes[action] ? keyName(codes[action]) : say("key_none"));
      button.addEventListener("click", () => this.#listen(action, button, told, () => { draw(); changed(); }));
      return el("li", {}, el("span", { id: `key-name-${i}` }, name), button);
    });
  }

  /** Take the next key as that of an action; Escape leaves it as it is. */
  #listen(action, button, told, done) {
    button.textContent = say("key_press");
    told.textContent = say("key_press");
    const take = (event) => {
      event.preventDefault();
      event.stopPropagation();
      document.removeEventListener("keydown", take, true);
      const free = !Object.entries(this.codes()).some(([other, code]) => other !== action && code === event.code);
      if (event.code !== "Escape" && event.code !== "Tab" && free) this.#keep({ codes: { ...this.chosen.codes, [action]: event.code } });
      fill(told, ...(free ? [] : parts("key_taken", { key: keyName(event.code) })));
      done();
    };
    document.addEventListener("keydown", take, true);
  }
}
