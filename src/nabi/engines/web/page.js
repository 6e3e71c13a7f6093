
// ---- the page; every text of a user becomes a text node ----

const WEAK = 0.5, STRONG = 1.5;  // evidence from which a word is coloured, and filled
const MOST_WORDS = 12, MOST_ROWS = 200, MOST_MARKED = 20000, WAIT = 120;
const at = (id) => document.getElementById(id);
const count = new Intl.NumberFormat("en");
const plural = (n, noun, nouns = `${noun}s`) => `${count.format(n)} ${n === 1 ? noun : nouns}`;
const signed = (x) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}`;
// Character n-grams begin with a tab; their spaces are the edges of a word.
const shown = (word) => (word[0] === "\t" ? `“${word.slice(1)}”` : word);

function made(tag, text, more = {}) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  return Object.assign(element, more);
}

function bytes(id) {
  const text = atob(at(id).textContent);
  return Uint8Array.from(text, (c) => c.charCodeAt(0));
}

function table(caption, heads, rows) {
  const element = made("table", undefined, { className: "data" });
  element.append(made("caption", caption, { className: "hidden" }));
  const head = element.createTHead().insertRow();
  head.append(...heads.map((text) => made("th", text, { scope: "col" })));
  const body = element.createTBody();
  for (const [first, ...rest] of rows) {
    const row = body.insertRow();
    row.append(made("th", first, { scope: "row", dir: "auto" }));
    row.append(...rest.map((cell) => (cell instanceof Node ? cell : made("td", cell))));
  }
  return element;
}

function evidenceCell(x) {
  return made("td", signed(x), { className: x < 0 ? "down" : "up" });
}

// The evidence of each character: that of the features over it, each spread over its characters.
// NaN: no known feature is there, or it is blank.
function evidenceOf(found, letters) {
  const sums = new Float64Array(letters.length).fill(NaN);
  for (const mark of found.marks) {
    if (!mark.isKnown) continue;
    for (let i = mark.begin; i < mark.end; ++i) {
      if (!/\s/u.test(letters[i])) sums[i] = (sums[i] || 0) + mark.evidence / (mark.end - mark.begin);
    }
  }
  return sums;
}

// The text with its words coloured: a run of characters with evidence has the sum of them.
function colour(found) {
  const letters = Array.from(found.read).slice(0, MOST_MARKED), sums = evidenceOf(found, letters);
  const parts = [];
  for (let i = 0, end = 0; i < letters.length; i = end) {
    const plain = Number.isNaN(sums[i]);
    let sum = 0;
    for (; end < letters.length && Number.isNaN(sums[end]) === plain; ++end) sum += sums[end];
    const text = letters.slice(i, end).join("");
    if (plain || Math.abs(sum) < WEAK) {
      parts.push(document.createTextNode(text));
    } else {
      const side = `${sum < 0 ? "against" : "for"}${Math.abs(sum) < STRONG ? "" : " strong"}`;
      parts.push(made("mark", text, { className: side, title: signed(sum) }));
    }
  }
  if (found.read.length > letters.join("").length) parts.push(document.createTextNode(" …"));
  at("marked").replaceChildren(...parts);
}

function showWords(found) {
  const known = found.words.filter((word) => word.isKnown);
  const rows = known.slice(0, MOST_WORDS).map(
    (word) => [shown(word.word), count.format(word.times), evidenceCell(word.evidence)],
  );
  at("words").replaceChildren(
    rows.length ? table("Words", ["word", "times", "evidence"], rows)
      : made("p", "The model knows no word of this text: the label is that of the prior.", { className: "muted" }),
  );
  const more = known.length - rows.length, parts = more > 0 ? [`${count.format(more)} more with less evidence.`] : [];
  const unknown = found.words.filter((word) => !word.isKnown && word.word[0] !== "\t").map((word) => word.word);
  if (unknown.length) {
    parts.push(`Not known: ${unknown.slice(0, MOST_ROWS).join(", ")}${unknown.length > MOST_ROWS ? ", …" : ""}`);
  }
  at("unknown").textContent = parts.join(" ");
}

function showClasses(labels, found) {
  const best = found.scores[found.best];
  const order = labels.map((_, c) => c).sort((a, b) => found.scores[b] - found.scores[a] || a - b);
  const rows = order.slice(0, MOST_ROWS).map((c) => {
    const behind = best - found.scores[c];
    return [String(labels[c]), behind === 0 ? "best" : Number.isFinite(behind) ? behind.toFixed(2) : "impossible"];
  });
  at("classes").replaceChildren(table("Classes", ["class", "behind"], rows));
}

function show(classifier, about) {
  const text = at("text").value;
  at("size").textContent = text ? plural(Array.from(text).length, "character") : "";
  at("clear").disabled = !text;
  at("result").hidden = !text;
  at("broken").hidden = true;
  if (!text) return;
  const found = classifier.explain(text);
  at("label").textContent = String(found.label);
  at("ahead").textContent = found.against === null ? "" :
    `${found.score.toFixed(2)} ahead of ${found.against} (log odds, from ${plural(found.known, "known word")} and the prior)`;
  at("legend").textContent = found.against === null ? "" :
    `Blue speaks for ${found.label}, orange with a dotted line for ${found.against}.`;
  colour(found);
  showWords(found);
  showClasses(about.labels, found);
}

function broken(error) {
  at("broken").textContent = `The classifier does not work here: ${error.message}.`;
  at("broken").hidden = false;
  at("result").hidden = true;
}

async function start() {
  const about = JSON.parse(at("about").textContent);
  at("facts").textContent =
    `${plural(about.words, "feature")}, ${plural(about.labels.length, "class", "classes")}. Nothing you type leaves this page.`;
  at("made").textContent = `Made by nabi ${about.version}. The kernel runs as WebAssembly; its labels are those of nabi itself.`;
  const classifier = await Classifier.load(bytes("module"), bytes("model"), about);
  const guarded = () => {
    try {
      show(classifier, about);
    } catch (error) {
      broken(error);
    }
  };
  let timer = 0;
  at("text").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(guarded, WAIT);
  });
  at("clear").addEventListener("click", () => {
    at("text").value = "";
    guarded();
    at("text").focus();
  });
  at("text").disabled = false;
  guarded();
  window.nabi = classifier;
}

start().catch(broken);
