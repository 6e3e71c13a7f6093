// What others do, as it happens: the server answers when something has changed.
import { call, query } from "./session.js";

const PAUSE = 1000; // milliseconds after an answer that was none

export class Changes extends EventTarget {
  constructor(position) {
    super();
    this.position = position;
    this.away = false; // the server does not answer
    this.#follow();
  }

  #is(away) {
    if (away === this.away) return;
    this.away = away;
    this.dispatchEvent(new CustomEvent("connection"));
  }

  async #follow() {
    for (;;) {
      const { status, answer } = await call("GET", query("/changes", { after: this.position }));
      this.#is(status === 0);
      if (status === 200) {
        this.position = answer.position;
        if (answer.labels.length) this.dispatchEvent(new CustomEvent("changed", { detail: answer.labels }));
      } else {
        await new Promise((done) => { setTimeout(done, PAUSE); });
      }
    }
  }
}
