/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * What the host did to traced processes, besides scheduling: life and death, page allocation, block I/O, TCP
 * retransmissions, socket volumes. Each program is optional and loads without the others. Everything here runs for
 * every process of the machine, so an untraced one is rejected by one pointer test: it has no task storage.
 *
 * An event is attributed where it is caused, never to the task on the CPU when its effect shows: a block request
 * belongs to the task that submitted it (block_getrq, in the submitter's context), not to the kworker that issues it or
 * the task that the completion interrupts; a retransmission belongs to the socket's user, not to the softirq.
 */
#include "maps.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* set before load, from the machine and its BTF */
const volatile __u64 page_bytes = 4096;
const volatile __u32 exit_has_group_dead = 0; /* sched_process_exit has group_dead */
const volatile __u32 victim_is_task = 0;      /* mark_victim passes the task, not its pid */

#define AF_INET 2
#define AF_INET6 10
#define IPPROTO_TCP 6
#define MSG_PEEK 2
#define TCP_SYN_SENT 2
#define SI_USER 0
#define SI_QUEUE (-1)
#define SI_TKILL (-6)

enum block_op { BLOCK_READ, BLOCK_WRITE, BLOCK_DISCARD, BLOCK_FLUSH, BLOCK_OTHER };

struct block_owner {
	__u32 pid;
	__u32 tid;
	__u64 cgroup_id;
	char comm[WIRE_COMM_LEN];
};

struct block_request {
	__u64 issue_ns;
	__u64 sector;
	__u64 bytes;
	__u64 done; /* bytes of the completions so far */
	__u32 dev;
	__u8 op;
	__u8 failed;
	__u8 owned; /* by a traced process */
	__u8 requeued;
	struct block_owner owner;
};

/* from the submitter's context to the issue of the request whose first bio this is; by struct bio */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct block_owner);
} bio_owners SEC(".maps");

/* from issue to completion; by struct request: (device, sector) is not unique */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 16384);
	__type(key, __u64);
	__type(value, struct block_request);
} block_requests SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 256);
	__type(key, __u32);
	__type(value, struct wire_device_io);
} device_io SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, struct wire_disk_user_key);
	__type(value, struct wire_disk_user);
} disk_users SEC(".maps");

struct socket_owner {
	__u32 pid;
	__u32 tid;
	__u64 cgroup_id;
};

/* the traced thread that last used the socket */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct socket_owner);
} socket_owners SEC(".maps");

/* A group leader that ended before its threads: if one of them calls exec, it takes over the pid but not the old
 * leader's storage. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct wire_process);
} leaders_gone SEC(".maps");

static __always_inline bool may_be_traced(struct task_struct *task)
{
	bool has_storage = task->group_leader->bpf_storage != NULL;

	barrier_var(has_storage); /* or clang tests two pointers with one OR, which the verifier refuses */
	return has_storage;
}

static __always_inline struct wire_process *traced_process(struct task_struct *task)
{
	struct wire_process *process;

	if (!may_be_traced(task))
		return NULL;
	process = bpf_task_storage_get(&processes, task->group_leader, NULL, 0);
	return process && process->traced == WIRE_TRACED_YES ? process : NULL;
}

/* ---- processes ---- */

static __always_inline struct wire_task *reserve_task(__u16 type, struct task_struct *task)
{
	struct wire_task *record = bpf_ringbuf_reserve(&critical_events, sizeof(*record), 0);

	if (!record) {
		count_loss(WIRE_LOSS_CRITICAL_RING_FULL);
		return NULL;
	}
	record->type = type;
	record->pad = 0;
	record->code = 0;
	record->pid = task->tgid;
	record->tid = task->pid;
	record->other_pid = 0;
	record->uid = task->cred->uid.val;
	record->ns = bpf_ktime_get_ns();
	record->start_ns = task->group_leader->start_time;
	record->cgroup_id = cgroup_id_of(task);
	__builtin_memcpy(record->comm, task->comm, WIRE_COMM_LEN);
	record->sender_pid = 0;
	record->pad2 = 0;
	__builtin_memset(record->sender_comm, 0, WIRE_COMM_LEN);
	return record;
}

