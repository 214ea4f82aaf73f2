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
#include <bpf/bpf_endian.h>

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
/* How the verifier of older kernels knows the context where a global function is given it: bpf_user_pt_regs_t by its
 * architecture's own name. */
#define CONTEXT struct user_pt_regs
#else
#define CONTEXT struct pt_regs
struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};
/* Is this a thread of 32-bit code? __USER32_CS of asm/segment.h, and Xen's. Above the low byte newer kernels keep what
 * the processor says of an interruption. */
#define IS_NARROW(registers) ((__u8)(registers)->cs == 0x23)
#endif
#include <bpf/bpf_tracing.h>

/* As newer <bpf/bpf_helpers.h> have it: an argument of a global function that is one of the kernel's own objects. */
#ifndef __arg_trusted
#define __arg_trusted __attribute__((btf_decl_tag("arg:trusted")))
#endif

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct bpf_local_storage;
struct bpf_run_ctx;

struct xol_area {
	unsigned long vaddr;
};
struct uprobes_state {
	struct xol_area *xol_area;
};
struct mm_struct {
	struct uprobes_state uprobes_state;
	unsigned long start_stack; /* of the main thread: where its arguments begin */
};
/* return addresses that the kernel replaced by its trampoline, innermost first */
struct return_instance {
	unsigned long stack; /* where the address stood */
	unsigned long orig_ret_vaddr;
	struct return_instance *next;
};
struct uprobe_task {
	struct return_instance *return_instances;
};
/* the thread pointer; a C library puts what it points to at the top of the stack it made for a thread */
#if defined(__TARGET_ARCH_arm64)
struct thread_uw_ {
	unsigned long tp_value;
};
struct thread_struct {
	struct thread_uw_ uw;
};
#define THREAD_POINTER(task) ((task)->thread.uw.tp_value)
#else
struct thread_struct {
	unsigned long fsbase;
};
#define THREAD_POINTER(task) ((task)->thread.fsbase)
#endif
/* a thread's number, in every namespace of numbers that sees it; its own is the last */
struct upid {
	int nr;
};
struct pid {
	unsigned int level;
	struct upid numbers[1];
};
struct kuid_t_ {
	unsigned int val;
};
struct cred {
	struct kuid_t_ uid;
};

struct kernfs_node {
	__u64 id;
};
struct cgroup {
	struct kernfs_node *kn;
};
struct css_set {
	struct cgroup *dfl_cgrp;
};
struct atomic_t_ {
	int counter;
};
struct signal_struct {
	struct atomic_t_ live;
	int group_exit_code;
	unsigned int flags;
};
struct thread_info {
	__u64 preempt_count; /* arm64: the count in the low half, the inverse of "reschedule" in the high one */
};
/* the scheduler's own account of waiting in a run queue, in its clock's nanoseconds */
struct sched_info {
	unsigned long pcount;
	unsigned long long run_delay;
	unsigned long long last_arrival;
	unsigned long long last_queued; /* 0: not waiting */
};
struct rq {
	__u64 clock;
};
struct cfs_rq {
	struct rq *rq;
	int throttle_count; /* CONFIG_CFS_BANDWIDTH; of the groups above, too */
};
struct sched_entity {
	struct cfs_rq *cfs_rq; /* CONFIG_FAIR_GROUP_SCHED; of the task's CPU, whatever its class */
	__u64 sum_exec_runtime;
};

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state; /* since 5.14, 2f064a59a11f */
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
	struct bpf_run_ctx *bpf_ctx;
	struct signal_struct *signal;
	struct css_set *cgroups;
	char comm[16];
	struct sched_info sched_info;
	struct sched_entity se;
	struct uprobe_task *utask;
	struct thread_struct thread;
	struct pid *thread_pid;
	int on_cpu;
	unsigned in_iowait : 1;
	struct files_struct *files;
	unsigned long min_flt;
	unsigned long jobctl;
	_Bool throttled; /* since 6.18: the task's own account of its group's quota */
};
#if defined(__TARGET_ARCH_arm64)
/* the kernel's, behind user_pt_regs */
struct pt_regs___kernel {
	int syscallno;
};
#endif

struct seq_file;
struct bpf_iter_meta {
	struct seq_file *seq;
};
struct bpf_iter__task {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
};

