// ingero check: can this machine be traced, and what would be found? Reads only; nothing is attached.
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/backend_options.h"
#include "cli/commands.h"
#include "cli/device_checks.h"
#include "cli/support_bundle.h"
#include "cli/table.h"
#include "kernelside/foreign.h"
#include "kernelside/library_folders.h"
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
    Check check{
        fmt::format("attach: {}", kernelside::name_of(verdict.mechanism)), Verdict::kInfo, true, "works", {}, {}};
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
  checks.push_back({"ptrace_scope",
                    Verdict::kInfo,
                    true,
                    scope.empty() ? "not present" : scope,
                    scope == "3" ? "3 forbids reading other processes' memory, also for root" : "",
                    {}});
  const std::string paranoid = first_line("/proc/sys/kernel/perf_event_paranoid");
  checks.push_back({"perf_event_paranoid", Verdict::kInfo, true, paranoid.empty() ? "not present" : paranoid, {}, {}});
  return checks;
}

std::vector<Check> tracepoint_checks() {
  // By the names host and thread programs attach to; BTF says whether the kernel has them.
  std::vector<Check> checks;
  for (const auto& [name, present] : kernelside::tracepoints_present()) {
    checks.push_back({"tracepoint " + name,
                      present ? Verdict::kPass : Verdict::kInfo,
                      true,
                      present ? "present" : "absent",
                      {},
                      {}});
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

// What the user can do about a row; empty: nothing needs doing.
std::string remedy_of(const kernelside::RowReport& row) {
  if (row.state != hal::RowState::kResolved || !row.single_stepped) return row.remedy;
  return "each call costs several times the usual: trace only the processes in question (--pid, --cgroup)";
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
    entry["kind"] = hal::name_of(row.row->kind);
    entry["symbol"] = row.symbol.empty() ? Json(nullptr) : Json(row.symbol);
    entry["state"] = state_name(row.state);
    if (!row.reason.empty()) entry["reason"] = row.reason;
    if (const std::string remedy = remedy_of(row); !remedy.empty()) entry["remedy"] = remedy;
    if (!row.instruction.empty()) entry["instruction"] = row.instruction;
    if (row.single_stepped) entry["single_stepped"] = true;
    out["rows"].push_back(std::move(entry));
  }
  return out;
}

struct CheckOptions {
  bool json = false;
  bool rows = false;
  std::vector<std::string> libraries;
  BackendOptions backends;
  std::string support_bundle;
};

class CheckCommand {
 public:
  CheckCommand(Context& context, const CheckOptions& options) : context_(context), options_(options) {}

  Result<int> run() {
    bool privileged = false;
    checks_.push_back(kernel_check());
    checks_.push_back(btf_check());
    checks_.push_back(privilege_check(privileged));
    for (auto& check : attach_checks(privileged)) checks_.push_back(std::move(check));
    for (auto& check : security_checks()) checks_.push_back(std::move(check));
    for (auto& check : tracepoint_checks()) checks_.push_back(std::move(check));
    load_backends();

    const hal::CallTable calls(registry_.all());
    hal::LossLedger ledger;
    auto helpers = kernelside::Helpers::start();
    INGERO_TRY(helpers);
    kernelside::Foreign foreign(std::move(*helpers), ledger);
    kernelside::Tracer tracer({}, registry_.all(), calls, nullptr, foreign, ledger);
    for (const auto& path : options_.libraries) INGERO_TRY(tracer.add_library(path));
    INGERO_TRY(tracer.scan());
    // What is installed and not in use: a file that matches a pattern and is no library says so by itself.
    for (const auto& path : kernelside::installed_libraries(kernelside::library_folders(), registry_.all())) {
      (void)tracer.add_library(path).ok();
    }
    files_ = tracer.reports();
    for (const auto* backend : registry_.all()) {
      for (const auto& library : backend->libraries) library_check(*backend, library);
      for (const auto& gap : backend->not_probed) {
        checks_.push_back({fmt::format("{}: {}", backend->name, gap.calls),
                           Verdict::kInfo,
                           true,
                           "cannot be probed",
                           std::string(gap.reason),
                           {}});
      }
    }
    for (const auto& found : device_findings(registry_.all())) {
      checks_.push_back(
          {found.name, found.found ? Verdict::kPass : Verdict::kInfo, true, found.value, found.detail, {}});
    }
    const int status = exit_status();
    if (!options_.support_bundle.empty()) {
      BundleOptions bundle{as_json(status), {}, context_.clock->wall_ns()};
      if (const auto location = store::locate(context_.environment); location.ok()) {
        bundle.log_folder = location->path.substr(0, location->path.rfind('/'));
      }
      INGERO_TRY(write_support_bundle(options_.support_bundle, registry_.all(), bundle));
      context_.err << fmt::format("ingero: wrote {}\n", printable(options_.support_bundle, 4096));
    }
    context_.out << (options_.json ? as_json(status) : as_text(status));
    return status;
  }

 private:
  // A manifest that is refused is a finding like any other: a failure where the user named it.
  void load_backends() {
    for (const std::string& file : options_.backends.files) {
      std::vector<backends::ManifestProblem> problems;
      Check check{fmt::format("backend {}", printable(file)), Verdict::kPass, false, {}, {}, {}};
      if (const Status added = registry_.add_file(file, &problems); added.ok()) {
        const hal::Backend& backend = *registry_.all().back();
        size_t rows = 0;
        for (const auto& library : backend.libraries) rows += library.rows.size();
        check.value =
            fmt::format("{} ({}): {} row{}, keeps the rules", backend.name, backend.vendor, rows, rows == 1 ? "" : "s");
      } else {
        check.verdict = Verdict::kFail;
        check.value = problems.empty() ? added.error().message() : "refused";
        for (const auto& problem : problems) {
          check.detail += (check.detail.empty() ? "" : "; ") + problem.text(printable(file, 4096));
        }
        check.recommendation = "docs/formats/backend_manifest.md says what a manifest may hold";
      }
      checks_.push_back(std::move(check));
    }
    for (const Error& error : registry_.add_folder(options_.backends.folder)) {
      checks_.push_back({"backend", Verdict::kFail, true, "not used", error.message(),
                         fmt::format("mend it, or take it out of {}", options_.backends.folder)});
    }
  }

  void library_check(const hal::Backend& backend, const hal::Library& library) {
    Check check{fmt::format("{}: {}", backend.name, library.name), Verdict::kInfo, true, {}, {}, {}};
    size_t found = 0;
    std::set<uint32_t> pids;
    LibraryCounts rows;
    for (const auto& file : files_) {
      if (file.backend != backend.name || file.library != library.name) continue;
      ++found;
      pids.insert(file.pids.begin(), file.pids.end());
      rows.resolved = std::max(rows.resolved, count(file).resolved);
    }
    check.verdict = found > 0 ? Verdict::kPass : Verdict::kInfo;
    if (found == 0) {
      check.value = "not installed where the loader looks, and no process maps it";
      check.detail = "it is found when a process loads it";
    } else {
      check.value = fmt::format("{} file{}, {} process{}", found, found == 1 ? "" : "s", pids.size(),
                                pids.size() == 1 ? "" : "es");
      check.detail = fmt::format("{} described functions in it", rows.resolved);
    }
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
    out["backends"] = Json::array();
    for (const auto* backend : registry_.all()) out["backends"].push_back(backend_json(*backend));
    out["libraries"] = Json::array();
    for (const auto& file : files_) out["libraries"].push_back(file_json(file));
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  Json backend_json(const hal::Backend& backend) const {
    Json out;
    const std::string file = registry_.file_of(backend);
    out["name"] = backend.name;
    out["vendor"] = backend.vendor;
    out["file"] = file.empty() ? Json(nullptr) : Json(file);
    out["libraries"] = Json::array();
    for (const auto& library : backend.libraries) {
      Json entry;
      entry["name"] = library.name;
      entry["layer"] = library.layer;
      entry["sonames"] = library.sonames;
      entry["rows"] = library.rows.size();
      entry["files"] = std::count_if(files_.begin(), files_.end(), [&](const auto& found) {
        return found.backend == backend.name && found.library == library.name;
      });
      out["libraries"].push_back(std::move(entry));
    }
    return out;
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
        if (row.state == hal::RowState::kResolved && !row.single_stepped && !options_.rows) continue;
        if (row.state == hal::RowState::kAbsent && !options_.rows) continue;
        text += fmt::format("      {} {}{}{}\n", row.symbol.empty() ? row.row->name : row.symbol, state_name(row.state),
                            row.reason.empty() ? "" : ": " + row.reason,
                            row.single_stepped ? fmt::format(", single-stepped on '{}'", row.instruction) : "");
        if (const std::string remedy = remedy_of(row); options_.rows && !remedy.empty()) {
          text += fmt::format("        {}\n", remedy);
        }
      }
    }
    text += fmt::format("\n{}\n", status == 0 ? "Ready to trace." : status == 1 ? "Not ready." : "Could not tell.");
    return text;
  }

  Context& context_;
  const CheckOptions& options_;
  backends::Registry registry_;
  std::vector<Check> checks_;
  std::vector<kernelside::FileReport> files_;
};

}  // namespace

void add_check(CLI::App& root, Context& context) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = root.add_subcommand("check", "Can this machine be traced, and what would be found?");
  command->add_flag("--json", options->json, "As JSON");
  command->add_flag("--rows", options->rows, "List every call, not only those that are not probed");
  command->add_option("--library", options->libraries, "Also look at this library file, mapped or not");
  add_backend_options(*command, options->backends);
  command
      ->add_option("--support-bundle", options->support_bundle,
                   "Write what a supporter asks for (this check, versions, logs; secrets masked) as a tar.gz")
      ->type_name("FILE");
  command->footer(
      "Exit status: 0 ready, 1 not ready, 2 could not tell.\n\nExamples:\n  sudo ingero check\n"
      "  ingero check --json\n"
      "  ingero check --backend toy.yaml");
  command->callback([options, &context] {
    context.action = [options, &context]() -> Result<int> { return CheckCommand(context, *options).run(); };
  });
}

}  // namespace ingero::cli
