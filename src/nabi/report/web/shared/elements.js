// Elements. Strings among the children become text: no text of the data is ever read as HTML.
import { say } from "./locale.js";

export function el(name, given = {}, ...children) {
  return filled(document.createElement(name), given, children);
}

/** An element of a picture. */
export function svg(name, given = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), given, children);
}

function filled(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...present(children));
  return element;
}

/** Replace what is in an element; null is nothing. */
export function fill(element, ...children) {
  element.replaceChildren(...present(children));
}

function present(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

export function byId(id) {
  return document.getElementById(id);
}

/** A class's name, which may be of any script and direction. */
export function label(name) {
  return el("bdi", { class: "label" }, name);
}

/** A table in a box of its own, which scrolls where the page is narrow. */
export function boxed(name, table) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, table);
}

/** A table of numbers, the first of each row its head. */
export function numberTable(caption, heads, rows) {
  return boxed(caption, el("table", { class: "data" },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, rows.map((row) => el("tr", {},
      row.map((cell, i) => el(i ? "td" : "th", i ? {} : { scope: "row" }, cell)))))));
}

/** The same, folded away. */
export function folded(...given) {
  return el("details", {}, el("summary", {}, say("numbers_as_table")), numberTable(...given));
}

/** A list to choose from: options are [value, name]. */
export function chooser(id, title, options, chosen, changed) {
  const list = el("select", { id, change: () => changed(list.value) }, options.map(([value, name]) =>
    el("option", { value, selected: String(value) === String(chosen) }, name)));
  return el("p", { class: "field" }, el("label", { for: id }, title), list);
}

/** A bar for the eye beside a number; `parts` are [class, from, width] of 100. */
export function bar(parts) {
  return svg("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    parts.map(([style, x, width]) => svg("rect", style === "rail"
      ? { class: style, x, y: 2, width, height: 2 } : { class: style, x, y: 0, width, height: 6 })));
}
