/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * What a thread waits for, read from the kernel's own structures at the moment the thread leaves its CPU: its state,
 * the system call it is in, and what that call's first argument is (a pipe, a socket and its other end, a lock's
 * address).
 *
 * Nothing is guessed: what cannot be read stays absent. The memory read is that of the current thread, which is in its
 * system call and holds what the call refers to; another thread may close the descriptor meanwhile, and then the read
 * fails or shows the descriptor's next meaning. No read can fault (bpf_probe_read_kernel, bpf_probe_read_user).
 */
#ifndef INGERO_BPF_WAIT_BPF_H
#define INGERO_BPF_WAIT_BPF_H

#include "thread.bpf.h"

/* enum wire_syscall by number: user space knows this machine's. Those of 32-bit x86 are the second half. */
const volatile __u8 syscall_kinds[2 * WIRE_SYSCALLS] = {};

/* include/linux/sched.h. Two more bits may be set as well: killable, freezable. */
#define STATE_INTERRUPTIBLE 0x1
#define STATE_UNINTERRUPTIBLE 0x2
#define STATE_STOPPED 0x4
#define STATE_TRACED 0x8
#define STATE_FROZEN 0x8000	       /* since 6.1 */
#define JOBCTL_TRAP_FREEZE (1ul << 23) /* by the freezer of cgroup v2 */
#define IN_RECLAIM 0x800	       /* PF_MEMALLOC: it frees memory for its own allocation */
#define EXITING 0x4		       /* PF_EXITING */

#define MODE_KIND 0170000
#define MODE_PIPE 0010000
#define MODE_CHARACTER 0020000
#define MODE_REGULAR 0100000
#define MODE_SOCKET 0140000
#define ANONYMOUS_FILES 0x09041934 /* ANON_INODE_FS_MAGIC */
#define MESSAGE_QUEUES 0x19800202  /* MQUEUE_MAGIC: POSIX message queues */

#define AF_UNIX 1
#define AF_INET 2
#define AF_INET6 10
#define SOCKET_LISTENS 10 /* TCP_LISTEN; of AF_UNIX too */

#define INOTIFY WIRE_WAIT_KINDS /* no kind of its own */

#define POLL_IN 0x1
#define POLL_OUT 0x4
#define FUTEX_COMMAND 127
#define FUTEX_WAITS 0
#define FUTEX_LOCKS_PI 6
#define FUTEX_WAITS_BITSET 9
#define FUTEX_LOCKS_PI2 13
#define HELD_AND_WAITED_FOR 2 /* of a lock, in glibc, Rust and Go; a condition counts, a semaphore is at 0 */

#define CLONE_WITH_VFORK 0x4000

/* ---- the system call that a thread is in ---- */

struct system_call {
	__u64 arguments[5];
	__s32 number; /* -1: none; as wire_wait has it */
	__u32 kind;   /* enum wire_syscall; no byte of padding: Linux 5.15 refuses to pass one on unwritten */
};

/* Of `task`, which is in the kernel. */
static __always_inline void read_system_call(struct task_struct *task, struct system_call *call)
{
	struct pt_regs *registers = (void *)bpf_task_pt_regs(task);
	__u32 number;

#if defined(__TARGET_ARCH_arm64)
	struct pt_regs___kernel *kernel_registers = (void *)registers;

	call->number = BPF_CORE_READ(kernel_registers, syscallno);
	bpf_probe_read_kernel(call->arguments, sizeof(call->arguments), registers);
#else
	call->number = registers->orig_ax;
	if (IS_NARROW(registers)) {
		number = call->number;
		if (number < WIRE_SYSCALLS)
			call->number = number + WIRE_SYSCALLS;
		call->arguments[0] = registers->bx;
		call->arguments[1] = registers->cx;
		call->arguments[2] = registers->dx;
		call->arguments[3] = registers->si;
		call->arguments[4] = registers->di;
	} else {
		call->arguments[0] = registers->di;
		call->arguments[1] = registers->si;
		call->arguments[2] = registers->dx;
		call->arguments[3] = registers->r10;
		call->arguments[4] = registers->r8;
	}
#endif
	number = call->number;
	call->kind = number < 2 * WIRE_SYSCALLS ? syscall_kinds[number] : WIRE_SYSCALL_OTHER;
	if ((call->kind & WIRE_SYSCALL_WHAT) == WIRE_SYSCALL_UPROBE) {
		call->number = -1;
		call->kind = WIRE_SYSCALL_OTHER;
	} else if (call->number < 0) {
		call->number = -1;
	}
}

