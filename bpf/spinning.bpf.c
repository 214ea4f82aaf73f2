/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Where a thread is that runs inside a call and does not come back: a wait for the device spins by default. Its
 * registers are nowhere but in the CPU, so a timer on that one thread interrupts it (a perf event that user space opens
 * for some milliseconds), and its stack and Python frames are copied as at the return of a call.
 *
 * Only what interrupts the program itself is used: within the kernel the thread may be in one of our own programs,
 * whose buffers are this one's too.
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
	struct task_struct *task = bpf_get_current_task_btf();
	struct wire_thread *thread;
	struct wire_call call;

	if (!IN_USER(ctx))
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !thread->depth)
		return 0;
	/* of the outermost call; what it called in turn is on the same stack */
	__builtin_memcpy(&call, &thread->frames[0].record.call, sizeof(call));
	call.site = WIRE_NO_SITE;
	take_stack_of(NULL, (void *)bpf_task_pt_regs(task), &call, WIRE_STACK_WAITING);
	return 0;
}
