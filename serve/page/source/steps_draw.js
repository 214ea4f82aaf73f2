// Draws steps as stacked columns: nothing here asks or listens. A column that is much taller than most is cut, and says
// how tall it is: otherwise one slow step would flatten all others.
import { inOrder, inkOf } from "./classes.js";
import { niceStep, shape, timeAxis } from "./picture.js";
import { duration } from "./text.js";

const TOP = 20, BOTTOM = 24;
const LEAST_SHARE = 0.004;  // of the picture's height: what is thinner is not drawn, and stands in the table

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];

// Up to which duration columns are drawn whole.
export function topOf(items) {
  const most = Math.max(...items.map((item) => item.duration_ns));
  const usual = items.filter((item) => !item.is_slow);
  const sorted = (usual.length ? usual : items).map((item) => item.duration_ns).sort((a, b) => a - b);
  return Math.min(most, Math.max(3 * at(sorted, 0.5), 1.2 * at(sorted, 0.9))) || 1;
}

// Where time passed in which no step ended: the column after it stands apart.
function pauses(items) {
  const between = items.slice(1).map((item, i) => item.at - items[i].at - items[i].duration_ns);
  const usual = at([...between].sort((a, b) => a - b), 0.5) ?? 0;
  return new Set(between.flatMap((ns, i) => (ns > Math.max(1e9, 5 * usual) ? [i + 1] : [])));
}

// One class of a column: what was lost at least in the full colour, the rest pale.
function segment(one, column, from, scale, floor) {
  const lost = Math.min(one.low, one.ns);
  const parts = [[one.ns - lost, "pale"], [lost, ""]];
  let below = from;
  const drawn = [];
  for (const [ns, look] of parts) {
    const [bottom, top] = [Math.min(below, floor.top), Math.min(below + ns, floor.top)];
    below += ns;
    const tall = (top - bottom) * scale;
    if (tall >= LEAST_SHARE * floor.height) {
      drawn.push(shape("rect", { class: `${inkOf(one.name)} ${look}`, x: column.x, y: (floor.y - top * scale).toFixed(1), width: column.width, height: tall.toFixed(1) }));
    }
  }
  return drawn;
}

function valueAxis(top, { left, width, y, scale }) {
  const every = niceStep(top / 4);
  const lines = [];
  for (let value = every; value <= top; value += every) {
    const here = Math.round(y - value * scale) + 0.5;
    lines.push(shape("line", { class: "grid", x1: left, x2: width, y1: here, y2: here }),
      shape("text", { class: "axis", x: left - 5, y: here + 4, "text-anchor": "end" }, duration(value)));
  }
  return shape("g", { "aria-hidden": "true" }, lines);
}

// The durations of columns that are cut: the longest first, and none over another.
function cutTexts(items, slots, top) {
  const taken = [];
  const marks = [];
  const cut = items.map((item, i) => ({ item, i })).filter(({ item }) => item.duration_ns > top * 1.001).sort((a, b) => b.item.duration_ns - a.item.duration_ns);
  for (const { item, i } of cut) {
    const text = duration(item.duration_ns);
    const middle = slots[i].x + slots[i].width / 2;
    const half = 3.4 * text.length;
    if (taken.some((other) => Math.abs(other.middle - middle) < half + other.half + 4)) continue;
    taken.push({ middle, half });
    marks.push(shape("text", { class: "axis", x: middle, y: TOP - 7, "text-anchor": "middle" }, text));
  }
  return marks;
}

export function drawSteps(items, width) {
  const height = width < 500 ? 220 : 260;
  const left = width < 500 ? 50 : 62;
  const y = height - BOTTOM;
  const top = topOf(items);
  const scale = (y - TOP) / top;
  const apart = pauses(items);
  const each = Math.min(48, (width - left - 2) / (items.length + apart.size));
  const slots = [], shapes = [];
  let x = left + 2;
  items.forEach((item, i) => {
    if (apart.has(i)) x += each;
    const slot = { x, width: each };
    const column = { x: (x + Math.min(1, each * 0.1)).toFixed(2), width: Math.max(1, each - Math.min(2, each * 0.2)).toFixed(2) };
    const drawn = [];
    let from = 0;
    for (const one of inOrder(item.classes)) {
      drawn.push(...segment(one, column, from, scale, { y, top, height: y - TOP }));
      from += one.ns;
    }
    if (item.duration_ns > top * 1.001) {
      drawn.push(shape("line", { class: "cut-mark", x1: x, x2: x + each, y1: TOP + 9, y2: TOP + 5 }));
    }
    if (item.is_slow) drawn.push(shape("rect", { class: "slow", x: column.x, y: y + 2, width: column.width, height: 4 }));
    slots.push(slot);
    shapes.push(drawn);
    x += each;
  });
  const before = [shape("line", { class: "base", "aria-hidden": "true", x1: left, x2: width, y1: y + 0.5, y2: y + 0.5 }),
    timeAxis(slots.map((slot, i) => ({ x: slot.x, at: items[i].at })), height - 5, width), shape("g", { "aria-hidden": "true" }, cutTexts(items, slots, top))];
  return { height, slots, shapes, behind: [valueAxis(top, { left, width, y, scale })], before };
}
