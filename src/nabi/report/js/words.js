// The most telling words of each class, their weights as bars.

const SIDE_BY_SIDE = 3; // classes that are shown at once

function words() {
  if (data.words === null) return;
  byId("words-about").textContent = data.weights;
  const known = Object.keys(data.words).map(Number);
  const place = el("div", { class: "columns" });
  if (!known.length) {
    byId("telling").append(el("p", {}, "No word speaks for one class more than for the others."));
  } else if (known.length <= SIDE_BY_SIDE) {
    place.append(...known.map(wordList));
  } else {
    byId("telling").append(chooser("word-class", "Class", known, worst(known), (c) => place.replaceChildren(wordList(c))));
    place.append(wordList(worst(known)));
  }
  byId("telling").append(place);
}

/** A count, and below it its share of all words. */
function seenIn(n, rate) {
  return [count(n), n ? el("span", { class: "muted small rate" }, frequency(rate)) : null];
}

function wordList(c) {
  const rows = data.words[c];
  const most = Math.max(...rows.map(([, weight]) => Math.min(weight, ENDLESS)));
  const table = el("table", { class: "data telling" },
    el("caption", {}, "For ", named(c)),
    el("thead", {}, el("tr", {}, ["Word", "Weight", "In it", "Elsewhere"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows.map(([letters, weight, mine, rest, rate, rateOfRest]) => {
      const bar = svg("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "fill", x: 0, y: 0, width: (100 * weight) / most, height: 6 }));
      return el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, letters)),
        el("td", {}, el("span", { class: "number" }, signed(weight)), bar),
        el("td", {}, seenIn(mine, rate)), el("td", {}, seenIn(rest, rateOfRest)));
    })));
  return boxed(`Words for ${data.classes[c].name}`, table);
}
