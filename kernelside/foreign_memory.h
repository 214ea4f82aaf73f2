// Memory of a traced process, read so that nobody has to wait for it.
//
// A read of another process's memory brings in pages that are not there, as the process's own access would; and what
// brings them in may be a file system that does not answer, or another program that was asked to fill them in
// (userfaultfd(2)). /proc/PID/mem and bpf_copy_from_user_task() hold that process's mmap lock meanwhile. Whoever
// removes a uprobe then waits for the lock, and makes every fork() of the machine wait for him
// (kernel/events/uprobes.c, register_for_each_vma: dup_mmap_sem).
//
//   (1) Only a page that is there is read (/proc/PID/pagemap: present, or swapped out), or one of a file on this
//       machine's own disk (/proc/PID/maps, /proc/PID/mountinfo).
//   (2) The process may change that in between: read with process_vm_readv(2), which lets go of the lock before it
//       waits, in a helper process (helpers.h), which may wait for ever.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace ingero::kernelside {

// Bytes from `address` on, as many of `size` as (1) allows and there are; -1 with errno for none: EFAULT where there is
// nothing, EAGAIN where it would have to be waited for. Rule (2) is the caller's.
ssize_t read_foreign_memory(const std::string& proc_root, uint32_t pid, uint64_t address, void* out, size_t size);

}  // namespace ingero::kernelside
