// Where in the recording somebody looks: the view, the part of time, the selection. All of it lives behind the # of the
// address, so that a link leads to the same place; the server never sees it.

export const place = { view: "overview", from: null, to: null, chosen: {} };
const listeners = [];

export const onMove = (listener) => listeners.push(listener);

function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const given = new URLSearchParams(query);
  place.view = path || "overview";
  place.from = given.get("from");
  place.to = given.get("to");
  given.delete("from");
  given.delete("to");
  place.chosen = Object.fromEntries(given);
}

export function hashOf({ view = place.view, from = place.from, to = place.to, chosen = {} } = {}) {
  const query = new URLSearchParams();
  if (from) query.set("from", from);
  if (to) query.set("to", to);
  for (const [key, value] of Object.entries(chosen)) if (value !== null && value !== undefined) query.set(key, value);
  const text = query.toString();
  return `#/${view}${text ? `?${text}` : ""}`;
}

// Goes there: a new entry in the history, or with `quietly` in place of the last one and without an event.
export function go(to, quietly = false) {
  const hash = hashOf(to);
  if (hash === location.hash) return;
  if (!quietly) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  read();
}

// What the selection is, with some of it changed (null: no longer).
export const choose = (changes, quietly = true) => go({ chosen: { ...place.chosen, ...changes } }, quietly);

// The part of the recording as tools take it.
export const range = () => ({ ...(place.from && { from: place.from }), ...(place.to && { to: place.to }) });

// A text as SQL has it.
export const quoted = (text) => (text === null || text === undefined ? "NULL" : `'${String(text).replaceAll("'", "''")}'`);

// As a condition on `timestamp` of SQL; the origin is that of the recording, in nanoseconds.
export function whereTime(column, toNs) {
  const parts = [];
  if (place.from) parts.push(`${column} >= ${toNs(place.from)}`);
  if (place.to) parts.push(`${column} <= ${toNs(place.to)}`);
  return parts.length ? parts.join(" AND ") : "1";
}

export function start() {
  read();
  addEventListener("hashchange", () => {
    read();
    for (const listener of listeners) listener();
  });
}
