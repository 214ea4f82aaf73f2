// Formats the live table of a running trace, and the summary at its end, from the recorder's statistics.
#include "agent/view/live_view.h"

#include <algorithm>
#include <span>

#include "agent/collective_watch.h"
#include "base/text.h"
#include "report/table.h"

namespace ingero::agent {
namespace {

// Time is summed over threads. 100% of the wall is one thread that is always in the call; of what the host did to all
// threads of the machine, most of them idle, no share of the wall says anything.
void add_rows(report::Table& table, std::span<const LiveRow> rows, const hal::CallTable& calls, bool host,
              size_t max_rows, uint64_t elapsed_ns) {
  size_t shown = 0;
  for (const LiveRow& row : rows) {
    const hal::Call& call = calls[row.call];
    if ((call.kind == hal::Kind::kHost) != host) continue;
    if (max_rows != 0 && ++shown > max_rows) continue;
    // Of what has no duration, such as a process's end, there is none to show.
    const auto duration = [&](uint64_t ns) { return row.is_timed ? format_duration(ns) : std::string("-"); };
    table.add_row(
        {report::Cell(std::string(call.op_name)), report::Cell(std::string(call.layer)), fmt::format("{}", row.count),
         duration(row.p50_ns), duration(row.p95_ns), duration(row.p99_ns), duration(row.max_ns),
         host || !row.is_timed ? "-" : format_percent(row.total_ns, elapsed_ns, 1),
         report::Cell(fmt::format("{}", row.errors), row.errors > 0 ? report::Style::kRed : report::Style::kPlain),
         format_percent(row.off_ns, row.total_ns, 1)});
  }
}

report::Table call_table(const char* title) {
  return report::Table({{title, report::Align::kLeft},
                        {"LAYER", report::Align::kLeft},
                        {"COUNT"},
                        {"P50"},
                        {"P95"},
                        {"P99"},
                        {"MAX"},
                        {"WALL%"},
                        {"ERRORS"},
                        {"OFF-CPU"}});
}

std::string render_hanging(const Recorder& recorder, const hal::CallTable& calls, bool colour) {
  const auto hanging = recorder.hanging();
  if (hanging.empty()) return {};
  report::Table table({{"IN FLIGHT", report::Align::kLeft},
                       {"PID"},
                       {"TID"},
                       {"ELAPSED"},
                       {"OFF-CPU"},
                       {"ARGUMENTS", report::Align::kLeft}});
  for (const LiveCall& call : hanging) {
    const hal::Event& event = call.event;
    std::string arguments;
    const auto add = [&](hal::Has has, std::string_view name, uint64_t value, bool hex) {
      if (!event.has(has)) return;
      arguments +=
          fmt::format(fmt::runtime(hex ? "{}{}=0x{:x}" : "{}{}={}"), arguments.empty() ? "" : " ", name, value);
    };
    add(hal::Has::kStream, "stream", event.stream, true);
    add(hal::Has::kBytes, "bytes", event.bytes, false);
    add(hal::Has::kAddress, "address", event.address, true);
    add(hal::Has::kFunction, "function", event.function, true);
    add(hal::Has::kHandle, "handle", event.handle, true);
    table.add_row({report::Cell(std::string(calls[event.call].op_name), report::Style::kYellow),
                   fmt::format("{}", event.pid), fmt::format("{}", event.tid), format_duration(call.elapsed_ns),
                   format_percent(event.off.total_ns(), call.elapsed_ns, 1), report::Cell(arguments)});
  }
  return table.render(colour);
}

}  // namespace

std::string render_rows(std::span<const LiveRow> rows, const hal::CallTable& calls, uint64_t elapsed_ns,
                        size_t max_rows, bool colour) {
  std::string text;
  report::Table vendor = call_table("CALL");
  add_rows(vendor, rows, calls, false, max_rows, elapsed_ns);
  if (vendor.empty()) {
    text += "No calls yet.\n";
  } else {
    text += '\n' + vendor.render(colour);
  }
  report::Table host = call_table("HOST");
  add_rows(host, rows, calls, true, max_rows, elapsed_ns);
  if (!host.empty()) text += '\n' + host.render(colour);
  return text;
}

std::string render_losses(const Recorder& recorder, bool colour) {
  std::string text;
  for (size_t loss = 0; loss < static_cast<size_t>(hal::Loss::kCount); ++loss) {
    const hal::LossRow& row = hal::kLossTable[loss];
    const uint64_t count = recorder.losses().count(static_cast<hal::Loss>(loss));
    if (count == 0 || row.severity == hal::Severity::kInfo) continue;
    text += report::styled(fmt::format("  {} {}: {}\n", row.name, count,
                                       hal::brief(recorder.losses().sentence(static_cast<hal::Loss>(loss)))),
                           report::Style::kRed, colour);
  }
  for (const auto& [call, count] : recorder.lost_by_call()) text += fmt::format("    {} {}\n", call, count);
  return text.empty() ? "" : "Lost:\n" + text;
}

std::string render_trace(const Recorder& recorder, const hal::CallTable& calls, uint64_t elapsed_ns, size_t max_rows,
                         bool colour) {
  const auto rows = recorder.stats().rows();
  std::string text;
  const hal::SystemSnapshot system = recorder.snapshot();
  if (system.cpu_percent >= 0) {
    text += "System ";
    // What this kernel does not say is left out: a negative value is an unknown one.
    const auto add = [&](std::string_view name, double value, std::string_view unit) {
      if (value < 0) return;
      text += unit.empty() ? fmt::format("  {} {:.2f}", name, value) : fmt::format("  {} {:.0f}{}", name, value, unit);
    };
    add("cpu", system.cpu_percent, "%");
    add("memory", system.mem_percent, "%");
    add("load", system.load1, "");
    add("pressure cpu", system.psi_cpu_some, "%");
    add("pressure io", system.psi_io_some, "%");
    add("pressure memory", system.psi_mem_some, "%");
    text += '\n';
  }
  text += render_rows(rows, calls, elapsed_ns, max_rows, colour);
  if (const auto hanging = render_hanging(recorder, calls, colour); !hanging.empty()) text += '\n' + hanging;
  for (const hal::CollectiveHang& hang : recorder.waiting()) {
    text += report::styled(fmt::format("\nWaiting: {}\n", hang_text(hang, calls)), report::Style::kRed, colour);
  }
  const std::string losses = render_losses(recorder, colour);
  text += fmt::format("\nWall {}  Events {}  Stored {}  Database {}  Attach {}\n", format_duration(elapsed_ns),
                      recorder.stats().events(), recorder.stored(), format_bytes(recorder.file_bytes()),
                      kernelside::name_of(recorder.mechanism()));
  text += losses.empty() ? "Lost: nothing\n" : losses;
  if (recorder.losses().count(hal::Loss::library_off) > 0) {
    text += fmt::format("Not recorded: {}\n", hal::brief(recorder.losses().sentence(hal::Loss::library_off)));
  }
  return text;
}

std::string render_discovery(Recorder& recorder, size_t skip) {
  std::string text;
  const auto reports = recorder.tracer().reports();
  size_t unused = 0, unused_probes = 0;
  for (const auto& file : std::span(reports).subspan(std::min(skip, reports.size()))) {
    if (file.pids.empty() && file.mapped_mono_ns == 0) {
      ++unused;
      unused_probes += file.probes;
      continue;
    }
    text += fmt::format("  {}{}{}: {} probes", file.path, file.version.empty() ? "" : " " + file.version,
                        file.note.empty() ? "" : " (" + file.note + ")", file.probes);
    if (!file.held && file.mapped_mono_ns != 0 && file.attached_mono_ns > file.mapped_mono_ns) {
      text += fmt::format(", attached {} after process {} mapped it (calls in between were not seen)",
                          format_duration(file.attached_mono_ns - file.mapped_mono_ns), file.first_pid);
    }
    const auto stepped =
        std::count_if(file.rows.begin(), file.rows.end(), [](const auto& row) { return row.single_stepped; });
    if (stepped > 0) text += fmt::format(", {} of them single-stepped ('ingero check' lists them)", stepped);
    if (file.others > 0) {
      text += fmt::format(
          "; {} not traced {} it too: each call there hits a probe (under a microsecond) and is not recorded",
          plural(file.others, "process"), file.others == 1 ? "maps" : "map");
    }
    text += '\n';
    for (const auto& row : file.rows) {
      if (row.state == hal::RowState::kRefused && file.attached_mono_ns != 0 && row.file_offset != 0) {
        text += fmt::format("    {}: not probed: {}\n", row.symbol, row.reason);
      }
    }
  }
  if (unused > 0) {
    text += fmt::format("  and {} that no process has mapped yet: {} probes wait there\n",
                        plural(unused, "installed library file"), unused_probes);
  }
  return text;
}

std::string render_degraded(const Recorder& recorder) {
  std::string text;
  for (const auto& reason : recorder.degraded()) text += fmt::format("  not available: {}\n", reason);
  return text;
}

}  // namespace ingero::agent
