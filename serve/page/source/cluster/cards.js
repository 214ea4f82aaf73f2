// What is said of a cluster: the cause in sentences, the jobs that hang, the ranks that are late, what is over.
import { card, cuts, nothing, table } from "../table.js";
import { count, duration, el, percent } from "../text.js";
import { clock, stamp } from "./times.js";

const MOST_LISTED = 8;  // ranks that wait

export function causeCard({ sentences, cut }) {
  const [first, ...others] = sentences;
  return card("The cause", el("article", { class: "chain" }, el("h3", { id: "result" }, first),
    others.length ? el("ul", { "aria-label": "The state of the cluster" }, others.map((one) => el("li", {}, one))) : null), cuts({ cut }));
}

function nameOf({ rank, node_id: node, kind, evidence }) {
  if (kind === "slow_node") return `${evidence.rank_count} of ${evidence.node_ranks} ranks`;
  return rank === null ? node : `rank ${rank}`;
}
const seconds = (value) => (value === null ? "–" : duration(Math.round(1e9 * value)));

function waiting({ delayed, delayed_count: all }) {
  if (!delayed.length) return count(all);
  return `${count(all)}: ${delayed.slice(0, MOST_LISTED).join(", ")}${all > Math.min(delayed.length, MOST_LISTED) ? ", …" : ""}`;
}

function evidenceOf({ kind, evidence }) {
  if (kind === "low_health_score") return "its health score";
  if (kind === "slow_job") return "all of its ranks alike";
  const more = [["cpu_wait_s_per_step", "waiting for a CPU"], ["storage_wait_s_per_step", "for storage"], ["asleep_s_per_step", "asleep"]]
    .filter(([name]) => evidence[name] > 0).map(([name, what]) => `${seconds(evidence[name])} ${what}`);
  return more.length ? `of each step more: ${more.join(", ")}` : "no more waits than its peers";
}

const nodeButton = (one, onNode, fromNs) => el("button", { class: "plain", onclick: () => onNode(one.node_id, fromNs) }, one.node_id);

export function lateCard({ outliers, jobs }, onNode) {
  const isCompared = jobs.some((job) => job.ranks > 0);
  if (!outliers.length) return card("Late ranks", nothing(isCompared ? "No rank is late, and none is suspected." : "Nothing has been compared yet."));
  return card("Late ranks", table({ caption: "Late ranks", rows: outliers, most: 12, choose: (one) => onNode(one.node_id, one.since_ns), columns: [
    { head: "Rank", text: nameOf, sort: (one) => one.rank },
    { head: "Node", text: (one) => one.node_id, sort: (one) => one.node_id },
    { head: "State", text: (one) => one.state, sort: (one) => one.state },
    { head: "Class", text: (one) => one.class, sort: (one) => one.class },
    { head: "Later", number: true, title: "Than the median of its peers, of each step", text: (one) => percent(one.effect), sort: (one) => one.effect },
    { head: "Each step", number: true, text: (one) => seconds(one.lateness_s_per_step), sort: (one) => one.lateness_s_per_step },
    { head: "Score", number: true, title: "3.5: suspect, 7: named, 14 at most", text: (one) => one.score.toFixed(1), sort: (one) => one.score },
    { head: "Since (UTC)", number: true, text: (one) => clock(one.since_ns), sort: (one) => String(one.since_ns) },
    { head: "Confidence", number: true, text: (one) => (one.confidence === null ? "–" : one.confidence.toFixed(2)), sort: (one) => one.confidence },
    { head: "Ranks that wait for it", text: waiting, sort: (one) => one.delayed_count },
    { head: "Evidence", text: evidenceOf }] }));
}

const DOING = { in_call: "in", asleep: "asleep, after", running: "computes, after", after_call: "after" };

/* What a rank that is waited for does, and in which line. */
function doing(rank) {
  if (!rank.activity) return "–";
  return `${DOING[rank.activity] ?? rank.activity} ${rank.last_call ?? "a GPU call"}${rank.line ? `, in ${rank.line}` : ""}`;
}

