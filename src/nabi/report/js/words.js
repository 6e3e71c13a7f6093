// The most telling words of each class, their weights as bars.

const SIDE_BY_SIDE = 3; // classes that are shown at once

function words() {
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

function wordList(c) {
  const rows = data.words[c];
  const most = Math.max(...rows.map(([, weight]) => Math.min(weight, ENDLESS)));
  const table = el("table", { class: "data telling" },
    el("caption", {}, "For ", named(c)),
    el("thead", {}, el("tr", {}, ["Word", "Weight", "In it", "Elsewhere"].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows.map(([letters, weight, mine, rest]) => {
      const bar = svg("svg", { class: "bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
        svg("rect", { class: "fill", x: 0, y: 0, width: (100 * weight) / most, height: 6 }));
      return el("tr", {}, el("th", { scope: "row" }, el("bdi", {}, letters)),
        el("td", {}, el("span", { class: "number" }, signed(weight)), bar),
        el("td", {}, count(mine)), el("td", {}, count(rest)));
    })));
  return boxed(`Words for ${data.classes[c].name}`, table);
}
