/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Whether a sleepable program may read a piece of a process's memory. A read faults in pages that are not present,
 * which can take for ever: a page of a file whose server does not answer, or one that another program must fill
 * (userfaultfd(2)). In that time bpf_copy_from_user_task() holds the process's mmap lock, and a sleepable program
 * delays the grace period (RCU tasks trace) that every removal of a uprobe waits for; and a removal that waits blocks
 * every fork() of the machine.
 *
 * So only anonymous memory that userfaultfd does not watch, and files on local disks, are read (bpf_find_vma: kernel
 * 5.17, 7c7e3d31e785). On a layered file system a mapping refers to the file below. The process could replace the
 * mapping in between; but by reading its own /proc/self/mem it can do the same harm alone.
 */
#ifndef INGERO_BPF_MEMORY_BPF_H
#define INGERO_BPF_MEMORY_BPF_H

#include "kernel.bpf.h"

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)
struct vm_userfaultfd_ctx {
	void *ctx;
};
struct vm_area_struct {
	unsigned long vm_end;
	struct file *vm_file;
	struct vm_userfaultfd_ctx vm_userfaultfd_ctx;
};
#pragma clang attribute pop

struct memory_look {
	__u64 end; /* of what may be read from the address on; 0: nothing */
};

#define LOOKS_AT_MEMORY 4 /* when another thread has the mmap lock */

/* include/uapi/linux/magic.h, and the file systems' own headers; hal/mounts.cc has their names */
static __always_inline bool is_disk(__u64 magic)
{
	switch (magic) {
	case 0xef53:	 /* ext2, ext3, ext4 */
	case 0x58465342: /* xfs */
	case 0x9123683e: /* btrfs */
	case 0xf2f52010: /* f2fs */
	case 0x2fc12fc1: /* zfs */
	case 0xca451a4e: /* bcachefs */
	case 0x73717368: /* squashfs */
	case 0xe0f5e1e2: /* erofs */
	case 0x9660:	 /* iso9660 */
	case 0x4d44:	 /* vfat */
	case 0x01021994: /* tmpfs; whether others fill it in is looked at apart */
	case 0x858458f6: /* ramfs, rootfs */
		return true;
	default:
		return false;
	}
}

static long look_at_mapping(struct task_struct *task, struct vm_area_struct *vma, struct memory_look *look)
{
	if (bpf_core_field_exists(vma->vm_userfaultfd_ctx.ctx) && vma->vm_userfaultfd_ctx.ctx)
		return 0;
	if (vma->vm_file) {
		if (!is_disk(BPF_CORE_READ(vma, vm_file, f_inode, i_sb, s_magic)))
			return 0;
	}
	look->end = vma->vm_end;
	return 0;
}

/* The end of what may be read from the address on; 0: nothing. */
static __always_inline __u64 may_wait_until(struct task_struct *task, __u64 address)
{
	struct memory_look look = {};

	for (int i = 0; i < LOOKS_AT_MEMORY; i++) {
		if (bpf_find_vma(task, address, look_at_mapping, &look, 0) != -16 /* EBUSY */)
			break;
	}
	return look.end;
}

static __always_inline bool may_wait_for(struct task_struct *task, __u64 address, __u64 size)
{
	__u64 end = may_wait_until(task, address);

	return end >= address && end - address >= size;
}

#endif
