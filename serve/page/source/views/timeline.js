// The timeline: tracks of chains, ranks, threads, streams and host events; wheel, drag, keys.
import { ask, rows } from "../ask.js";
import { choose, go, place } from "../place.js";
import { card, cuts, facts } from "../table.js";
import { TimelineData } from "../timeline_data.js";
import { AXIS, ROW, colour, drawAxis, drawTracks, forgetColours } from "../timeline_draw.js";
import { bytes, count, duration, el, timeOfDay, wallNs } from "../text.js";

const LEAST_NS = 100;
const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

function trackTitle(track) {
  if (track.group === "thread") return `thread ${track.tid}`;
  if (track.group === "stream") return track.stream === 0 ? "default stream" : `stream ${BigInt(track.stream).toString(16)}`;
  if (track.group === "rank") return track.rank === null ? `rank unknown (pid ${track.pid})` : `rank ${track.rank}${track.nranks ? ` of ${track.nranks}` : ""}`;
  return track.op;
}

const processTitle = (track) => `${track.process || "?"} ${track.pid}${track.node ? ` on ${track.node}` : ""}`;

// The lines from top to bottom: headings, tracks, and the causes above all.
function linesOf(tracks, chains) {
  const lines = [];
  if (chains.length) lines.push({ title: "Causes", chains });
  let heading = null;
  for (const track of tracks) {
    const above = track.group === "rank" ? "Collectives by rank" : processTitle(track);
    if (above !== heading) lines.push({ heading: above });
    heading = above;
    lines.push({ track, title: trackTitle(track) });
  }
  return lines;
}

class TimelineView {
  constructor(main, context) {
    this.context = context;
    this.data = new TimelineData(context, () => { this.arrange(); this.schedule(); });
    this.chains = [];
    this.lines = [];
    this.top = 0;
    this.frames = [];
    this.canvas = el("canvas", { tabindex: "0", role: "application", id: "tracks", "aria-roledescription": "timeline",
      "aria-label": "Timeline. Arrow keys move, plus and minus zoom, comma and period choose calls; ? lists the keys.", "aria-describedby": "chosen-call" });
    this.detail = el("div", { id: "chosen-call", "aria-live": "polite" });
    this.scroller = el("div", { class: "tracks" }, this.canvas);
    this.where = el("span", { class: "quiet" });
    const button = (title, act, keys) => el("button", { onclick: act, title: keys ? `${title} (${keys})` : title }, title);
    this.cutList = el("div");
    this.legend = el("ul", { class: "legend", "aria-label": "Colours" });
    main.append(el("section", { class: "card" }, el("h2", {}, "Timeline"),
      el("div", { class: "bar" }, button("Closer", () => this.zoom(0.5), "+"), button("Farther", () => this.zoom(2), "−"),
        button("Earlier", () => this.pan(-0.3), "←"), button("Later", () => this.pan(0.3), "→"), button("Whole", () => this.whole(), "0"), this.where),
      this.scroller, this.legend, this.cutList), card("The chosen call", this.detail));
    this.listen();
  }

  // Of the kinds that the tracks show, so that each colour in the picture is named and no other.
  drawLegend() {
    const kinds = this.data.kinds();
    this.legend.replaceChildren(...kinds.map((kind) => el("li", {}, el("i", { class: `kind ${kind}` }), kind)),
      ...(this.chains.length ? [el("li", {}, el("i", { class: "kind chain" }), "cause")] : []),
      ...(this.data.hasFailed() ? [el("li", {}, el("i", { class: "kind failed" }), "failed")] : []));
  }

  async start() {
    const { context } = this;
    const offset = (text, otherwise) => (text && wallNs(text) !== null ? Number(wallNs(text) - context.origin) : otherwise);
    const whole = Math.max(context.spanNs, 1000);
    this.from = offset(place.from, -0.01 * whole);
    this.to = Math.max(this.from + LEAST_NS, offset(place.to, 1.01 * whole));
    this.track = place.chosen.lane ?? null;
    this.chosen = place.chosen.call ? Number(place.chosen.call) : null;
    const found = await ask("get_causal_chains", { top_n: -1 }, context.signal);
    // By the clock of one node, as the tracks are.
    const ahead = new Map((found.clocks ?? []).map((one) => [one.node, one.offset_ns ?? 0]));
    const at = (chain, text) => Number(wallNs(text) - context.origin) - (ahead.get(chain.node) ?? 0);
    this.chains = found.chains.filter((chain) => chain.onset && wallNs(chain.onset) !== null).map((chain) => ({
      ...chain, from: at(chain, chain.onset), to: chain.end ? at(chain, chain.end) : context.spanNs }));
    await this.data.want(this.from, this.to, [], 800);
    this.cutList.replaceChildren(cuts(this.data) ?? "", ...this.data.notes.map((note) => el("p", { class: "quiet", id: "order-note" }, `${note[0].toUpperCase()}${note.slice(1)}.`)));
    if (this.chosen !== null) await this.describe();
    else if (place.chosen.chain) this.describeChain(this.chains.find((chain) => chain.id === place.chosen.chain));
    else this.detail.replaceChildren(el("p", { class: "quiet" }, "None. Click one, or press comma or period on the timeline."));
  }

