// Where the time of a process's steps went: the picture of its steps, what they are made of on average, and the step that
// is chosen, with the reason of a slow one.
import { inOrder, inkOf, wordsOf } from "./classes.js";
import { picture } from "./picture.js";
import { choose, hashOf, place } from "./place.js";
import { drawSteps } from "./steps_draw.js";
import { blameOf, secondsOf, stepsOf } from "./steps_data.js";
import { card, cuts, facts, nothing, table } from "./table.js";
import { count, duration, el, percent, wallText } from "./text.js";

const TITLE = "Where the steps' time went";
const MOST = 150;     // columns, besides slow steps; as many as a window has room for
const LEAST_PX = 8;   // of a column

export const keyOf = (time) => `${time.process.node ?? ""}|${time.process.pid}`;
export const nameOf = ({ process }) => `${process.name || "?"} (pid ${process.pid})`;
const partOf = (time) => (time.steps ? "step" : "second");
const partsOf = (time) => Math.max(1, time.steps ? time.steps.evaluated : time.interval.evaluated_ns / 1e9);

// "17 ms to 25.2 ms"; one figure where they are nearly the same.
export function rangeText(low, high) {
  if (high <= 1.1 * low) return duration(low);
  return low ? `${duration(low)} to ${duration(high)}` : `up to ${duration(high)}`;
}

const dot = (name) => el("i", { class: `kind ${inkOf(name)}`, "aria-hidden": "true" });
const lostText = (one) => (one.high ? rangeText(one.low, one.high) : "");
const classCell = (one) => el("span", {}, dot(one.name), wordsOf(one.name));

// What a step is made of on average: also the legend of the picture, and its table in sums.
function averageTable(time) {
  const parts = partsOf(time);
  const list = inOrder(time.classes).map((one) => ({ name: one.name, ns: one.ns / parts, share: one.share, low: one.lost_ns.low / parts, high: one.lost_ns.high / parts }));
  return table({ caption: `What a ${partOf(time)} is made of`, rows: list, sorted: 1, columns: [
    { head: "What the thread did", node: classCell, sort: (one) => wordsOf(one.name) },
    { head: `A ${partOf(time)}`, number: true, text: (one) => duration(one.ns), sort: (one) => one.ns },
    { head: "Share", number: true, text: (one) => percent(one.share), sort: (one) => one.share },
    { head: "Lost", number: true, text: lostText, sort: (one) => one.high, title: "Meanwhile the device had nothing to do, and waited for this thread: at least and at most" }] });
}

// Other processes can be chosen, those with a cause first.
function processTable(times, chosen) {
  if (times.length < 2) return null;
  return el("div", {}, el("h3", {}, "Programs"), table({ caption: "Programs; choose one to see its steps", rows: times, key: keyOf, chosen, choose: (time) => choose({ program: keyOf(time), step: null }, false), columns: [
    { head: "Program", text: (time) => `${nameOf(time)}${time.process.node ? ` on ${time.process.node}` : ""}` },
    { head: "Result", text: (time) => [time.verdict.name, time.verdict.second].filter(Boolean).join(" and ") },
    { head: "Steps", number: true, text: (time) => count(time.steps?.count) },
    { head: "Usual step", number: true, text: (time) => duration(time.steps?.usual_ns) },
    { head: "Device idle", number: true, text: (time) => idleShare(time), title: "Share of the time in which the device had nothing to do, at least and at most, as far as this program's calls say" }] }));
}

function idleShare(time) {
  const [low, high] = [time.idle_ns.low, time.idle_ns.high].map((ns) => percent(ns / Math.max(1, time.interval.evaluated_ns)));
  return low === high ? low : `${low} to ${high}`;
}

const startOf = (item, isStep) => (isStep ? `Step ${count(item.number)}` : `${duration(Math.max(0, item.at))}, ${count(item.seconds)} s`);
const reasonOf = (item) => (item.is_slow ? `slow: ${duration(item.more_ns)} more ${wordsOf(item.slow_class)} than usual` : "");

function labelOf(item, isStep) {
  const most = [...item.classes].sort((a, b) => b.ns - a.ns).slice(0, 3).map((one) => `${wordsOf(one.name)} ${duration(one.ns)}`).join(", ");
  return isStep ? `Step ${item.number} took ${duration(item.duration_ns)}${item.is_slow ? `, ${reasonOf(item)}` : ""}; ${most}` : `A second from ${duration(Math.max(0, item.at))} on; ${most}`;
}

