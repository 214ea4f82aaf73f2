// Calls and what the host did, as figures and distributions; brushing a distribution lists the calls that took so long.
import { ask, rows } from "../ask.js";
import { choose, hashOf, place, range, whereTime } from "../place.js";
import { card, cuts, facts, nothing, table } from "../table.js";
import { colour } from "../timeline_draw.js";
import { bytes, count, duration, el, percent, wallNs, wallText } from "../text.js";

const PER_OCTAVE = 4;

// A small picture of a distribution, on one grid for all rows so that they can be compared.
function spark(one, low, high) {
  const [width, height] = [120, 18];
  const canvas = el("canvas", { width: width * 2, height: height * 2, class: "spark", role: "img",
    "aria-label": one ? `most often about ${duration(one.from_ns[one.counts.indexOf(Math.max(...one.counts))])}` : "not known" });
  if (!one) return canvas;
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.fillStyle = colour(one.kind);
  const most = Math.max(...one.counts);
  const x = (ns) => ((Math.log2(Math.max(ns, 1)) - low) / (high - low)) * (width - 3);
  one.from_ns.forEach((from, i) => {
    const tall = Math.max(1.5, (Math.log1p(one.counts[i]) / Math.log1p(most)) * height);
    pen.fillRect(x(from), height - tall, Math.max(2, width / ((high - low) * PER_OCTAVE) - 0.5), tall);
  });
  return canvas;
}

// The chosen call's distribution; a part of it is taken with the pointer, or with the two fields.
function distribution(one, taken, take) {
  const bucket = (from) => {
    const octave = 2 ** Math.floor(Math.log2(Math.max(from, 1)));
    return from + Math.max(1, octave / 16);
  };
  const [low, high] = [Math.log2(Math.max(one.from_ns[0], 1)), Math.log2(bucket(one.from_ns.at(-1)))];
  const most = Math.max(...one.counts);
  const height = 160;
  const canvas = el("canvas", { class: "distribution", role: "img", "aria-label": `Distribution of ${one.op}` });
  let width = 0, pressed = null, now = null;
  const x = (ns) => ((Math.log2(Math.max(ns, 1)) - low) / Math.max(high - low, 0.01)) * width;
  const ns = (at) => 2 ** (low + (at / width) * (high - low));
  function draw() {
    const ratio = devicePixelRatio || 1;
    width = canvas.clientWidth;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const marked = now ?? (taken ? [x(taken[0]), x(taken[1])] : null);
    if (marked) {
      pen.fillStyle = colour("chosen");
      pen.fillRect(Math.min(...marked), 0, Math.abs(marked[1] - marked[0]), height - 18);
    }
    pen.fillStyle = colour(one.kind);
    one.from_ns.forEach((from, i) => {
      const tall = Math.max(2, (Math.log1p(one.counts[i]) / Math.log1p(most)) * (height - 24));
      pen.fillRect(x(from), height - 18 - tall, Math.max(1, x(bucket(from)) - x(from) - 0.5), tall);
    });
    pen.fillStyle = colour("quiet");
    pen.font = "11px system-ui, sans-serif";
    const steps = high - low > 5 ? [1] : high - low > 2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9];
    for (let power = 0, last = -60; power < 12; power++) {
      for (const step of steps) {
        const at = x(step * 10 ** power);
        if (at < Math.max(0, last + 60) || at > width - 40) continue;
        pen.fillText(duration(step * 10 ** power), at, height - 4);
        last = at;
      }
    }
  }
  canvas.addEventListener("pointerdown", (event) => {
    pressed = event.offsetX;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    if (pressed === null) return;
    now = [pressed, event.offsetX];
    draw();
  });
  canvas.addEventListener("pointerup", (event) => {
    const [a, b] = [pressed, event.offsetX].sort((p, q) => p - q);
    pressed = now = null;
    take(b - a > 3 ? [Math.floor(ns(Math.max(0, a))), Math.ceil(ns(Math.min(width, b)))] : null);
  });
  const observer = new ResizeObserver(draw);
  observer.observe(canvas);
  const field = (id, label, value) => [el("label", { for: id }, label), el("input", { id, type: "number", min: "0", step: "any", value: value ?? "" })];
  const form = el("form", { class: "bar" }, field("least", "From µs", taken ? taken[0] / 1000 : null), field("most", "to µs", taken ? taken[1] / 1000 : null),
    el("button", { type: "submit" }, "List these calls"), taken ? el("button", { type: "button", onclick: () => take(null) }, "All") : null);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [least, greatest] = [form.querySelector("#least").value, form.querySelector("#most").value];
    take(least === "" && greatest === "" ? null : [Math.floor(Number(least || 0) * 1000), Math.ceil(Number(greatest || 1e12) * 1000)]);
  });
  return { node: el("div", {}, canvas, el("p", { class: "quiet" }, "Calls by duration, both on logarithmic scales. Drag over a part to list its calls."), form), close: () => observer.disconnect() };
}

