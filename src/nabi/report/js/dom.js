// What all scripts share: the data, elements, and how numbers are written. The scripts are joined
// into one module, so each sees what those before it define.

const data = JSON.parse(document.getElementById("data").textContent);
const ENDLESS = 9999; // stands for infinite evidence
const NOUN = data.noun; // what a document is called: text, or row of a table

/** An element. Strings among the children become text: no text of the data is ever read as HTML. */
function el(name, given = {}, ...children) {
  return filled(document.createElement(name), given, children);
}

/** An element of a picture. */
function svg(name, given = {}, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), given, children);
}

function filled(element, given, children) {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null));
  return element;
}

function byId(id) {
  return document.getElementById(id);
}

/** A class's name, which may be of any script and direction. */
function named(c) {
  return el("bdi", { class: "label" }, data.classes[c].name);
}

/** 0.8414 -> "84.1 %" */
function share(value) {
  return `${(100 * value).toFixed(1)}\u00a0%`; // which a line does not break at
}

/** How sure it is, which is never quite 100 %. */
function sureness(value) {
  if (value > 0.9995) return ">\u00a099.9\u00a0%";
  return value < 0.0005 ? "<\u00a00.1\u00a0%" : share(value);
}

/** 12500 -> "12,500" */
function count(n) {
  return n.toLocaleString("en", { maximumFractionDigits: 1 });
}

/** (1, "text") -> "1 text" */
function counted(n, noun) {
  return `${count(n)} ${n === 1 ? noun : `${noun}s`}`;
}

/** 0.0123 -> "1.2 %", with two digits, however small it is. */
function frequency(rate) {
  const value = 100 * rate;
  return `${value >= 9.95 ? Math.round(value) : Number(value.toPrecision(2))}\u00a0%`;
}

/** 1.234 -> "+1.23" */
function signed(value) {
  if (Math.abs(value) >= ENDLESS) return value > 0 ? "+∞" : "−∞";
  return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
}

/** A table in a box of its own, which scrolls where the page is narrow. */
function boxed(name, table) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name }, table);
}

/** A table of numbers, the first of each row its head. */
function numbers(caption, heads, rows) {
  return boxed(caption, el("table", { class: "data" },
    el("caption", {}, caption),
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, rows.map((row) => el("tr", {},
      row.map((cell, i) => el(i ? "td" : "th", i ? {} : { scope: "row" }, cell)))))));
}

/** The same, folded away. */
function folded(...given) {
  return el("details", {}, el("summary", {}, "The numbers as a table"), numbers(...given));
}

/** Of these classes, the one that it does worst on. */
function worst(classes) {
  return classes.reduce((a, b) => (data.classes[b].f1[0] < data.classes[a].f1[0] ? b : a));
}

/** A list to choose a class from. */
function chooser(id, title, classes, chosen, changed) {
  const options = classes.map((c) =>
    el("option", { value: c, selected: c === chosen }, data.classes[c].name));
  const list = el("select", { id, change: () => changed(Number(list.value)) }, options);
  return el("p", { class: "field" }, el("label", { for: id }, title), list);
}
