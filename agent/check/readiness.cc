// One function for each check; the order is that of the report.
#include "agent/check/readiness.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "agent/check/device_checks.h"
#include "agent/host_facts.h"
#include "base/text.h"
#include "kernelside/foreign.h"
#include "kernelside/library_folders.h"
#include "kernelside/objects.h"
#include "kernelside/privilege.h"
#include "kernelside/proc.h"

namespace ingero::agent {
namespace {

bool readable(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

ReadinessCheck kernel_check() {
  ReadinessCheck check{"kernel", CheckResult::kPass, false, {}, {}, {}};
  utsname name{};
  if (uname(&name) != 0) {
    check.result = CheckResult::kUnknown;
    return check;
  }
  check.value = fmt::format("{} {}", name.release, name.machine);  // what it can do is tried, whatever its number is
  return check;
}

ReadinessCheck btf_check() {
  ReadinessCheck check{"BTF", CheckResult::kPass, false, "/sys/kernel/btf/vmlinux", {}, {}};
  if (!readable(check.value)) {
    check.result = CheckResult::kFail;
    check.detail = errno_error(check.value).message();
    check.recommendation = "use a kernel built with CONFIG_DEBUG_INFO_BTF (every distribution's current one is)";
  }
  return check;
}

ReadinessCheck privilege_check(bool& privileged) {
  ReadinessCheck check{"privileges", CheckResult::kPass, false, {}, {}, {}};
  const auto missing = kernelside::missing_capabilities();
  privileged = missing.empty();
  check.value = geteuid() == 0 ? "root" : fmt::format("uid {}", geteuid());
  if (!privileged) {
    std::string names;
    for (const auto& name : missing) names += (names.empty() ? "" : ", ") + name;
    check.detail = "missing " + names;
    check.result = CheckResult::kFail;
    check.recommendation = "run as root, or give the program these capabilities; only 'trace' needs them";
  }
  return check;
}

// Said only where it stands in the way.
std::vector<ReadinessCheck> pid_namespace_checks() {
  const Status status = kernelside::check_pid_namespace();
  if (status.ok()) return {};
  ReadinessCheck check{"PID namespace", CheckResult::kFail, false, "a container's", {}, {}};
  check.detail = status.error().message();
  check.recommendation = status.error().hint();
  return {check};
}

std::vector<ReadinessCheck> attach_checks(bool privileged) {
  std::vector<ReadinessCheck> checks;
  bool any = false;
  std::string chosen;
  for (const auto& tried : kernelside::probe_mechanisms()) {
    ReadinessCheck check{
        fmt::format("attach: {}", kernelside::name_of(tried.mechanism)), CheckResult::kInfo, true, "works", {}, {}};
    if (tried.works) {
      if (!any) chosen = name_of(tried.mechanism);
      any = true;
    } else {
      check.value = "not here";
      check.detail = tried.reason;
    }
    checks.push_back(std::move(check));
  }
  ReadinessCheck check{
      "attach mechanism", any ? CheckResult::kPass : CheckResult::kFail, false, any ? chosen : "none", {}, {}};
  if (!any && !privileged) {
    check.result = CheckResult::kUnknown;
    check.detail = "cannot be tried without the privileges above";
  } else if (!any) {
    check.recommendation = "use Linux 5.15 or newer: it has perf probes with cookies";
  }
  checks.push_back(std::move(check));
  return checks;
}

// What `trace` loads, tried: nothing of it is attached. Where no mechanism works, that says why.
std::vector<ReadinessCheck> program_checks(bool privileged, bool attaches) {
  if (!privileged || !attaches) return {};
  kernelside::ObjectOptions options;
  options.stacks = WIRE_STACKS_AUTO;
  const auto objects = kernelside::Objects::load(options);
  if (!objects.ok()) {
    return {{"programs", CheckResult::kFail, false, "refused", objects.error().message(),
             "report it, with the file of: ingero check --support-bundle report.tar.gz"}};
  }
  (*objects)->start_loading_waiting();
  std::vector<ReadinessCheck> checks = {{"programs", CheckResult::kPass, false, "load", {}, {}}};
  const std::pair<const char*, const std::string&> optional[] = {
      {"names of GPU kernels", (*objects)->names_reason()},
      {"stacks of calls that do not return", (*objects)->waiting_reason()}};
  for (const auto& [name, reason] : optional) {
    checks.push_back({name, CheckResult::kInfo, true, reason.empty() ? "can be read" : "not here", reason, {}});
  }
  return checks;
}

std::vector<ReadinessCheck> security_checks() {
  std::vector<ReadinessCheck> checks;
  const std::string lockdown = first_line("/sys/kernel/security/lockdown");
  ReadinessCheck check{"lockdown", CheckResult::kInfo, true, lockdown.empty() ? "not present" : lockdown, {}, {}};
  if (lockdown.find("[confidentiality]") != std::string::npos) {
    check.result = CheckResult::kFail;
    check.recommendation = "confidentiality lockdown forbids BPF from reading memory; boot with lockdown=integrity";
  }
  checks.push_back(check);
  const std::string scope = first_line("/proc/sys/kernel/yama/ptrace_scope");
  checks.push_back({"ptrace_scope",
                    CheckResult::kInfo,
                    true,
                    scope.empty() ? "not present" : scope,
                    scope == "3" ? "3 forbids reading other processes' memory, also for root" : "",
                    {}});
  const std::string paranoid = first_line("/proc/sys/kernel/perf_event_paranoid");
  checks.push_back(
      {"perf_event_paranoid", CheckResult::kInfo, true, paranoid.empty() ? "not present" : paranoid, {}, {}});
  return checks;
}

std::vector<ReadinessCheck> tracepoint_checks() {
  // By the names host and thread programs attach to; BTF says whether the kernel has them.
  std::vector<ReadinessCheck> checks;
  for (const auto& [name, present] : kernelside::tracepoints_present()) {
    checks.push_back({"tracepoint " + name,
                      present ? CheckResult::kPass : CheckResult::kInfo,
                      true,
                      present ? "present" : "absent",
                      {},
                      {}});
  }
  return checks;
}

ReadinessCheck library_check(const hal::Backend& backend, const hal::Library& library,
                             const std::vector<kernelside::FileReport>& files) {
  ReadinessCheck check{fmt::format("{}: {}", backend.name, library.name), CheckResult::kInfo, true, {}, {}, {}};
  size_t found = 0;
  std::set<uint32_t> pids;
  FunctionCounts rows;
  for (const auto& file : files) {
    if (file.backend != backend.name || file.library != library.name) continue;
    ++found;
    pids.insert(file.pids.begin(), file.pids.end());
    rows.resolved = std::max(rows.resolved, counts_of(file).resolved);
  }
  check.result = found > 0 ? CheckResult::kPass : CheckResult::kInfo;
  if (found == 0) {
    check.value = "not installed where the loader looks, and no process maps it";
    check.detail = "it is found when a process loads it";
  } else {
    check.value =
        fmt::format("{} file{}, {} process{}", found, found == 1 ? "" : "s", pids.size(), pids.size() == 1 ? "" : "es");
    check.detail = fmt::format("{} described functions in it", rows.resolved);
    if (!backend.opt_in.empty()) check.detail += fmt::format("; recorded with {} only", backend.opt_in);
  }
  return check;
}

}  // namespace

FunctionCounts counts_of(const kernelside::FileReport& file) {
  FunctionCounts counts;
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

std::string remedy_of(const kernelside::RowReport& row) {
  if (row.state != hal::RowState::kResolved || !row.single_stepped) return row.remedy;
  return "each call costs several times the usual: trace only the processes in question (--pid, --cgroup)";
}

int Readiness::status() const {
  bool unknown = false;
  for (const ReadinessCheck& check : checks) {
    if (check.result == CheckResult::kFail) return 1;
    unknown = unknown || (check.result == CheckResult::kUnknown && !check.optional);
  }
  return unknown ? 2 : 0;
}

Result<Readiness> examine_readiness(const ReadinessOptions& options) {
  Readiness found;
  const auto add = [&](std::vector<ReadinessCheck> checks) {
    for (ReadinessCheck& check : checks) found.checks.push_back(std::move(check));
  };
  bool privileged = false;
  add({kernel_check(), btf_check(), privilege_check(privileged)});
  add(pid_namespace_checks());
  add(attach_checks(privileged));
  add(program_checks(privileged, found.checks.back().result == CheckResult::kPass));
  add(security_checks());
  add(tracepoint_checks());
  add(options.backend_checks);

  const hal::CallTable calls(options.backends);
  hal::LossLedger ledger;
  auto helpers = kernelside::Helpers::start();
  INGERO_TRY(helpers);
  kernelside::Foreign foreign(std::move(*helpers), ledger);
  kernelside::Tracer tracer({}, options.backends, calls, nullptr, foreign, ledger);
  for (const auto& path : options.libraries) INGERO_TRY(tracer.add_library(path));
  INGERO_TRY(tracer.scan());
  // What is installed and not in use: a file that matches a pattern and is not a library says so by itself.
  const auto installed = kernelside::installed_libraries(kernelside::library_folders(ledger), options.backends, ledger);
  for (const auto& path : installed) (void)tracer.add_library(path).ok();
  if (const uint64_t unlisted = ledger.count(hal::Loss::library_unlisted); unlisted > 0) {
    found.checks.push_back({"installed libraries",
                            CheckResult::kInfo,
                            true,
                            fmt::format("{} not looked at", unlisted),
                            ledger.sentence(hal::Loss::library_unlisted),
                            {}});
  }
  found.files = tracer.reports();
  for (const auto* backend : options.backends) {
    found.backends.push_back({backend, options.file_of ? options.file_of(*backend) : std::string()});
    for (const auto& library : backend->libraries)
      found.checks.push_back(library_check(*backend, library, found.files));
    for (const auto& gap : backend->not_probed) {
      found.checks.push_back({fmt::format("{}: {}", backend->name, gap.calls),
                              CheckResult::kInfo,
                              true,
                              "cannot be probed",
                              std::string(gap.reason),
                              {}});
    }
  }
  for (const auto& device : device_findings(options.backends)) {
    found.checks.push_back(
        {device.name, device.found ? CheckResult::kPass : CheckResult::kInfo, true, device.value, device.detail, {}});
  }
  return found;
}

}  // namespace ingero::agent