// The rows of the view events that took so long, longest first.
async function listed(context, one, taken) {
  const origin = context.origin;
  const part = whereTime("timestamp", (text) => String(wallNs(text)));
  const found = await rows(`SELECT seq, timestamp - ${origin} AS start_ns, duration, pid, tid, comm, failed, bytes, kernel FROM events
    WHERE call = '${one.call.replaceAll("'", "''")}' AND ${part} ${taken ? `AND duration BETWEEN ${taken[0]} AND ${taken[1]}` : ""}
    ORDER BY duration DESC`, 50, context.signal);
  return found.length ? table({ caption: `Calls of ${one.op}, longest first`, rows: found, most: 50, columns: [
    { head: "Took", number: true, text: (row) => duration(row.duration), sort: (row) => row.duration },
    { head: "At", number: true, node: (row) => el("a", { href: hashOf({ view: "timeline", from: wallText(origin + BigInt(row.start_ns - Math.max(1000, row.duration ?? 0))),
      to: wallText(origin + BigInt(row.start_ns + 2 * Math.max(1000, row.duration ?? 0))), chosen: { call: row.seq } }) }, duration(row.start_ns)), sort: (row) => row.start_ns },
    { head: "Thread", text: (row) => `${row.comm ?? ""} ${row.pid}/${row.tid}` },
    { head: "Bytes", number: true, text: (row) => bytes(row.bytes), sort: (row) => row.bytes },
    { head: "Failed", text: (row) => (row.failed ? "yes" : "") },
    { head: "Kernel", text: (row) => row.kernel ?? "" }] }) : nothing("No call of this part took so long.");
}

const kernelsCard = (kernels) => card("Kernels", table({ caption: "Kernels", rows: kernels, sorted: 2, columns: [
  { head: "Kernel", text: (one) => one.kernel ?? "without a name", sort: (one) => one.kernel ?? "" },
  { head: "Launches", number: true, text: (one) => count(one.launches), sort: (one) => one.launches },
  { head: "Waited behind it", number: true, text: (one) => duration(one.wait_ns), sort: (one) => one.wait_ns,
    title: "Its share of the waits of the threads that launched it: a wait is shared equally among the launches since the one before" },
  { head: "Copied", number: true, text: (one) => bytes(one.copied_bytes), sort: (one) => one.copied_bytes, title: "Its share of the bytes copied meanwhile" },
  { head: "In launching", number: true, text: (one) => duration(one.launch_ns), sort: (one) => one.launch_ns },
  { head: "Failed", number: true, text: (one) => (one.failed ? count(one.failed) : ""), sort: (one) => one.failed }] }));