/* (P6) Twice: here and at the end of a process. */
static __noinline int take_fork(__u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0];
	struct task_struct *child = (void *)ctx[1];
	struct wire_python_layout *python;
	struct wire_process *process;
	struct wire_task *record;
	const __u8 yes = 1;
	__u32 parent_pid;
	__u32 child_pid;

	if (!may_be_traced(parent))
		return 0;
	if (child->pid != child->tgid) /* a thread */
		return 0;
	parent_pid = parent->tgid;
	child_pid = child->tgid;
	if (!traced_process(parent) || traced_process(child) || bpf_map_lookup_elem(&wanted_pids, &child_pid))
		return 0;
	python = bpf_map_lookup_elem(&python_processes, &parent_pid);
	if (python) /* the same memory, until it calls exec; where there is no room user space finds it by its mappings
		     */
		bpf_map_update_elem(&python_processes, &child_pid, python, BPF_ANY);
	process = bpf_task_storage_get(&processes, child, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (process) {
		process->pid = child->tgid;
		process->start_ns = child->start_time;
		process->traced = WIRE_TRACED_YES;
	} else if (bpf_map_update_elem(&wanted_pids, &child_pid, &yes, BPF_ANY)) { /* (P5) decided at its first call */
		count_loss(WIRE_LOSS_NO_THREAD_STATE);
	}
	record = reserve_task(WIRE_FORK, child);
	if (!record)
		return 0;
	record->other_pid = parent->tgid;
	bpf_ringbuf_submit(record, 0);
	return 0;
}

SEC("tp_btf/sched_process_fork")
int on_process_fork(__u64 *ctx)
{
	return take_fork(ctx);
}

SEC("tp_btf/sched_process_fork")
int on_process_fork_again(__u64 *ctx)
{
	return take_fork(ctx);
}

SEC("tp_btf/sched_process_exec")
int on_process_exec(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 old_pid = ctx[1];
	__u32 pid = task->tgid;
	struct wire_process *process;
	struct wire_task *record;

	if (old_pid != pid) {
		struct wire_process *gone = bpf_map_lookup_elem(&leaders_gone, &pid);

		if (gone && gone->start_ns == task->start_time) {
			process = bpf_task_storage_get(&processes, task, gone, BPF_LOCAL_STORAGE_GET_F_CREATE);
			if (!process)
				count_loss(WIRE_LOSS_NO_THREAD_STATE);
			bpf_map_delete_elem(&leaders_gone, &pid);
		}
	}
	if (!traced_process(task))
		return 0;
	record = reserve_task(WIRE_EXEC, task);
	if (!record)
		return 0;
	record->other_pid = task->real_parent->tgid;
	bpf_ringbuf_submit(record, 0);
	return 0;
}

static __always_inline void report_counters(struct wire_process *process)
{
	struct wire_process_end *record;

	if (!process->page_allocs && !process->net_sends && !process->net_receives)
		return;
	record = bpf_ringbuf_reserve(&critical_events, sizeof(*record), 0);
	if (!record) {
		count_loss(WIRE_LOSS_CRITICAL_RING_FULL);
		return;
	}
	record->type = WIRE_PROCESS;
	record->pad = 0;
	record->pad2 = 0;
	record->ns = bpf_ktime_get_ns();
	__builtin_memcpy(&record->process, process, sizeof(record->process));
	bpf_ringbuf_submit(record, 0); /* or the reader sleeps on, and on what comes behind it */
}

/* By the signal itself, or as a program says it that has handled it: exit(128 + signal). */
static __always_inline bool is_end_by(__s32 code, __u32 signal)
{
	return (code & 0x7f) == signal || code == (__s32)(128 + signal) << 8;
}

