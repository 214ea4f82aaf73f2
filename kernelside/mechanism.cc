// Tries each mechanism for real, and makes a sentence of what the kernel or libbpf answered.
#include "kernelside/mechanism.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>

#include "kernelside/libbpf_log.h"
#include "kernelside/perf_link.h"
#include "kernelside/probed_functions.h"
#include "kernelside/skeleton.h"
#include "probe.skel.h"

namespace ingero::kernelside {
namespace {

using Skeleton = Owned<probe>;

bpf_program* program_of(const probe& skeleton, Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kSession:
      return skeleton.progs.try_session;
    case Mechanism::kMulti:
      return skeleton.progs.try_multi;
    case Mechanism::kPerf:
      break;
  }
  return skeleton.progs.try_perf;
}

MultiKind kind_of(Mechanism mechanism) {
  return mechanism == Mechanism::kSession ? MultiKind::kSession : MultiKind::kMulti;
}

using Programs = std::vector<bpf_program*>;

// Loads these programs of the probe object and no other; null with the reason otherwise.
Skeleton load(Mechanism mechanism, Programs (*chosen)(const probe&, Mechanism), MechanismRefusal& refused) {
  LibbpfLog log;
  Skeleton skeleton(probe::open(nullptr));
  if (!skeleton) {
    refused = {errno, log.reason(errno_error("open the probe object").text())};
    return nullptr;
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton->obj) bpf_program__set_autoload(program, false);
  for (bpf_program* one : chosen(*skeleton, mechanism)) {
    bpf_program__set_autoload(one, true);
    if (mechanism == Mechanism::kPerf) continue;
    bpf_program__set_expected_attach_type(one, static_cast<bpf_attach_type>(kind_of(mechanism)));
  }
  if (const int error = probe::load(skeleton.get()); error != 0) {
    refused = {-error, log.reason(errno_error("load", -error).text())};
    return nullptr;
  }
  if (!has_variables(*skeleton)) {
    refused = {ENOTSUP, kNoVariables};
    return nullptr;
  }
  return skeleton;
}

// A probe of this process alone, on ingero_emulated().
struct OwnProbe {
  Fd multi;
  Link perf;
};

std::optional<MechanismRefusal> attach_own(bpf_program* program, Mechanism mechanism, bool at_return, OwnProbe& made) {
  const std::array<unsigned long, 1> offsets{own_file_offset(ingero_emulated)};
  const std::array<uint64_t, 1> cookies{1};
  if (mechanism == Mechanism::kPerf) {
    LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = 1, .retprobe = at_return);
    LibbpfLog log;
    made.perf.reset(bpf_program__attach_uprobe_opts(program, getpid(), "/proc/self/exe", offsets[0], &options));
    if (!made.perf) return MechanismRefusal{errno, log.reason(errno_error("attach").text())};
    return std::nullopt;
  }
  MultiSpec spec;
  spec.kind = kind_of(mechanism);
  spec.program_fd = bpf_program__fd(program);
  spec.at_return = at_return;
  spec.path = "/proc/self/exe";
  spec.offsets = offsets;
  spec.cookies = cookies;
  spec.pid = static_cast<uint32_t>(getpid());
  auto link = link_multi(spec);
  if (!link.ok()) return MechanismRefusal{errno, link.error().text()};
  made.multi = std::move(*link);
  return std::nullopt;
}

std::optional<MechanismRefusal> try_mechanism(Mechanism mechanism) {
  MechanismRefusal refused;
  const auto chosen = [](const probe& skeleton, Mechanism wanted) { return Programs{program_of(skeleton, wanted)}; };
  const Skeleton skeleton = load(mechanism, chosen, refused);
  if (!skeleton) return refused;
  for (const bool at_return : {false, true}) {
    if (at_return && mechanism != Mechanism::kMulti)
      break;  // a session is both; a perf probe at a return needs nothing more
    OwnProbe made;
    if (auto refusal = attach_own(program_of(*skeleton, mechanism), mechanism, at_return, made)) return refusal;
  }
  return std::nullopt;
}

// The kernel release that a mechanism came with, and what it is called there.
struct Origin {
  int major, minor;
  std::string_view what;
};

Origin origin_of(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kSession:
      return {6, 13, "uprobe session links"};
    case Mechanism::kMulti:
      return {6, 6, "uprobe multi links"};
    case Mechanism::kPerf:
      break;
  }
  return {5, 15, "perf probes with cookies"};
}

bool is_forbidden(const MechanismRefusal& refusal) {
  return refusal.error_number == EPERM || refusal.error_number == EACCES;
}

std::string sentence_of(Mechanism mechanism, const MechanismRefusal& refusal, const std::string& release) {
  if (is_forbidden(refusal)) {
    return fmt::format("not allowed: it takes root, or CAP_BPF and CAP_PERFMON ({})", refusal.words);
  }
  const Origin origin = origin_of(mechanism);
  return refusal_text(origin.what, origin.major, origin.minor, release, refusal.words);
}

}  // namespace