#define KERNEL_THREAD 0x00200000 /* PF_KTHREAD, include/linux/sched.h */

struct gendisk {
	int major;
	int first_minor;
};
struct request_queue {
	struct gendisk *disk;
};
struct address_space;
struct page {
	struct address_space *mapping;
};
struct bio_vec {
	struct page *bv_page;
};
struct block_device {
	struct gendisk *bd_disk;
};
struct bvec_iter {
	unsigned int bi_size;
};
struct bio {
	struct block_device *bi_bdev;
	struct bvec_iter bi_iter;
	struct bio_vec *bi_io_vec;
};
struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	unsigned int __data_len;
	__u64 __sector;
	struct bio *bio;
};
/* older kernels reach the disk from the request ("block: remove the ->rq_disk field in struct request") */
struct request___with_disk {
	struct gendisk *rq_disk;
};

struct in6_addr {
	__u8 in6_u_bytes[16]; /* read whole, never by field */
};
struct sock_common {
	__be32 skc_daddr;
	__be32 skc_rcv_saddr;
	__be16 skc_dport;
	__u16 skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	struct in6_addr skc_v6_daddr;
	struct in6_addr skc_v6_rcv_saddr;
};
struct sock;
struct socket {
	struct sock *sk;
};
struct sock {
	struct sock_common __sk_common;
	struct socket *sk_socket;
	__u16 sk_protocol;
};
struct super_block {
	__u32 s_dev;
	unsigned long s_magic;
};
struct hlist_node {
	struct hlist_node *next;
};
struct hlist_head {
	struct hlist_node *first;
};
struct inode {
	unsigned short i_mode;
	unsigned int i_nlink;
	struct address_space *i_mapping;
	struct hlist_head i_dentry;
	struct super_block *i_sb;
	unsigned long i_ino;
	__u32 i_rdev;
};
struct qstr {
	const unsigned char *name;
};
struct dentry {
	struct qstr d_name;
	union {
		struct hlist_node d_alias; /* in its inode's i_dentry */
	} d_u;
};
struct path {
	struct dentry *dentry;
};
struct file {
	struct inode *f_inode;
	void *private_data;
	struct path f_path;
};
struct fdtable {
	unsigned int max_fds;
	struct file **fd;
};
struct files_struct {
	struct fdtable *fdt;
};
struct socket_alloc {
	struct inode vfs_inode;
};
struct unix_address;
struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
};
struct tcp_skb_cb {
	__u32 seq;
};
struct sk_buff {
	char cb[48];
};
struct kernel_siginfo {
	int si_code;
};

#pragma clang attribute pop

/* ---- Programs that are preempted ----
 *
 * A uprobe program runs in the thread that hit the probe, with preemption on wherever the kernel has it: another thread
 * may run the same program on the same CPU in the middle of this one. (Migration is off. Programs at tracepoints and
 * timers are not run a second time on a CPU: P6.) Hence the rules for everything a uprobe program calls:
 *
 *   (P1) It has no private data in per-CPU memory: no scratch space in a per-CPU map. A thread's is in task storage.
 *   (P2) What is shared, per-CPU counters included, is changed by atomic operations, or is approximate and says so.
 *   (P3) Its stack is the thread's. Since 6.13 a JIT may give it a stack of the CPU instead (private stacks,
 *        a76ab5731e32), and two threads then write into each other's variables. Such a program begins with
 *        stay_on_thread_stack().
 *   (P4) What it reads of its thread's off-CPU times may have changed before it takes the time: see off_at().
 *   (P5) Task storage cannot be created, and before 6.2 (e8b02296a6b8) not even looked up, while another user of it is
 *        preempted on this CPU (seen on 6.12). A call is then kept by thread id: stray_threads.
 *
 * And for those at tracepoints:
 *
 *   (P6) While one runs on a CPU the kernel skips a second run there, and counts it (recursion_misses). Since 7.0
 *        (a46023d5616e) tracepoints are preemptible: the start of a thread is enough to lose the fork that preempts it.
 *        What must not be lost is attached twice, or looked for in sched_switch, which is not preempted: the second
 *        program takes what the first was skipped for, and nothing else.
 *
 * tools/check_bpf checks P1 to P3.
 */

