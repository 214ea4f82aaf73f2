// Steps of programs that serve models: workloads with what is usual for them, slow steps, what engines said of themselves.
import { ask, rows } from "../ask.js";
import { lines } from "../chart.js";
import { choose, hashOf, place, range, whereTime } from "../place.js";
import { card, cuts, nothing, table } from "../table.js";
import { bytes, count, duration, el, short, wallNs, wallText } from "../text.js";

const key = (one) => `${one.pid}|${one.stream ?? ""}|${one.phase}`;
const slow = (one) => one.slow_1_5x + one.slow_2x + one.slow_3x;
const each = (value, one) => (one.steps ? short(value / one.steps) : "–");
const served = (one) => [one.engine, one.model].filter(Boolean).join(" ");
const unitText = { s: (value) => duration(value * 1e9), bytes };
// A histogram: its value is how often it observed, in no unit.
const observes = (one) => one.interval_mean !== null || one.interval_p95 !== null || (one.unit === "s" && !one.name.endsWith(".total"));
const figure = (value, unit) => (value === null || value === undefined ? "–" : unitText[unit]?.(value) ?? short(value));

const workloadColumns = [
  { head: "Workload", text: (one) => `${one.process ?? "?"} ${one.pid}, ${one.phase}`, sort: (one) => one.pid },
  { head: "Serves", text: served },
  { head: "Steps", number: true, text: (one) => count(one.steps), sort: (one) => one.steps },
  { head: "Slow", number: true, text: (one) => count(slow(one)), sort: slow, title: "1.5 times the 95th percentile and more" },
  { head: "3x", number: true, text: (one) => count(one.slow_3x), sort: (one) => one.slow_3x },
  { head: "Usual", number: true, text: (one) => duration(one.mean_ns), sort: (one) => one.mean_ns, title: "Mean of healthy steps" },
  { head: "p95", number: true, text: (one) => duration(one.p95_ns), sort: (one) => one.p95_ns, title: "Of healthy steps" },
  { head: "Longest", number: true, text: (one) => duration(one.max_ns), sort: (one) => one.max_ns },
  { head: "Launches a step", number: true, text: (one) => each(one.launches + one.graph_launches, one), title: "Launches of graphs count as one each" },
  { head: "Copied a step", number: true, text: (one) => (one.steps ? bytes(Math.round(one.copied_bytes / one.steps)) : "–") },
  { head: "Idle", number: true, text: (one) => duration(one.idle_ns), sort: (one) => one.idle_ns, title: "Pauses that are part of no step" },
  { head: "Began over", number: true, text: (one) => (one.relearned ? count(one.relearned) : ""), title: "Times that what is usual changed for good" }];

function around(step) {
  const [start, length] = [BigInt(step.start_wall_ns), BigInt(step.duration_ns)];
  return { view: "timeline", from: wallText(start - length / 2n), to: wallText(start + 3n * length / 2n) };
}

const slowColumns = (context) => [
  { head: "At", number: true, node: (step) => el("a", { href: hashOf(around(step)) }, duration(Number(BigInt(step.start_wall_ns) - context.origin))), sort: (step) => Number(step.start_wall_ns) },
  { head: "Thread", text: (step) => `${step.pid}/${step.tid}` },
  { head: "Phase", text: (step) => step.phase },
  { head: "Class", text: (step) => step.slow, sort: (step) => parseFloat(step.slow) },
  { head: "Took", number: true, text: (step) => duration(step.duration_ns), sort: (step) => step.duration_ns },
  { head: "p95 then", number: true, text: (step) => duration(step.baseline_p95_ns) },
  { head: "Waited", number: true, text: (step) => duration(step.wait_ns), sort: (step) => step.wait_ns },
  { head: "Launches", number: true, text: (step) => count(step.launches + step.graph_launches) },
  { head: "Cause", node: (step) => (step.incident ? el("a", { href: hashOf({ ...around(step), chosen: { chain: step.incident } }) }, step.incident) : "none found") }];

// The chosen workload's steps over time, next to what was usual for it.
async function overTime(context, one) {
  const stream = one.stream === null ? "NULL" : one.stream;
  const part = whereTime("timestamp", (text) => String(wallNs(text)));
  const steps = await rows(`SELECT timestamp - ${context.origin} AS at, duration_ns, baseline_p95_ns FROM inference_steps
    WHERE pid = ${one.pid} AND stream IS ${stream} AND phase = '${one.phase.replaceAll("'", "''")}' AND ${part} ORDER BY timestamp`, 10000, context.signal);
  if (!steps.length) return null;
  return lines({ label: "Steps over time", times: steps.map((step) => step.at), text: duration, timeText: duration,
    series: [{ name: "Step", values: steps.map((step) => step.duration_ns) }, { name: "Usual, p95", values: steps.map((step) => step.baseline_p95_ns) }] });
}

async function draw(main, context) {
  const answer = await ask("get_inference", range(), context.signal);
  if (!answer.workloads.length && !answer.engines.length) {
    main.append(card("Inference", nothing("No step of inference is known: the recording was made without --inference, or no program served a model."), cuts(answer)));
    return () => {};
  }
  const chosen = answer.workloads.find((one) => key(one) === place.chosen.workload);
  let chart = null;
  if (chosen) {
    chart = await overTime(context, chosen);
    main.append(card(`${chosen.process ?? "?"} ${chosen.pid}, ${chosen.phase}`, chart ?? nothing("It made no step in this part.")));
  }
  main.append(
    card("Workloads, in the whole recording", answer.workloads.length ? table({ caption: "Workloads; choose one to see its steps over time", rows: answer.workloads, columns: workloadColumns, key,
      chosen: place.chosen.workload ?? null, choose: (one) => choose({ workload: key(one) }, false) }) : nothing("No step ended.")),
    card("Slow steps", answer.slow_steps.length ? table({ caption: "Slow steps, the worst first", rows: answer.slow_steps, columns: slowColumns(context) }) : nothing("No step of this part was slow.")),
    card("What engines said last", answer.engines.length ? table({ caption: "Metrics of engines", rows: answer.engines, columns: [
      { head: "Metric", text: (one) => one.name, sort: (one) => one.name },
      { head: "Engine", text: (one) => `${served(one)} (${one.pid})` },
      { head: "Value", number: true, text: (one) => (observes(one) ? `${count(one.value)} times` : figure(one.value, one.unit)), title: "Of a histogram: how often it observed" },
      { head: "Mean", number: true, text: (one) => figure(one.interval_mean, one.unit), title: "Since the reading before" },
      { head: "p95", number: true, text: (one) => figure(one.interval_p95, one.unit), title: "Since the reading before" },
      { head: "Unit", text: (one) => one.unit }] }) : nothing("No engine was found, or none showed its metrics.")));
  if (answer.cut.length) main.append(cuts(answer));
  return () => chart?.close();
}

export default { name: "inference", title: "Inference", draw };
