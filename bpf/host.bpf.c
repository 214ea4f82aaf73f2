/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * What the host did to traced processes: tracepoint programs, each optional, each loadable without the others.
 */
#include "maps.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

SEC("tp_btf/mark_victim")
int BPF_PROG(on_mark_victim)
{
	return 0;
}