/* Always 0; the verifier knows that, the compiler does not. */
const volatile __u32 never = 0;

/* (P3) A program that calls the helper tail_call (12) is given no stack of its own: the verifier looks for the call in
 * every instruction, reachable or not (check_max_stack_depth()), and then drops this one as unreachable. It costs the
 * program a push and a pop. Rejected: bpf_preempt_disable() (6.10), which begins after the first instructions and is
 * refused where a program may sleep; and no more than 64 bytes of stack, which the walk of open calls does not fit. */
static __always_inline void stay_on_thread_stack(void)
{
	if (never)
		asm volatile("call 12" ::: "r0", "r1", "r2", "r3", "r4", "r5", "memory");
}

#define SIGNAL_GROUP_EXIT 0x4
#define REQ_OP_MASK 0xff

/* The preemption counter of this CPU, where each architecture and version keeps it: x86 in a per-CPU variable (6.2 to
 * 6.14: inside pcpu_hot), arm64 in the task. */
struct pcpu_hot___x86 {
	int preempt_count;
} __attribute__((preserve_access_index));
extern const int __preempt_count __ksym __weak;
extern const struct pcpu_hot___x86 pcpu_hot __ksym __weak;

#define PREEMPT_IN_SOFTIRQ 0x00000100	     /* being served, perhaps at the end of the task's own system call */
#define PREEMPT_IN_HARD_INTERRUPT 0x00ff0000 /* or in an NMI */
#define PREEMPT_IN_INTERRUPT (PREEMPT_IN_HARD_INTERRUPT | PREEMPT_IN_SOFTIRQ)

/* Of what runs now; 0 where this kernel does not say. */
static __always_inline int preempt_count_now(struct task_struct *task)
{
	int count = 0;

#if defined(__TARGET_ARCH_arm64)
	count = task->thread_info.preempt_count;
#else
	if (&__preempt_count)
		count = *(const int *)bpf_this_cpu_ptr(&__preempt_count);
	else if (&pcpu_hot)
		count = ((const struct pcpu_hot___x86 *)bpf_this_cpu_ptr(&pcpu_hot))->preempt_count;
#endif
	return count;
}

/* Whether the code that runs now is not the current task's, but an interrupt's. */
static __always_inline bool in_interrupt(struct task_struct *task)
{
	return preempt_count_now(task) & PREEMPT_IN_INTERRUPT;
}

/* Does this kernel keep sched_info, and can the run queue's clock be read? (CONFIG_SCHED_INFO; every task that ever ran
 * has been counted where it is kept.) */
static __always_inline bool keeps_queue_times(struct task_struct *task)
{
	return bpf_core_field_exists(task->se.cfs_rq) && bpf_core_field_exists(task->sched_info.run_delay) &&
	       task->sched_info.pcount;
}

/* How long `task` has waited in run queues in all its life, a wait still going on included. Only for a task of this CPU
 * whose run queue's clock was just updated: one being switched in or out. */
static __always_inline __u64 queued_ns(struct task_struct *task)
{
	__u64 since = task->sched_info.last_queued;
	__u64 now = task->se.cfs_rq->rq->clock;

	return task->sched_info.run_delay + (since && now > since ? now - since : 0);
}

/* How long `prev`, which leaves this CPU to `next` now, has had it. Where queued_ns() is known. */
static __always_inline __u64 had_cpu_ns(struct task_struct *prev, struct task_struct *next)
{
	__u64 since = prev->sched_info.last_arrival;
	__u64 now = next->se.cfs_rq->rq->clock;

	return now > since ? now - since : 0;
}

#define STACK_REACH (256ull << 20) /* no thread's stack is larger */

/* How much of the stack there is above `sp`: up to the process's arguments on the main thread, to the thread's control
 * block on one the C library made. 0: unknown, a stack that the program made itself. */
static __always_inline __u64 stack_room(struct task_struct *task, __u64 sp)
{
	__u64 top = task->mm->start_stack;

	if (sp < top && top - sp < STACK_REACH)
		return top - sp;
	top = THREAD_POINTER(task);
	return sp < top && top - sp < STACK_REACH ? top - sp : 0;
}

static __always_inline __u64 cgroup_id_of(struct task_struct *task)
{
	return BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
}

#endif
