// Numbers and times as people read them, and elements whose text can never be markup.

// An element: properties, then children; a string becomes text, whatever is in it. "class" and aria-* are attributes.
export function el(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat(2)) {
    if (child === undefined || child === null || child === false) continue;
    made.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return made;
}

export const UNKNOWN = "–";
const known = (value) => value !== null && value !== undefined;

function three(value) {
  const size = Math.abs(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(2);
}

const STEPS = [["s", 1e9], ["ms", 1e6], ["µs", 1e3]];
export function duration(ns) {
  if (!known(ns)) return UNKNOWN;
  const size = Math.abs(ns);
  if (size === 0) return "0";
  if (size >= 3.6e12) return `${(ns / 3.6e12).toFixed(1)} h`;
  if (size >= 1.2e11) return `${(ns / 6e10).toFixed(1)} min`;
  for (const [unit, scale] of STEPS) if (size >= scale) return `${three(ns / scale)} ${unit}`;
  return `${Math.round(ns)} ns`;
}

export function bytes(value) {
  if (!known(value)) return UNKNOWN;
  for (const [unit, scale] of [["TB", 1e12], ["GB", 1e9], ["MB", 1e6], ["kB", 1e3]]) {
    if (Math.abs(value) >= scale) return `${three(value / scale)} ${unit}`;
  }
  return `${value} B`;
}

export function count(value) {
  return known(value) ? Number(value).toLocaleString("en") : UNKNOWN;
}

// Numbers of any size on an axis.
export function short(value) {
  for (const [unit, scale] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]]) {
    if (Math.abs(value) >= scale) return `${+(value / scale).toPrecision(3)}${unit}`;
  }
  return String(+value.toPrecision(3));
}

export function percent(part) {
  return known(part) && Number.isFinite(part) ? `${(100 * part).toFixed(part < 0.1 ? 1 : 0)} %` : UNKNOWN;
}

// Wall times are texts with nanoseconds (RFC 3339, UTC); a number of nanoseconds since 1970 does not fit a double.
export function wallNs(text) {
  const found = /^(.*?)(?:\.(\d{1,9}))?Z$/.exec(text ?? "");
  const seconds = found ? Date.parse(`${found[1]}Z`) : NaN;
  return Number.isNaN(seconds) ? null : BigInt(seconds) * 1000000n + BigInt((found[2] ?? "").padEnd(9, "0"));
}

export function wallText(ns) {
  const second = ns / 1000000000n;
  const date = new Date(Number(second) * 1000).toISOString();
  return `${date.slice(0, 19)}.${String(ns - second * 1000000000n).padStart(9, "0")}Z`;
}

// The time of day of a text, with milliseconds.
export function timeOfDay(text) {
  return text ? text.slice(11, 23).replace("Z", "") : UNKNOWN;
}
