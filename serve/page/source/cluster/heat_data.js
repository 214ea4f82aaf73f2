// Ranks by time as the page keeps them: percent, by row and window. An answer about the newest windows is added to what is
// there, so that only these are asked for. Nothing here asks or draws.

export const UNKNOWN = -32768;  // it was not compared
export const MOST_WINDOWS = 60;

const cellsOf = (list) => Int16Array.from(list, (value) => value ?? UNKNOWN);
const collator = new Intl.Collator("en", { numeric: true });
export const byName = (one, other) => collator.compare(one.name, other.name);
// The worst rank of now; what is not known comes last.
export const worstNow = (row) => row.latest.reduce((most, value) => Math.max(most, value), UNKNOWN);

export class HeatData {
  constructor() {
    this.rows = new Map();  // by name: { name, ranks, latest, values }
    this.from = 0n;         // begin of the first window
    this.windowNs = 0n;
    this.columns = 0;
  }

  get end() { return this.from + this.windowNs * BigInt(this.columns); }
  begin(column) { return this.from + this.windowNs * BigInt(column); }
  // The column of a window; -1 where it is out of sight.
  column(ns) {
    const at = this.windowNs > 0n ? Number((ns - this.from) / this.windowNs) : -1;
    return ns >= this.from && at < this.columns ? at : -1;
  }

  // rows: { name, ranks, latest, values }, with a value for each of the answer's windows.
  take({ from_ns: first, window_s: seconds, window_count: count }, rows) {
    if (!count) return;
    const windowNs = BigInt(seconds) * 1000000000n, from = BigInt(first);
    if (windowNs !== this.windowNs || from > this.end) Object.assign(this, { rows: new Map(), windowNs, from, columns: 0 });
    const end = from + windowNs * BigInt(count);
    let begin = this.columns && this.from < from ? this.from : from;
    const columns = Math.min(MOST_WINDOWS, Number((end - begin) / windowNs));
    begin = end - windowNs * BigInt(columns);
    const moved = (values, was) => {
      const made = new Int16Array(columns).fill(UNKNOWN);
      const by = Number((was - begin) / windowNs);
      for (let i = Math.max(0, -by); i < values.length && i + by < columns; i++) made[i + by] = values[i];
      return made;
    };
    for (const row of this.rows.values()) {
      row.values = moved(row.values, this.from);
      row.latest.fill(UNKNOWN);
    }
    for (const { name, ranks, latest, values } of rows) {
      const fresh = moved(cellsOf(values), from);
      const old = this.rows.get(name)?.values;
      if (old) for (let i = 0; i < columns; i++) if (fresh[i] === UNKNOWN) fresh[i] = old[i];
      this.rows.set(name, { name, ranks, latest: cellsOf(latest), values: fresh });
    }
    for (const [name, row] of this.rows) if (row.values.every((value) => value === UNKNOWN) && !rows.some((one) => one.name === name)) this.rows.delete(name);
    Object.assign(this, { from: begin, columns });
  }
}
