/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Programs that do nothing, to find out what this kernel can attach (features are tried, never inferred from versions),
 * and two that measure what lies between them.
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

/* The time between the two programs at a function that does nothing. The capture's take theirs as these do: the one at
 * the entry last, the one at the return first. Of one thread, which makes the calls one after the other. */
#define MEASURED_CALLS 256
__u64 entered_ns;
__u64 inside_ns[MEASURED_CALLS];
__u32 measured;

SEC("uprobe")
int measure_enter(struct pt_regs *ctx)
{
	entered_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("uprobe")
int measure_return(struct pt_regs *ctx)
{
	__u64 now = bpf_ktime_get_ns();
	__u32 at = measured;

	if (at >= MEASURED_CALLS)
		return 0;
	inside_ns[at] = now - entered_ns;
	measured = at + 1;
	return 0;
}