async function draw(main, context) {
  const [stats, spread] = await Promise.all([ask("get_trace_stats", range(), context.signal),
    ask("get_distributions", { ...range(), per_octave: PER_OCTAVE }, context.signal)]);
  const of = new Map(spread.calls.map((one) => [one.call, one]));
  const least = Math.min(10, ...spread.calls.map((one) => Math.log2(Math.max(one.from_ns[0], 1))));
  const most = Math.max(11, ...spread.calls.map((one) => Math.log2(one.from_ns.at(-1)) + 0.5));
  const total = stats.calls.reduce((sum, call) => sum + (call.total_ns ?? 0), 0);
  const columns = [
    { head: "Call", text: (call) => call.op + ("single_step_ns" in call ? " *" : ""), sort: (call) => call.op },
    { head: "Count", number: true, text: (call) => count(call.count), sort: (call) => call.count },
    { head: "Total", number: true, text: (call) => duration(call.total_ns), sort: (call) => call.total_ns },
    { head: "Share", number: true, text: (call) => (call.kind === "host" ? "" : percent(call.total_ns / total)), title: "Of all calls' time; a call made inside another is in both" },
    { head: "p50", number: true, text: (call) => duration(call.p50_ns), sort: (call) => call.p50_ns },
    { head: "p95", number: true, text: (call) => duration(call.p95_ns), sort: (call) => call.p95_ns },
    { head: "p99", number: true, text: (call) => duration(call.p99_ns), sort: (call) => call.p99_ns },
    { head: "Longest", number: true, text: (call) => duration(call.max_ns), sort: (call) => call.max_ns },
    { head: "Errors", number: true, text: (call) => (call.errors ? count(call.errors) : ""), sort: (call) => call.errors },
    { head: "Bytes", number: true, text: (call) => (call.bytes === null ? "" : bytes(call.bytes)), sort: (call) => call.bytes },
    { head: "Off CPU", number: true, text: (call) => (call.off_cpu ? percent(Object.values(call.off_cpu).reduce((a, b) => a + b, 0) / call.total_ns) : ""), title: "Part of the time that the calling threads were off the CPU" }];
  // Where there is room for a few columns only, the figures come first.
  const about = [{ head: "Layer", text: (call) => call.layer, sort: (call) => call.layer },
    { head: "Distribution", node: (call) => spark(of.get(call.call), least, most) }];
  if (matchMedia("(max-width: 600px)").matches) columns.push(...about);
  else columns.splice(1, 0, ...about);
  const sorted = columns.findIndex(({ head }) => head === "Total");
  const chosen = place.chosen.op ?? null;
  const pick = (call) => choose({ op: call.call, least: null, most: null }, false);
  main.append(
    card("Calls", stats.calls.length ? table({ caption: "Calls", rows: stats.calls, columns, sorted, choose: pick, key: (call) => call.call, chosen }) : nothing("No call was recorded in this part.")),
    ...(stats.host.length ? [card("What the host did", table({ caption: "Host events", rows: stats.host, columns: columns.filter(({ head }) => head !== "Off CPU" && head !== "Share"), choose: pick, key: (call) => call.call, chosen }))] : []));
  if (stats.kernels?.length) main.append(kernelsCard(stats.kernels));
  if (stats.calls.some((call) => "single_step_ns" in call)) main.append(el("p", { class: "quiet" },
    "* Probed on an instruction that the kernel single-steps: a part of each duration is that step. Choose the call to see how much."));
  for (const answer of [stats, spread]) if (answer.cut.length) main.append(cuts(answer));
  if (!chosen) return () => {};
  const fine = await ask("get_distributions", { ...range(), op: chosen, per_octave: 16 }, context.signal);
  const one = fine.calls.find((call) => call.call === chosen) ?? fine.calls[0];
  if (!one) {
    main.prepend(card(chosen, nothing("It was not called in this part, or has no durations.")));
    return () => {};
  }
  const taken = place.chosen.least ? [Number(place.chosen.least), Number(place.chosen.most)] : null;
  const shape = distribution(one, taken, (part) => choose({ least: part?.[0] ?? null, most: part?.[1] ?? null }, false));
  const figures = [...stats.calls, ...stats.host].find((call) => call.call === one.call);
  main.prepend(card(one.op, facts([["Count", count(one.count)], ["p50", duration(figures?.p50_ns)], ["p99", duration(figures?.p99_ns)],
    ["Longest", duration(figures?.max_ns)], ["Library's name", one.call],
    ["Of each the probe's single step", figures && "single_step_ns" in figures ? duration(figures.single_step_ns) : null]]), shape.node, await listed(context, one, taken)));
  return shape.close;
}

export default { name: "operations", title: "Operations", draw };
