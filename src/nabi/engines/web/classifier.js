// A classifier of texts: the kernel of nabi as WebAssembly, and one model.
//
//   const classifier = await Classifier.load(moduleBytes, modelBytes, about);
//   classifier.classify("so good")  // {label: "pos", best: 1, scores: Float64Array, known: 2}
//   classifier.explain("so good")   // {..., against: "neg", start, words: [{word, times, evidence}]}

const ENTITY = /&(?:amp;)*(#[0-9]{1,10};|#[xX][0-9a-fA-F]{1,8};|[A-Za-z][A-Za-z0-9]{1,31};)/g;
const FOUND = 32;  // bytes of a feature that was found
const REPLACEMENT = "\ufffd";

// What the module asks of a system: random numbers, against crafted words. All else is refused.
function system(memory) {
  const known = {
    random_get(at, size) {
      for (let i = 0; i < size; i += 65536) {
        const some = new Uint8Array(memory().buffer, at + i, Math.min(65536, size - i));
        crypto.getRandomValues(some);
      }
      return 0;
    },
    proc_exit() { throw new Error("the classifier stopped"); },
  };
  return new Proxy(known, { get: (own, name) => own[name] ?? (() => 52) });
}

export class Classifier {
  #own;
  #about;

  // module, model: bytes; about: {labels, entities}.
  static async load(module, model, about) {
    const labels = about?.labels, entities = about?.entities;
    const sound = Array.isArray(labels) && (entities === null || typeof entities === "object");
    if (!sound) throw new Error("the description of the model is damaged");
    let instance;
    const imports = { wasi_snapshot_preview1: system(() => instance.exports.memory) };
    ({ instance } = await WebAssembly.instantiate(module, imports));
    instance.exports._initialize?.();
    const made = new Classifier();
    made.#own = instance.exports;
    made.#about = about;
    made.#read(model);
    if (made.#own.classes() !== labels.length) {
      throw new Error(`the model has ${made.#own.classes()} classes and ${labels.length} labels`);
    }
    return made;
  }

  #read(model) {
    const error = this.#guarded(() => this.#own.load(this.#put(model)));
    if (!error) return;
    const bytes = new Uint8Array(this.#own.memory.buffer, error);
    throw new Error(new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0))));
  }

  // What the kernel throws ends the module without a word.
  #guarded(work) {
    try {
      return work();
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) {
        throw new Error("the classifier ran out of memory, or the text is too long", { cause: error });
      }
      throw error;
    }
  }

  // Copies bytes to the module and returns how many there are.
  #put(given) {
    const bytes = typeof given === "string" ? new TextEncoder().encode(given) : new Uint8Array(given);
    const at = this.#own.room(bytes.length);
    new Uint8Array(this.#own.memory.buffer, at >>> 0, bytes.length).set(bytes);
    return bytes.length;
  }

  // The text as the model reads it: HTML entities as characters, where the recipe says so.
  read(text) {
    const values = this.#about.entities;
    if (!values) return text;
    const own = (name) => (Object.hasOwn(values, name) ? values[name] : null);
    return text.replace(ENTITY, (whole, name) => {
      if (name[0] !== "#") return own(name) ?? whole;
      const hex = name[1] === "x" || name[1] === "X";
      const code = parseInt(name.slice(hex ? 2 : 1), hex ? 16 : 10);
      const special = own(`#${code}`);
      if (special !== null) return special;
      const none = code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff);
      return none ? REPLACEMENT : String.fromCodePoint(code);
    });
  }

  classify(text) {
    const read = this.read(text);
    const best = this.#guarded(() => this.#own.classify(this.#put(read)));
    const n = this.#about.labels.length;
    const scores = new Float64Array(this.#own.memory.buffer, this.#own.scores() >>> 0, n).slice();
    return { label: this.#about.labels[best], best, scores, known: this.#own.length(), read };
  }

  // The words of the text, those with the most evidence first: for the label, against the next.
  explain(text) {
    const found = this.classify(text), { scores, best, read } = found;
    let next = -1;
    for (let c = 0; c < scores.length; ++c) {
      if (c !== best && (next < 0 || scores[c] > scores[next])) next = c;
    }
    if (next < 0) return { ...found, against: null, score: scores[best], words: [], marks: [] };
    const marks = this.#guarded(() => this.#features(read, best, next));
    const words = new Map();
    for (const mark of marks) {
      const word = words.get(mark.word) ?? { word: mark.word, isKnown: mark.isKnown, times: 0, evidence: 0 };
      const counts = !(this.#about.binary && word.times);
      word.times += counts ? 1 : 0;
      word.evidence += counts ? mark.evidence : 0;
      words.set(mark.word, word);
    }
    const ranked = [...words.values()].sort((a, b) => Math.abs(b.evidence) - Math.abs(a.evidence));
    const score = scores[best] - scores[next];
    return { ...found, against: this.#about.labels[next], score, words: ranked, marks };
  }

  #features(read, of, against) {
    const n = this.#own.explain(this.#put(read), of, against);
    const { buffer } = this.#own.memory, names = this.#own.names() >>> 0;
    const view = new DataView(buffer, this.#own.found() >>> 0, n * FOUND);
    const decoder = new TextDecoder();
    return Array.from({ length: n }, (_, i) => {
      const number = (at) => view.getUint32(i * FOUND + at, true);
      const name = new Uint8Array(buffer, names + number(12), number(16));
      return {
        begin: number(0),
        end: number(4),
        isKnown: number(8) === 1,
        word: decoder.decode(name),
        evidence: view.getFloat64(i * FOUND + 24, true),
      };
    });
  }
}