/* One event per process, sent by its last thread. */
static __noinline int take_exit(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct wire_process *process = traced_process(task);
	struct task_struct *leader;
	struct wire_task *record;
	__u32 pid;
	bool last;

	if (!process)
		return 0;
	pid = task->tgid;
	/* older kernels do not say group_dead; there two threads ending at once may both see the count at zero,
	 * hence `ended` */
	if (exit_has_group_dead)
		last = ctx[1] & 1;
	else
		last = task->signal->live.counter == 0;
	if (!last) {
		if (task->pid == task->tgid && bpf_map_update_elem(&leaders_gone, &pid, process, BPF_ANY))
			count_loss(WIRE_LOSS_HOST_STATE_FULL);
		return 0;
	}
	if (__sync_lock_test_and_set(&process->ended, 1))
		return 0;
	bpf_map_delete_elem(&leaders_gone, &pid);
	report_counters(process);
	leader = task->group_leader;
	record = reserve_task(WIRE_EXIT, leader);
	if (!record)
		return 0;
	/* as wait(2) does */
	if (task->signal->flags & SIGNAL_GROUP_EXIT)
		record->code = task->signal->group_exit_code;
	else
		record->code = leader->exit_code;
	record->other_pid = leader->real_parent->tgid;
	if (process->signal && is_end_by(record->code, process->signal)) {
		record->sender_pid = process->sender_pid;
		__builtin_memcpy(record->sender_comm, process->sender_comm, WIRE_COMM_LEN);
	}
	bpf_ringbuf_submit(record, 0);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int on_process_exit(__u64 *ctx)
{
	return take_exit(ctx);
}

SEC("tp_btf/sched_process_exit")
int on_process_exit_again(__u64 *ctx)
{
	return take_exit(ctx);
}

/* Signals that do not end who has no handler for them: CHLD, CONT, STOP, TSTP, TTIN, TTOU, URG, WINCH; and the two that
 * the libc has for itself. (The last one, 64, is as 0.) */
#define HARMLESS_SIGNALS                                                                                               \
	(1ULL << 17 | 1ULL << 18 | 1ULL << 19 | 1ULL << 20 | 1ULL << 21 | 1ULL << 22 | 1ULL << 23 | 1ULL << 28 |       \
	    1ULL << 32 | 1ULL << 33)

/* Is the current thread the sender? Instead of an info there may be 0, by the current one, or 1, by the kernel
 * (SEND_SIG_NOINFO, SEND_SIG_PRIV); si_code is that of kill(2), sigqueue(3) or tgkill(2). */
static __always_inline bool current_sends(const struct kernel_siginfo *info)
{
	int code = 1;

	if ((unsigned long)info <= 1)
		return !info;
	bpf_core_read(&code, sizeof(code), &info->si_code);
	return code == SI_USER || code == SI_QUEUE || code == SI_TKILL;
}

/* Kept until the process ends: then the signal that ended it has a sender. */
SEC("tp_btf/signal_generate")
int on_signal(__u64 *ctx)
{
	__u32 signal = ctx[0];
	struct wire_process *process;

	if (1ULL << (signal & 63) & HARMLESS_SIGNALS || ctx[4] /* not delivered */)
		return 0;
	process = traced_process((void *)ctx[2]);
	if (!process)
		return 0;
	process->signal = 0;
	if (!current_sends((void *)ctx[1]))
		return 0;
	process->sender_pid = bpf_get_current_pid_tgid() >> 32;
	bpf_get_current_comm(process->sender_comm, sizeof(process->sender_comm));
	process->signal = signal;
	return 0;
}

/* Traced or not: a neighbour's death by OOM explains a machine's memory. */
SEC("tp_btf/mark_victim")
int on_oom_kill(__u64 *ctx)
{
	struct wire_task *record;

	if (victim_is_task) {
		record = reserve_task(WIRE_OOM, (struct task_struct *)ctx[0]);
		if (!record)
			return 0;
	} else {
		/* older kernels pass the pid alone */
		record = bpf_ringbuf_reserve(&critical_events, sizeof(*record), 0);
		if (!record) {
			count_loss(WIRE_LOSS_CRITICAL_RING_FULL);
			return 0;
		}
		__builtin_memset(record, 0, sizeof(*record));
		record->type = WIRE_OOM;
		record->pid = ctx[0];
		record->tid = ctx[0];
		record->ns = bpf_ktime_get_ns();
	}
	record->other_pid = bpf_get_current_pid_tgid() >> 32;
	bpf_ringbuf_submit(record, 0);
	return 0;
}

/* ---- memory ---- */

/* An interrupt may neither sleep for memory nor request movable pages, so an allocation that does is the task's own.
 * Only for the others is the interrupt state checked. */
#define GFP_OWN (1 << 3 | 1 << 10) /* __GFP_MOVABLE, __GFP_DIRECT_RECLAIM */

static __always_inline int count_pages(__u64 page, __u32 order, __u32 gfp, bool ask_interrupt)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wire_process *process = traced_process(task);

	if (!process || !page)
		return 0;
	if (!(gfp & GFP_OWN) && (!ask_interrupt || in_interrupt(task)))
		return 0;
	__sync_fetch_and_add(&process->page_allocs, 1);
	__sync_fetch_and_add(&process->page_alloc_bytes, page_bytes << (order & 63));
	return 0;
}

SEC("tp_btf/mm_page_alloc")
int on_page_alloc(__u64 *ctx)
{
	return count_pages(ctx[0], ctx[1], ctx[2], true);
}

/* Where the kernel does not publish the address of its preemption counter (no CONFIG_KALLSYMS_ALL): atomic
 * allocations are left out, because some are made by interrupts. */
