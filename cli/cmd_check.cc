// ingero check: can this machine be traced, and what would be found? Reads only; nothing is attached.
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "backends/registry.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/device_checks.h"
#include "cli/table.h"
#include "kernelside/objects.h"
#include "kernelside/privilege.h"
#include "kernelside/tracer.h"

namespace ingero::cli {
namespace {

using Json = nlohmann::ordered_json;

enum class Verdict : uint8_t { kPass, kInfo, kFail, kUnknown };

struct Check {
  std::string name;
  Verdict verdict = Verdict::kPass;
  bool optional = false;
  std::string value;
  std::string detail;
  std::string recommendation;
};

std::string_view word(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "PASS";
    case Verdict::kInfo:
      return "INFO";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kUnknown:
      return "????";
  }
  return "????";
}

std::string first_line(const std::string& path) {
  const auto text = read_file(path, 65536);
  if (!text.ok()) return {};
  const auto lines = split(*text, '\n');
  return lines.empty() ? "" : printable(trim(lines.front()));
}

bool readable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

Check kernel_check() {
  Check check{"kernel", Verdict::kPass, false, {}, {}, {}};
  utsname name{};
  if (uname(&name) != 0) {
    check.verdict = Verdict::kUnknown;
    return check;
  }
  check.value = fmt::format("{} {}", name.release, name.machine);
  int major = 0;
  int minor = 0;
  if (std::sscanf(name.release, "%d.%d", &major, &minor) != 2) {
    check.verdict = Verdict::kUnknown;
    check.detail = "cannot read the version";
  } else if (major < 5 || (major == 5 && minor < 15)) {
    check.verdict = Verdict::kFail;
    check.recommendation = "Linux 5.15 or newer is needed (attach cookies)";
  }
  return check;
}

Check btf_check() {
  Check check{"BTF", Verdict::kPass, false, "/sys/kernel/btf/vmlinux", {}, {}};
  if (!readable(check.value)) {
    check.verdict = Verdict::kFail;
    check.detail = errno_error(check.value).message();
    check.recommendation = "use a kernel built with CONFIG_DEBUG_INFO_BTF (every distribution's current one is)";
  }
  return check;
}

Check privilege_check(bool& privileged) {
  Check check{"privileges", Verdict::kPass, false, {}, {}, {}};
  const auto missing = kernelside::missing_capabilities();
  privileged = missing.empty();
  check.value = geteuid() == 0 ? "root" : fmt::format("uid {}", geteuid());
  if (!privileged) {
    std::string names;
    for (const auto& name : missing) names += (names.empty() ? "" : ", ") + name;
    check.detail = "missing " + names;
    check.verdict = Verdict::kFail;
    check.recommendation = "run as root, or give the program these capabilities; only 'trace' needs them";
  }
  return check;
}

std::vector<Check> attach_checks(bool privileged) {
  std::vector<Check> checks;
  bool any = false;
  std::string chosen;
  for (const auto& verdict : kernelside::probe_mechanisms()) {
    Check check{fmt::format("attach: {}", kernelside::name_of(verdict.mechanism)), Verdict::kInfo, true, "works", {}, {}};
    if (verdict.works) {
      if (!any) chosen = name_of(verdict.mechanism);
      any = true;
    } else {
      check.value = "not here";
      check.detail = verdict.reason;
    }
    checks.push_back(std::move(check));
  }
  Check check{"attach mechanism", any ? Verdict::kPass : Verdict::kFail, false, any ? chosen : "none", {}, {}};
  if (!any && !privileged) {
    check.verdict = Verdict::kUnknown;
    check.detail = "cannot be tried without the privileges above";
  }
  checks.push_back(std::move(check));
  return checks;
}

std::vector<Check> security_checks() {
  std::vector<Check> checks;
  const std::string lockdown = first_line("/sys/kernel/security/lockdown");
  Check check{"lockdown", Verdict::kInfo, true, lockdown.empty() ? "not present" : lockdown, {}, {}};
  if (lockdown.find("[confidentiality]") != std::string::npos) {
    check.verdict = Verdict::kFail;
    check.recommendation = "confidentiality lockdown forbids BPF from reading memory; boot with lockdown=integrity";
  }
  checks.push_back(check);
  const std::string scope = first_line("/proc/sys/kernel/yama/ptrace_scope");
  checks.push_back({"ptrace_scope", Verdict::kInfo, true, scope.empty() ? "not present" : scope,
                    scope == "3" ? "3 forbids reading other processes' memory, also for root" : "", {}});
  const std::string paranoid = first_line("/proc/sys/kernel/perf_event_paranoid");
  checks.push_back({"perf_event_paranoid", Verdict::kInfo, true, paranoid.empty() ? "not present" : paranoid, {}, {}});
  return checks;
}

std::vector<Check> tracepoint_checks() {
  // By the names host and thread programs attach to; BTF says whether the kernel has them.
  std::vector<Check> checks;
  for (const auto& [name, present] : kernelside::tracepoints_present()) {
    checks.push_back({"tracepoint " + name, present ? Verdict::kPass : Verdict::kInfo, true,
                      present ? "present" : "absent", {}, {}});
  }
  return checks;
}

struct LibraryCounts {
  size_t resolved = 0, absent = 0, refused = 0, stepped = 0;
};

LibraryCounts count(const kernelside::FileReport& file) {
  LibraryCounts counts;
  for (const auto& row : file.rows) {
    if (row.state == hal::RowState::kResolved) ++counts.resolved;
    if (row.state == hal::RowState::kAbsent) ++counts.absent;
    if (row.state == hal::RowState::kRefused) ++counts.refused;
    if (row.single_stepped) ++counts.stepped;
  }
  return counts;
}

std::string_view state_name(hal::RowState state) {
  switch (state) {
    case hal::RowState::kResolved:
      return "resolved";
    case hal::RowState::kAbsent:
      return "absent";
    case hal::RowState::kRefused:
      return "refused";
  }
  return "unknown";
}

Json file_json(const kernelside::FileReport& file) {
  Json out;
  const auto counts = count(file);
  out["backend"] = file.backend;
  out["library"] = file.library;
  out["path"] = file.path;
  out["version"] = file.version.empty() ? Json(nullptr) : Json(file.version);
  out["note"] = file.note.empty() ? Json(nullptr) : Json(file.note);
  out["pids"] = file.pids;
  out["resolved"] = counts.resolved;
  out["absent"] = counts.absent;
  out["refused"] = counts.refused;
  out["single_stepped"] = counts.stepped;
  out["rows"] = Json::array();
  for (const auto& row : file.rows) {
    Json entry;
    entry["call"] = row.row->name;
    entry["symbol"] = row.symbol.empty() ? Json(nullptr) : Json(row.symbol);
    entry["state"] = state_name(row.state);
    if (!row.reason.empty()) entry["reason"] = row.reason;
    if (!row.instruction.empty()) entry["instruction"] = row.instruction;
    if (row.single_stepped) entry["single_stepped"] = true;
    out["rows"].push_back(std::move(entry));
  }
  return out;
}

class CheckCommand {
 public:
  CheckCommand(Context& context, bool json, bool rows, std::vector<std::string> libraries)
      : context_(context), json_(json), rows_(rows), libraries_(std::move(libraries)) {}

