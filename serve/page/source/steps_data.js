// The steps of a process, or its seconds where it has none, as the recording has them: not more of them than a picture
// has room for.
import { rows } from "./ask.js";
import { quoted, whereTime } from "./place.js";
import { wallNs } from "./text.js";

// What is known of a class in one step or second: its time, and how much of it was lost at least and at most.
function addClasses(items, found, key) {
  const byKey = new Map(items.map((item) => [item[key], item]));
  for (const row of found) byKey.get(row[key])?.classes.push({ name: row.class, ns: row.ns, low: row.low, high: row.high });
  return items;
}

const ofProcess = ({ pid, tid, node }) => `pid = ${Number(pid)} AND tid = ${Number(tid)} AND ${whereTime("timestamp", (text) => String(wallNs(text)))}`
  + (node ? ` AND session IN (SELECT id FROM sessions WHERE node = ${quoted(node)})` : "");

// A recording of the legacy agent has no such rows.
const rowsOrNone = (statement, { info, signal }) => info.legacy ? [] : rows(statement, 10000, signal);

// At most `most` of the recorded steps, and the worst slow ones besides: the middle one (by its duration) of each of `most`
// equal parts, so that each column is a step that there was.
export async function stepsOf(process, most, { info, origin, signal }) {
  const found = await rowsOrNone(`WITH s AS (SELECT id, timestamp, number, duration_ns, is_slow, usual_ns, slow_class, more_ns, idle_low, idle_high,
      ntile(${most}) OVER (ORDER BY timestamp) AS part, row_number() OVER (PARTITION BY is_slow ORDER BY coalesce(more_ns, 0) DESC) AS bad
      FROM steps WHERE ${ofProcess(process)}),
    p AS (SELECT *, row_number() OVER (PARTITION BY part ORDER BY duration_ns) AS at_place, count(*) OVER (PARTITION BY part) AS others,
      count(*) OVER () AS recorded, sum(is_slow) OVER () AS slow FROM s)
    SELECT id, timestamp - ${origin} AS at, number, duration_ns, is_slow, usual_ns, slow_class, more_ns, idle_low, idle_high, recorded, slow
    FROM p WHERE at_place = (others + 1) / 2 OR (is_slow AND bad <= ${Math.ceil(most / 3)}) ORDER BY timestamp`, { info, signal });
  if (!found.length) return [];
  const classes = await rows(`SELECT step AS id, class, ns, low, high FROM step_classes WHERE step IN (${found.map((one) => Number(one.id)).join()})`, 10000, signal);
  return addClasses(found.map((one) => ({ ...one, classes: [] })), classes, "id");
}

// Equal parts of the time, each with what a second of it was like.
export async function secondsOf(process, most, { info, origin, signal }) {
  const where = ofProcess(process);
  const found = await rowsOrNone(`WITH s AS (SELECT DISTINCT timestamp FROM budget WHERE ${where}), n AS (SELECT timestamp, ntile(${most}) OVER (ORDER BY timestamp) AS part FROM s),
    p AS (SELECT part, min(timestamp) AS began, count(*) AS seconds FROM n GROUP BY part)
    SELECT n.part AS id, p.began - ${origin} AS at, p.seconds AS seconds, class, CAST(sum(ns) / p.seconds AS INTEGER) AS ns, CAST(sum(low) / p.seconds AS INTEGER) AS low, CAST(sum(high) / p.seconds AS INTEGER) AS high
    FROM budget JOIN n USING (timestamp) JOIN p ON p.part = n.part WHERE ${where} GROUP BY n.part, class ORDER BY n.part`, { info, signal });
  const parts = new Map(found.map((row) => [row.id, { id: row.id, at: row.at, seconds: row.seconds, classes: [] }]));
  const items = addClasses([...parts.values()], found, "id");
  for (const item of items) item.duration_ns = item.classes.reduce((sum, one) => sum + one.ns, 0);
  return items;
}

// What a slow step was lost to: from the thread to who was waited for at last, the most first.
export const blameOf = (process, step, { info, origin, signal }) => rowsOrNone(`SELECT path, sum(ns) AS ns FROM blame WHERE pid = ${Number(process.pid)} AND step = ${Number(step.number)}
  AND timestamp - ${origin} = ${Number(step.at)} GROUP BY path ORDER BY ns DESC LIMIT 3`, { info, signal });
