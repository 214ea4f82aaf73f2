/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Call capture as an entry and a return program, for uprobe-multi links (kernel 6.6, 89ae89f53d20) and, with the same
 * cookies, perf uprobes (5.15, 82e6b1eee6a8). Returns find their frame by site and stack pointer.
 */
#include "call.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("uprobe")
int on_enter(struct pt_regs *ctx)
{
	enter_call(ctx, bpf_get_attach_cookie(ctx));
	return 0;
}

SEC("uprobe")
int on_return(struct pt_regs *ctx)
{
	__u64 end_ns = bpf_ktime_get_ns();
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct wire_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	__u32 site = bpf_get_attach_cookie(ctx);
	__u64 sp = USER_SP(ctx) - RETURN_POPS;

	if (!thread)
		return 0; /* a process that is not traced, or a call entered before the attach: not ours to count */
	for (int i = WIRE_MAX_DEPTH - 1; i >= 0; i--) {
		if (i >= thread->depth)
			continue;
		if (thread->frames[i].sp == sp && thread->frames[i].site == site) {
			leave_call(ctx, thread, i, end_ns);
			return 0;
		}
	}
	count_loss(WIRE_LOSS_UNPAIRED_RETURN);
	return 0;
}