  Result<int> run() {
    bool privileged = false;
    checks_.push_back(kernel_check());
    checks_.push_back(btf_check());
    checks_.push_back(privilege_check(privileged));
    for (auto& check : attach_checks(privileged)) checks_.push_back(std::move(check));
    for (auto& check : security_checks()) checks_.push_back(std::move(check));
    for (auto& check : tracepoint_checks()) checks_.push_back(std::move(check));

    const hal::CallTable calls(backends::all_backends());
    hal::LossLedger ledger;
    kernelside::Tracer tracer({}, backends::all_backends(), calls, nullptr, ledger);
    for (const auto& path : libraries_) INGERO_TRY(tracer.add_library(path));
    INGERO_TRY(tracer.scan());
    files_ = tracer.reports();
    for (const auto* backend : backends::all_backends()) {
      for (const auto& library : backend->libraries) library_check(*backend, library);
      for (const auto& gap : backend->not_probed) {
        checks_.push_back({fmt::format("{}: {}", backend->name, gap.calls), Verdict::kInfo, true, "cannot be probed",
                           std::string(gap.reason), {}});
      }
    }
    for (const auto& found : device_findings(backends::all_backends())) {
      checks_.push_back({found.name, found.found ? Verdict::kPass : Verdict::kInfo, true, found.value, found.detail, {}});
    }
    const int status = exit_status();
    context_.out << (json_ ? as_json(status) : as_text(status));
    return status;
  }

