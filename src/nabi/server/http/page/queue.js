// Texts that wait on this page for a label: fetched ahead, so that the next one is there at once.
import { call } from "./session.js";

const AHEAD = 6; // texts on the page, the one that is shown included
const LOW = 4; // from which on more are fetched

export class Queue extends EventTarget {
  constructor() {
    super();
    this.items = [];
    this.asked = { by: "doubt" };
    this.taken = new Set(); // ids whose change is on its way
    this.left = null;
    this.wave = 0; // an answer to an older question is thrown away
    addEventListener("pagehide", () => this.#giveBack());
  }

  /** The page is closed: others may have its texts at once. */
  #giveBack() {
    if (this.items.length) call("POST", "/release", { ids: this.items.map((item) => item.id) }, {}, true);
  }

  get first() {
    return this.items[0] ?? null;
  }

  /** Ask for other texts: what was fetched is given back. */
  async ask(asked) {
    this.asked = asked;
    const back = this.items.map((item) => item.id);
    this.items = [];
    this.wave += 1;
    this.fetching = false;
    if (back.length) call("POST", "/release", { ids: back });
    await this.fill();
  }

  async fill() {
    if (this.fetching || this.items.length > LOW) return;
    this.fetching = true;
    const wave = this.wave;
    const holding = [...this.items.map((item) => item.id), ...this.taken];
    const { status, answer } = await call("POST", "/next", { ...this.asked, count: AHEAD - this.items.length, holding });
    if (wave !== this.wave) return;
    this.fetching = false;
    if (status === 200) this.#received(answer);
    else if (status !== 0) this.dispatchEvent(new CustomEvent("refused", { detail: answer }));
    this.dispatchEvent(new CustomEvent("filled", { detail: status }));
  }

  #received(answer) {
    const known = new Set([...this.items.map((item) => item.id), ...this.taken]);
    this.items.push(...answer.items.filter((item) => !known.has(item.id)));
    this.left = answer.left;
  }

  /** Take the first text away: its change is on its way. */
  take() {
    const item = this.items.shift();
    this.taken.add(item.id);
    return item;
  }

  /** Put a text back as the first: an undo. */
  back(item) {
    this.taken.delete(item.id);
    this.items = [item, ...this.items.filter((one) => one.id !== item.id)];
  }

  /** Remove a text that somebody else has labelled; whether it was shown. */
  remove(id) {
    const at = this.items.findIndex((item) => item.id === id);
    if (at >= 0) this.items.splice(at, 1);
    return at === 0;
  }

  /** Explain the text after the shown one anew: the model has learned since it was fetched. */
  async refresh() {
    const item = this.items[1];
    if (!item?.explanation) return; // nothing to explain by yet
    const { status, answer } = await call("POST", "/explain", { text: item.text });
    if (status !== 200) return;
    item.explanation = answer.explanation;
    this.dispatchEvent(new CustomEvent("explained", { detail: item }));
  }
}
