/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Programs that do nothing, to find out what this kernel can attach: features are tried, never inferred from versions.
 */
#include "kernel.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("uprobe")
int try_session(struct pt_regs *ctx)
{
	return 0;
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
