// Views of what was sampled: fabric adapters and devices. A value is drawn when its row is chosen.
import { ask, rows } from "../ask.js";
import { lines } from "../chart.js";
import { choose, place, quoted, range, whereTime } from "../place.js";
import { card, cuts, nothing, table } from "../table.js";
import { bytes, count, duration, short, wallNs } from "../text.js";

const part = () => whereTime("timestamp", (text) => String(wallNs(text)));
const unitText = (unit) => (unit === "bytes" ? bytes : (value) => (value === null || value === undefined ? "–" : short(value)));
const STATES = ["", "down", "initialising", "armed", "active", "deferred"];

async function series(context, query) {
  const found = await rows(query, 10000, context.signal);
  return { times: found.map((row) => row.at), values: found.map((row) => row.value) };
}

async function drawFabric(main, context) {
  const answer = await ask("get_fabric", range(), context.signal);
  const load = rowsOfHost(context);
  if (!answer.known || !answer.links.length && !answer.counters.length) {
    main.append(card("Fabric", nothing("No adapter was sampled: there was none, or the legacy agent recorded this."), cuts(answer)));
  } else {
    main.append(card("Links", table({ caption: "Links", rows: answer.links, columns: [
      { head: "Adapter", text: (link) => `${link.device}, port ${link.port}` }, { head: "Layer", text: (link) => link.link_layer ?? "" },
      { head: "State", text: (link) => STATES[link.state] ?? String(link.state ?? "–") }, { head: "Changes", number: true, text: (link) => count(link.changes) }] })));
    const key = (one) => `${one.device}|${one.port ?? ""}|${one.origin}|${one.name}`;
    const chosen = answer.counters.find((one) => key(one) === place.chosen.counter);
    let chart = null;
    if (chosen) {
      const data = await series(context, `SELECT timestamp - ${context.origin} AS at, value FROM fabric_samples WHERE device = ${quoted(chosen.device)} AND name = ${quoted(chosen.name)}
        AND origin = ${quoted(chosen.origin)} AND port IS ${chosen.port ?? "NULL"} AND ${part()} ORDER BY timestamp`);
      chart = lines({ label: chosen.name, times: data.times, series: [{ name: chosen.name, values: data.values }], text: unitText(chosen.unit), timeText: duration });
      main.append(card(`${chosen.device}: ${chosen.name}`, chart));
    }
    main.append(card("Counters", table({ caption: "Counters; choose one to see it over time", rows: answer.counters, sorted: 3, key, chosen: place.chosen.counter ?? null,
      choose: (one) => choose({ counter: key(one) }, false), columns: [
        { head: "Counter", text: (one) => one.name, sort: (one) => one.name }, { head: "Adapter", text: (one) => one.device, sort: (one) => one.device },
        { head: "Port", text: (one) => one.port ?? "" },
        { head: "Grew by", number: true, text: (one) => unitText(one.unit)(one.grew_by), sort: (one) => one.grew_by },
        { head: "Value", number: true, text: (one) => unitText(one.unit)(one.value), sort: (one) => one.value },
        { head: "Resets", number: true, text: (one) => (one.resets ? count(one.resets) : "") }] }), cuts(answer)));
    if (chart) main.prepend(chart.parentNode);
    return ender(chart, await load, main);
  }
  return ender(null, await load, main);
}

const ender = (chart, host, main) => {
  if (host) main.append(host.card);
  return () => {
    chart?.close();
    host?.chart.close();
  };
};

// The host's load, which both views show below.
async function rowsOfHost(context) {
  const found = await rows(`SELECT timestamp - ${context.origin} AS at, cpu_pct, mem_pct FROM system_snapshots WHERE ${part()} ORDER BY timestamp`, 10000, context.signal);
  if (found.length < 2) return null;
  const chart = lines({ label: "The host", times: found.map((row) => row.at), text: (value) => (value === null || value === undefined ? "–" : `${Math.round(value)} %`), timeText: duration, height: 160,
    series: [{ name: "CPU", values: found.map((row) => row.cpu_pct) }, { name: "Memory", values: found.map((row) => row.mem_pct) }] });
  return { chart, card: card("The host", chart) };
}

async function drawDevices(main, context) {
  const answer = await ask("get_devices", range(), context.signal);
  const load = rowsOfHost(context);
  main.append(card("Devices", answer.devices.length ? table({ caption: "Devices", rows: answer.devices, columns: [
    { head: "Device", text: (one) => one.name ?? "?" }, { head: "Driver", text: (one) => one.driver ?? "–" }, { head: "UUID", text: (one) => one.uuid ?? "–" },
    { head: "PCI address", text: (one) => one.pci_address ?? "–" }] }) : nothing("No device was seen."),
    answer.known ? null : nothing("The recording has no readings: the legacy agent made it."), cuts(answer)));
  const key = (one) => `${one.uuid ?? one.pci_address}|${one.name}|${one.part}`;
  const chosen = answer.readings.find((one) => key(one) === place.chosen.reading);
  let chart = null;
  if (chosen) {
    const data = await series(context, `SELECT timestamp - ${context.origin} AS at, value FROM device_samples WHERE uuid IS ${quoted(chosen.uuid)} AND pci_address IS ${quoted(chosen.pci_address)}
      AND name = ${quoted(chosen.name)} AND part = ${quoted(chosen.part)} AND ${part()} ORDER BY timestamp`);
    chart = lines({ label: chosen.name, times: data.times, series: [{ name: chosen.name, values: data.values }], text: short, timeText: duration });
    main.append(card(chosen.name.replaceAll("_", " "), chart));
  }
  if (answer.readings.length) {
    main.append(card("Readings", table({ caption: "Readings; choose one to see it over time", rows: answer.readings, key, chosen: place.chosen.reading ?? null,
      choose: (one) => choose({ reading: key(one) }, false), columns: [
        { head: "Reading", text: (one) => `${one.name.replaceAll("_", " ")}${one.part ? ` (${one.part})` : ""}`, sort: (one) => one.name },
        { head: "Device", text: (one) => one.uuid ?? one.pci_address ?? "?", sort: (one) => one.uuid },
        { head: "Last", number: true, text: (one) => (one.last === null ? "–" : short(one.last)) }, { head: "Least", number: true, text: (one) => short(one.min) },
        { head: "Average", number: true, text: (one) => short(one.avg) }, { head: "Most", number: true, text: (one) => short(one.max) },
        { head: "Samples", number: true, text: (one) => count(one.samples) }] })));
  }
  if (answer.processes.length) {
    main.append(card("Memory by process", table({ caption: "Memory by process", rows: answer.processes, columns: [
      { head: "Process", text: (one) => one.pid }, { head: "Device", text: (one) => one.device }, { head: "Memory", number: true, text: (one) => bytes(one.memory_bytes) }] })));
  }
  if (answer.errors.length) {
    main.append(card("Errors of drivers", table({ caption: "Errors of drivers", rows: answer.errors, columns: [
      { head: "Kind", text: (one) => `${one.kind} ${one.code ?? ""}` }, { head: "Meaning", text: (one) => one.meaning ?? "" }, { head: "Process", text: (one) => one.process ?? "" },
      { head: "Message", text: (one) => one.message }] })));
  }
  return ender(chart, await load, main);
}

export const fabric = { name: "fabric", title: "Fabric", draw: drawFabric };
export const devices = { name: "devices", title: "Devices", draw: drawDevices };
