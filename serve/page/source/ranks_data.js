// When each rank came to the collectives of a communicator: of each of a number of equal parts of them the one whose ranks
// came most apart, so that every column of a picture is a collective that there was.
import { rows } from "./ask.js";
import { whereTime } from "./place.js";
import { wallNs } from "./text.js";

// SQL has signed numbers only.
const signed = (hash) => String(BigInt.asIntN(64, BigInt(hash)));

export async function arrivalsOf(hash, most, { origin, signal }) {
  const part = whereTime("timestamp", (text) => String(wallNs(text)));
  const found = await rows(`WITH a AS (SELECT *, ntile(${most}) OVER (ORDER BY timestamp) AS part FROM collective_arrivals WHERE comm_id_hash = ${signed(hash)} AND ${part}),
    w AS (SELECT *, row_number() OVER (PARTITION BY part ORDER BY skew_ns DESC) AS place, count(*) OVER () AS entered FROM a)
    SELECT session, seq, call, ranks, nranks, skew_ns, late_ns, last_rank, last_pid, timestamp - ${origin} AS at, entered FROM w WHERE place = 1 ORDER BY timestamp`, 1000, signal);
  if (!found.length) return [];
  const items = new Map(found.map((one) => [`${one.session} ${one.seq}`, { ...one, id: `${one.session}-${one.seq}`, entries: [] }]));
  const entries = await rows(`SELECT session, seq, rank, pid, start_mono_ns - min(start_mono_ns) OVER (PARTITION BY session, seq) AS late_ns FROM collectives WHERE comm_id_hash = ${signed(hash)} AND seq IN (${found.map((one) => Number(one.seq)).join()})
    ORDER BY late_ns`, 10000, signal);
  for (const one of entries) {
    const item = items.get(`${one.session} ${one.seq}`);
    if (item) item.entries.push({ rank: one.rank, pid: one.pid, late_ns: one.late_ns });
  }
  return [...items.values()];
}

export const rankName = ({ rank, pid }) => (rank === null || rank === undefined ? `pid ${pid}` : `rank ${rank}`);