  arrange() {
    this.lines = linesOf(this.data.tracks, this.chains);
    this.drawLegend();
  }

  // The canvas takes the place it has; what does not fit is scrolled to.
  resize() {
    const width = this.scroller.clientWidth;
    if (!width) return;
    this.left = width < 600 ? 88 : 190;
    this.height = clamp(AXIS + this.lines.length * ROW + 6, 160, Math.max(260, innerHeight - 330));
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(this.height * ratio);
    this.canvas.style.height = `${this.height}px`;
    this.width = width - this.left;
    this.ratio = ratio;
    this.schedule();
  }

  schedule() {
    if (this.due || this.closed) return;
    this.due = requestAnimationFrame(() => {
      this.due = 0;
      this.draw();
    });
  }

  draw() {
    if (!this.width) return;
    const wanted = clamp(AXIS + this.lines.length * ROW + 6, 160, Math.max(260, innerHeight - 330));
    if (wanted !== this.height) return this.resize();
    const begin = performance.now();
    const pen = this.canvas.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.fillStyle = colour("card");
    pen.fillRect(0, 0, this.left + this.width, this.height);
    const look = { from: this.from, to: this.to, left: this.left, width: this.width, height: this.height, track: this.track, chosen: this.chosen, chain: place.chosen.chain };
    this.top = clamp(this.top, 0, Math.max(0, this.lines.length * ROW - (this.height - AXIS)));
    drawAxis(pen, look);
    pen.save();
    pen.beginPath();
    pen.rect(0, AXIS, this.left + this.width, this.height - AXIS);
    pen.clip();
    const seen = this.seen();
    pen.save();
    drawTracks(pen, seen, this.data.views, look);
    pen.restore();
    this.drawTitles(pen, seen);
    pen.restore();
    this.where.textContent = `${duration(this.to - this.from)} from ${duration(Math.max(0, this.from))} on`;
    this.frames.push(performance.now() - begin);
    if (this.frames.length > 2000) this.frames.splice(0, 1000);
    this.canvas.frames = this.frames;  // what a test looks at
    this.ask();
  }

  seen() {
    const first = Math.floor(this.top / ROW);
    return this.lines.slice(first, first + Math.ceil((this.height - AXIS) / ROW) + 1).map((line, i) => ({ line, y: AXIS + (first + i) * ROW - this.top }));
  }

  drawTitles(pen, seen) {
    pen.textBaseline = "middle";
    const narrow = this.left < 120;
    for (const { line, y } of seen) {
      pen.font = `${line.heading ? "600 " : ""}${narrow ? 11 : 12}px system-ui, sans-serif`;
      const text = line.heading ?? line.title;
      const wide = line.heading ? pen.measureText(text).width + 8 : this.left;
      pen.fillStyle = line.track && line.track.lane === this.track ? colour("chosen") : colour("card");
      pen.fillRect(0, y, wide, ROW);
      pen.fillStyle = line.heading ? colour("ink") : colour("quiet");
      const indent = line.heading || narrow ? 2 : 12;
      if (line.heading) pen.fillText(text, indent, y + ROW / 2);
      else pen.fillText(text, indent, y + ROW / 2, this.left - indent - 4);
    }
  }

  ask() {
    if (this.asking) return;
    this.asking = setTimeout(async () => {
      this.asking = 0;
      const names = this.seen().map(({ line }) => line.track?.lane).filter(Boolean).slice(0, 48);
      if (!names.length) return;
      try {
        await this.data.want(this.from, this.to, names, this.width);
      } catch (error) {
        if (error.name !== "AbortError") this.context.say(error.message);
      }
    }, 60);
  }

  move(from, to) {
    const whole = Math.max(this.context.spanNs, 1000);
    const span = clamp(to - from, LEAST_NS, 1.5 * whole);
    const middle = clamp((from + to) / 2, -0.2 * whole, 1.2 * whole);
    this.from = middle - span / 2;
    this.to = middle + span / 2;
    this.schedule();
    clearTimeout(this.noting);
    this.noting = setTimeout(() => {
      go({ from: this.data.text(this.from), to: this.data.text(this.to), chosen: this.selection() }, true);
      this.context.header();
    }, 250);
  }

