/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Where a thread is that waits inside a call and does not come back: its stack and Python frames, as the thread left
 * them when it went to sleep. Read for one thread at a time, when user space asks (an iterator over that one thread).
 *
 * The thread's memory is not this program's: reading it may sleep (bpf_copy_from_user_task, kernel 5.18, 376040e47334;
 * iterators over one thread: 6.1, f0d74c4da1f0; trusted arguments of global functions: 6.8, a64bfe618665). Its
 * registers are those it entered the kernel with. A thread that runs meanwhile has moved on: nothing is told of it.
 */
#define OF_A_WAITING_THREAD
#include "stack.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("iter.s/task")
int take_waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct wire_thread *thread;
	struct wire_call call;

	if (!task || !task->mm)
		return 0;
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (!thread || !thread->depth)
		return 0;
	/* of the outermost call; what it called in turn is on the same stack */
	__builtin_memcpy(&call, &thread->frames[0].record.call, sizeof(call));
	call.site = WIRE_NO_SITE;
	take_stack_of(task, (void *)bpf_task_pt_regs(task), &call, WIRE_STACK_WAITING);
	return 0;
}
