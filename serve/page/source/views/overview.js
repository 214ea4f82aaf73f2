// What matters first: the cause in words, said once; the steps and what they are made of; the calls that took the time.
import { Failure, ask } from "../ask.js";
import { count, duration, el, timeOfDay } from "../text.js";
import { hashOf, range } from "../place.js";
import { waiting } from "../progress.js";
import { nameOf, stepsCard } from "../steps_card.js";
import { card, cuts, facts, nothing, table } from "../table.js";

const severity = (word) => el("span", { class: `severity ${String(word).toLowerCase()}` }, word);

function frames(stack) {
  return stack?.length ? el("details", {}, el("summary", {}, `Where it happened: ${stack[0]}`),
    el("ol", { class: "frames" }, stack.map((frame) => el("li", {}, frame)))) : null;
}

const TIME = /\d\s?(?:ns|[uµ]s|ms|s|min|h)\b/;

// The heading says who lost what to whom; what was measured, with all its figures, is behind it.
function chainText(chain, isFirst) {
  const about = [chain.lost_ns && !TIME.test(chain.summary) && `${duration(chain.lost_ns)} lost`, chain.rank !== null && chain.rank !== undefined && `rank ${chain.rank}`, chain.op, chain.onset && `from ${timeOfDay(chain.onset)}`, chain.node];
  return el("article", { class: "chain" },
    el(isFirst ? "h3" : "h4", {}, severity(chain.severity), " ", chain.summary),
    chain.explanation ? el("p", {}, chain.explanation) : null,
    el("p", { class: "quiet" }, about.filter(Boolean).join(" · ")),
    chain.recommendations?.length ? el("ul", { class: "remedies", "aria-label": "Remedies" }, chain.recommendations.map((one) => el("li", {}, one))) : null,
    el("details", {}, el("summary", {}, "What was measured"), el("p", {}, chain.root_cause),
      chain.timeline?.length ? el("ol", {}, chain.timeline.map((step) => el("li", {}, el("b", {}, step.layer), ` ${step.detail}`))) : null),
    frames(chain.stack),
    chain.onset && chain.end ? el("p", {}, el("a", { href: hashOf({ view: "timeline", from: chain.onset, to: chain.end, chosen: { chain: chain.id } }) },
      "Show it on the timeline")) : null);
}

// The causal chains that are not said above, each with its evidence behind it. Those about the same process show what the
// sentence above says, so they are closed.
function otherChains(chains, said) {
  const same = chains.filter((chain) => said && chain.pid === said.process.pid && (chain.node ?? null) === (said.process.node ?? null));
  const others = chains.filter((chain) => !same.includes(chain));
  const closed = (title, list) => (list.length ? el("details", {}, el("summary", {}, title), list.map((chain) => chainText(chain, false))) : null);
  return [closed(`Its evidence: ${same.length} causal chain${same.length === 1 ? "" : "s"}`, same), closed(`Also found: ${others.length} causal chain${others.length === 1 ? "" : "s"}`, others)];
}

const LEAST_BLAME = 0.1;  // of the greatest: what is less is not a reason

function resultText(time) {
  const { verdict } = time;
  const blame = time.blame.filter((one) => one.high_ns >= LEAST_BLAME * time.blame[0].high_ns).slice(0, 2);
  const why = [...(verdict.degree ? blame.map((one) => one.sentence) : []), ...verdict.because];
  return el("article", { class: "chain", id: "result" }, el("h3", {}, verdict.sentence),
    el("p", { class: "quiet" }, [nameOf(time), time.process.node && `on ${time.process.node}`].filter(Boolean).join(" ")),
    why.length ? el("ul", { "aria-label": "Reasons" }, why.map((one) => el("li", {}, one))) : null,
    verdict.degree && time.remedy ? el("p", {}, el("b", {}, "What to do: "), time.remedy) : null);
}

// The cause is said once: the worst chain where something failed, else the sentence on the process that lost most, else the
// worst chain. Which process that sentence is about, null: none was said.
function accused(time, chains) {
  const [first] = chains.chains;
  const [worst] = time.processes;
  if (String(first?.severity).toUpperCase() === "CRITICAL" || !worst) return null;
  return worst.verdict.degree || !first || String(first.severity).toUpperCase() === "LOW" ? worst : null;
}

