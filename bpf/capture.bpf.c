/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Call capture as an entry and a return program, for uprobe-multi links (kernel 6.6, 89ae89f53d20) and, with the same
 * cookies, perf uprobes (5.15, 82e6b1eee6a8). Returns find their frame by probe and stack pointer.
 */
#include "call.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("uprobe")
int on_enter(struct pt_regs *ctx)
{
	stay_on_thread_stack();
	enter_call(ctx, (void *)bpf_get_current_task_btf(), bpf_get_attach_cookie(ctx));
	return 0;
}

SEC("uprobe")
int on_return(struct pt_regs *ctx)
{
	__u64 end_ns = bpf_ktime_get_ns();

	stay_on_thread_stack();
	return_at(ctx, (void *)bpf_get_current_task_btf(), bpf_get_attach_cookie(ctx), end_ns);
	return 0;
}
