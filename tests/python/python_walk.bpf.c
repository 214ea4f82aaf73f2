/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * For python_walk_test.cc: takes the Python frames at every call of a marked function, whose argument names the call.
 */
#include "maps.bpf.h"

/* How long the walk waits before it looks at a thread state it was led to. */
__u64 pause_ns = 0;
#define PYTHON_BETWEEN_STATES()                                           \
  do {                                                                    \
    __u64 until = bpf_ktime_get_ns() + pause_ns;                          \
    for (int turn = 0; turn < 4000 && bpf_ktime_get_ns() < until; turn++) \
      ;                                                                   \
  } while (0)
#include "python.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

__u64 not_kept = 0;

SEC("uprobe")
int on_marked_call(struct pt_regs* ctx) {
  struct wire_stack* stack = bpf_ringbuf_reserve(&stacks, sizeof(*stack), 0);
  __u64 id = bpf_get_current_pid_tgid();
  __u64 begin;

  if (!stack) {
    __sync_fetch_and_add(&not_kept, 1);
    return 0;
  }
  stack->type = WIRE_STACK;
  stack->pid = id >> 32;
  stack->tid = id;
  stack->start_ns = PT_REGS_PARM1(ctx);
  begin = bpf_ktime_get_ns();
  walk_python(stack);
  stack->ns = bpf_ktime_get_ns() - begin; /* what it cost */
  bpf_ringbuf_submit(stack, BPF_RB_NO_WAKEUP);
  return 0;
}
