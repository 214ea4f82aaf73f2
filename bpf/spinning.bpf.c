/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * The stack and Python frames of a thread that runs inside a call that does not return: a wait for the device spins by
 * default. The thread's registers are only in the CPU, so a timer on that one thread interrupts it (a perf event that
 * user space opens for some milliseconds), and its stack and Python frames are copied as at the return of a call.
 *
 * Only interrupts of user mode are used: in the kernel the thread may be in one of our own programs, which use the same
 * buffers as this one.
 */
#define OF_A_RUNNING_THREAD
#include "stack.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#if defined(__TARGET_ARCH_arm64)
#define IN_USER(ctx) (((ctx)->user_regs.pstate & 0xf) == 0)
#else
#define IN_USER(ctx) (((ctx)->cs & 3) == 3)
#endif

SEC("perf_event")
int take_running(struct pt_regs *ctx) /* a bpf_perf_event_data begins with them */
{
	if (IN_USER(ctx))
		take_stack_of_open_call(bpf_get_current_task_btf());
	return 0;
}