// The columns as a table: what most of the time was spent on has a column of its own.
function itemTable(items, isStep, pick) {
  const sums = new Map();
  for (const item of items) for (const one of item.classes) sums.set(one.name, (sums.get(one.name) ?? 0) + one.ns);
  const main = inOrder([...sums].sort((a, b) => b[1] - a[1]).slice(0, 6).map(([name]) => ({ name })));
  const rows = items.map((item, i) => ({ ...item, i, by: Object.fromEntries(item.classes.map((one) => [one.name, one.ns])) }));
  return table({ caption: isStep ? "Steps of the picture; choose one" : "Parts of the picture; choose one", rows, choose: (item) => pick(item.i), most: 300, columns: [
    { head: isStep ? "Step" : "From", text: (item) => startOf(item, isStep), sort: (item) => item.at },
    ...(isStep ? [{ head: "At", number: true, text: (item) => duration(item.at), sort: (item) => item.at },
      { head: "Took", number: true, text: (item) => duration(item.duration_ns), sort: (item) => item.duration_ns },
      { head: "Slow", text: (item) => (item.is_slow ? wordsOf(item.slow_class) : ""), sort: (item) => item.slow_class }] : []),
    ...main.map(({ name }) => ({ head: wordsOf(name), number: true, text: (item) => duration(item.by[name] ?? 0), sort: (item) => item.by[name] ?? 0 }))] });
}

// What the reason of a slow step is: as `explain` says it where it does, else as it was recorded.
async function whyOf(time, item, context) {
  const told = time.slow.find((one) => one.step === item.number && Math.abs(one.duration_ns - item.duration_ns) < 1e6);
  if (told?.blame?.length) return told.blame.map((one) => one.sentence);
  const found = await blameOf(time.process, item, context);
  return found.map((one) => `${duration(one.ns)}: ${one.path}`);
}

class StepsCard {
  constructor(time, items, isStep, context) {
    Object.assign(this, { time, items, context, isStep });
    this.detail = el("div", { id: "chosen-step", "aria-live": "polite" });
    const slow = items.filter((item) => item.is_slow).sort((a, b) => b.more_ns - a.more_ns);
    // Where slow steps are the matter, the worst one is chosen until somebody chooses another.
    const chosen = place.chosen.step ?? (time.verdict.of_slow_steps ? slow[0]?.id : null);
    this.picture = picture({ id: "steps", items, chosen, draw: (width) => drawSteps(items, width), onChoose: (item) => this.take(item),
      label: this.isStep ? "Steps over time, by what the thread did. Arrow keys choose one." : "Seconds over time, by what the thread did. Arrow keys choose one." });
    const step = (by) => this.picture.choose(this.picture.chosen() < 0 ? 0 : this.picture.chosen() + by);
    this.bar = el("div", { class: "bar" }, el("button", { onclick: () => step(-1), title: "The column before (←)" }, "Earlier"), el("button", { onclick: () => step(1), title: "The next column (→)" }, "Later"),
      slow.length ? el("button", { onclick: () => this.nextSlow() }, "Next slow step") : null, el("span", { class: "quiet" }, this.summary()));
  }

  summary() {
    const { time, items } = this;
    if (!this.isStep) return `no steps were found: each column is ${items[0].seconds > 1 ? `an average second of ${count(items[0].seconds)}` : "a second"}`;
    const { recorded, slow } = items[0];
    const shown = items.length < recorded ? `${count(items.length)} of ${count(recorded)} recorded steps` : `${count(recorded)} recorded steps`;
    return `${shown}${time.steps ? `, of ${count(time.steps.count)}` : ""}; ${slow ? `${count(slow)} of them slow` : "none of them slow"}`;
  }

  nextSlow() {
    const { items } = this;
    const from = this.picture.chosen();
    for (let i = 1; i <= items.length; i++) {
      const at = (from + i + items.length) % items.length;
      if (items[at].is_slow) return this.picture.choose(at);
    }
  }

  take(item) {
    choose({ step: item.id }, true);
    this.describe(item);
  }