std::string refusal_text(std::string_view what, int major, int minor, std::string_view release,
                         std::string_view words) {
  int own_major = 0, own_minor = 0;
  const bool known = std::sscanf(std::string(release).c_str(), "%d.%d", &own_major, &own_minor) == 2;
  if (known && std::pair(own_major, own_minor) < std::pair(major, minor)) {
    return fmt::format("this kernel ({}) has no {}: Linux {}.{} or newer has them", release, what, major, minor);
  }
  return fmt::format("this kernel ({}) refused {}: {}", release, what, words);
}

std::string kernel_release() {
  utsname name{};
  return uname(&name) == 0 ? name.release : "";
}

std::string_view name_of(Mechanism mechanism) {
  switch (mechanism) {
    case Mechanism::kSession:
      return "session";
    case Mechanism::kMulti:
      return "multi";
    case Mechanism::kPerf:
      return "perf";
  }
  return "unknown";
}

std::optional<Mechanism> mechanism_of(std::string_view name) {
  for (const auto mechanism : kMechanisms) {
    if (name == name_of(mechanism)) return mechanism;
  }
  return std::nullopt;
}

MechanismTrial system_trial() { return {try_mechanism, kernel_release()}; }

MechanismProbe probe_mechanism(Mechanism mechanism, const MechanismTrial& trial) {
  const auto refusal = trial.attach(mechanism);
  if (!refusal) return {mechanism, true, false, {}, {}};
  return {mechanism, false, is_forbidden(*refusal), sentence_of(mechanism, *refusal, trial.release), refusal->words};
}

std::vector<MechanismProbe> probe_mechanisms(const MechanismTrial& trial) {
  std::vector<MechanismProbe> results;
  for (const auto mechanism : kMechanisms) results.push_back(probe_mechanism(mechanism, trial));
  return results;
}

Result<uint64_t> measure_probe_ns(Mechanism mechanism) {
  // A session differs in what runs, not in how it comes to run.
  if (mechanism == Mechanism::kSession) mechanism = Mechanism::kMulti;
  MechanismRefusal refused;
  const auto chosen = [](const probe& skeleton, Mechanism) {
    return Programs{skeleton.progs.measure_enter, skeleton.progs.measure_return};
  };
  const Skeleton skeleton = load(mechanism, chosen, refused);
  if (!skeleton) return Error(Errc::kNotSupported, refused.words);
  OwnProbe at_entry, at_return;
  for (const auto& [program, made] :
       {std::pair(skeleton->progs.measure_return, &at_return), std::pair(skeleton->progs.measure_enter, &at_entry)}) {
    if (const auto refusal = attach_own(program, mechanism, made == &at_return, *made)) {
      return Error(Errc::kNotSupported, refusal->words);
    }
  }
  constexpr size_t kCalls = std::size(decltype(skeleton->bss->inside_ns){});
  for (size_t i = 0; i < kCalls; ++i) ingero_emulated();
  const std::span<__u64> times(skeleton->bss->inside_ns, std::min<size_t>(skeleton->bss->measured, kCalls));
  if (times.size() < kCalls / 2) return Error(Errc::kNotSupported, "the probes of this program did not fire");
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return *middle;
}

Error no_mechanism_error(std::optional<Mechanism> wanted, std::span<const MechanismProbe> refused,
                         const MechanismTrial& trial) {
  std::vector<std::string_view> reasons;
  for (const auto& probe : refused) {
    if (std::find(reasons.begin(), reasons.end(), probe.reason) == reasons.end()) reasons.push_back(probe.reason);
  }
  const std::string text = fmt::format("{}", fmt::join(reasons, "; "));
  const bool all_forbidden =
      std::all_of(refused.begin(), refused.end(), [](const auto& probe) { return probe.is_forbidden; });
  const Errc code = all_forbidden ? Errc::kPermission : Errc::kNotSupported;
  if (!wanted) {
    if (all_forbidden) return {code, fmt::format("attach probes: {}", text), "see 'ingero check'"};
    return {code, fmt::format("no way to attach probes on this kernel: {}", text),
            "tracing needs root (or CAP_BPF and CAP_PERFMON) and Linux 5.15 or newer; see 'ingero check'"};
  }
  for (const Mechanism other : kMechanisms) {
    if (other == *wanted || all_forbidden || !probe_mechanism(other, trial).works) continue;
    return {code, fmt::format("--attach {}: {}", name_of(*wanted), text),
            fmt::format("leave --attach out: {} works here", name_of(other))};
  }
  return {code, fmt::format("--attach {}: {}", name_of(*wanted), text),
          all_forbidden ? "see 'ingero check'" : "nothing else works here either; see 'ingero check'"};
}

}  // namespace ingero::kernelside
