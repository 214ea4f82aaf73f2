// Measures the cost of a single step with two probes on functions of this program, opened as counting perf events: no
// program runs at them, so the difference is the step alone.
#include "kernelside/single_step.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include <link.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"
#include "kernelside/privilege.h"

// A function whose first instruction is single-stepped, and one whose first is emulated (arch_uprobe_analyze_insn of
// the kernel's arch/x86/kernel/uprobes.c and arch/arm64/kernel/probes/decode-insn.c).
extern "C" {
__attribute__((visibility("hidden"))) void ingero_stepped();
__attribute__((visibility("hidden"))) void ingero_emulated();
}
#if defined(__x86_64__)
asm(R"(
  .text
  .p2align 4
  .hidden ingero_stepped
  .globl ingero_stepped
  .type ingero_stepped, @function
ingero_stepped:
  mov %rdi, %rax
  ret
  .p2align 4
  .hidden ingero_emulated
  .globl ingero_emulated
  .type ingero_emulated, @function
ingero_emulated:
  push %rbp
  pop %rbp
  ret
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .p2align 4
  .hidden ingero_stepped
  .globl ingero_stepped
  .type ingero_stepped, %function
ingero_stepped:
  mov x0, x0
  ret
  .p2align 4
  .hidden ingero_emulated
  .globl ingero_emulated
  .type ingero_emulated, %function
ingero_emulated:
  b 1f
1:
  ret
)");
#endif

namespace ingero::kernelside {
namespace {

constexpr size_t kCalls = 301;
constexpr const char* kType = "/sys/bus/event_source/devices/uprobe/type";

struct Place {
  uintptr_t address;
  uint64_t file_offset;
};

// The main program is the first that is listed.
int find_offset(dl_phdr_info* program, size_t /*size*/, void* data) {
  auto& place = *static_cast<Place*>(data);
  for (size_t i = 0; i < program->dlpi_phnum; ++i) {
    const auto& segment = program->dlpi_phdr[i];
    const uintptr_t start = program->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || place.address < start || place.address - start >= segment.p_filesz) continue;
    place.file_offset = place.address - start + segment.p_offset;
  }
  return 1;
}

Result<Fd> probe(void (*function)(), uint32_t type) {
  Place place{reinterpret_cast<uintptr_t>(function), 0};
  dl_iterate_phdr(find_offset, &place);
  if (place.file_offset == 0) return Error(Errc::kNotSupported, "the function to measure is not in /proc/self/exe");
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.uprobe_path = reinterpret_cast<uint64_t>("/proc/self/exe");
  attributes.probe_offset = place.file_offset;
  Fd fd(static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC)));
  if (fd.get() < 0) return errno_error("perf_event_open (uprobe)");
  return fd;
}

uint64_t median_ns(void (*function)()) {
  std::array<uint64_t, kCalls> times{};
  const Clock& clock = system_clock();
  for (uint64_t& time : times) {
    const uint64_t before = clock.mono_ns();
    function();
    time = clock.mono_ns() - before;
  }
  std::nth_element(times.begin(), times.begin() + kCalls / 2, times.end());
  return times[kCalls / 2];
}

}  // namespace

Result<uint64_t> measure_single_step_ns() {
  const auto text = read_file(kType, 64);
  if (!text) return Error(Errc::kNotSupported, fmt::format("{}: {}", kType, text.error().text()));
  const auto type = parse_u64(trim(*text));
  if (!type) return Error(Errc::kCorrupt, fmt::format("{}: not a number", kType));
  const Raised raised;
  const auto stepped = probe(ingero_stepped, static_cast<uint32_t>(*type));
  INGERO_TRY(stepped);
  const auto emulated = probe(ingero_emulated, static_cast<uint32_t>(*type));
  INGERO_TRY(emulated);
  const uint64_t with_step = median_ns(ingero_stepped);
  const uint64_t without = median_ns(ingero_emulated);
  return with_step > without ? with_step - without : 0;
}

}  // namespace ingero::kernelside