SEC("tp_btf/mm_page_alloc")
int on_page_alloc_own(__u64 *ctx)
{
	return count_pages(ctx[0], ctx[1], ctx[2], false);
}

/* ---- block I/O ---- */

struct address_space {
	struct inode *host;
};

#define MAPPING_FLAGS 3ull /* of page.mapping: not of a file */

/* Whose pages the device is asked for: a page fault names no file. */
static __always_inline __u64 inode_of(__u64 bio)
{
	struct page *page = NULL;
	__u64 mapping = 0;

	if (bpf_core_field_exists(page->mapping))
		page = BPF_CORE_READ((struct bio *)bio, bi_io_vec, bv_page);
	if (page)
		mapping = (__u64)BPF_CORE_READ(page, mapping);
	return mapping && !(mapping & MAPPING_FLAGS) ? (__u64)BPF_CORE_READ((struct address_space *)mapping, host) : 0;
}

static __always_inline __u32 device_of_disk(struct gendisk *disk)
{
	return disk ? BPF_CORE_READ(disk, major) << 20 | BPF_CORE_READ(disk, first_minor) : 0;
}

/* A process that is not traced makes a request. */
static __always_inline void count_user(__u64 address)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct bio *bio = (void *)address;
	struct wire_disk_user_key key = {};
	struct wire_disk_user *user;
	__u64 bytes;

	if (task->flags & KERNEL_THREAD)
		return;
	key.dev = device_of_disk(BPF_CORE_READ(bio, bi_bdev, bd_disk));
	key.pid = task->tgid;
	bytes = BPF_CORE_READ(bio, bi_iter.bi_size);
	user = bpf_map_lookup_elem(&disk_users, &key);
	if (!user) {
		struct wire_disk_user first = {};

		__builtin_memcpy(first.comm, task->group_leader->comm, WIRE_COMM_LEN);
		bpf_map_update_elem(&disk_users, &key, &first, BPF_NOEXIST);
		user = bpf_map_lookup_elem(&disk_users, &key);
		if (!user)
			return;
	}
	__sync_fetch_and_add(&user->requests, 1);
	__sync_fetch_and_add(&user->bytes, bytes);
}

static __always_inline void own_bio(__u64 bio)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wire_thread *thread;
	struct block_owner owner;

	if (!traced_process(task)) {
		/* the address may have been a traced process's bio before */
		bpf_map_delete_elem(&bio_owners, &bio);
		count_user(bio);
		return;
	}
	thread = bpf_task_storage_get(&threads, task, NULL, 0);
	if (thread)
		thread->reads = inode_of(bio);
	owner.pid = task->tgid;
	owner.tid = task->pid;
	owner.cgroup_id = bpf_get_current_cgroup_id();
	__builtin_memcpy(owner.comm, task->comm, WIRE_COMM_LEN);
	if (bpf_map_update_elem(&bio_owners, &bio, &owner, BPF_ANY))
		count_loss(WIRE_LOSS_BLOCK_LOST);
}

/* A request is being made for this bio; later ones may be merged into it. */
SEC("tp_btf/block_getrq")
int on_block_getrq(__u64 *ctx)
{
	own_bio(ctx[0]);
	return 0;
}

/* The bio becomes the first one of an existing request. */
SEC("tp_btf/block_bio_frontmerge")
int on_block_frontmerge(__u64 *ctx)
{
	own_bio(ctx[0]);
	return 0;
}

static __always_inline __u32 device_of(struct request *request)
{
	struct request___with_disk *old = (void *)request;
	struct gendisk *disk;

	if (bpf_core_field_exists(old->rq_disk))
		disk = BPF_CORE_READ(old, rq_disk);
	else
		disk = BPF_CORE_READ(request, q, disk);
	return device_of_disk(disk);
}

static __always_inline __u8 operation_of(__u32 cmd_flags)
{
	switch (cmd_flags & REQ_OP_MASK) {
	case 0:
		return BLOCK_READ;
	case 1:
	case 7:
	case 9: /* write, zone append, write zeroes */
		return BLOCK_WRITE;
	case 2:
		return BLOCK_FLUSH;
	case 3:
	case 5: /* discard, secure erase */
		return BLOCK_DISCARD;
	}
	return BLOCK_OTHER;
}

