// Ranks by time as a picture: a row is a node, a column a window, a cell its worst rank; next to it each node's ranks now.
// A cell is chosen by pointer or by arrow keys and said in words; the chosen node has its ranks and its commands below.
import { ask } from "../ask.js";
import { card, cuts, table } from "../table.js";
import { forgetColours } from "../timeline_draw.js";
import { count, el } from "../text.js";
import { HeatData, MOST_WINDOWS, UNKNOWN, byName, worstNow } from "./heat_data.js";
import { LIMITS, boxOf, drawHeat, layoutOf } from "./heat_draw.js";
import { clock, stamp } from "./times.js";
import { chosen, pick } from "./where.js";

const MOST_NODES = 4096;
const AROUND_NS = 10000000000n;  // before and after a window, in the commands
const LEAST_ROWS = 8;
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
const inWords = (percent) => (percent === UNKNOWN ? "not known: it was not compared" : `${Math.abs(percent)} % ${percent < 0 ? "less" : "more"} own work than its peers' median`);
const percentText = (percent) => (percent === UNKNOWN ? "–" : `${percent} %`);

function legend() {
  const names = LIMITS.map((limit, i) => (i === 0 ? `up to ${limit} %` : `to ${limit} %`));
  return el("ul", { class: "legend", "aria-label": "Colours: how much more own work than the median of its peers" },
    [...names, `over ${LIMITS.at(-1)} %`].map((name, i) => el("li", {}, el("i", { class: `kind tone${i}` }), name)),
    el("li", {}, el("i", { class: "kind tone-none" }), "not known"), el("li", {}, "▶ late (▷ suspected), ■ waited for in a hang"));
}

export class HeatCard {
  constructor(cluster, signal, dashboardUrl) {
    Object.assign(this, { cluster, signal, dashboardUrl, data: new HeatData(), rows: [], marks: new Map(), since: new Map(), at: null, top: 0, shown: 1, known: null, turn: 0 });
    this.canvas = el("canvas", { tabindex: "0", role: "application", id: "heat", "aria-roledescription": "heat map", "aria-describedby": "cell",
      "aria-label": "Ranks by time. Arrow keys choose a cell, Page Up and Page Down go a tenth, Home and End to the ends, plus and minus zoom." });
    this.canvas.frames = [];
    this.canvas.boxOf = (node, column) => this.box(node, column);
    this.cell = el("p", { id: "cell", "aria-live": "polite" }, "Choose a cell: click it, or use the arrow keys.");
    this.place = el("div", { class: "tracks" }, this.canvas);
    this.cutList = el("div");
    this.table = el("details", { ontoggle: () => this.fillTable() }, el("summary", {}, "The picture as a table"));
    this.node = el("section", { class: "card", id: "node", hidden: true });
    const button = (title, act) => el("button", { onclick: act }, title);
    this.element = el("div", { class: "view" }, card("Ranks by time", el("div", { class: "bar" }, button("Closer", () => this.zoom(0.5)), button("Farther", () => this.zoom(2)),
      button("All nodes", () => this.zoom(Infinity)), button("Next late node", () => this.nextLate())), this.place, legend(), this.cell, this.cutList, this.table), this.node);
    this.observer = new ResizeObserver(() => this.schedule());
    this.observer.observe(this.place);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.recolour = () => { forgetColours(); this.schedule(); };
    this.scheme.addEventListener("change", this.recolour);
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("click", (event) => this.onClick(event));
  }

