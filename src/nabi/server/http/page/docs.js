// The page of the API, made of openapi.json. Every text is a text node.
import { call, session } from "/session.js";

const element = (name, attributes, ...children) => {
  const made = Object.assign(document.createElement(name), attributes);
  made.append(...children);
  return made;
};

// A value that fits a schema, to begin with.
function example(schema, schemas, depth = 0) {
  if (schema.$ref) return example(schemas[schema.$ref.split("/").pop()], schemas, depth);
  if (schema.anyOf) return example(schema.anyOf[0], schemas, depth);
  if ("default" in schema) return schema.default;
  if (schema.enum) return schema.enum[0];
  if (schema.type === "array") return depth < 4 ? [example(schema.items, schemas, depth + 1)] : [];
  if (schema.type === "object") {
    const wanted = Object.entries(schema.properties || {});
    const first = (schema.required || []).length ? schema.required : wanted.slice(0, 1).map(([name]) => name);
    return Object.fromEntries(
      wanted.filter(([name]) => first.includes(name))
        .map(([name, each]) => [name, example(filled(each), schemas, depth + 1)]));
  }
  return { string: "text", integer: 1, number: 1, boolean: true }[schema.type] ?? null;
}

// A field that may be null is shown by what it is otherwise.
function filled(schema) {
  const others = (schema.anyOf || []).filter((each) => each.type !== "null");
  return others.length ? others[0] : schema;
}

function tried(method, path, operation, schemas) {
  const schema = operation.requestBody?.content["application/json"].schema;
  const query = (operation.parameters || []).filter((each) => each.in === "query");
  const id = operation.operationId;
  const body = element("textarea", { id: `body-${id}`, spellcheck: false });
  if (schema) body.value = JSON.stringify(example(schema, schemas), null, 2);
  const asked = element("textarea", { id: `query-${id}`, spellcheck: false });
  const result = element("pre", { hidden: true, tabIndex: 0 });
  result.setAttribute("aria-live", "polite");
  const send = element("button", { type: "button" }, "Send");
  send.addEventListener("click", async () => {
    const lines = asked.value.split("\n").filter(Boolean).map((line) => line.split("="));
    const search = lines.length ? "?" + new URLSearchParams(lines) : "";
    const { status, answer } = await call(method.toUpperCase(), path + search, schema ? body.value : undefined);
    result.hidden = false;
    result.textContent = `${status}\n${typeof answer === "string" ? answer : JSON.stringify(answer, null, 2)}`;
  });
  const parts = [element("p", {}, operation.description || "Open to everybody.")];
  if (query.length) {
    const names = query.map((each) => each.name).join(", ");
    parts.push(element("label", { htmlFor: asked.id }, `Query, a line name=value each: ${names}`), asked);
  }
  if (schema) parts.push(element("label", { htmlFor: body.id }, "Body"), body);
  return [...parts, send, result];
}

async function show() {
  const found = await session();
  const who = document.getElementById("who");
  who.textContent = found.status === 200
    ? `You are ${found.answer.name}, and may ${found.answer.role}.`
    : "No token yet: open the address that nabi serve prints, with #token=… at its end.";
  const { answer: api } = await call("GET", "/openapi.json");
  const calls = document.getElementById("calls");
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const title = element("summary", {}, element("code", {}, `${method.toUpperCase()} ${path}`), ` ${operation.summary}`);
      calls.append(element("details", {}, title, ...tried(method, path, operation, api.components.schemas)));
    }
  }
}

show();