/* ---- what a descriptor is ---- */

/* What waiting for a descriptor is waiting for. */
struct wait_object {
	__u64 object;
	__u64 peer_object;
	__u32 file_system;
	__u16 flags; /* of enum wire_wait_flags */
	__u16 family;
	__u16 local_port;
	__u16 peer_port;
	__u8 peer[16];
	__u64 peer_name; /* AF_UNIX: not 0 where the other end has an address, as the socket has that accepted it */
	__u8 kind;
};

static __always_inline struct file *file_of(struct task_struct *task, __u32 descriptor)
{
	struct files_struct *files = task->files;
	struct fdtable *table;
	struct file *file = NULL;

	if (!files)
		return NULL;
	table = files->fdt;
	if (!table || descriptor >= table->max_fds)
		return NULL;
	bpf_probe_read_kernel(&file, sizeof(file), (void *)((__u64)table->fd + descriptor * sizeof(file)));
	return file;
}

static __always_inline __u64 inode_of_socket(struct socket *socket)
{
	struct socket_alloc *alloc = (void *)socket; /* its first member */

	return socket ? BPF_CORE_READ(alloc, vfs_inode.i_ino) : 0;
}

static __always_inline void describe_inet(struct sock *sk, struct wait_object *out)
{
	out->flags |= WIRE_WAIT_HAS_PEER;
	out->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
	out->peer_port = bpf_ntohs(BPF_CORE_READ(sk, __sk_common.skc_dport));
	if (out->family == AF_INET)
		bpf_core_read(out->peer, 4, &sk->__sk_common.skc_daddr);
	else if (bpf_core_field_exists(sk->__sk_common.skc_v6_daddr))
		bpf_core_read(out->peer, 16, &sk->__sk_common.skc_v6_daddr);
}

static __always_inline void describe_unix(struct sock *sk, struct wait_object *out)
{
	struct unix_sock *own = (void *)sk;
	struct sock *other;

	if (!bpf_core_field_exists(own->peer))
		return;
	out->flags |= WIRE_WAIT_HAS_PEER;
	if (BPF_CORE_READ(own, addr)) /* bound, or accepted by one that is */
		out->flags |= WIRE_WAIT_ACCEPTED;
	other = BPF_CORE_READ(own, peer);
	if (!other)
		return;
	out->peer_object = inode_of_socket(BPF_CORE_READ(other, sk_socket));
	out->peer_name = (__u64)BPF_CORE_READ((struct unix_sock *)(void *)other, addr);
}

static __always_inline void describe_socket(struct file *file, struct wait_object *out)
{
	struct socket *socket = BPF_CORE_READ(file, private_data);
	struct sock *sk = socket ? BPF_CORE_READ(socket, sk) : NULL;

	out->kind = WIRE_WAIT_SOCKET;
	if (!sk)
		return;
	out->family = BPF_CORE_READ(sk, __sk_common.skc_family);
	if (BPF_CORE_READ(sk, __sk_common.skc_state) == SOCKET_LISTENS)
		out->flags |= WIRE_WAIT_ACCEPTED;
	if (out->family == AF_UNIX)
		describe_unix(sk, out);
	else if (out->family == AF_INET || out->family == AF_INET6)
		describe_inet(sk, out);
}

/* A file that is in no folder: the kernel names its kind. */
static __always_inline __u8 kind_of_anonymous(struct file *file)
{
	const unsigned char *name = BPF_CORE_READ(file, f_path.dentry, d_name.name);
	char text[8] = {};

	bpf_probe_read_kernel(text, sizeof(text), name);
	if (text[0] == 'i' && text[2] == 'o' && text[4] == 'i')
		return INOTIFY;
	if (text[0] != '[')
		return WIRE_WAIT_OTHER;
	if (text[1] == 'e' && text[2] == 'v' && text[6] == 'f')
		return WIRE_WAIT_EVENT_FD; /* [eventfd] */
	if (text[1] == 'e' && text[2] == 'v' && text[6] == 'p')
		return WIRE_WAIT_POLL; /* [eventpoll] */
	if (text[1] == 't' && text[2] == 'i')
		return WIRE_WAIT_SLEEP; /* [timerfd] */
	if (text[1] == 'i' && text[2] == 'o')
		return WIRE_WAIT_IO_URING; /* [io_uring] */
	if (text[1] == 'p' && text[2] == 'i')
		return WIRE_WAIT_CHILD; /* [pidfd] */
	return WIRE_WAIT_OTHER;
}

