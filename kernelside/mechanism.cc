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

#include <link.h>

#include "kernelside/libbpf_log.h"
#include "kernelside/link.h"
#include "kernelside/skeleton.h"
#include "probe.skel.h"

namespace ingero::kernelside {
namespace {

// What the probes are tried on. Never called; it only has to exist in the file.
[[gnu::noinline, gnu::used]] int probed_function(int value) {
  asm volatile("");
  return value + 1;
}

// The file offset of an address of the main program.
uint64_t own_file_offset(uintptr_t address) {
  struct Search {
    uintptr_t address;
    uint64_t offset;
  } search{address, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* wanted = static_cast<Search*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          const uintptr_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && wanted->address >= start && wanted->address < start + segment.p_memsz) {
            wanted->offset = wanted->address - start + segment.p_offset;
            return 1;
          }
        }
        return 0;
      },
      &search);
  return search.offset;
}

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

// Loads one program of the probe object; null with the reason otherwise.
Owned<probe> load_one(Mechanism mechanism, MechanismRefusal& refused) {
  LibbpfLog log;
  Owned<probe> skeleton(probe::open(nullptr));
  if (!skeleton) {
    refused = {errno, log.reason(errno_error("open the probe object").text())};
    return nullptr;
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton->obj) bpf_program__set_autoload(program, false);
  program = program_of(*skeleton, mechanism);
  bpf_program__set_autoload(program, true);
  if (mechanism != Mechanism::kPerf) {
    bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(kind_of(mechanism)));
  }
  if (const int error = probe::load(skeleton.get()); error != 0) {
    refused = {-error, log.reason(errno_error("load", -error).text())};
    return nullptr;
  }
  return skeleton;
}

std::optional<MechanismRefusal> try_mechanism(Mechanism mechanism) {
  MechanismRefusal refused;
  const Owned<probe> skeleton = load_one(mechanism, refused);
  if (!skeleton) return refused;
  bpf_program* const program = program_of(*skeleton, mechanism);
  const std::array<unsigned long, 1> offsets{own_file_offset(reinterpret_cast<uintptr_t>(&probed_function))};
  const std::array<uint64_t, 1> cookies{1};
  if (mechanism == Mechanism::kPerf) {
    LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = 1);
    LibbpfLog log;
    bpf_link* link = bpf_program__attach_uprobe_opts(program, getpid(), "/proc/self/exe", offsets[0], &options);
    if (link == nullptr) return MechanismRefusal{errno, log.reason(errno_error("attach").text())};
    bpf_link__destroy(link);
    return std::nullopt;
  }
  MultiSpec spec;
  spec.kind = kind_of(mechanism);
  spec.program_fd = bpf_program__fd(program);
  spec.path = "/proc/self/exe";
  spec.offsets = offsets;
  spec.cookies = cookies;
  spec.pid = static_cast<uint32_t>(getpid());
  for (const bool at_return : {false, true}) {
    if (at_return && mechanism == Mechanism::kSession) break;
    spec.at_return = at_return;
    if (const auto link = link_multi(spec); !link.ok()) return MechanismRefusal{errno, link.error().text()};
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

// A sentence: what is missing, and where it is. The release explains a refusal, it never makes one.
std::string sentence_of(Mechanism mechanism, const MechanismRefusal& refusal, const std::string& release) {
  if (is_forbidden(refusal)) {
    return fmt::format("not allowed: it takes root, or CAP_BPF and CAP_PERFMON ({})", refusal.words);
  }
  const Origin origin = origin_of(mechanism);
  int major = 0, minor = 0;
  const bool known = std::sscanf(release.c_str(), "%d.%d", &major, &minor) == 2;
  if (known && std::pair(major, minor) < std::pair(origin.major, origin.minor)) {
    return fmt::format("this kernel ({}) has no {}: Linux {}.{} or newer has them", release, origin.what, origin.major,
                       origin.minor);
  }
  return fmt::format("this kernel ({}) refused {}: {}", release, origin.what, refusal.words);
}

}  // namespace

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

MechanismTrial system_trial() {
  utsname name{};
  return {try_mechanism, uname(&name) == 0 ? name.release : ""};
}

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
