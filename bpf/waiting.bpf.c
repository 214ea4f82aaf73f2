/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Where a thread is that waits inside a call and does not come back: its stack and Python frames, as the thread left
 * them when it went to sleep. Read for one thread at a time, when user space asks (an iterator over that one thread).
 *
 * The thread's memory is not this program's: reading it may sleep (bpf_copy_from_user_task, kernel 5.18, 376040e47334;
 * iterators over one thread: 6.1, f0d74c4da1f0; trusted arguments of global functions: 6.8, a64bfe618665), but not on
 * what may never answer (memory.bpf.h). Its registers are those it entered the kernel with. A thread that runs meanwhile
 * has moved on: nothing is told of it.
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
