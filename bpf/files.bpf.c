/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * The real file of one of the agent's own mappings. On a layered file system /proc and stat(2) report the numbers of
 * the layer, and two layers over one file look like two files; the kernel's probes are on the file below, which is the
 * one that the mapping holds. iter/task_vma: kernel 5.12, 3d06f34aa89e.
 */
#include "kernel.bpf.h"
#include "wire.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct vm_area_struct {
	unsigned long vm_start;
	struct file *vm_file;
} __attribute__((preserve_access_index));
struct bpf_iter__task_vma {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	struct vm_area_struct *vma;
} __attribute__((preserve_access_index));

/* set before each run */
__u32 mapper_pid = 0;
__u64 mapped_at = 0;

SEC("iter/task_vma")
int emit_file(struct bpf_iter__task_vma *ctx)
{
	struct vm_area_struct *vma = ctx->vma;
	struct task_struct *task = ctx->task;
	struct wire_file out;

	if (!task || !vma || task->tgid != mapper_pid || vma->vm_start != mapped_at || !vma->vm_file)
		return 0;
	out.device = vma->vm_file->f_inode->i_sb->s_dev;
	out.inode = vma->vm_file->f_inode->i_ino;
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}