  selection() {
    return { lane: this.track, call: this.chosen, chain: place.chosen.chain };
  }

  zoom(times, at = 0.5) {
    const span = this.to - this.from;
    const fixed = this.from + at * span;
    this.move(fixed - at * span * times, fixed + (1 - at) * span * times);
  }
  pan(part) {
    const by = part * (this.to - this.from);
    this.move(this.from + by, this.to + by);
  }
  whole() {
    const whole = Math.max(this.context.spanNs, 1000);
    this.move(-0.01 * whole, 1.01 * whole);
  }

  chooseTrack(by) {
    const tracks = this.lines.map((line, i) => ({ line, i })).filter(({ line }) => line.track);
    if (!tracks.length) return;
    const now = tracks.findIndex(({ line }) => line.track.lane === this.track);
    const next = tracks[clamp(now < 0 ? 0 : now + by, 0, tracks.length - 1)];
    this.track = next.line.track.lane;
    const y = next.i * ROW;
    const room = this.height - AXIS - ROW;
    this.top = clamp(this.top, y - room, y);
    this.context.say(`${trackTitle(next.line.track)}, ${processTitle(next.line.track)}, ${count(next.line.track.events)} events`);
    choose(this.selection());
    this.schedule();
  }

  chooseCall(by) {
    if (!this.track) this.chooseTrack(0);
    const list = this.data.views.get(this.track)?.slices ?? [];
    if (!list.length) {
      this.context.say(this.data.views.get(this.track)?.bins.length ? "Too many calls to choose one here: zoom closer." : "No call here.");
      return;
    }
    const now = list.findIndex((slice) => slice.seq === this.chosen);
    const start = now >= 0 ? now + by : Math.max(0, list.findIndex((slice) => slice.start >= this.from));
    this.take(list[clamp(start, 0, list.length - 1)]);
  }

  take(slice) {
    this.chosen = slice?.seq ?? null;
    if (slice && (slice.start > this.to || slice.start + (slice.duration ?? 0) < this.from)) {
      const half = (this.to - this.from) / 2;
      this.move(slice.start - half, slice.start + half);
    }
    choose({ ...this.selection(), chain: null });
    this.schedule();
    this.describe();
  }

  async describe() {
    const seq = this.chosen;
    if (seq === null) return;
    try {
      const [call] = await rows(`SELECT op_name, call, kind, layer, comm, pid, tid, duration, outcome, ret_code, failed, bytes, direction, stream, kernel, gpu_id,
        library, parent_call, preempted_ns, runqueue_ns, blocked_ns, io_ns, culprit_comm, culprit_pid, culprit_ns FROM events WHERE seq = ${Number(seq)}`, 1);
      if (seq !== this.chosen || !call) return;
      const off = [["preempted", call.preempted_ns], ["waiting for a CPU", call.runqueue_ns], ["blocked", call.blocked_ns], ["on I/O", call.io_ns]];
      this.detail.replaceChildren(el("h3", {}, call.op_name), facts([
        ["Took", duration(call.duration)], ["Call", call.call], ["Process", `${call.comm ?? "?"} ${call.pid}`], ["Thread", call.tid],
        ["Outcome", call.failed ? `${call.outcome}, failed (${call.ret_code})` : call.outcome], ["Bytes", call.bytes === null ? null : bytes(call.bytes)],
        ["Direction", call.direction], ["Stream", call.stream === null ? null : `0x${BigInt.asUintN(64, BigInt(call.stream)).toString(16)}`], ["Kernel", call.kernel],
        ["Device", call.gpu_id], ["Library", call.library], ["Made inside", call.parent_call],
        ["Off the CPU", off.filter(([, ns]) => ns).map(([what, ns]) => `${duration(ns)} ${what}`).join(", ")],
        ["Meanwhile ran", call.culprit_comm ? `${call.culprit_comm} ${call.culprit_pid}, ${duration(call.culprit_ns)}` : null]]));
    } catch (error) {
      if (error.name !== "AbortError") this.context.say(error.message);
    }
  }

