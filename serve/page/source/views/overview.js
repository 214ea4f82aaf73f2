// What matters first: the top cause in words, what it is about, and the calls that took the time.
import { ask } from "../ask.js";
import { count, duration, el, timeOfDay } from "../text.js";
import { hashOf, range } from "../place.js";
import { card, cuts, facts, nothing, table } from "../table.js";

const severity = (word) => el("span", { class: `severity ${String(word).toLowerCase()}` }, word);

function frames(stack) {
  return stack?.length ? el("details", {}, el("summary", {}, `Where it happened: ${stack[0]}`),
    el("ol", { class: "frames" }, stack.map((frame) => el("li", {}, frame)))) : null;
}

function chainText(chain, isFirst) {
  const about = [chain.process && `${chain.process} (${chain.pid})`, chain.rank !== null && chain.rank !== undefined && `rank ${chain.rank}`,
    chain.op, chain.lost_ns && `${duration(chain.lost_ns)} lost`, chain.onset && `from ${timeOfDay(chain.onset)}`, chain.node];
  return el("article", { class: "chain" },
    el(isFirst ? "h3" : "h4", {}, severity(chain.severity), " ", chain.summary),
    el("p", { class: "cause" }, chain.root_cause),
    chain.explanation ? el("p", {}, chain.explanation) : null,
    el("p", { class: "quiet" }, about.filter(Boolean).join(" · ")),
    chain.recommendations?.length ? el("ul", { class: "remedies", "aria-label": "Remedies" }, chain.recommendations.map((one) => el("li", {}, one))) : null,
    frames(chain.stack),
    chain.timeline?.length ? el("details", {}, el("summary", {}, `${chain.timeline.length} steps`),
      el("ol", {}, chain.timeline.map((step) => el("li", {}, el("b", {}, step.layer), ` ${step.detail}`)))) : null,
    chain.onset && chain.end ? el("p", {}, el("a", { href: hashOf({ view: "timeline", from: chain.onset, to: chain.end, chosen: { chain: chain.id } }) },
      "Show it on the timeline")) : null);
}

async function draw(main, { info, signal }) {
  const [chains, stats, flights] = await Promise.all([
    ask("get_causal_chains", { ...range(), top_n: 20 }, signal), ask("get_trace_stats", range(), signal),
    ask("get_calls_in_flight", { ...range(), limit: 5 }, signal)]);
  const [first, ...others] = chains.chains;
  const healthy = info.live ? "No cause has been found so far." : "Nothing is wrong that the rules know of.";
  main.append(
    card("The cause", first ? chainText(first, true) : nothing(healthy),
      others.length ? el("details", {}, el("summary", {}, `${others.length} more`), others.map((chain) => chainText(chain, false))) : null,
      chains.earlier_chains?.length ? el("details", {}, el("summary", {}, `${chains.earlier_chains.length} chains that the earlier agent stored`),
        el("ul", {}, chains.earlier_chains.map((one) => el("li", {}, severity(one.severity), ` ${one.summary}: ${one.verdict}`)))) : null,
      cuts(chains)));
  if (flights.calls.length) {
    main.append(card("Calls that have not returned", table({ caption: "Calls in flight, longest first", rows: flights.calls, columns: [
      { head: "Call", text: (call) => call.call }, { head: "Thread", text: (call) => `${call.process ?? ""} ${call.pid}/${call.tid}` },
      { head: "For", text: (call) => duration(call.duration_ns), number: true }] })));
  }
  const calls = stats.calls.slice(0, 8);
  main.append(
    card("Where the calls' time went", calls.length ? table({ caption: "Calls by total time", rows: calls, columns: [
      { head: "Call", node: (call) => el("a", { href: hashOf({ view: "operations", chosen: { op: call.call } }) }, call.op) },
      { head: "Count", text: (call) => count(call.count), number: true },
      { head: "Total", text: (call) => duration(call.total_ns), number: true },
      { head: "p50", text: (call) => duration(call.p50_ns), number: true },
      { head: "p99", text: (call) => duration(call.p99_ns), number: true },
      { head: "Longest", text: (call) => duration(call.max_ns), number: true }] }) : nothing("No call was recorded in this part.")),
    card("Processes", table({ caption: "Processes", rows: stats.processes, most: 20, columns: [
      { head: "Process", text: (one) => `${one.process ?? "?"} ${one.pid}` },
      { head: "Calls", text: (one) => count(one.calls), number: true },
      { head: "Errors", text: (one) => count(one.errors), number: true },
      { head: "Host events", text: (one) => count(one.host_events), number: true },
      { head: "Longest call", text: (one) => duration(one.calls ? one.max_ns : null), number: true }] })),
    card("The recording", facts([["File", info.file], ["Schema", info.schema], ["Events in this part", count(stats.events)],
      ["First", stats.first], ["Last", stats.last], ["Rows pruned", stats.rows_pruned ? count(stats.rows_pruned) : null],
      ["Lost", stats.lost === null ? "not known: the earlier agent kept no account"
        : stats.lost.some((one) => one.severity !== "info") ? el("a", { href: hashOf({ view: "health" }) }, "something was: see Capture") : "nothing"]]), cuts(stats)));
}

export default { name: "overview", title: "Overview", draw };
