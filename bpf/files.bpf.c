/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * What only the kernel knows of the files of the agent's own mappings. iter/task_vma: kernel 5.12, 3d06f34aa89e.
 *
 * emit_file: the real file. On a layered file system /proc and stat(2) report the numbers of the layer, and two layers
 * over one file look like two files; the kernel's probes are on the file below, which is the one that the mapping
 * holds.
 *
 * emit_uses: whether another process has the file mapped. The file's tree of mappings is read without its lock, so that
 * a look during a change may miss one; it never finds one that is not there. User space asks again.
 */
#include "kernel.bpf.h"
#include "wire.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

struct rb_node {
	struct rb_node *rb_right;
	struct rb_node *rb_left;
} __attribute__((preserve_access_index));
struct rb_root {
	struct rb_node *rb_node;
} __attribute__((preserve_access_index));
struct rb_root_cached {
	struct rb_root rb_root;
} __attribute__((preserve_access_index));
/* every mapping of a file */
struct address_space {
	struct rb_root_cached i_mmap;
} __attribute__((preserve_access_index));
struct vm_area_struct {
	unsigned long vm_start;
	unsigned long vm_flags;
	struct mm_struct *vm_mm;
	struct {
		struct rb_node rb;
	} shared; /* its place among those of the file */
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

#define VM_ACCESS 7    /* read, write, execute */
#define OWN_MAPPINGS 8 /* the agent has fewer of one file */

/* Is there a mapping of the file that is not of the memory `own`? */
static __always_inline bool is_mapped_elsewhere(struct inode *inode, struct mm_struct *own)
{
	const __u64 place = bpf_core_field_offset(struct vm_area_struct, shared.rb);
	struct address_space *pages = BPF_CORE_READ(inode, i_mapping);
	struct rb_node *nodes[OWN_MAPPINGS] = {};
	__u32 n = 0;

	nodes[0] = BPF_CORE_READ(pages, i_mmap.rb_root.rb_node);
	if (nodes[0])
		n = 1;
#pragma unroll
	for (int i = 0; i < OWN_MAPPINGS; i++) {
		struct rb_node *node = nodes[i];
		struct rb_node *below[2];

		if (i >= n)
			return false;
		if (BPF_CORE_READ((struct vm_area_struct *)((void *)node - place), vm_mm) != own)
			return true;
		below[0] = BPF_CORE_READ(node, rb_left);
		below[1] = BPF_CORE_READ(node, rb_right);
#pragma unroll
		for (int side = 0; side < 2; side++) {
			if (!below[side])
				continue;
			if (n >= OWN_MAPPINGS)
				return true;
			nodes[n & (OWN_MAPPINGS - 1)] = below[side];
			n++;
		}
	}
	return false;
}

SEC("iter/task_vma")
int emit_uses(struct bpf_iter__task_vma *ctx)
{
	struct vm_area_struct *vma = ctx->vma;
	struct task_struct *task = ctx->task;
	struct wire_use out;

	if (!task || !vma || task->tgid != mapper_pid || !vma->vm_file || vma->vm_flags & VM_ACCESS)
		return 0;
	out.start = vma->vm_start;
	out.names = vma->vm_file->f_inode->i_nlink;
	out.is_mapped = is_mapped_elsewhere(vma->vm_file->f_inode, task->mm);
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}
