/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Kernel types we read, declared with the fields we use and relocated at load (CO-RE), and every kernel-drift
 * workaround in one place. No generated vmlinux.h: three megabytes for two dozen fields.
 */
#ifndef INGERO_BPF_KERNEL_BPF_H
#define INGERO_BPF_KERNEL_BPF_H

#define __VMLINUX_H__ /* wire.h and libbpf: the kernel's types are declared here */
#include <linux/types.h>
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#if defined(__TARGET_ARCH_arm64)
struct user_pt_regs {
	__u64 regs[31];
	__u64 sp;
	__u64 pc;
	__u64 pstate;
};
/* the context of a uprobe program */
struct pt_regs {
	struct user_pt_regs user_regs;
};
#else
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
#endif
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct bpf_local_storage;

struct xol_area {
	unsigned long vaddr;
};
struct uprobes_state {
	struct xol_area *xol_area;
};
struct mm_struct {
	struct uprobes_state uprobes_state;
};
struct kuid_t_ {
	unsigned int val;
};
struct cred {
	struct kuid_t_ uid;
};

struct task_struct {
	int pid;
	int tgid;
	unsigned int flags;
	int exit_code;
	__u64 start_time; /* since 5.5: monotonic start */
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	struct mm_struct *mm;
	const struct cred *cred;
	struct bpf_local_storage *bpf_storage;
	char comm[16];
	unsigned in_iowait : 1;
};

#pragma clang attribute pop

#define PF_KTHREAD 0x00200000

#endif