static __always_inline bool is_terminal(__u32 major)
{
	return major == 4 || major == 5 || (major >= 136 && major < 144);
}

/* What files are called that were waited for: when user space looks, one may be closed. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct wire_file);
	__type(value, struct wire_file_name);
} file_names SEC(".maps");

static __always_inline void keep_name(const unsigned char *text, __u32 file_system, __u64 inode)
{
	const struct wire_file key = {.device = file_system, .inode = inode};
	struct wire_file_name name = {};

	if (bpf_map_lookup_elem(&file_names, &key))
		return;
	bpf_probe_read_kernel_str(name.text, sizeof(name.text), text);
	bpf_map_update_elem(&file_names, &key, &name, BPF_ANY);
}

/* By what argument `descriptor` of the current thread's system call refers to. Verified as a static function is, but
 * the compiler may not drop what it returns: an unset register is refused. */
__hidden __noinline int describe_descriptor(__u32 descriptor, struct wait_object *out)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct file *file = file_of(task, descriptor);
	struct super_block *holder;
	struct inode *inode;
	__u16 mode;

	if (!out)
		return 0;
	out->kind = WIRE_WAIT_OTHER;
	inode = file ? BPF_CORE_READ(file, f_inode) : NULL;
	if (!inode)
		return 0;
	mode = BPF_CORE_READ(inode, i_mode) & MODE_KIND;
	holder = BPF_CORE_READ(inode, i_sb);
	if ((mode == 0 || mode == MODE_REGULAR) &&
	    BPF_CORE_READ(holder, s_magic) == ANONYMOUS_FILES) { /* they share one inode */
		out->kind = kind_of_anonymous(file);
		if (out->kind == INOTIFY) {
			out->kind = WIRE_WAIT_OTHER;
			out->flags |= WIRE_WAIT_NOTIFIED;
		}
		return 0;
	}
	out->object = BPF_CORE_READ(inode, i_ino);
	out->file_system = BPF_CORE_READ(holder, s_dev);
	out->flags |= WIRE_WAIT_HAS_OBJECT;
	if (mode == MODE_PIPE || BPF_CORE_READ(holder, s_magic) == MESSAGE_QUEUES)
		out->kind = WIRE_WAIT_PIPE;
	else if (mode == MODE_SOCKET)
		describe_socket(file, out);
	else if (mode == MODE_CHARACTER)
		out->kind = is_terminal(BPF_CORE_READ(inode, i_rdev) >> 20) ? WIRE_WAIT_TERMINAL : WIRE_WAIT_DRIVER;
	else {
		out->kind = WIRE_WAIT_FILE;
		keep_name(BPF_CORE_READ(file, f_path.dentry, d_name.name), out->file_system, out->object);
	}
	return 0;
}

/* ---- what a thread that leaves its CPU waits for ---- */

static __always_inline bool is_throttled(struct task_struct *task)
{
	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	return bpf_core_field_exists(task->se.cfs_rq) && bpf_core_field_exists(task->se.cfs_rq->throttle_count) &&
	       BPF_CORE_READ(task, se.cfs_rq, throttle_count) > 0;
}

static __always_inline void keep_object(struct wire_wait *wait, const struct wait_object *found, __u32 descriptor)
{
	wait->kind = found->kind;
	wait->flags |= found->flags | WIRE_WAIT_HAS_DESCRIPTOR;
	wait->descriptor = descriptor;
	wait->object = found->object;
	wait->file_system = found->file_system;
	if (!(found->flags & WIRE_WAIT_HAS_PEER))
		return;
	wait->peer_object = found->peer_object;
	wait->family = found->family;
	wait->local_port = found->local_port;
	wait->peer_port = found->peer_port;
	__builtin_memcpy(wait->peer, found->peer, sizeof(wait->peer));
}

/* poll() of one descriptor is a wait for that one. */
static __always_inline void describe_poll(
    struct wire_thread *thread, const struct system_call *call, struct wait_object *found, __u64 now)
{
	struct wire_wait *wait = &thread->wait;
	struct {
		__s32 descriptor;
		__s16 events;
		__s16 returned;
	} one = {};
	bool has_one = call->arguments[1] == 1;
	__s32 milliseconds = call->arguments[2];

