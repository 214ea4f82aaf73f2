// Formats the output of `ingero check`: a line for each check, then the libraries.
#include "agent/check/readiness_text.h"

#include <fmt/format.h>

#include "report/table.h"

namespace ingero::agent {
namespace {

std::string_view word(CheckResult result) {
  switch (result) {
    case CheckResult::kPass:
      return "PASS";
    case CheckResult::kInfo:
      return "INFO";
    case CheckResult::kFail:
      return "FAIL";
    case CheckResult::kUnknown:
      return "????";
  }
  return "????";
}

}  // namespace

std::string readiness_text(const Readiness& readiness, bool all_functions, bool colour) {
  const int status = readiness.status();
  std::string text;
  for (const ReadinessCheck& check : readiness.checks) {
    const report::Style style = check.result == CheckResult::kFail      ? report::Style::kRed
                                : check.result == CheckResult::kUnknown ? report::Style::kYellow
                                                                        : report::Style::kPlain;
    text += fmt::format("[{}] {}: {}", report::styled(word(check.result), style, colour), check.name, check.value);
    if (!check.detail.empty()) text += fmt::format(" ({})", check.detail);
    text += '\n';
    if (!check.recommendation.empty()) text += fmt::format("       {}\n", check.recommendation);
  }
  if (!readiness.files.empty()) text += "\nLibraries\n";
  for (const auto& file : readiness.files) {
    const FunctionCounts counts = counts_of(file);
    text +=
        fmt::format("  {} {}{}\n    {} rows resolved, {} absent, {} refused, {} single-stepped; {} process{}\n",
                    file.path, file.version, file.note.empty() ? "" : " (" + file.note + ")", counts.resolved,
                    counts.absent, counts.refused, counts.stepped, file.pids.size(), file.pids.size() == 1 ? "" : "es");
    for (const auto& row : file.rows) {
      if (row.state == hal::RowState::kResolved && !row.single_stepped && !all_functions) continue;
      if (row.state == hal::RowState::kAbsent && !all_functions) continue;
      text += fmt::format("      {} {}{}{}\n", row.symbol.empty() ? row.row->name : row.symbol, state_name(row.state),
                          row.reason.empty() ? "" : ": " + row.reason,
                          row.single_stepped ? fmt::format(", single-stepped on '{}'", row.instruction) : "");
      if (const std::string remedy = remedy_of(row); all_functions && !remedy.empty()) {
        text += fmt::format("        {}\n", remedy);
      }
    }
  }
  text += fmt::format("\n{}\n", status == 0   ? "Ready to trace."
                                : status == 1 ? "Not ready."
                                              : "Unknown: see the checks above that could not be made.");
  return text;
}

}  // namespace ingero::agent
