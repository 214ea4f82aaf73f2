// Which attach mechanism this kernel has: each is tried on a function of this program.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <array>

#include <link.h>

#include "kernelside/libbpf_log.h"
#include "kernelside/link.h"
#include "kernelside/objects.h"
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

struct SkeletonDeleter {
  void operator()(probe* skeleton) const { probe::destroy(skeleton); }
};

// Loads one program of the probe object; null with the reason otherwise.
std::unique_ptr<probe, SkeletonDeleter> load_one(Mechanism mechanism, std::string& reason) {
  std::unique_ptr<probe, SkeletonDeleter> skeleton(probe::open(nullptr));
  if (!skeleton) {
    reason = errno_error("open the probe object").text();
    return nullptr;
  }
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton->obj) bpf_program__set_autoload(program, false);
  switch (mechanism) {
    case Mechanism::kSession:
      program = skeleton->progs.try_session;
      bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(MultiKind::kSession));
      break;
    case Mechanism::kMulti:
      program = skeleton->progs.try_multi;
      bpf_program__set_expected_attach_type(program, static_cast<bpf_attach_type>(MultiKind::kMulti));
      break;
    case Mechanism::kPerf:
      program = skeleton->progs.try_perf;
      break;
  }
  bpf_program__set_autoload(program, true);
  LibbpfLog log;
  if (const int error = probe::load(skeleton.get()); error != 0) {
    reason = log.reason(fmt::format("load: {}", errno_error("bpf", -error).message()));
    return nullptr;
  }
  return skeleton;
}

std::string try_mechanism(Mechanism mechanism) {
  std::string reason;
  const auto skeleton = load_one(mechanism, reason);
  if (!skeleton) return reason;
  const std::array<unsigned long, 1> offsets{own_file_offset(reinterpret_cast<uintptr_t>(&probed_function))};
  const std::array<uint64_t, 1> cookies{1};
  if (mechanism == Mechanism::kPerf) {
    LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = 1);
    LibbpfLog log;
    bpf_link* link =
        bpf_program__attach_uprobe_opts(skeleton->progs.try_perf, getpid(), "/proc/self/exe", offsets[0], &options);
    if (link == nullptr) return log.reason(errno_error("attach").message());
    bpf_link__destroy(link);
    return {};
  }
  MultiSpec spec;
  spec.kind = mechanism == Mechanism::kSession ? MultiKind::kSession : MultiKind::kMulti;
  spec.program_fd =
      bpf_program__fd(mechanism == Mechanism::kSession ? skeleton->progs.try_session : skeleton->progs.try_multi);
  spec.path = "/proc/self/exe";
  spec.offsets = offsets;
  spec.cookies = cookies;
  spec.pid = static_cast<uint32_t>(getpid());
  if (auto link = link_multi(spec); !link.ok()) return link.error().text();
  if (mechanism == Mechanism::kMulti) {
    spec.at_return = true;
    if (auto link = link_multi(spec); !link.ok()) return link.error().text();
  }
  return {};
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
  for (const auto mechanism : {Mechanism::kSession, Mechanism::kMulti, Mechanism::kPerf}) {
    if (name == name_of(mechanism)) return mechanism;
  }
  return std::nullopt;
}

std::vector<MechanismProbe> probe_mechanisms() {
  std::vector<MechanismProbe> verdicts;
  for (const auto mechanism : {Mechanism::kSession, Mechanism::kMulti, Mechanism::kPerf}) {
    std::string reason = try_mechanism(mechanism);
    verdicts.push_back({mechanism, reason.empty(), std::move(reason)});
  }
  return verdicts;
}

}  // namespace ingero::kernelside
