import { knows, say } from "./locale.js";

/** Why the server refused, in the language that is chosen; where it has no words for it, the server's sentence. */
export function refusal({ error }) {
  const name = `error_${error.code}`;
  return knows(name) ? say(name, { message: error.message }) : error.message;
}

// The token comes in the fragment of the address, which no server ever sees. It is swapped for a
// cookie that no script can read, and taken out of the address and the history.
export async function session() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    history.replaceState(null, "", location.pathname + location.search);
    return call("POST", "/session", { token });
  }
  return call("GET", "/session");
}

/** A random name, also where the page is not from this machine and crypto knows fewer words. */
export function randomId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export const PAGE = randomId(); // of this tab: the server leases texts to it

/** The status and the answer of a call; without a server the status is 0. `keepalive`: it outlives the page. */
export async function call(method, path, body, headers = {}, keepalive = false) {
  const options = { method, keepalive, credentials: "same-origin", cache: "no-store", headers: { "Nabi-Page": PAGE, ...headers } };
  if (method !== "GET") options.headers["Content-Type"] = body instanceof Blob ? "application/octet-stream" : "application/json";
  if (body !== undefined) options.body = typeof body === "string" || body instanceof Blob ? body : JSON.stringify(body);
  try {
    const response = await fetch(path, options);
    const text = await response.text();
    const isJson = (response.headers.get("Content-Type") || "").startsWith("application/json");
    return { status: response.status, answer: isJson ? JSON.parse(text) : text };
  } catch {
    return { status: 0, answer: { error: { code: "offline", message: "The server does not answer." } } };
  }
}

/** A path with its query; what is null or empty is left out. */
export function query(path, fields) {
  const given = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}