SEC("tp_btf/block_rq_issue")
int on_block_issue(__u64 *ctx)
{
	struct request *request = (void *)ctx[0];
	__u64 key = ctx[0];
	struct block_request *known = bpf_map_lookup_elem(&block_requests, &key);
	struct block_owner *owner;
	struct block_request entry;
	__u64 bio;

	if (known && known->requeued) {
		/* the device had not taken it: its service starts now */
		known->requeued = 0;
		known->issue_ns = bpf_ktime_get_ns();
		return 0;
	}
	if (known) /* the memory is a new request's: the end of the old one was not seen */
		count_loss(known->owned ? WIRE_LOSS_BLOCK_LOST : WIRE_LOSS_BLOCK_UNPAIRED);
	__builtin_memset(&entry, 0, sizeof(entry));
	entry.issue_ns = bpf_ktime_get_ns();
	entry.sector = request->__sector;
	entry.bytes = request->__data_len;
	entry.dev = device_of(request);
	entry.op = operation_of(request->cmd_flags);
	bio = (__u64)request->bio;
	owner = bio ? bpf_map_lookup_elem(&bio_owners, &bio) : NULL;
	if (owner) {
		entry.owned = 1;
		entry.owner = *owner;
		bpf_map_delete_elem(&bio_owners, &bio);
	}
	if (bpf_map_update_elem(&block_requests, &key, &entry, BPF_ANY))
		count_loss(entry.owned ? WIRE_LOSS_BLOCK_LOST : WIRE_LOSS_BLOCK_UNPAIRED);
	return 0;
}

SEC("tp_btf/block_rq_requeue")
int on_block_requeue(__u64 *ctx)
{
	__u64 key = ctx[0];
	struct block_request *known = bpf_map_lookup_elem(&block_requests, &key);

	if (known)
		known->requeued = 1;
	return 0;
}

static __always_inline void count_done(struct block_request *done, __u64 now)
{
	struct wire_device_io *io = bpf_map_lookup_elem(&device_io, &done->dev);

	if (!io) {
		struct wire_device_io zero = {};

		bpf_map_update_elem(&device_io, &done->dev, &zero, BPF_NOEXIST);
		io = bpf_map_lookup_elem(&device_io, &done->dev);
		if (!io) {
			count_loss(WIRE_LOSS_HOST_STATE_FULL);
			return;
		}
	}
	if (done->owned) {
		__sync_fetch_and_add(&io->own_requests, 1);
		__sync_fetch_and_add(&io->own_bytes, done->bytes);
		return;
	}
	__sync_fetch_and_add(&io->requests, 1);
	__sync_fetch_and_add(&io->bytes, done->bytes);
	__sync_fetch_and_add(&io->total_ns, now - done->issue_ns);
	if (done->failed)
		__sync_fetch_and_add(&io->failed, 1);
}

/* A request may complete in several parts; the last one ends it. */
SEC("tp_btf/block_rq_complete")
int on_block_complete(__u64 *ctx)
{
	__u64 key = ctx[0];
	int error = ctx[1];
	__u32 bytes = ctx[2];
	struct block_request *known = bpf_map_lookup_elem(&block_requests, &key);
	struct wire_block *record;
	__u64 now;

	if (!known) {
		/* a flush served on behalf of others completes without an issue of its own, and has no data */
		if (bytes)
			count_loss(WIRE_LOSS_BLOCK_UNPAIRED);
		return 0;
	}
	known->done += bytes;
	if (error)
		known->failed = 1;
	if (known->done < known->bytes)
		return 0;
	now = bpf_ktime_get_ns();
	count_done(known, now);
	if (!known->owned) {
		bpf_map_delete_elem(&block_requests, &key);
		return 0;
	}
	record = bpf_ringbuf_reserve(&events, sizeof(*record), 0);
	if (record) {
		record->type = WIRE_BLOCK;
		record->op = known->op;
		record->failed = known->failed;
		record->dev = known->dev;
		record->pid = known->owner.pid;
		record->tid = known->owner.tid;
		record->issue_ns = known->issue_ns;
		record->complete_ns = now;
		record->sector = known->sector;
		record->bytes = known->bytes;
		record->cgroup_id = known->owner.cgroup_id;
		__builtin_memcpy(record->comm, known->owner.comm, WIRE_COMM_LEN);
		bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	} else {
		count_loss(WIRE_LOSS_HOST_RING_FULL);
	}
	bpf_map_delete_elem(&block_requests, &key);
	return 0;
}

/* ---- network ---- */

