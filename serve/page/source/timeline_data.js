// What the timeline knows of the recording, asked from the server as it is needed: bins or calls of the tracks in sight,
// for a part somewhat wider than what is seen. Times are nanoseconds from the recording's first event.
import { ask } from "./ask.js";
import { wallNs, wallText } from "./text.js";

const WIDER = 0.5;  // of what is seen, on each side
const BIN = 4;      // numbers of a bin; the last is the call it shows

export class TimelineData {
  constructor(context, onNews) {
    this.context = context;
    this.onNews = onNews;
    this.tracks = [];
    this.views = new Map();  // track name to { asked, from, binNs, bins, ops, slices }
    this.cut = [];
    this.notes = [];  // of a recording of several nodes: how well its order is known
    this.abort = null;
  }

  text(ns) {
    return wallText(this.context.origin + BigInt(Math.round(ns)));
  }

  // Fetches what the tracks named need to be drawn from `from` to `to` with `columns` columns.
  async want(from, to, names, columns) {
    const span = to - from;
    const part = { from: Math.max(-1e9, from - WIDER * span), to: to + WIDER * span };
    const missing = names.filter((name) => {
      const view = this.views.get(name);
      if (!view || view.asked.from > from || view.asked.to < to) return true;
      return view.bins.length > 0 && view.asked.to - view.asked.from > 3 * span;  // finer ones may be had
    });
    // One question at a time: by the time of its answer the next one is known better.
    if ((this.tracks.length && missing.length === 0) || this.abort) return;
    const abort = new AbortController();
    this.abort = abort;
    const answer = await ask("get_timeline", {
      from: this.text(part.from), to: this.text(part.to), bins: Math.min(1000, Math.max(50, Math.round(columns))),
      ...(names.length ? { lanes: names.slice(0, 48) } : {}),
    }, abort.signal).finally(() => { this.abort = null; });
    this.take(answer, part);
    this.onNews();
  }

  take(answer, part) {
    this.tracks = answer.lanes;
    // What names a parameter is said to who asks the tool: here, tracks that come into sight are asked for.
    this.cut = answer.cut.filter((one) => !one.includes("`"));
    this.notes = answer.notes ?? [];
    const from = answer.from ? Number(wallNs(answer.from) - this.context.origin) : 0;
    for (const view of answer.views) {
      const failed = new Set(view.failed);
      this.views.set(view.lane, {
        asked: part, from, binNs: view.bins.length ? answer.bin_ns : 0, bins: view.bins, ops: answer.ops,
        slices: view.start_ns.map((start, i) => ({
          start: from + start, duration: view.duration_ns[i], op: answer.ops[view.op[i]], depth: view.depth[i], seq: view.seq[i],
          failed: failed.has(view.seq[i]),
        })),
      });
    }
  }

  // Of the calls in the views, in the order of their names.
  kinds() {
    const found = new Set();
    for (const view of this.views.values()) {
      for (const slice of view.slices) found.add(slice.op.kind);
      for (let i = 0; i < view.bins.length; i += BIN) found.add(view.ops[view.bins[i + BIN - 1]].kind);
    }
    return [...found].sort();
  }

  hasFailed() {
    return [...this.views.values()].some((view) => view.slices.some((slice) => slice.failed));
  }

  forget() {
    this.views.clear();
  }
}