  async describe(item) {
    this.item = item;
    const { isStep, context } = this;
    const total = item.classes.reduce((sum, one) => sum + one.ns, 0);
    const title = isStep ? `Step ${count(item.number)} took ${duration(item.duration_ns)}` : `${count(item.seconds)} s from ${duration(Math.max(0, item.at))} on: a second of it`;
    const why = el("div");
    const [from, to] = [item.at, item.at + (isStep ? item.duration_ns : item.seconds * 1e9)].map((ns) => wallText(context.origin + BigInt(Math.round(ns))));
    this.detail.replaceChildren(el("h3", {}, title), item.is_slow ? el("p", {}, `It was ${reasonOf(item)} (${duration(item.usual_ns)}).`) : "", why,
      table({ caption: "What it is made of", rows: inOrder(item.classes), sorted: 1, columns: [
        { head: "What the thread did", node: classCell }, { head: "Time", number: true, text: (one) => duration(one.ns), sort: (one) => one.ns },
        { head: "Share", number: true, text: (one) => percent(one.ns / total), sort: (one) => one.ns }, { head: "Lost", number: true, text: lostText, sort: (one) => one.high }] }),
      isStep ? facts([["Device had nothing to do", item.idle_high ? rangeText(item.idle_low, item.idle_high) : "0"]]) : "",
      el("p", {}, el("a", { href: hashOf({ view: "timeline", from, to }) }, "Show it on the timeline")));
    if (!item.is_slow) return;
    try {
      const told = await whyOf(this.time, item, context);
      if (this.item === item && told.length) why.replaceChildren(el("ul", { "aria-label": "Its time was lost to" }, told.map((one) => el("li", {}, one))));
    } catch (error) {
      if (error.name !== "AbortError") context.say(error.message);
    }
  }

  element() {
    const { items, picture: drawn } = this;
    const at = drawn.chosen();
    if (at >= 0) this.describe(items[at]);
    else this.detail.replaceChildren(el("p", { class: "quiet" }, `Choose a ${this.isStep ? "step" : "column"} in the picture: click it, or use the arrow keys. Its reason, where it is known, stands here.`));
    const pick = (i) => { drawn.choose(i); drawn.focus(); };
    return [this.bar, drawn, el("p", { class: "quiet note" }, el("i", { class: "kind full", "aria-hidden": "true" }), "full colour: lost, the device had nothing to do meanwhile; ",
      el("i", { class: "kind pale", "aria-hidden": "true" }), "pale: it had, or may have had",
      items.some((item) => item.is_slow) ? [". ", el("i", { class: "kind slow", "aria-hidden": "true" }), "below a column: a slow step"] : "", this.isStep ? ". A column whose top is cut is taller, as its figure says." : "."),
    el("div", { class: "pair" }, el("div", {}, el("h3", {}, `A ${partOf(this.time)} on average`), averageTable(this.time)), this.detail),
    el("details", {}, el("summary", {}, "The picture as a table"), itemTable(items, this.isStep, pick))];
  }
}

// answer: of get_time_spent. Gives the card, and what ends it.
export async function stepsCard(answer, context) {
  const times = answer.processes;
  if (!times.length) {
    return { card: card(TITLE, nothing(answer.known ? "No program of this part makes GPU calls." : "Not known: only a part of the calls was recorded one by one."), cuts(answer)), close: () => {} };
  }
  const time = times.find((one) => keyOf(one) === place.chosen.program) ?? times[0];
  const most = Math.max(20, Math.min(MOST, Math.floor((Math.min(innerWidth, 1600) - 120) / LEAST_PX)));
  const steps = await stepsOf(time.process, most, context);
  const isStep = steps.length > 0;
  const items = (isStep ? steps : await secondsOf(time.process, most, context)).map((item) => ({ ...item, label: labelOf(item, isStep) }));
  const shown = items.length ? new StepsCard(time, items, isStep, context) : null;
  const made = card(TITLE, times.length > 1 ? el("p", {}, el("b", { id: "program" }, nameOf(time))) : null,
    shown ? shown.element() : [nothing("The recording has no steps to draw; what they are made of on average was computed anew."), averageTable(time)],
    processTable(times, keyOf(time)), cuts(answer));
  return { card: made, close: () => shown?.picture.close() };
}
