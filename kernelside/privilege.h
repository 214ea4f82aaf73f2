// What this process may do, what it gives up, and what the kernel offers. Linux only; per thread where the kernel is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

struct btf;  // libbpf's

namespace ingero::kernelside {

// A thread's capabilities, a bit for each of the kernel's numbers (capabilities(7)).
struct CapabilitySets {
  uint64_t effective = 0;
  uint64_t permitted = 0;
  uint64_t inheritable = 0;
};

// The calling thread's, as the kernel keeps them. Each sets errno when it returns false.
struct PrivilegeCalls {
  std::function<bool(CapabilitySets& sets)> get;        // capget(2)
  std::function<bool(const CapabilitySets& sets)> set;  // capset(2)
  std::function<bool()> forbid_new;                     // PR_SET_NO_NEW_PRIVS of prctl(2)
};
PrivilegeCalls system_privileges();

// Of the capabilities tracing needs (CAP_BPF, CAP_PERFMON, CAP_SYS_PTRACE, ...), those the process lacks, by name.
std::vector<std::string> missing_capabilities(const PrivilegeCalls& calls = system_privileges());

// Gives up every capability that recording does not need, for this thread and those it starts, for good; and the way
// back through set-user-id programs. Call after files that need them are open. Fails without harm.
Status drop_capabilities(const PrivilegeCalls& calls = system_privileges());

// The tracepoints our programs use, and whether this kernel has them (from its BTF).
std::vector<std::pair<std::string, bool>> tracepoints_present();
// Likewise, by these types; null: none are known.
std::vector<std::pair<std::string, bool>> tracepoints_present(const btf* types);

}  // namespace ingero::kernelside
