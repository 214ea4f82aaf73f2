/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Call capture through a uprobe session link (kernel 6.13, d920179b3d48 "bpf: Add support for uprobe multi session
 * attach"): one program at both ends. A separate object, so that older kernels can load the rest.
 */
#include "call.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

extern void *bpf_rdonly_cast(const void *object, __u32 btf_id) __ksym;

/* What the kernel keeps of a session program's run: which end this is, and the cookie. Read directly, both cost less
 * than one call; and the kfunc that returns the first, bpf_session_is_return, has another prototype in 7.2 than
 * in 6.18. Before 6.13 the first field is not there: mechanism.cc tries that before this object is chosen. */
struct bpf_session_run_ctx {
	_Bool is_return;
} __attribute__((preserve_access_index));
struct bpf_uprobe {
	__u64 cookie;
} __attribute__((preserve_access_index));
struct bpf_uprobe_multi_run_ctx {
	struct bpf_session_run_ctx session_ctx;
	struct bpf_uprobe *uprobe;
} __attribute__((preserve_access_index));

SEC("uprobe")
int on_call(struct pt_regs *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct bpf_uprobe_multi_run_ctx *run;
	__u64 is_return;
	__u32 probe;

	stay_on_thread_stack();
	run = bpf_rdonly_cast(task->bpf_ctx, bpf_core_type_id_kernel(struct bpf_uprobe_multi_run_ctx));
	is_return = run->session_ctx.is_return;
	probe = run->uprobe->cookie;
	/* A call whose entry was not captured (1) makes no return. The kernel's eight carried bytes are not needed: the
	 * stack pointer names the frame, and asking for them costs more than looking. */
	if (!is_return)
		return !enter_call(ctx, task, probe);
	return_at(ctx, task, ANY_PROBE, bpf_ktime_get_ns());
	return 0;
}
