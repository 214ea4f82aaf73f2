// Draws ranks by time: a column is a collective, a cell how long after the first its rank came, and a dot who came last.
// Nothing here asks or listens.
import { shape, timeAxis } from "./picture.js";
import { rankName } from "./ranks_data.js";

const BOTTOM = 22, TOP = 4;
const LEAST_NS = 100000;  // of the full colour: ranks that come less apart than this are as good as together

// The ranks from top to bottom, each with its place.
export function ranksOf(items) {
  const found = new Map();
  for (const item of items) for (const entry of item.entries) found.set(rankName(entry), entry);
  const names = [...found].sort(([, one], [, other]) => (one.rank ?? 1e9) - (other.rank ?? 1e9) || one.pid - other.pid).map(([name]) => name);
  return new Map(names.map((name, i) => [name, i]));
}

// How late a rank has to come for the full colour.
export const latest = (items) => items.reduce((most, item) => Math.max(most, item.skew_ns), LEAST_NS);

export function drawRanks(items, ranks, width) {
  const tall = ranks.size > 64 ? 8 : ranks.size > 16 ? 14 : 24;
  const left = width < 500 ? 54 : 70;
  const height = TOP + tall * ranks.size + BOTTOM;
  const each = Math.min(32, (width - left - 2) / items.length);
  const full = latest(items);
  const everyName = Math.ceil(14 / tall);
  const names = [...ranks].filter(([, i]) => i % everyName === 0).map(([name, i]) => shape("text", { class: "axis", x: left - 6, y: TOP + (i + 0.5) * tall + 4, "text-anchor": "end" }, name));
  const slots = items.map((_, i) => ({ x: left + i * each, width: each }));
  const shapes = items.map((item, i) => {
    const came = new Set();
    const cell = { x: (slots[i].x + 0.5).toFixed(2), width: Math.max(1, each - 1).toFixed(2), height: tall - 2 };
    const drawn = item.entries.map((entry) => {
      const row = ranks.get(rankName(entry));
      came.add(row);
      return shape("rect", { ...cell, class: "late", y: TOP + row * tall + 1, "fill-opacity": (0.06 + 0.94 * Math.min(1, entry.late_ns / full)).toFixed(3) });
    });
    for (const row of ranks.values()) if (!came.has(row)) drawn.push(shape("rect", { ...cell, class: "absent", y: TOP + row * tall + 1 }));
    const last = ranks.get(rankName({ rank: item.last_rank, pid: item.last_pid }));
    if (last !== undefined) drawn.push(shape("circle", { class: "last", cx: (slots[i].x + each / 2).toFixed(2), cy: TOP + (last + 0.5) * tall, r: Math.max(1.2, Math.min(4, each / 3, tall / 4)).toFixed(2) }));
    return drawn;
  });
  const axis = timeAxis(slots.map((slot, i) => ({ x: slot.x, at: items[i].at })), height - 6, width);
  return { height, slots, shapes, behind: [shape("g", { "aria-hidden": "true" }, names)], before: [axis] };
}
