// How numbers and sentences are written, in the language that is chosen.
//
// A sentence is looked up by its name. {n} is a value, a number written by the language's rules;
// {n:text} is a number of texts, in the right plural; {noun}, {nouns} and {Nouns} name a document.

const now = { language: "en", messages: {}, noun: "text" };

/** Speak a language; its messages may come in several parts. */
export function speak(language, messages, noun = "text") {
  Object.assign(now, { language, messages: Object.assign({}, ...messages), noun });
}

export function language() {
  return now.language;
}

/** Whether the language has a sentence of this name. */
export function knows(name) {
  return name in now.messages;
}

/** A sentence as a string. */
export function say(name, values = {}) {
  return parts(name, values).join("");
}

/** A sentence as strings and elements, where some of the values are elements. */
export function parts(name, values = {}) {
  const message = now.messages[name];
  if (message === undefined) throw new Error(`no message ${name} in ${now.language}`);
  return message.split(/(\{[\w:]+\})/).filter(Boolean).map((part) => (/^\{[\w:]+\}$/.test(part) ? value(part.slice(1, -1), values) : part));
}

function value(part, values) {
  const [name, noun] = part.split(":");
  if (noun) return counted(values[name], noun === "noun" ? now.noun : noun);
  if (name in values) return typeof values[name] === "number" ? count(values[name]) : values[name];
  const forms = now.messages.nouns[now.noun];
  const plain = { noun: forms[0], nouns: forms[1], Noun: capital(forms[0]), Nouns: capital(forms[1]) }[name];
  if (plain === undefined) throw new Error(`no value ${name}`);
  return plain;
}

function capital(word) {
  return word[0].toUpperCase() + word.slice(1);
}

/** (1, "text") -> "1 text" */
export function counted(n, noun) {
  const forms = now.messages.nouns[noun];
  const form = new Intl.PluralRules(now.language).select(n) === "one" ? forms[0] : forms[1];
  return now.messages.counted.replace("#", count(n)).replace("*", form);
}

/** 12500 -> "12,500" */
export function count(n) {
  return n.toLocaleString(now.language, { maximumFractionDigits: 1 });
}

/** 0.8414 -> "84.1 %" */
export function share(value, digits = 1) {
  return `${fixed(100 * value, digits)}${now.messages.percent}`;
}

/** (0.5, 3) -> "0.500" */
export function fixed(value, digits) {
  return value.toLocaleString(now.language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** How sure it is, which is never quite 100 %. */
export function sureness(value) {
  if (value > 0.9995) return `>\u00a0${share(0.999)}`;
  return value < 0.0005 ? `<\u00a0${share(0.001)}` : share(value);
}

/** 0.0123 -> "1.2 %", with two digits, however small it is. */
export function frequency(rate) {
  const value = 100 * rate;
  const digits = value >= 9.95 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: 2 };
  return `${value.toLocaleString(now.language, digits)}${now.messages.percent}`;
}

export const ENDLESS = 9999; // stands for infinite evidence

/** 1.234 -> "+1.23" */
export function signed(value) {
  if (Math.abs(value) >= ENDLESS) return value > 0 ? "+∞" : "−∞";
  return `${value < 0 ? "−" : "+"}${fixed(Math.abs(value), 2)}`;
}

/** 12500 -> "12.5k" */
export function rounded(n) {
  if (n >= 1e6) return `${Number((n / 1e6).toPrecision(3))}m`;
  return n >= 10000 ? `${Number((n / 1000).toPrecision(3))}k` : count(n);
}
