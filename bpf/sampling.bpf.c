/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * What followed threads do on the CPU outside of the calls that are traced: their stacks, many times a second. One
 * timer for each CPU (a perf event that user space opens while some followed thread computes), not one for each thread,
 * which would be set up anew at every switch. Threads of other processes are rejected by one pointer test.
 *
 * In the kernel a thread may be in one of our own programs, which use the same buffers as this one; in a system call of
 * its own it is in none. A fault, which is how probes enter the kernel too, is reported without a stack.
 */
#define OF_A_RUNNING_THREAD
#include "stack.bpf.h"
#include "wait.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* of a CPU's time, that a sample stands for */
const volatile __u64 sample_ns = 0;

#if defined(__TARGET_ARCH_arm64)
#define IN_USER(ctx) (((ctx)->user_regs.pstate & 0xf) == 0)
#else
#define IN_USER(ctx) (((ctx)->cs & 3) == 3)
#endif

static __always_inline void without_stack(const struct wire_call *call)
{
	struct wire_stack *stack = bpf_ringbuf_reserve(&stacks, sizeof(*stack), 0);

	if (!stack) {
		count_loss(WIRE_LOSS_STACK_RING_FULL);
		return;
	}
	stack->type = WIRE_STACK;
	stack->reason = WIRE_STACK_IN_KERNEL;
	stack->n_returns = 0;
	stack->n_python = 0;
	stack->python_outcome = WIRE_PYTHON_NONE;
	stack->below = 0;
	stack->bytes = 0;
	stack->probe = WIRE_NO_PROBE;
	stack->pid = call->pid;
	stack->tid = call->tid;
	stack->holes = 0;
	stack->pad = 0;
	stack->weight = sample_ns;
	stack->start_ns = call->start_ns;
	stack->ns = call->start_ns;
	bpf_ringbuf_submit(stack, BPF_RB_NO_WAKEUP);
}

SEC("perf_event")
int take_sample(struct pt_regs *ctx) /* a bpf_perf_event_data begins with them */
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct wire_thread *thread;
	struct system_call system_call;
	struct wire_call call = {};

	if (!may_be_traced(task))
		return 0;
	thread = followed(task);
	if (!thread || thread->depth || !task->mm)
		return 0;
	call.probe = WIRE_NO_PROBE;
	call.pid = task->tgid;
	call.tid = task->pid;
	call.start_ns = bpf_ktime_get_ns();
	if (IN_USER(ctx)) {
		take_stack_of(task, (void *)bpf_task_pt_regs(task), &call, WIRE_STACK_ON_CPU, sample_ns);
		return 0;
	}
	read_system_call(task, &system_call);
	if (system_call.number >= 0)
		take_stack_of(task, (void *)bpf_task_pt_regs(task), &call, WIRE_STACK_IN_KERNEL, sample_ns);
	else
		without_stack(&call);
	return 0;
}