  describeChain(chain) {
    if (!chain) return;
    this.detail.replaceChildren(el("h3", {}, `${chain.severity}: ${chain.summary}`), el("p", {}, chain.root_cause),
      el("p", { class: "quiet" }, `from ${timeOfDay(chain.onset)} to ${timeOfDay(chain.end)}`));
  }

  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const part = clamp((x - this.left) / this.width, 0, 1);
    return { x, y, part, time: this.from + part * (this.to - this.from), line: this.lines[Math.floor((y - AXIS + this.top) / ROW)] };
  }

  click(event) {
    const { line, time } = this.at(event);
    if (line?.chains) {
      const near = 4 * (this.to - this.from) / this.width;
      const chain = line.chains.find((one) => one.from - near <= time && time <= one.to + near);
      if (chain) {
        this.chosen = null;
        choose({ ...this.selection(), chain: chain.id });
        this.describeChain(chain);
        this.schedule();
      }
      return;
    }
    if (!line?.track) return;
    this.track = line.track.lane;
    const near = 3 * (this.to - this.from) / this.width;
    let best = null;
    for (const slice of this.data.views.get(this.track)?.slices ?? []) {
      if (slice.start - near > time) break;
      if (slice.start + (slice.duration ?? Infinity) + near >= time && (!best || slice.depth >= best.depth)) best = slice;
    }
    if (best) this.take(best);
    else {
      choose(this.selection());
      this.context.say(`${trackTitle(line.track)}, ${processTitle(line.track)}`);
      this.schedule();
    }
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) this.zoom(Math.exp(event.deltaY / 300), this.at(event).part);
      else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX || event.deltaY) / this.width);
      else if (this.lines.length * ROW > this.height - AXIS) { this.top += event.deltaY; this.schedule(); }
      else scrollBy(0, event.deltaY);
    }, { passive: false });
    let grip = null;
    canvas.addEventListener("pointerdown", (event) => {
      grip = { x: event.clientX, y: event.clientY, from: this.from, to: this.to, top: this.top, moved: false };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!grip) return;
      const [dx, dy] = [event.clientX - grip.x, event.clientY - grip.y];
      if (!grip.moved && Math.hypot(dx, dy) < 4) return;
      grip.moved = true;
      const by = -(dx / this.width) * (grip.to - grip.from);
      this.top = grip.top - dy;
      this.move(grip.from + by, grip.to + by);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (grip && !grip.moved) this.click(event);
      grip = null;
    });
    canvas.addEventListener("pointercancel", () => { grip = null; });
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.scroller);
    this.scheme = matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => { forgetColours(); this.schedule(); };
    this.scheme.addEventListener("change", this.onScheme);
  }

  key(event) {
    if (event.altKey || event.metaKey) return;
    const slice = () => (this.data.views.get(this.track)?.slices ?? []).find((one) => one.seq === this.chosen);
    const acts = {
      ArrowLeft: () => this.pan(event.shiftKey ? -0.5 : -0.1), ArrowRight: () => this.pan(event.shiftKey ? 0.5 : 0.1),
      ArrowUp: () => (event.ctrlKey ? this.zoom(0.7) : this.chooseTrack(-1)), ArrowDown: () => (event.ctrlKey ? this.zoom(1.4) : this.chooseTrack(1)),
      "+": () => this.zoom(0.6), "=": () => this.zoom(0.6), "-": () => this.zoom(1.6), ",": () => this.chooseCall(-1), ".": () => this.chooseCall(1),
      0: () => this.whole(), Home: () => this.move(0, this.to - this.from), End: () => this.move(this.context.spanNs - (this.to - this.from), this.context.spanNs),
      Enter: () => {
        const one = slice();
        if (one) this.move(one.start - 0.2 * Math.max(one.duration ?? 0, 1000), one.start + 1.2 * Math.max(one.duration ?? 0, 1000));
      },
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }

  close() {
    this.closed = true;
    cancelAnimationFrame(this.due);
    clearTimeout(this.asking);
    clearTimeout(this.noting);
    this.data.abort?.abort();
    this.observer.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
  }
}

let current = null;

async function draw(main, context) {
  forgetColours();
  const view = new TimelineView(main, context);
  try {
    await view.start();
  } catch (error) {
    view.close();
    throw error;
  }
  view.arrange();
  current = view;
  return () => view.close();
}

// A recording that grows: the whole grows with it, its end is followed, any other part stays where it is.
async function refresh(context) {
  if (!current || current.closed) return;
  const followed = current.to >= current.context.spanNs;
  current.context.spanNs = context.spanNs;
  current.data.forget();
  if (!place.from && !place.to) {
    current.from = -0.01 * context.spanNs;
    current.to = 1.01 * context.spanNs;
  } else if (followed && current.to < context.spanNs) {
    const span = current.to - current.from;
    current.from = context.spanNs - span;
    current.to = context.spanNs + 0.01 * span;
  }
  current.schedule();
}

export default { name: "timeline", title: "Timeline", draw, refresh };
