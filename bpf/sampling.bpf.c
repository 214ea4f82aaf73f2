/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * What followed threads do on the CPU outside of the calls that are traced: their stacks, many times a second. One
 * timer for each CPU (a perf event that user space opens while some followed thread computes), not one for each thread,
 * which would be set up anew at every switch. Threads of other processes are rejected by one pointer test.
 *
 * In the kernel a thread may be in one of our own programs, which use the same buffers as this one; in a system call of
 * its own, and in a page fault, it is in none. A breakpoint, which is how probes enter the kernel too, is reported
 * without a stack.
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

/* May the thread, which is in the kernel but in no system call of its own, have come there by a probe? At a function's
 * begin it stands at a breakpoint (<arch/x86/include/asm/uprobes.h>, UPROBES_BRK_IMM of
 * <arch/arm64/include/asm/brk-imm.h>), or right behind it before the kernel has put the address back; at its end it
 * stands behind the call, where the kernel lets it go on before it runs programs (handle_trampoline(), since 4.3). Also
 * true of a few others. */
static __always_inline bool may_be_at_probe(struct task_struct *task)
{
	struct pt_regs *registers = (void *)bpf_task_pt_regs(task);
#if defined(__TARGET_ARCH_arm64)
	__u32 code[2]; /* before it, and here */

	if (bpf_probe_read_user(code, sizeof(code), (void *)(registers->user_regs.pc - 4)))
		return true;
	/* BRK; BL, BLR and those with a signed address */
	return code[1] == 0xd42000a0 || code[0] >> 26 == 0x25 || code[0] >> 25 == 0x6b;
#else
	__u8 code[8]; /* seven before it, and here */
	int i;

	if (registers->orig_ax != ~0ull) /* a probe's system call */
		return true;
	if (bpf_probe_read_user(code, sizeof(code), (void *)(registers->ip - 7)))
		return true;
	if (code[6] == 0xcc || code[7] == 0xcc || code[2] == 0xe8)
		return true;
	for (i = 0; i < 6; i++) /* a call by a register or through memory takes two to seven bytes */
		if (code[i] == 0xff)
			return true;
	return false;
#endif
}

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
	__u8 reason = WIRE_STACK_ON_CPU;

	if (!may_be_traced(task))
		return 0;
	thread = followed(task);
	if (!thread || thread->depth || !task->mm)
		return 0;
	call.probe = WIRE_NO_PROBE;
	call.pid = task->tgid;
	call.tid = task->pid;
	call.start_ns = bpf_ktime_get_ns();
	if (!IN_USER(ctx)) {
		reason = WIRE_STACK_IN_KERNEL;
		read_system_call(task, &system_call);
		if (system_call.number < 0 && may_be_at_probe(task)) {
			without_stack(&call);
			return 0;
		}
	}
	take_stack_of(task, (void *)bpf_task_pt_regs(task), &call, reason, sample_ns);
	return 0;
}
