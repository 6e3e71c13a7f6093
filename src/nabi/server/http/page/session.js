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

// The status and the answer of a call; without a server the status is 0.
export async function call(method, path, body) {
  const options = { method, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) {
    options.headers = { "Content-Type": "application/json" };
    options.body = typeof body === "string" ? body : JSON.stringify(body);
  }
  try {
    const response = await fetch(path, options);
    const text = await response.text();
    const isJson = (response.headers.get("Content-Type") || "").startsWith("application/json");
    return { status: response.status, answer: isJson ? JSON.parse(text) : text };
  } catch (error) {
    return { status: 0, answer: { error: { code: "offline", message: "The server does not answer." } } };
  }
}