	wait->kind = WIRE_WAIT_POLL;
	if (call->kind & WIRE_SYSCALL_MILLISECONDS) {
		if (milliseconds >= 0) {
			wait->flags |= WIRE_WAIT_MAY_TIME_OUT;
			thread->timeout_ns = now + milliseconds * 1000000ull;
		}
	} else if (call->arguments[2]) {
		wait->flags |= WIRE_WAIT_MAY_TIME_OUT;
	}
	if (call->arguments[1] == 0) {
		wait->kind = WIRE_WAIT_SLEEP;
		return;
	}
	if (!has_one || bpf_probe_read_user(&one, sizeof(one), (void *)call->arguments[0]))
		return;
	describe_descriptor(one.descriptor, found);
	keep_object(wait, found, one.descriptor);
	if (wait->kind != WIRE_WAIT_PIPE && wait->kind != WIRE_WAIT_SOCKET)
		wait->kind = WIRE_WAIT_POLL;
	if (one.events & POLL_OUT && !(one.events & POLL_IN))
		wait->flags |= WIRE_WAIT_WRITES;
}

static __always_inline void describe_epoll(struct wire_thread *thread, const struct system_call *call, __u64 now)
{
	struct wire_wait *wait = &thread->wait;
	__s32 milliseconds = call->arguments[3];

	wait->kind = WIRE_WAIT_POLL;
	wait->flags |= WIRE_WAIT_HAS_DESCRIPTOR;
	wait->descriptor = call->arguments[0];
	if (!(call->kind & WIRE_SYSCALL_MILLISECONDS)) {
		if (call->arguments[3])
			wait->flags |= WIRE_WAIT_MAY_TIME_OUT;
	} else if (milliseconds >= 0) {
		wait->flags |= WIRE_WAIT_MAY_TIME_OUT;
		thread->timeout_ns = now + milliseconds * 1000000ull;
	}
}

static __always_inline bool is_lock(const struct system_call *call)
{
	__u32 command = call->arguments[1] & FUTEX_COMMAND;

	if (command == FUTEX_LOCKS_PI || command == FUTEX_LOCKS_PI2)
		return true;
	return (command == FUTEX_WAITS || command == FUTEX_WAITS_BITSET) &&
	       (__u32)call->arguments[2] == HELD_AND_WAITED_FOR;
}

/* Not static, so that the verifier checks it once. */
__noinline int describe_child(struct wire_wait *wait, const struct system_call *call)
{
	__u64 flags;
	__u8 makes;

	if (!wait || !call)
		return 0;
	makes = call->kind & (WIRE_SYSCALL_VFORKS | WIRE_SYSCALL_FLAGS);
	flags = call->arguments[0];
	wait->kind = WIRE_WAIT_CHILD;
	if (!makes) {
		if ((__s32)call->arguments[0] > 0) {
			wait->object = (__u32)call->arguments[0];
			wait->flags |= WIRE_WAIT_HAS_OBJECT;
		}
		return 0;
	}
	if (makes == WIRE_SYSCALL_VFORKS)
		return 0;
	if (makes & WIRE_SYSCALL_VFORKS && bpf_probe_read_user(&flags, sizeof(flags), (void *)call->arguments[0]))
		flags = 0;
	if (!(flags & CLONE_WITH_VFORK))
		wait->kind = WIRE_WAIT_OTHER;
	return 0;
}

static __always_inline void describe_call(
    struct wire_thread *thread, const struct system_call *call, struct wait_object *found, __u64 now)
{
	struct wire_wait *wait = &thread->wait;

