// Draws ranks by time: a row is a node (or a rank), a column a window, and the darker a cell (in dark mode the brighter) the
// longer its own work than that of its peers. Nothing here asks or listens.
//
// A picture has one pixel for each cell, which the canvas stretches: so the time that it takes hardly depends on the
// size of the window. Where rows are more than the window has lines, a line shows the worst of its rows.
import { UNKNOWN } from "./heat_data.js";
import { clock } from "./times.js";
import { colour } from "../timeline_draw.js";

export const LIMITS = [2, 5, 10, 20, 30, 50];  // percent: beyond each begins the next tone
export const toneOf = (percent) => {
  let tone = 0;
  while (tone < LIMITS.length && percent > LIMITS[tone]) tone++;
  return tone;
};
const TOP = 20, BOTTOM = 22, GAP = 12;
const LEAST_MARK = 7;  // px, of what shows a chosen cell or a mark however low its row is

// Where things stand: in a width and a height, for a number of columns and of ranks of a node (0: they have no place).
export function layoutOf(width, height, columns, ranks) {
  const left = width < 500 ? 84 : 128;
  const rankEach = ranks ? Math.max(4, Math.min(20, Math.floor(((width - left) * 0.3) / ranks))) : 0;
  const rankWidth = rankEach * ranks;
  const timeWidth = Math.max(20, width - left - 2 - (ranks ? rankWidth + GAP : 0));
  return { left, top: TOP, height: height - TOP - BOTTOM, bottom: height - BOTTOM,
    time: { x: left, width: timeWidth, each: timeWidth / Math.max(1, columns) }, ranks: { x: left + timeWidth + GAP, width: rankWidth, each: rankEach } };
}

// Colours as the pixels of an ImageData have them, on machines whose bytes are in this order (all that run browsers).
function inks() {
  const pixel = (name) => {
    const number = parseInt(colour(name).slice(1), 16);
    return (0xff000000 | ((number & 0xff) << 16) | (number & 0xff00) | (number >> 16)) >>> 0;
  };
  return Uint32Array.from({ length: LIMITS.length + 1 }, (_, i) => pixel(`heat-${i}`));
}

const stage = document.createElement("canvas");

// The cells of rows `first` to `last` into `lines` lines. cellsOf(row): an Int16Array.
function paint(pen, rows, { top, shown }, lines, columns, cellsOf, box, palette) {
  const image = new ImageData(columns, lines);
  const pixels = new Uint32Array(image.data.buffer);
  const worst = new Int16Array(columns);
  for (let line = 0; line < lines; line++) {
    const first = Math.floor(top + (line * shown) / lines);
    const last = Math.min(rows.length, Math.max(first + 1, Math.floor(top + ((line + 1) * shown) / lines)));
    worst.fill(UNKNOWN);
    for (let row = first; row < last; row++) {
      const cells = cellsOf(rows[row]);
      const count = Math.min(columns, cells.length);
      for (let i = 0; i < count; i++) if (cells[i] > worst[i]) worst[i] = cells[i];
    }
    for (let i = 0; i < columns; i++) if (worst[i] !== UNKNOWN) pixels[line * columns + i] = palette[toneOf(worst[i])];
  }
  if (stage.width < columns || stage.height < lines) Object.assign(stage, { width: Math.max(stage.width, columns), height: Math.max(stage.height, lines) });
  const staged = stage.getContext("2d");
  staged.clearRect(0, 0, columns, lines);
  staged.putImageData(image, 0, 0);
  pen.imageSmoothingEnabled = false;
  pen.drawImage(stage, 0, 0, columns, lines, box.x, box.y, box.width, box.height);
}

// What is not known shows what lies behind: hatching.
function hatch(pen, box) {
  pen.save();
  pen.beginPath();
  pen.rect(box.x, box.y, box.width, box.height);
  pen.clip();
  pen.fillStyle = colour("heat-none");
  pen.fill();
  pen.strokeStyle = colour("heat-hatch");
  pen.lineWidth = 1;
  pen.beginPath();
  for (let x = box.x - box.height; x < box.x + box.width; x += 7) {
    pen.moveTo(x, box.y + box.height);
    pen.lineTo(x + box.height, box.y);
  }
  pen.stroke();
  pen.restore();
}

function separators(pen, layout, { shown }, part, rowHeight) {
  pen.fillStyle = colour("card");
  if (rowHeight >= 6) for (let i = 1; i < shown; i++) pen.fillRect(part.x, Math.round(layout.top + i * rowHeight) - 1, part.width, 1);
  if (part.each >= 6) for (let x = part.x + part.each; x < part.x + part.width - 1; x += part.each) pen.fillRect(Math.round(x) - 1, layout.top, 1, layout.height);
}

