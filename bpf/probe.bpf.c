/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Programs that do nothing, to find out what this kernel can attach: features are tried, never inferred from versions.
 */
#include "kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

extern _Bool bpf_session_is_return(void) __ksym;

SEC("uprobe")
int try_session(struct pt_regs *ctx)
{
	__u64 is_return = bpf_session_is_return();

	barrier_var(is_return); /* clang knows a bool is 0 or 1, the verifier wants to see it */
	return is_return & 1;
}

SEC("uprobe")
int try_multi(struct pt_regs *ctx)
{
	return 0;
}

SEC("uprobe")
int try_perf(struct pt_regs *ctx)
{
	return bpf_get_attach_cookie(ctx) & 0;
}

SEC("tp_btf/sched_switch")
int try_btf_tracepoint(void *ctx)
{
	return 0;
}
