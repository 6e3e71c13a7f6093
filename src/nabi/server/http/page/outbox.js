// Changes on their way to the server: kept in the browser until the server has them on its disk.
//
// Each has an Idempotency-Key, so it may be sent again after a lost answer, a closed tab or a killed
// server, and counts once. They go one by one, in the order in which they were made.
import { call, randomId } from "./session.js";

const PREFIX = "nabi.outbox";
const AGAIN = [300, 600, 1200, 2500, 5000]; // milliseconds until the next try
const LATER = [0, 401, 408, 429, 502, 503, 504, 507]; // the change may still be taken

export class Outbox extends EventTarget {
  /** `whose` names the data and the person: keys of one are not sent to another. */
  constructor(whose) {
    super();
    this.place = `${PREFIX}.${whose}.${randomId()}`;
    this.changes = this.#adopted(`${PREFIX}.${whose}.`);
    this.positions = new Map(); // of changes that were sent: what an undo of them needs
    this.offline = false;
    this.full = false;
    this.sending = false;
    this.#save();
  }

  /** Take over what closed tabs have left; a tab that is still open sends the same, which counts once. */
  #adopted(prefix) {
    const found = [];
    for (const name of Object.keys(localStorage).filter((each) => each.startsWith(prefix))) {
      try {
        found.push(...JSON.parse(localStorage.getItem(name)));
      } catch { /* not ours, or damaged: nothing that could be sent */ }
      localStorage.removeItem(name);
    }
    return found.filter((one) => one && one.key && one.path).sort((a, b) => a.at - b.at);
  }

  #save() {
    try {
      if (this.changes.length) localStorage.setItem(this.place, JSON.stringify(this.changes));
      else localStorage.removeItem(this.place);
      this.full = false;
    } catch {
      this.full = true; // still in memory
    }
  }

  /** Keep a change and send it when its turn comes; `about` is what the page says of it. */
  add(path, body, about = {}, more = {}) {
    const change = { key: randomId(), path, body, about, at: Date.now(), tried: false, ...more };
    this.changes.push(change);
    this.#save();
    this.#tell("kept", change);
    this.send();
    return change;
  }

  /** Take a change back that was never sent; false: it is on its way. */
  drop(change) {
    const at = this.changes.indexOf(change);
    if (at < 0 || change.tried) return false;
    this.changes.splice(at, 1);
    this.#save();
    this.#tell("dropped", change);
    return true;
  }

  async send() {
    if (this.sending) return;
    this.sending = true;
    for (let failures = 0; this.changes.length;) {
      const { status, answer } = await this.#first();
      if (LATER.includes(status)) {
        this.#offline(true, status);
        await this.#pause(AGAIN[Math.min(failures, AGAIN.length - 1)]);
        failures += 1;
        continue;
      }
      failures = 0;
      this.#offline(false);
      const change = this.changes.shift();
      if (status < 300) this.#placed(change.key, answer.position);
      else this.changes = this.changes.filter((one) => one.undoes !== change.key); // nothing to undo
      this.#save();
      this.#tell(status < 300 ? "sent" : "refused", change, answer);
    }
    this.sending = false;
    this.dispatchEvent(new CustomEvent("idle"));
  }

  /** Wait until the server has everything; the position of the last change that was sent. */
  async idle() {
    if (this.changes.length) await new Promise((done) => { this.addEventListener("idle", done, { once: true }); });
    return [...this.positions.values()].at(-1) ?? null;
  }

  #first() {
    const change = this.changes[0];
    change.tried = true;
    this.#save();
    return call("POST", change.path, change.body, { "Idempotency-Key": change.key });
  }

  /** Take a change back that was sent, or is being sent: this one, whatever other tabs do. */
  undo(change, about) {
    const position = this.positions.get(change.key);
    return this.add("/undo", undoAt(position ?? null), about, position === undefined ? { undoes: change.key } : {});
  }

  /** A change is at a position now: whatever undoes it has to say so, also after the tab was closed. */
  #placed(key, position) {
    this.positions.set(key, position);
    for (const one of this.changes.filter(({ undoes }) => undoes === key)) one.body = undoAt(position);
  }

  /** Wait, but not longer than until the browser is online or somebody asks. */
  #pause(milliseconds) {
    return new Promise((done) => {
      this.wake = done;
      setTimeout(done, milliseconds);
      addEventListener("online", done, { once: true });
    });
  }

  #offline(now, status = 0) {
    if (now === this.offline && status === this.status) return;
    Object.assign(this, { offline: now, status });
    this.dispatchEvent(new CustomEvent("connection"));
  }

  #tell(what, change, answer = null) {
    this.dispatchEvent(new CustomEvent(what, { detail: { change, answer } }));
  }
}

/** What takes back the change at a position, if it is of this person. */
export function undoAt(position) {
  return { position, own: true };
}