function labels(pen, rows, layout, { top, shown }, rowHeight) {
  pen.fillStyle = colour("quiet");
  pen.textBaseline = "middle";
  pen.textAlign = "right";
  const every = Math.max(1, Math.ceil(15 / rowHeight));
  for (let row = Math.ceil(top / every) * every; row < top + shown && row < rows.length; row += every) {
    const y = layout.top + (row - top + 0.5) * rowHeight;
    if (y > layout.bottom - 4 && rowHeight < 8) break;
    pen.fillText(rows[row].name, layout.left - 18, Math.max(layout.top + 5, y), layout.left - 20);
  }
  pen.textAlign = "left";
}

// A triangle: it is late, full where it is named; a square: its ranks are what a job that hangs waits for.
function drawMarks(pen, rows, marks, layout, { top, shown }, rowHeight) {
  for (let row = Math.floor(top); row < Math.min(rows.length, top + shown); row++) {
    const mark = marks.get(rows[row].name);
    if (!mark) continue;
    const y = layout.top + (row - top + 0.5) * rowHeight, x = layout.left - 13;
    pen.fillStyle = pen.strokeStyle = colour("critical");
    pen.beginPath();
    if (mark === "hang") pen.rect(x + 1, y - 4, 8, 8);
    else {
      pen.moveTo(x, y - 5);
      pen.lineTo(x + 10, y);
      pen.lineTo(x, y + 5);
      pen.closePath();
    }
    if (mark === "suspect") pen.stroke();
    else pen.fill();
  }
}

function axis(pen, data, layout, titles) {
  pen.fillStyle = colour("quiet");
  pen.textBaseline = "middle";
  pen.fillText(titles.time, layout.time.x, TOP / 2, layout.time.width);
  if (layout.ranks.width) pen.fillText(titles.ranks, layout.ranks.x, TOP / 2, layout.ranks.width + 2);
  const every = Math.max(1, Math.ceil(74 / layout.time.each));
  const last = data.columns - 1;
  for (let column = last % every; column <= last; column += every) {
    const x = layout.time.x + column * layout.time.each;
    pen.fillRect(Math.round(x), layout.bottom, 1, 5);
    if (x + 52 <= layout.time.x + layout.time.width + 4) pen.fillText(clock(data.begin(column)), x + 3, layout.bottom + 12);
  }
}

// A box around a cell that can be seen however small the cell is.
export function boxOf(layout, { top, shown }, row, column, columns) {
  const rowHeight = layout.height / shown;
  const part = column < columns ? layout.time : layout.ranks;
  const x = part.x + (column < columns ? column : column - columns) * part.each;
  return { x, y: layout.top + (row - top) * rowHeight, width: part.each, height: rowHeight };
}

function drawChosen(pen, box, layout) {
  const width = Math.max(LEAST_MARK, box.width), height = Math.max(LEAST_MARK, box.height);
  const [x, y] = [box.x + box.width / 2 - width / 2, box.y + box.height / 2 - height / 2];
  if (y + height < layout.top - LEAST_MARK || y > layout.bottom + LEAST_MARK) return;
  pen.lineWidth = 4;
  pen.strokeStyle = colour("card");
  pen.strokeRect(x - 1, y - 1, width + 2, height + 2);
  pen.lineWidth = 2;
  pen.strokeStyle = colour("focus");
  pen.strokeRect(x - 1, y - 1, width + 2, height + 2);
}

// view: { data, rows, ranks, top, shown, width, height, ratio, marks, chosen: { row, column } or null, titles }
export function drawHeat(pen, view) {
  const { data, rows, ranks, width, height } = view;
  const layout = layoutOf(width, height, data.columns, ranks);
  pen.setTransform(view.ratio, 0, 0, view.ratio, 0, 0);
  pen.fillStyle = colour("card");
  pen.fillRect(0, 0, width, height);
  pen.font = "11px system-ui, sans-serif";
  pen.lineWidth = 1;
  const rowHeight = layout.height / view.shown;
  const palette = inks();
  const lines = Math.max(1, Math.min(Math.ceil(view.shown), Math.round(layout.height)));
  const parts = [[layout.time, data.columns, (row) => row.values]];
  if (ranks) parts.push([layout.ranks, ranks, (row) => row.latest]);
  for (const [part, columns, cellsOf] of parts) {
    const box = { x: part.x, y: layout.top, width: part.width, height: layout.height };
    hatch(pen, box);
    if (columns && rows.length) paint(pen, rows, view, lines, columns, cellsOf, box, palette);
    separators(pen, layout, view, part, rowHeight);
  }
  labels(pen, rows, layout, view, rowHeight);
  drawMarks(pen, rows, view.marks, layout, view, rowHeight);
  axis(pen, data, layout, view.titles);
  if (view.chosen) drawChosen(pen, boxOf(layout, view, view.chosen.row, view.chosen.column, data.columns), layout);
  return layout;
}
