// Measures the cost of a single step with two probes on functions of this program, opened as counting perf events: no
// program runs at them, so the difference is the step alone.
#include "kernelside/single_step.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"
#include "kernelside/privilege.h"
#include "kernelside/probed_functions.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kCalls = 301;
constexpr const char* kType = "/sys/bus/event_source/devices/uprobe/type";

Result<Fd> probe(void (*function)(), uint32_t type) {
  const uint64_t offset = own_file_offset(function);
  if (offset == 0) return Error(Errc::kNotSupported, "the function to measure is not in /proc/self/exe");
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = type;
  attributes.uprobe_path = reinterpret_cast<uint64_t>("/proc/self/exe");
  attributes.probe_offset = offset;
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
