// The collectives of a communicator as a picture of its ranks by time, with who came last.
import { picture } from "./picture.js";
import { choose, hashOf, place } from "./place.js";
import { arrivalsOf, rankName } from "./ranks_data.js";
import { drawRanks, latest, ranksOf } from "./ranks_draw.js";
import { table } from "./table.js";
import { count, duration, el, wallText } from "./text.js";

const MOST = 120;     // columns; as many as a window has room for
const LEAST_PX = 10;  // of a column
const WIDER = 1e6;    // ns on each side of a collective on the timeline, at least

const lastOf = (item) => rankName({ rank: item.last_rank, pid: item.last_pid });
const labelOf = (item) => `${item.call} number ${item.seq}: ${lastOf(item)} came last, ${duration(item.skew_ns)} after the first`;

// "Rank 1 came last in 141 of 141 collectives, 27.4 ms after the first at most."
export function lastSentence(one) {
  const [most] = [...one.last].sort((a, b) => b.times - a.times);
  if (!most || !one.rounds) return null;
  const name = rankName(most);
  return `${name[0].toUpperCase()}${name.slice(1)} came last most often: in ${count(most.times)} of ${count(one.rounds)} collectives, at most ${duration(most.max_skew_ns)} after the first.`;
}

function describe(detail, item, context) {
  const [from, to] = [item.at - WIDER, item.at + item.skew_ns + WIDER].map((ns) => wallText(context.origin + BigInt(Math.round(ns))));
  detail.replaceChildren(el("h3", {}, `${item.call} number ${count(item.seq)}`),
    el("p", {}, `${lastOf(item)} came last: ${duration(item.skew_ns)} after the first, ${duration(item.late_ns)} after the one before it.`),
    table({ caption: "Who came when", rows: item.entries, columns: [
      { head: "Rank", text: rankName, sort: (one) => one.rank }, { head: "Process", number: true, text: (one) => one.pid, sort: (one) => one.pid },
      { head: "After the first", number: true, text: (one) => duration(one.late_ns), sort: (one) => one.late_ns },
      { head: "Waited for the last", number: true, text: (one) => duration(item.skew_ns - one.late_ns), sort: (one) => item.skew_ns - one.late_ns }] }),
    el("p", {}, el("a", { href: hashOf({ view: "timeline", from, to }) }, "Show it on the timeline")));
}

const itemTable = (items, pick) => table({ caption: "Collectives of the picture; choose one", rows: items.map((item, i) => ({ ...item, i })), most: 300, choose: (item) => pick(item.i), columns: [
  { head: "Collective", text: (item) => `${item.call} ${count(item.seq)}`, sort: (item) => item.at }, { head: "At", number: true, text: (item) => duration(item.at), sort: (item) => item.at },
  { head: "Came last", text: lastOf, sort: lastOf }, { head: "After the first", number: true, text: (item) => duration(item.skew_ns), sort: (item) => item.skew_ns },
  { head: "After the one before", number: true, text: (item) => duration(item.late_ns), sort: (item) => item.late_ns },
  { head: "Ranks seen", number: true, text: (item) => count(item.ranks), sort: (item) => item.ranks }] });

// one: a communicator of get_collectives; number: which on the page. Null where no collective was entered by several ranks.
export async function ranksPicture(one, number, context) {
  if (one.comm_id_hash === null || !one.rounds) return null;
  const most = Math.max(20, Math.min(MOST, Math.floor((Math.min(innerWidth, 1600) - 130) / LEAST_PX)));
  const items = (await arrivalsOf(one.comm_id_hash, most, context)).map((item) => ({ ...item, label: labelOf(item) }));
  if (!items.length) return null;
  const ranks = ranksOf(items);
  const mine = (id) => `${number}-${id}`;
  const detail = el("div", { "aria-live": "polite" });
  const drawn = picture({ id: `ranks-${number}`, items, chosen: items.find((item) => mine(item.id) === place.chosen.collective)?.id ?? null,
    label: "Ranks by time: who came late to each collective. Arrow keys choose one.", draw: (width) => drawRanks(items, ranks, width), onChoose: (item) => {
      choose({ collective: mine(item.id) }, true);
      describe(detail, item, context);
    } });
  const step = (by) => drawn.choose(drawn.chosen() < 0 ? 0 : drawn.chosen() + by);
  if (drawn.chosen() >= 0) describe(detail, items[drawn.chosen()], context);
  else detail.append(el("p", { class: "quiet" }, "Choose a collective in the picture: click it, or use the arrow keys."));
  const { entered } = items[0];
  const absent = items.some((item) => item.entries.length < ranks.size);
  const element = el("div", {}, el("div", { class: "bar" }, el("button", { onclick: () => step(-1), title: "The column before (←)" }, "Earlier"), el("button", { onclick: () => step(1), title: "The next column (→)" }, "Later"),
    el("span", { class: "quiet" }, entered > items.length ? `of ${count(entered)} collectives ${count(items.length)}: of each part the one whose ranks came most apart` : `${count(entered)} collectives`)),
  drawn, el("ul", { class: "legend", "aria-label": "Colours" }, el("li", {}, el("i", { class: "kind scale" }), `from in time to ${duration(latest(items))} after the first`),
    el("li", {}, el("i", { class: "kind last" }), "came last"), absent ? el("li", {}, el("i", { class: "kind absent" }), "not seen in it") : null),
  detail, el("details", {}, el("summary", {}, "The picture as a table"), itemTable(items, (i) => { drawn.choose(i); drawn.focus(); })));
  return { element, close: () => drawn.close() };
}