function causeCard(time, chains, info) {
  const said = accused(time, chains);
  const [first, ...others] = chains.chains;
  const legacy = chains.earlier_chains ?? [];
  const isHealthy = !first && !time.processes.some((one) => one.verdict.degree);
  const top = said ? resultText(said) : first ? chainText(first, true) : null;
  return card("The cause", top, isHealthy ? nothing(info.live ? "No cause has been found so far." : "Nothing is wrong that the rules know of.") : null, said ? otherChains(chains.chains, said) : otherChains(others, null),
    legacy.length ? el("details", {}, el("summary", {}, `${legacy.length} chains that the legacy agent stored`),
      el("ul", {}, legacy.map((one) => el("li", {}, severity(one.severity), ` ${one.summary}: ${one.verdict}`)))) : null,
    cuts(chains));
}

const flightsCard = (flights) => (flights.calls.length ? card("Calls that have not returned", table({ caption: "Calls in flight, longest first", rows: flights.calls, columns: [
  { head: "Call", text: (call) => call.call }, { head: "Thread", text: (call) => `${call.process ?? ""} ${call.pid}/${call.tid}` },
  { head: "For", text: (call) => duration(call.duration_ns), number: true }] })) : "");

function callsCard(stats) {
  const calls = stats.calls.slice(0, 8);
  return card("Where the calls' time went", calls.length ? table({ caption: "Calls by total time", rows: calls, columns: [
    { head: "Call", node: (call) => el("a", { href: hashOf({ view: "operations", chosen: { op: call.call } }) }, call.op) },
    { head: "Count", text: (call) => count(call.count), number: true },
    { head: "Total", text: (call) => duration(call.total_ns), number: true },
    { head: "p50", text: (call) => duration(call.p50_ns), number: true },
    { head: "p99", text: (call) => duration(call.p99_ns), number: true },
    { head: "Longest", text: (call) => duration(call.max_ns), number: true }] }) : nothing("No call was recorded in this part."));
}

const processesCard = (stats) => card("Processes", table({ caption: "Processes", rows: stats.processes, most: 20, columns: [
  { head: "Process", text: (one) => `${one.process ?? "?"} ${one.pid}` },
  { head: "Calls", text: (one) => count(one.calls), number: true },
  { head: "Errors", text: (one) => count(one.errors), number: true },
  { head: "Host events", text: (one) => count(one.host_events), number: true },
  { head: "Longest call", text: (one) => duration(one.calls ? one.max_ns : null), number: true }] }));

const recordingCard = (stats, info) => card("The recording", facts([["File", info.file], ["Schema", info.schema], ["Events in this part", count(stats.events)],
  ["First", stats.first], ["Last", stats.last], ["Rows pruned", stats.rows_pruned ? count(stats.rows_pruned) : null],
  ["Lost", stats.lost === null ? (stats.recording.not_ended ? "not known: the recording has no proper end, see Capture" : "not known: the legacy agent did not count it")
    : stats.lost.some((one) => one.severity !== "info") ? el("a", { href: hashOf({ view: "health" }) }, "something was: see Capture") : "nothing"]]), cuts(stats));

// An answer that took too long leaves the others to be shown, with its reason among what is left out.
const orNothing = (question) => question.catch((error) => {
  if (!(error instanceof Failure) || error.status < 500) throw error;
  return { known: false, processes: [], cut: [error.message] };
});

// Each answer takes its place when it comes: the slowest one, which looks for causes, does not hold up the figures.
async function draw(main, context) {
  const { info, signal, show } = context;
  const [cause, steps, flights, ...figures] = ["The cause", "Where the steps' time went", null, "Where the calls' time went", "Processes", "The recording"]
    .map((title) => main.appendChild(title ? card(title, waiting()) : el("div", { hidden: true })));
  show();
  async function fill(places, question, make) {
    try {
      const made = await make(await question);
      made.forEach((one, i) => places[i].replaceWith(one));
    } catch (error) {
      // One answer that takes too long leaves the others; what is wrong with the question or the token concerns them all.
      if (!(error instanceof Failure) || error.status < 500) throw error;
      for (const place of places.filter((one) => !one.hidden)) place.querySelector(".waiting").replaceWith(el("p", { role: "alert" }, error.message));
    }
  }
  let close = () => {};
  const time = orNothing(ask("get_time_spent", { ...range(), limit: 20 }, signal));
  const chains = ask("get_causal_chains", { ...range(), top_n: 20 }, signal);
  await Promise.all([
    fill([cause], chains, async (found) => [causeCard(await time, found, info)]),
    fill([steps], time, async (found) => {
      const made = await stepsCard(found, context);
      close = made.close;
      return [made.card];
    }),
    fill([flights], ask("get_calls_in_flight", { ...range(), limit: 5 }, signal), (answer) => [flightsCard(answer)]),
    fill(figures, ask("get_trace_stats", range(), signal), (stats) => [callsCard(stats), processesCard(stats), recordingCard(stats, info)])]);
  return () => close();
}

export default { name: "overview", title: "Overview", draw };