  close() {
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.recolour);
    cancelAnimationFrame(this.due);
  }

  get ranks() { return Math.min(64, this.rows.reduce((most, row) => Math.max(most, row.ranks.length), 0)); }

  async update({ jobs, outliers, hangs }) {
    const [job] = [...jobs].sort((one, other) => (other.compares === "own work") - (one.compares === "own work") || other.ranks - one.ranks);
    this.job = job ?? null;
    this.marks = new Map();
    for (const one of outliers) if (this.marks.get(one.node_id) !== "named") this.marks.set(one.node_id, one.state);
    for (const hang of hangs) for (const one of hang.evidence.ranks) this.marks.set(one.node_id, "hang");
    const last = job ? `${job.job_id} ${job.last_window_end_ns}` : null;
    if (job && this.known !== last) {
      const answer = await ask("effects", { cluster_id: job.cluster_id, job_id: job.job_id ?? "", windows: MOST_WINDOWS, top_n: MOST_NODES,
        ...(this.data.columns && { from_ns: Number(this.data.end) }) }, this.signal);
      this.data.take(answer, answer.nodes.map((one) => ({ name: one.node_id, ranks: one.ranks, latest: one.latest_percent, values: one.worst_percent })));
      this.known = last;
      const isWhole = this.shown >= this.rows.length;
      this.rows = [...this.data.rows.values()].sort(byName);
      if (isWhole) Object.assign(this, { top: 0, shown: Math.max(1, this.rows.length) });
      this.cutList.replaceChildren(cuts(answer) ?? "");
      this.fillTable();
      if (!this.at && chosen().node) this.chooseNode(chosen().node);
      else if (this.at) await this.showNode();
    }
    this.schedule();
  }

  schedule() {
    if (!this.due) this.due = requestAnimationFrame(() => { this.due = 0; this.draw(); });
  }

  draw() {
    const width = this.place.clientWidth;
    if (!width) return;
    const height = clamp(this.rows.length * 16 + 42, 120, Math.max(300, innerHeight - 260)), ratio = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
      this.canvas.style.height = `${height}px`;
    }
    Object.assign(this, { width, height });
    const begin = performance.now();
    drawHeat(this.canvas.getContext("2d"), { data: this.data, rows: this.rows, ranks: this.ranks, top: this.top, shown: this.shown, width, height, ratio, marks: this.marks,
      chosen: this.where(), titles: { time: "each node's worst rank", ranks: "its ranks now" } });
    this.canvas.frames.push(performance.now() - begin);
    if (this.canvas.frames.length > 1000) this.canvas.frames.shift();
  }

  // The chosen cell as a row and a column: of windows, then of ranks.
  where() {
    const row = this.at ? this.rows.findIndex((one) => one.name === this.at.node) : -1;
    if (row < 0) return null;
    const column = this.at.place === undefined ? Math.max(0, this.data.column(this.at.window)) : this.data.columns + this.at.place;
    return { row, column };
  }

  // Where a cell is drawn, for tests.
  box(node, column) {
    return boxOf(layoutOf(this.width, this.height, this.data.columns, this.ranks), this, this.rows.findIndex((one) => one.name === node), column, this.data.columns);
  }

  choose(row, column) {
    if (!this.rows.length || !this.data.columns) return;
    const one = this.rows[clamp(row, 0, this.rows.length - 1)], { columns } = this.data;
    const at = clamp(column, 0, columns + one.ranks.length - 1);
    this.at = at < columns ? { node: one.name, window: this.data.begin(at) } : { node: one.name, place: at - columns };
    this.fromNs = null;
    const index = this.rows.indexOf(one);
    this.top = clamp(this.top, Math.min(index, Math.max(0, index - this.shown + 1)), Math.min(index, this.rows.length - this.shown));
    this.say(one, at);
  }

  say(one, at) {
    const { columns, windowNs } = this.data, start = this.data.begin(at);
    this.cell.textContent = at < columns ? `${one.name}, ${clock(start)} to ${clock(start + windowNs)} UTC: its worst rank: ${inWords(one.values[at])}.`
      : `Rank ${one.ranks[at - columns]} on ${one.name}, in the newest window: ${inWords(one.latest[at - columns])}.`;
    pick({ node: one.name });
    this.schedule();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.showNode(), 150);
  }

  chooseNode(name, fromNs = null) {
    const row = this.rows.findIndex((one) => one.name === name);
    if (row < 0) return;
    this.choose(row, this.data.columns - 1);
    this.fromNs = fromNs;
  }

  nextLate() {
    const from = this.where()?.row ?? -1;
    for (let i = 1; i <= this.rows.length; i++) {
      const row = this.rows[(from + i) % this.rows.length];
      if (this.marks.has(row.name)) return this.chooseNode(row.name);
    }
    this.cell.textContent = "No node is late, and none is waited for.";
  }

  zoom(by) {
    const all = Math.max(1, this.rows.length), middle = this.where()?.row ?? this.top + this.shown / 2;
    this.shown = Math.round(clamp(this.shown * by, Math.min(LEAST_ROWS, all), all));
    this.top = Math.round(clamp(middle - this.shown / 2, 0, all - this.shown));
    this.schedule();
  }

  moved() { if (chosen().node && chosen().node !== this.at?.node) this.chooseNode(chosen().node); }

  onKey(event) {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const { row, column } = this.where() ?? { row: 0, column: this.data.columns };
    const tenth = Math.max(1, Math.round(this.shown / 10));
    const to = { ArrowLeft: [row, column - 1], ArrowRight: [row, column + 1], ArrowUp: [row - 1, column], ArrowDown: [row + 1, column],
      PageUp: [row - tenth, column], PageDown: [row + tenth, column], Home: [row, 0], End: [row, this.data.columns - 1] }[event.key];
    if (to) this.choose(...to);
    else if (event.key === "+") this.zoom(0.5);
    else if (event.key === "-") this.zoom(2);
    else return;
    event.preventDefault();
  }

  onClick(event) {
    const box = this.canvas.getBoundingClientRect(), layout = layoutOf(this.width, this.height, this.data.columns, this.ranks);
    const x = event.clientX - box.left, y = event.clientY - box.top;
    const row = Math.floor(this.top + ((y - layout.top) * this.shown) / layout.height);
    if (layout.ranks.width && x >= layout.ranks.x) this.choose(row, this.data.columns + Math.floor((x - layout.ranks.x) / layout.ranks.each));
    else this.choose(row, clamp(Math.floor((x - layout.time.x) / layout.time.each), 0, this.data.columns - 1));
  }

  fillTable() {
    if (!this.table.open) return;
    this.table.lastElementChild.tagName !== "SUMMARY" && this.table.lastElementChild.remove();
    this.table.append(table({ caption: "Nodes; choose one", rows: this.rows, sorted: 1, choose: (row) => this.chooseNode(row.name), columns: [
      { head: "Node", text: (row) => row.name, sort: (row) => row.name },
      { head: "Worst rank now", number: true, text: (row) => percentText(worstNow(row)), sort: worstNow },
      { head: "Most in this time", number: true, text: (row) => percentText(Math.max(...row.values)), sort: (row) => Math.max(...row.values) }] }));
  }

  // Where the server knows the address of dashboards (--dashboard-url), a link; else what to type on the node.
  wayToRecording(node, from, to) {
    const hash = `#/overview?from=${from}&to=${to}`;
    if (this.dashboardUrl) {
      const address = this.dashboardUrl.replaceAll("{node}", encodeURIComponent(node)) + hash;
      return [el("p", {}, el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, `The recording of ${node} from ${from} to ${to}`))];
    }
    return [el("p", {}, "On this node its recording says why:"), el("pre", { class: "commands" }, `ingero explain --from ${from} --to ${to}\ningero dashboard    # then ${hash} behind its address`),
      el("p", {}, "With fleet serve --dashboard-url there is a link to it here.")];
  }

  async showNode() {
    const turn = ++this.turn, { at, job } = this;
    if (!at || !job) return;
    try {
      const answer = await ask("effects", { cluster_id: job.cluster_id, job_id: job.job_id ?? "", node_id: at.node, windows: MOST_WINDOWS }, this.signal);
      if (turn !== this.turn) return;
      const from = this.fromNs ? BigInt(this.fromNs) : at.window ?? this.data.begin(0);
      const to = this.fromNs || at.window === undefined ? this.data.end : at.window + this.data.windowNs;
      const [first, last] = [stamp(from - AROUND_NS), stamp(to + AROUND_NS)];
      const known = (one) => one.effect_percent.filter((value) => value !== null);
      this.node.hidden = false;
      this.node.replaceChildren(el("h2", {}, at.node), table({ caption: `Ranks of ${at.node}`, rows: answer.ranks, columns: [
        { head: "Rank", text: (one) => `rank ${one.rank}`, sort: (one) => one.rank },
        { head: "Now", number: true, text: (one) => percentText(one.effect_percent.at(-1) ?? UNKNOWN), sort: (one) => one.effect_percent.at(-1) },
        { head: "Most in this time", number: true, text: (one) => percentText(Math.max(UNKNOWN, ...known(one))), sort: (one) => Math.max(UNKNOWN, ...known(one)) },
        { head: "Windows compared", number: true, text: (one) => count(known(one).length) }] }),
      ...this.wayToRecording(at.node, first, last));
    } catch (error) {
      if (error.name === "AbortError" || turn !== this.turn) return;
      this.node.hidden = false;
      this.node.replaceChildren(el("h2", {}, at.node), el("p", { role: "alert" }, error.message));
    }
  }
}