static __always_inline void own_socket(struct sock *sk, struct task_struct *task)
{
	struct socket_owner *owner;
	__u16 family = sk->__sk_common.skc_family;

	if ((family != AF_INET && family != AF_INET6) || sk->sk_protocol != IPPROTO_TCP)
		return;
	owner = bpf_sk_storage_get(&socket_owners, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	/* without one user space looks for who holds the socket (kernelside/proc.h, SocketOwners) */
	if (!owner || owner->tid == (__u32)task->pid)
		return;
	owner->pid = task->tgid;
	owner->tid = task->pid;
	owner->cgroup_id = bpf_get_current_cgroup_id();
}

/* Sockets of every family; the tracepoints exist since 6.3 ("sock: add tracepoint for send recv length"). */
SEC("tp_btf/sock_send_length")
int on_socket_send(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wire_process *process = traced_process(task);
	int sent = ctx[1];

	if (!process)
		return 0;
	if (sent >= 0) {
		__sync_fetch_and_add(&process->net_sends, 1);
		__sync_fetch_and_add(&process->net_sent_bytes, sent);
	}
	own_socket((struct sock *)ctx[0], task);
	return 0;
}

SEC("tp_btf/sock_recv_length")
int on_socket_receive(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wire_process *process = traced_process(task);
	int received = ctx[1];
	int flags = ctx[2];

	if (!process)
		return 0;
	if (received >= 0 && !(flags & MSG_PEEK)) {
		__sync_fetch_and_add(&process->net_receives, 1);
		__sync_fetch_and_add(&process->net_received_bytes, received);
	}
	own_socket((struct sock *)ctx[0], task);
	return 0;
}

/* connect(2), in the caller's context: the first SYN may be what is retransmitted. */
SEC("tp_btf/inet_sock_set_state")
int on_socket_state(__u64 *ctx)
{
	struct task_struct *task;
	int state = ctx[2];

	if (state != TCP_SYN_SENT)
		return 0;
	task = bpf_get_current_task_btf();
	if (traced_process(task))
		own_socket((struct sock *)ctx[0], task);
	return 0;
}

static __always_inline void copy_addresses(struct wire_tcp *record, struct sock *sk)
{
	__u32 *mapped = (__u32 *)record->daddr;

	__builtin_memset(record->saddr, 0, sizeof(record->saddr));
	__builtin_memset(record->daddr, 0, sizeof(record->daddr));
	if (record->family == AF_INET6) {
		bpf_core_read(record->saddr, sizeof(record->saddr), &sk->__sk_common.skc_v6_rcv_saddr);
		bpf_core_read(record->daddr, sizeof(record->daddr), &sk->__sk_common.skc_v6_daddr);
		/* IPv4 through a socket of both families: ::ffff:a.b.c.d */
		if (mapped[0] || mapped[1] || mapped[2] != bpf_htonl(0xffff))
			return;
		record->family = AF_INET;
		__builtin_memset(record->saddr, 0, sizeof(record->saddr));
		__builtin_memset(record->daddr, 0, sizeof(record->daddr));
	}
	bpf_core_read(record->saddr, 4, &sk->__sk_common.skc_rcv_saddr);
	bpf_core_read(record->daddr, 4, &sk->__sk_common.skc_daddr);
}

SEC("tp_btf/tcp_retransmit_skb")
int on_tcp_retransmit(__u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	struct sk_buff *skb = (void *)ctx[1];
	struct wire_tcp *record = bpf_ringbuf_reserve(&events, sizeof(*record), 0);
	struct socket_owner *owner;
	struct socket_alloc *alloc;

	if (!record) {
		count_loss(WIRE_LOSS_HOST_RING_FULL);
		return 0;
	}
	record->type = WIRE_TCP;
	record->family = sk->__sk_common.skc_family;
	record->state = sk->__sk_common.skc_state;
	record->sport = sk->__sk_common.skc_num;
	record->dport = bpf_ntohs(sk->__sk_common.skc_dport);
	record->seq = BPF_CORE_READ((struct tcp_skb_cb *)skb->cb, seq);
	record->ns = bpf_ktime_get_ns();
	copy_addresses(record, sk);
	/* the socket is the first member of its socket_alloc; none once the descriptor is closed */
	alloc = (struct socket_alloc *)BPF_CORE_READ(sk, sk_socket);
	record->socket_inode = alloc ? BPF_CORE_READ(alloc, vfs_inode.i_ino) : 0;
	owner = bpf_sk_storage_get(&socket_owners, sk, NULL, 0);
	record->pid = owner ? owner->pid : 0;
	record->tid = owner ? owner->tid : 0;
	record->cgroup_id = owner ? owner->cgroup_id : 0;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return 0;
}
