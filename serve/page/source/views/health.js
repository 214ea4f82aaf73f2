// Whether the recording can be trusted: what was captured from which library, and what was lost.
import { ask, rows } from "../ask.js";
import { card, cuts, facts, nothing, table } from "../table.js";
import { count, duration, el } from "../text.js";

// Which rows of which library can be attached here, and why others cannot.
function libraryTable(libraries) {
  const missing = libraries.flatMap((one) => one.rows.filter((row) => row.state !== "resolved").map((row) => ({ ...row, library: one.library })));
  return el("div", {}, table({ caption: "Rows by library of this machine", rows: libraries, columns: [
    { head: "Library", text: (one) => one.path }, { head: "Version", text: (one) => one.version ?? "" }, { head: "Processes", number: true, text: (one) => count(one.pids.length) },
    { head: "Resolved", number: true, text: (one) => count(one.resolved) }, { head: "Absent", number: true, text: (one) => count(one.absent) },
    { head: "Refused", number: true, text: (one) => count(one.refused) }, { head: "Single-stepped", number: true, text: (one) => count(one.single_stepped) }] }),
  missing.length ? el("details", {}, el("summary", {}, `${count(missing.length)} rows are absent or refused`), table({ caption: "Absent and refused rows", rows: missing, columns: [
    { head: "Call", text: (row) => row.call }, { head: "Library", text: (row) => row.library }, { head: "State", text: (row) => row.state },
    { head: "Why", text: (row) => [row.reason, row.remedy].filter(Boolean).join("; ") }] })) : null);
}

async function draw(main, { info, signal }) {
  const [stats, sessions, libraries] = await Promise.all([
    ask("get_trace_stats", {}, signal),
    rows("SELECT id, (CASE WHEN stopped_at > 0 THEN stopped_at - started_at END) AS lasted_ns, kernel, os_release, cpu_model, cpu_cores, gpu_model, gpu_driver, flags, pid_filter, node, ingero_ver FROM sessions ORDER BY id", 50, signal),
    info.legacy ? Promise.resolve(null)
      : rows("SELECT backend, library, library_version, count(*) AS rows, count(DISTINCT name) AS calls FROM sites GROUP BY 1, 2, 3 ORDER BY rows DESC", 200, signal)]);
  const unended = stats.recording.not_ended, lost = unended ? stats.recording.lost_at_least ?? [] : stats.lost;
  if (unended) main.append(card("No proper end", el("p", {}, unended), el("p", {}, "What was lost is not known. Below is what was counted until then.")));
  main.append(card("What was lost", lost === null ? nothing("Not known: the legacy agent kept no account of it.") : lost.length === 0 ? nothing(unended ? "Nothing until then." : "Nothing.")
    : table({ caption: "Losses", rows: lost, sorted: 1, columns: [
      { head: "What", text: (one) => one.sentence }, { head: "Count", number: true, text: (one) => count(one.count), sort: (one) => one.count },
      { head: "Severity", node: (one) => el("span", { class: `severity ${one.severity === "info" ? "low" : "medium"}` }, one.severity), sort: (one) => one.severity },
      { head: "Name", text: (one) => one.name }] })));
  main.append(card("Rows in use, by library", libraries === null ? nothing("Not known: the legacy agent did not store it.") : libraries.length === 0 ? nothing("No call of a library was captured.")
    : table({ caption: "Libraries", rows: libraries, columns: [
      { head: "Library", text: (one) => one.library ?? "the kernel" }, { head: "Version", text: (one) => one.library_version ?? "" }, { head: "Backend", text: (one) => one.backend },
      { head: "Calls", number: true, text: (one) => count(one.calls) }, { head: "Spellings", number: true, text: (one) => count(one.rows) }] }),
    el("p", { class: "quiet" }, "Rows that saw at least one call. Which rows can be attached at all, the check below says for the machine that serves this page.")));
  main.append(card("Runs of the agent", table({ caption: "Runs", rows: sessions, columns: [
    { head: "Run", text: (one) => `${one.id}${one.node ? ` on ${one.node}` : ""}` }, { head: "Lasted", number: true, text: (one) => (one.lasted_ns === null ? (info.live ? "running" : "killed") : duration(one.lasted_ns)) },
    { head: "Flags", text: (one) => one.flags ?? "" }, { head: "Processes", text: (one) => one.pid_filter || "all" }, { head: "Kernel", text: (one) => one.kernel ?? "" },
    { head: "CPU", text: (one) => `${one.cpu_model ?? ""}${one.cpu_cores ? `, ${one.cpu_cores}` : ""}` }, { head: "Device", text: (one) => one.gpu_model ?? "" }, { head: "Version", text: (one) => one.ingero_ver ?? "" }] }),
  facts([["Events", count(stats.events)], ["Rows pruned to keep the file small", stats.rows_pruned ? count(stats.rows_pruned) : "none"]]), cuts(stats)));
  const place = el("div", {}, el("button", { id: "check", onclick: async () => {
    place.replaceChildren(el("p", { class: "quiet" }, "Looking…"));
    try {
      const answer = await ask("get_check");
      place.replaceChildren(el("p", {}, `This machine is ${answer.status}.`), libraryTable(answer.libraries), table({ caption: "Checks of this machine", rows: answer.checks, columns: [
        { head: "Check", text: (one) => one.name }, { head: "Result", text: (one) => (one.pass === null ? "could not tell" : one.pass ? "passed" : one.optional ? "missing, not needed" : "failed") },
        { head: "What was found", text: (one) => [one.value, one.detail, one.recommendation].filter(Boolean).join("; ") }] }));
    } catch (error) {
      place.replaceChildren(el("p", { role: "alert" }, error.message));
    }
  } }, "Check this machine"));
  main.append(card("The machine that serves this page", place));
}

export default { name: "health", title: "Capture", draw };
