// Device memory by call site: what is held, and how that came about over time.
import { ask } from "../ask.js";
import { ink, lines } from "../chart.js";
import { range } from "../place.js";
import { card, cuts, facts, nothing, table } from "../table.js";
import { bytes, count, duration, el, wallNs } from "../text.js";

const MOST = 8;
const title = (from) => `${from.frames?.find((frame) => frame.startsWith("[Python]")) ?? from.frames?.[1] ?? from.frames?.[0] ?? from.op} (${from.pid})`;

async function draw(main, context) {
  const answer = await ask("get_memory", { ...range(), limit: 100, bins: 300 }, context.signal);
  const { totals, sites, over_time: over } = answer;
  if (!sites.length) {
    main.append(card("Memory", nothing("No call of this part obtained memory."), cuts(answer)));
    return () => {};
  }
  main.append(card("Memory", facts([["Held at the end", bytes(totals.held_bytes)], ["Held at most", bytes(totals.peak_bytes)], ["Allocations held", count(totals.held_allocations)],
    ["Freed, but obtained before", count(totals.frees_of_unseen)], ["Of unknown address", totals.address_unknown ? count(totals.address_unknown) : null]]), cuts(answer)));
  let chart = null;
  if (over) {
    const from = Number(wallNs(over.from) - context.origin);
    const times = over.total_bytes.map((_, i) => from + i * over.bin_ns);
    const drawn = over.site_bytes.slice(0, MOST);
    const series = drawn.map((values, i) => ({ name: title(sites[i]), values }));
    const rest = over.total_bytes.map((total, i) => Math.max(0, total - drawn.reduce((sum, values) => sum + values[i], 0)));
    if (rest.some((value) => value > 0)) series.push({ name: "others", values: rest });
    chart = lines({ label: "Bytes held by call site", times, series, stacked: true, text: bytes, timeText: duration, height: 280 });
    main.append(card("Held over time, by call site", chart, el("p", { class: "quiet" }, "The most held in each part; what the program held before the recording is not seen.")));
  }
  main.append(card("Call sites", table({ caption: "Call sites", rows: sites.map((site, i) => ({ ...site, i })), columns: [
    { head: "Where", node: (site) => el("span", {}, el("i", { class: "dot", "data-ink": site.i < MOST ? site.i : "" }), title(site)) },
    { head: "Call", text: (site) => site.op, sort: (site) => site.op },
    { head: "Held", number: true, text: (site) => bytes(site.held_bytes), sort: (site) => site.held_bytes },
    { head: "At most", number: true, text: (site) => bytes(site.peak_bytes), sort: (site) => site.peak_bytes },
    { head: "Obtained", number: true, text: (site) => bytes(site.bytes), sort: (site) => site.bytes },
    { head: "Given back", number: true, text: (site) => bytes(site.freed_bytes), sort: (site) => site.freed_bytes },
    { head: "Calls", number: true, text: (site) => count(site.calls), sort: (site) => site.calls },
    { head: "Failed", number: true, text: (site) => (site.failed ? count(site.failed) : ""), sort: (site) => site.failed }] })));
  for (const dot of main.querySelectorAll("[data-ink]")) if (dot.dataset.ink !== "") dot.style.background = ink(Number(dot.dataset.ink));
  return () => chart?.close();
}

export default { name: "memory", title: "Memory", draw };
