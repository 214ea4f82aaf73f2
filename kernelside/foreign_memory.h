// Reads the memory of a traced process without blocking the agent or the machine.
//
// A read of another process's memory faults in pages that are not present, as the process's own access would; and the
// page may come from a file system that does not answer, or from another program (userfaultfd(2)). /proc/PID/mem and
// bpf_copy_from_user_task() hold the process's mmap lock until it does. A process that removes a uprobe then waits for
// that lock, and every fork() on the machine waits for that process
// (kernel/events/uprobes.c, register_for_each_vma: dup_mmap_sem).
//
//   (1) Only a page that is present or swapped out is read (/proc/PID/pagemap), or one of a file on a local disk
//       (/proc/PID/maps, /proc/PID/mountinfo).
//   (2) The process may change that in between, so the read uses process_vm_readv(2), which releases the lock before it
//       waits, and runs in a helper process (helpers.h), which may wait for ever.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace ingero::kernelside {

// Bytes from `address` on, as many of `size` as (1) allows and there are; -1 with errno for none: EFAULT where there is
// nothing, EAGAIN where it would have to be waited for. Rule (2) is the caller's.
ssize_t read_foreign_memory(const std::string& proc_root, uint32_t pid, uint64_t address, void* out, size_t size);

}  // namespace ingero::kernelside
