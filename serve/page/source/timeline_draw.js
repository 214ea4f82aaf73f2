// Drawing tracks on a canvas: nothing here asks or listens. Only what is in sight is drawn, and at most a few rectangles
// for each column, so that a picture takes the same time whatever the recording holds.
import { duration } from "./text.js";

export const ROW = 22;
export const AXIS = 24;

let colours = null;
export function forgetColours() {
  colours = null;
}
export function colour(name) {
  if (!colours) {
    colours = new Map();
    colours.style = getComputedStyle(document.documentElement);
  }
  if (!colours.has(name)) colours.set(name, colours.style.getPropertyValue(`--${name}`).trim() || "#888");
  return colours.get(name);
}

function step(span, columns) {
  const least = (span / Math.max(2, columns / 110));
  const power = 10 ** Math.floor(Math.log10(least));
  for (const times of [1, 2, 5, 10]) if (times * power >= least) return times * power;
  return 10 * power;
}

// A time on the axis, with as many digits as tell it from its neighbours.
function label(at, every) {
  const [unit, scale] = [["s", 1e9], ["ms", 1e6], ["µs", 1e3], ["ns", 1]].find(([, size]) => Math.abs(at) >= size) ?? ["ns", 1];
  if (at === 0 || at >= 1.2e11) return duration(at);
  return `${(at / scale).toFixed(Math.max(0, Math.ceil(Math.log10(scale / every) - 1e-9)))} ${unit}`;
}

export function drawAxis(pen, { from, to, left, width, height }) {
  const every = step(to - from, width);
  pen.fillStyle = colour("quiet");
  pen.strokeStyle = colour("line");
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  pen.beginPath();
  for (let at = Math.ceil(from / every) * every; at <= to; at += every) {
    const x = Math.round(left + ((at - from) / (to - from)) * width) + 0.5;
    pen.moveTo(x, AXIS - 5);
    pen.lineTo(x, height);
    if (x < left + width - 40) pen.fillText(label(Math.round(at), every), x + 3, AXIS / 2);
  }
  pen.stroke();
}

function drawBins(pen, view, { from, to, left, width }, y) {
  const scale = width / (to - from);
  for (let i = 0; i < view.bins.length; i += 4) {
    const start = view.from + view.bins[i] * view.binNs;
    if (start > to) break;
    if (start + view.binNs < from) continue;
    const x = Math.round(left + Math.max(0, start - from) * scale);  // whole pixels: no seams between neighbours
    const wide = Math.max(1, Math.round(left + Math.min(to - from, start + view.binNs - from) * scale) - x);
    // Something that happened is seen, however short it was.
    const tall = Math.max(3, (view.bins[i + 2] / 1000) * (ROW - 6));
    pen.fillStyle = colour(view.ops[view.bins[i + 3]].kind);
    pen.fillRect(x, y + ROW - 3 - tall, wide, tall);
  }
}

function drawSlices(pen, view, { from, to, left, width, chosen }, y) {
  const scale = width / (to - from);
  let last = [-1, -1];  // rightmost pixel drawn, by whether it is nested: what is narrower than a pixel there adds nothing
  pen.font = "11px system-ui, sans-serif";
  pen.textBaseline = "middle";
  for (const slice of view.slices) {
    if (slice.start > to) break;
    const end = slice.duration === null ? to : slice.start + slice.duration;
    if (end < from) continue;
    const x = left + Math.max(0, (slice.start - from) * scale);
    const right = left + Math.min(width, (end - from) * scale);
    const nested = slice.depth > 0 ? 1 : 0;
    const isChosen = chosen === slice.seq;
    if (right - x < 1 && x < last[nested] && !isChosen) continue;
    const wide = Math.max(1, right - x);
    last[nested] = x + wide;
    const top = nested ? y + 3 + Math.min(3, slice.depth) * 4 : y + 3;
    const tall = nested ? Math.max(3, ROW - 6 - Math.min(3, slice.depth) * 4) : ROW - 6;
    pen.globalAlpha = slice.duration === null ? 0.5 : 1;
    pen.fillStyle = colour(slice.op.kind);
    pen.fillRect(x, top, wide, tall);
    pen.globalAlpha = 1;
    if (nested) {
      pen.fillStyle = colour("card");
      pen.fillRect(x, top - 1, wide, 1);
    }
    if (slice.failed) {
      pen.fillStyle = colour("critical");
      pen.fillRect(x, y + 1, Math.max(2, wide), 2);
    }
    if (isChosen) {
      pen.strokeStyle = colour("ink");
      pen.lineWidth = 2;
      pen.strokeRect(x, y + 2, wide, ROW - 4);
      pen.lineWidth = 1;
    }
    if (wide > 34 && !nested) {
      pen.fillStyle = colour("card");
      const room = Math.floor((wide - 6) / 6);
      const name = slice.op.op;
      pen.fillText(name.length <= room ? name : `${name.slice(0, Math.max(1, room - 1))}…`, x + 3, y + ROW / 2);
    }
  }
}

// lines: { track, chains } in sight, each with its y.
export function drawTracks(pen, lines, views, look) {
  for (const { line, y } of lines) {
    if (line.track && line.track.lane === look.track) {
      pen.fillStyle = colour("chosen");
      pen.fillRect(0, y, look.left + look.width, ROW);
    }
    if (line.chains) {
      const scale = look.width / (look.to - look.from);
      for (const chain of line.chains) {
        const x = Math.max(look.left, look.left + (chain.from - look.from) * scale);
        const right = Math.min(look.left + look.width, look.left + (chain.to - look.from) * scale);
        if (right < look.left || x > look.left + look.width) continue;
        pen.fillStyle = colour("chain");
        pen.globalAlpha = chain.id === look.chain ? 0.9 : 0.5;
        pen.fillRect(x, y + 4, Math.max(3, right - x), ROW - 8);
        pen.globalAlpha = 1;
      }
      continue;
    }
    const view = line.track ? views.get(line.track.lane) : null;
    if (!view) continue;
    drawBins(pen, view, look, y);
    drawSlices(pen, view, look, y);
  }
}
