/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Call capture through a uprobe session link (kernel 6.13, d920179b3d48 "bpf: Add support for uprobe multi session
 * attach"): one program at both ends, eight bytes carried in between. An object of its own, so that older kernels can
 * load the rest.
 */
#include "call.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

extern _Bool bpf_session_is_return(void) __ksym;

SEC("uprobe")
int on_call(struct pt_regs *ctx)
{
	/* A call whose entry was not captured (1) makes no return. The kernel's eight carried bytes are not needed: the
	 * stack pointer names the frame, and asking for them costs more than looking. */
	if (!bpf_session_is_return())
		return !enter_call(ctx, bpf_get_attach_cookie(ctx));
	return_at(ctx, ANY_SITE, bpf_ktime_get_ns());
	return 0;
}