function hangText(hang, onNode) {
  const { evidence } = hang;
  return el("article", { class: "chain" }, el("h3", {}, `${evidence.sentence[0].toUpperCase()}${evidence.sentence.slice(1)}.`),
    el("p", { class: "quiet" }, `${hang.kind.replaceAll("_", " ")} · since ${stamp(hang.from_ns)} · ${count(evidence.waiting_ranks)} wait, ${count(evidence.held_up_ranks)} of them held up in other communicators · confidence ${hang.confidence.toFixed(2)}`),
    evidence.ranks.length ? table({ caption: "Ranks that are waited for", rows: evidence.ranks.map((one) => ({ ...one, number: evidence.number })), columns: [
      { head: "Rank", text: (one) => `rank ${one.rank}`, sort: (one) => one.rank },
      { head: "Node", node: (one) => nodeButton(one, onNode, hang.from_ns), sort: (one) => one.node_id },
      { head: "Process", number: true, text: (one) => one.pid ?? "–" },
      { head: "Device", text: (one) => one.hw_id ?? "–" },
      { head: "Doing", text: (one) => doing(one) },
      { head: "Last entered", number: true, text: (one) => count(one.entered), sort: (one) => one.entered },
      { head: "Last left", number: true, text: (one) => count(one.left), sort: (one) => one.left },
      { head: "Others are in", number: true, text: (one) => count(one.number) },
      { head: "Its last operation", text: (one) => one.op_type ?? "–" },
      { head: "Last heard (UTC)", number: true, text: (one) => clock(one.last_ns), sort: (one) => String(one.last_ns) }] }) : null,
    evidence.ranks.filter((one) => one.stack).map((one) => el("details", {}, el("summary", {}, `Stack of rank ${one.rank}`), el("pre", {}, one.stack.join("\n")))),
    evidence.rank_count > evidence.ranks.length ? nothing(`${count(evidence.ranks.length)} of ${count(evidence.rank_count)} ranks are listed.`) : null);
}

export function hangsCard({ hangs }, onNode) {
  if (!hangs.length) return null;  // that none hangs, or that it is not known, is among the sentences
  return card("Hangs", hangs.map((hang) => hangText(hang, onNode)),
    hangs.some(({ evidence }) => evidence.ranks.some((one) => !one.stack)) ? nothing("Choose a node to see the command that shows where its ranks are.") : null);
}

const milliseconds = (ns) => (ns / 1e6).toFixed(2);

export function clocksCard({ clocks, unknown_nodes: unknown }) {
  if (!clocks.length) return null;
  const rows = [...clocks].sort((one, other) => Math.abs(other.offset_ns) - Math.abs(one.offset_ns));
  return card("Clocks", table({ caption: "Clocks of nodes, against this server's", rows, most: 8, columns: [
    { head: "Node", text: (one) => one.node_id, sort: (one) => one.node_id },
    { head: "Ahead (ms)", number: true, title: "Negative: behind", text: (one) => milliseconds(one.offset_ns), sort: (one) => one.offset_ns },
    { head: "Known within (ms)", number: true, text: (one) => milliseconds(one.within_ns), sort: (one) => one.within_ns }] }),
    unknown ? nothing(`Of ${count(unknown)} more it is not known.`) : null);
}

export function incidentsCard({ incidents }) {
  if (!incidents.length) return null;
  return card("What was", table({ caption: "Incidents that have ended", rows: incidents, most: 50, columns: [
    { head: "What", text: (one) => one.evidence.sentence ?? one.kind },
    { head: "Class", text: (one) => one.class, sort: (one) => one.class },
    { head: "Persistence", text: (one) => one.persistence ?? "–", sort: (one) => one.persistence ?? "" },
    { head: "State", text: (one) => one.state, title: "silent: nothing comes of it any more, so that its end is not known", sort: (one) => one.state },
    { head: "From (UTC)", number: true, text: (one) => clock(one.from_ns), sort: (one) => String(one.from_ns) },
    { head: "To (UTC)", number: true, text: (one) => clock(one.to_ns), sort: (one) => String(one.to_ns) }] }));
}
