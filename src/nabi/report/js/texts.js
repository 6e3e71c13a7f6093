// A text with its words coloured by what they speak for, and the window that shows those of a cell.

const STRONG = 1.5; // evidence from which a word is filled

/** A text: what was said of it, its words by their evidence, and the weights of the strongest. */
function textCard(text, level = "h3") {
  return el("article", { class: "text" },
    el(level, { class: "verdict" }, verdict(text)),
    el("p", { class: "words", dir: "auto" }, text.pieces.length
      ? text.pieces.map((piece) => (typeof piece === "string" ? piece : word(piece, text)))
      : el("em", { class: "muted" }, "(no text)")),
    remarks(text),
    text.words.length ? weights(text) : null,
    text.near ? neighbours(text) : null);
}

/** The learned texts that voted, the nearest first. */
function neighbours(text) {
  return el("div", {},
    el("p", { class: "muted small tally" }, `The nearest learned texts; ${text.tally}.`),
    el("ul", { class: "near" }, text.near.map(([similarity, label, letters]) => el("li", {},
      el("span", { class: "number" }, similarity.toFixed(2)), " ", el("bdi", { class: "label" }, label), " ",
      el("span", { class: "muted", dir: "auto" }, letters)))));
}

function verdict(text) {
  const right = text.said === text.gold;
  return [
    el("span", { class: "for" }, "said ", named(text.said), ` ${sureness(text.proba)}`),
    right ? el("span", { class: "right" }, "which is right")
      : el("span", { class: "against" }, "gold ", named(text.gold), ` ${sureness(text.gold_proba)}`),
    el("span", { class: "muted" }, text.where),
  ];
}

/** A word that speaks: blue for what was said, orange for the other; filled where it is strong. */
function word([letters, evidence], text) {
  const side = evidence > 0 ? "for" : "against";
  const of = evidence > 0 ? text.said : text.against;
  const speaks = of === null ? "" : ` for ${data.classes[of].name}`;
  return el("mark", {
    class: `${side}${Math.abs(evidence) >= STRONG ? " strong" : ""}`,
    title: `${signed(evidence)}${speaks}`,
  }, letters);
}

function remarks(text) {
  const parts = [];
  if (text.cut) parts.push(`Cut around its strongest words, from ${counted(text.length, "character")}.`);
  if (text.unknown) {
    parts.push(`${counted(text.unknown, "word")} unknown to the model, and passed over.`);
  }
  if (text.absent) parts.push(`The words that it lacks speak ${signed(text.absent)} for what was said.`);
  if (!text.words.length) {
    parts.push(`Nothing in this ${NOUN} speaks: only how frequent the classes are.`);
  }
  return parts.length ? el("p", { class: "muted small" }, parts.join(" ")) : null;
}

/** The strongest words or columns with their weights, and what the classes have seen of them. */
function weights(text) {
  const sides = [text.said, text.against].filter((c) => c !== null).map((c) => el("bdi", {}, data.classes[c].name));
  const seen = text.words.some(([, , ...counts]) => counts.some((each) => each !== ""));
  const what = NOUN === "row" ? "Strongest columns, and what was learned of each in "
    : "Strongest words, and how often each was learned in ";
  return el("div", {},
    el("p", { class: "muted small" }, ...(seen
      ? [what, ...sides.flatMap((name, i) => (i ? [" : ", name] : [name])), ":"]
      : [text.near ? "Words, by their share of the votes:" : "Strongest words:"])),
    el("ul", { class: "weights" }, text.words.map(([letters, evidence, ...counts]) => el("li", {},
      el("bdi", { class: evidence > 0 ? "for" : "against" }, letters), ` ${signed(evidence)} `,
      seen ? el("span", { class: "muted" }, counts.map(learnedOf).join(" : ")) : null))));
}

/** [12, 0.012] -> "12 (1.2 %)"; of a column, words. */
function learnedOf(seen) {
  if (typeof seen === "string") return seen || "nothing";
  const [n, rate] = seen;
  return n ? `${count(n)} (${frequency(rate)})` : "0";
}

/** Which colour speaks for what. */
function legend(said, other) {
  return el("p", { class: "legend" },
    el("mark", { class: "for strong" }, "blue, solid line"), " speaks for ", said, ", ",
    el("mark", { class: "against strong" }, "orange, dotted line"), " for ", other, ".");
}

/** Open the texts of a cell; Escape or the button closes them and gives the focus back. */
function openTexts(cell) {
  const right = cell.said === cell.gold;
  byId("texts-title").replaceChildren(...(right
    ? ["Rightly said ", named(cell.said)]
    : ["Said ", named(cell.said), ", gold ", named(cell.gold)]));
  const order = right ? "the closest decisions first" : "the surest mistakes first";
  byId("texts-shown").textContent = cell.texts.length
    ? `Shown ${count(cell.texts.length)} of ${count(cell.count)}, ${order}.`
    : `${counted(cell.count, NOUN)}; none is kept in this page, to keep it small.`;
  byId("texts-list").replaceChildren(
    legend("what was said", right ? "the next best class" : "the gold label"),
    ...cell.texts.map((i) => textCard(data.texts[i])));
  byId("texts").showModal();
  byId("texts").scrollTop = 0;
  byId("texts-title").focus();
}

function closable() {
  const window = byId("texts");
  byId("close").addEventListener("click", () => window.close());
  window.addEventListener("click", (event) => {
    if (event.target === window) window.close(); // beside it
  });
}