	wait->file_system = 0;
	if (call->kind & WIRE_SYSCALL_WRITES)
		wait->flags |= WIRE_WAIT_WRITES;
	switch (call->kind & WIRE_SYSCALL_WHAT) {
	case WIRE_SYSCALL_DESCRIPTOR:
	case WIRE_SYSCALL_TWO:
	case WIRE_SYSCALL_FILE:
	case WIRE_SYSCALL_DRIVER:
		describe_descriptor(call->arguments[0], found);
		keep_object(wait, found, call->arguments[0]);
		if ((call->kind & WIRE_SYSCALL_WHAT) != WIRE_SYSCALL_FILE)
			break;
		wait->kind = WIRE_WAIT_FILE;
		if (call->kind & WIRE_SYSCALL_LOCKS)
			wait->flags |= WIRE_WAIT_LOCKS;
		break;
	case WIRE_SYSCALL_FUTEX:
		wait->kind = WIRE_WAIT_FUTEX;
		wait->object = call->arguments[0];
		wait->flags |= WIRE_WAIT_HAS_OBJECT;
		if (call->arguments[3])
			wait->flags |= WIRE_WAIT_MAY_TIME_OUT;
		if (is_lock(call))
			wait->flags |= WIRE_WAIT_LOCKS;
		break;
	case WIRE_SYSCALL_POLL:
		describe_poll(thread, call, found, now);
		break;
	case WIRE_SYSCALL_EPOLL:
		describe_epoll(thread, call, now);
		break;
	case WIRE_SYSCALL_SELECT:
		wait->kind = call->arguments[0] ? WIRE_WAIT_POLL : WIRE_WAIT_SLEEP;
		if (call->arguments[4])
			wait->flags |= WIRE_WAIT_MAY_TIME_OUT;
		break;
	case WIRE_SYSCALL_CHILD:
		describe_child(wait, call);
		break;
	case WIRE_SYSCALL_SLEEP:
		wait->kind = WIRE_WAIT_SLEEP;
		break;
	case WIRE_SYSCALL_IO_URING:
		wait->kind = WIRE_WAIT_IO_URING;
		break;
	default:
		wait->kind = WIRE_WAIT_OTHER;
	}
}

/* The current thread reads a page of a mapped file from a disk. Not static, so that the verifier checks it once. */
__noinline int describe_fault(void)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct wire_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	struct inode *inode = thread ? (void *)thread->reads : NULL;
	struct hlist_node *alias = NULL;
	struct dentry *dentry = NULL;
	struct wire_wait *wait;

	if (!thread || !inode || (BPF_CORE_READ(inode, i_mode) & MODE_KIND) != MODE_REGULAR)
		return 0;
	wait = &thread->wait;
	wait->object = BPF_CORE_READ(inode, i_ino);
	wait->file_system = BPF_CORE_READ(inode, i_sb, s_dev);
	wait->flags |= WIRE_WAIT_HAS_OBJECT;
	if (bpf_core_field_exists(inode->i_dentry) && bpf_core_field_exists(dentry->d_u.d_alias))
		alias = BPF_CORE_READ(inode, i_dentry.first);
	if (!alias)
		return 0;
	dentry = (void *)((__u64)alias - bpf_core_field_offset(struct dentry, d_u.d_alias));
	keep_name(BPF_CORE_READ(dentry, d_name.name), wait->file_system, wait->object);
	return 0;
}

/* Of the current thread, which goes to sleep in `state`. */
static __always_inline void describe_wait(
    struct task_struct *task, struct wire_thread *thread, unsigned int state, bool is_io, __u64 now)
{
	struct wire_wait *wait = &thread->wait;
	struct wait_object found = {};
	struct system_call call;
	__u8 kind = WIRE_WAIT_UNKNOWN;

	read_system_call(task, &call);
	wait->syscall = call.number;
	if (state & STATE_FROZEN || (state & STATE_INTERRUPTIBLE && task->jobctl & JOBCTL_TRAP_FREEZE))
		kind = WIRE_WAIT_FROZEN;
	else if (state & STATE_STOPPED)
		kind = WIRE_WAIT_STOPPED;
	else if (state & STATE_TRACED)
		kind = WIRE_WAIT_TRACED;
	else if (is_io)
		kind = WIRE_WAIT_DISK;
	else if (task->flags & IN_RECLAIM)
		kind = WIRE_WAIT_RECLAIM;
	else if (call.number < 0)
		kind = state & STATE_UNINTERRUPTIBLE ? WIRE_WAIT_PAGE_FAULT : WIRE_WAIT_OTHER;
	if (kind == WIRE_WAIT_UNKNOWN || kind == WIRE_WAIT_DISK)
		describe_call(thread, &call, &found, now);
	if (kind != WIRE_WAIT_UNKNOWN)
		wait->kind = kind;
	if (kind == WIRE_WAIT_DISK && call.number < 0 && thread->reads)
		describe_fault();
	thread->reads = 0;
}

#endif
