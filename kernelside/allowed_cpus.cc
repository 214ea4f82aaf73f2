// The kernel refuses a set that is smaller than its own.
#include "kernelside/allowed_cpus.h"

#include <sched.h>

#include <array>

#include "base/text.h"

namespace ingero::kernelside {

Result<hal::CpuList> allowed_cpus(uint32_t tid) {
  std::array<cpu_set_t, hal::CpuList::kMaxCpus / CPU_SETSIZE> set{};
  if (sched_getaffinity(static_cast<pid_t>(tid), sizeof(set), set.data()) != 0) {
    return errno_error(fmt::format("CPUs of thread {}", tid));
  }
  hal::CpuList cpus;
  for (uint32_t cpu = 0; cpu < hal::CpuList::kMaxCpus; ++cpu) {
    if (CPU_ISSET_S(cpu, sizeof(set), set.data())) cpus.add(cpu);
  }
  return cpus;
}

}  // namespace ingero::kernelside