 private:
  void library_check(const hal::Backend& backend, const hal::Library& library) {
    Check check{fmt::format("{}: {}", backend.name, library.name), Verdict::kInfo, true, {}, {}, {}};
    size_t found = 0;
    std::set<uint32_t> pids;
    for (const auto& file : files_) {
      if (file.backend != backend.name || file.library != library.name) continue;
      ++found;
      pids.insert(file.pids.begin(), file.pids.end());
    }
    check.verdict = found > 0 ? Verdict::kPass : Verdict::kInfo;
    check.value = found == 0 ? "no process maps it now" : fmt::format("{} file{}, {} process{}", found,
                                                                      found == 1 ? "" : "s", pids.size(),
                                                                      pids.size() == 1 ? "" : "es");
    check.detail = found == 0 ? "it is found when a process loads it" : "";
    checks_.push_back(std::move(check));
  }

  int exit_status() const {
    bool unknown = false;
    for (const Check& check : checks_) {
      if (check.verdict == Verdict::kFail) return 1;
      unknown = unknown || (check.verdict == Verdict::kUnknown && !check.optional);
    }
    return unknown ? 2 : 0;
  }

  static std::string_view ready_word(int status) {
    return status == 0 ? "ready" : status == 1 ? "not ready" : "could not tell";
  }

  std::string as_json(int status) const {
    Json out;
    out["all_passed"] = status == 0;
    out["status"] = ready_word(status);
    out["checks"] = Json::array();
    for (const Check& check : checks_) {
      Json entry;
      entry["name"] = check.name;
      entry["pass"] = check.verdict == Verdict::kUnknown ? Json(nullptr) : Json(check.verdict != Verdict::kFail);
      entry["optional"] = check.optional;
      entry["value"] = check.value;
      entry["detail"] = check.detail;
      entry["recommendation"] = check.recommendation;
      out["checks"].push_back(std::move(entry));
    }
    out["libraries"] = Json::array();
    for (const auto& file : files_) out["libraries"].push_back(file_json(file));
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  std::string as_text(int status) const {
    std::string text;
    for (const Check& check : checks_) {
      const Style style = check.verdict == Verdict::kFail      ? Style::kRed
                          : check.verdict == Verdict::kUnknown ? Style::kYellow
                                                               : Style::kPlain;
      text += fmt::format("[{}] {}: {}", styled(word(check.verdict), style, context_.colour), check.name, check.value);
      if (!check.detail.empty()) text += fmt::format(" ({})", check.detail);
      text += '\n';
      if (!check.recommendation.empty()) text += fmt::format("       {}\n", check.recommendation);
    }
    if (!files_.empty()) text += "\nLibraries\n";
    for (const auto& file : files_) {
      const auto counts = count(file);
      text += fmt::format("  {} {}{}\n    {} rows resolved, {} absent, {} refused, {} single-stepped; {} process{}\n",
                          file.path, file.version, file.note.empty() ? "" : " (" + file.note + ")", counts.resolved,
                          counts.absent, counts.refused, counts.stepped, file.pids.size(),
                          file.pids.size() == 1 ? "" : "es");
      for (const auto& row : file.rows) {
        if (row.state == hal::RowState::kResolved && !row.single_stepped && !rows_) continue;
        if (row.state == hal::RowState::kAbsent && !rows_) continue;
        text += fmt::format("      {} {}{}{}\n", row.symbol.empty() ? row.row->name : row.symbol,
                            state_name(row.state), row.reason.empty() ? "" : ": " + row.reason,
                            row.single_stepped ? fmt::format(", single-stepped on '{}'", row.instruction) : "");
      }
    }
    text += fmt::format("\n{}\n", status == 0 ? "Ready to trace." : status == 1 ? "Not ready." : "Could not tell.");
    return text;
  }

  Context& context_;
  bool json_;
  bool rows_;
  std::vector<std::string> libraries_;
  std::vector<Check> checks_;
  std::vector<kernelside::FileReport> files_;
};

struct CheckOptions {
  bool json = false;
  bool rows = false;
  std::vector<std::string> libraries;
};

}  // namespace

void add_check(CLI::App& root, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = root.add_subcommand("check", "Can this machine be traced, and what would be found?");
  command->add_flag("--json", options->json, "As JSON");
  command->add_flag("--rows", options->rows, "List every call, not only those that are not probed");
  command->add_option("--library", options->libraries, "Also look at this library file, mapped or not");
  command->footer("Exit status: 0 ready, 1 not ready, 2 could not tell.\n\nExamples:\n  sudo ingero check\n"
                  "  ingero check --json");
  command->callback([options, &context] {
    context.action = [options, &context]() -> Result<int> {
      return CheckCommand(context, options->json, options->rows, options->libraries).run();
    };
  });
}

}  // namespace ingero::cli
