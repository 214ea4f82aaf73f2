/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * The stack and Python frames of a thread that waits inside a call that does not return, as the thread left them when
 * it went to sleep. Read for one thread at a time, when user space asks (an iterator over that one thread).
 *
 * The memory is that of another thread: reading it may sleep (bpf_copy_from_user_task, kernel 5.18, 376040e47334;
 * iterators over one thread: 6.1, f0d74c4da1f0; trusted arguments of global functions: 6.9, e2b3c4ff5d18), but not on
 * what may never answer (memory.bpf.h). Its registers are those it entered the kernel with. A thread that has
 * run in the meantime is elsewhere: nothing is reported for it.
 */
#define OF_A_WAITING_THREAD
#include "stack.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("iter.s/task")
int take_waiting(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;

	if (task && task->mm)
		take_stack_of_open_call(task);
	return 0;
}
