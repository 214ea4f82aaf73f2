/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Call capture through a uprobe session link (kernel 6.13, d920179b3d48 "bpf: Add support for uprobe multi session
 * attach"): one program at both ends, eight bytes carried in between. An object of its own, so that older kernels can
 * load the rest.
 */
#include "call.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

extern _Bool bpf_session_is_return(void) __ksym;
extern __u64 *bpf_session_cookie(void) __ksym;

SEC("uprobe")
int on_call(struct pt_regs *ctx)
{
	__u64 *carried = bpf_session_cookie();

	if (!bpf_session_is_return()) {
		__u32 number = enter_call(ctx, bpf_get_attach_cookie(ctx));

		*carried = number;
		return !number; /* 1: not captured, no return probe for this call */
	} else {
		__u64 end_ns = bpf_ktime_get_ns();
		struct task_struct *task = (void *)bpf_get_current_task_btf();
		struct wire_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
		__u32 depth = *carried - 1;

		if (!thread || depth >= WIRE_MAX_DEPTH || depth >= thread->depth ||
		    thread->frames[depth].sp + RETURN_POPS != USER_SP(ctx)) {
			count_loss(WIRE_LOSS_UNPAIRED_RETURN);
			return 0;
		}
		leave_call(ctx, thread, depth, end_ns);
	}
	return 0;
}
