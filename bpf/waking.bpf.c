/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Who ended a wait: at a followed thread's wake-up, the thread that runs, if it is one that can have ended that wait.
 *
 * The thread that runs at a wake-up is often innocent, because an interrupt came while it ran. It is the waker only
 * where all of these hold; else the wait has no waker: a timer, an interrupt, or something that was not followed.
 *   (K1) The code that runs is its own, not a hard interrupt's; a softirq's only for a socket, where the sender's own
 *        system call delivers to a receiver on the same machine.
 *   (K2) It is in a system call that can end this kind of wait, or it exits.
 *   (K3) That call's object is the same: the pipe, the socket's other end, the lock's address, the locked file.
 *
 * A waker of another process is followed from then on itself, so that its own waits can be explained, to a depth of
 * WIRE_MAX_WATCH_DEPTH. Attached only while some process submits work (agent/).
 */
#include "wait.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* Is the end of a wait no longer open? A second wake-up of a thread that is queued already says nothing. */
static __always_inline bool is_over(const struct wire_thread *thread)
{
	return !thread->out_ns || thread->out_kind == WIRE_OFF_PREEMPTED || thread->wait.flags & WIRE_WAIT_WOKEN;
}

static __always_inline bool is_loopback(const struct wait_object *end)
{
	return end->family == AF_UNIX || (end->family == AF_INET && end->peer[0] == 127) ||
	       (end->family == AF_INET6 && !end->peer[0] && end->peer[15] == 1);
}

/* (K3) for a pipe, or a file. */
static __always_inline bool is_same_inode(const struct wait_object *own, const struct wire_wait *wait)
{
	return own->flags & WIRE_WAIT_HAS_OBJECT && own->object == wait->object &&
	       own->file_system == wait->file_system;
}

/* (K3) for two ends of a connection: what the waker's call refers to, and what was waited for. */
static __always_inline bool are_ends(const struct wait_object *own, const struct wire_wait *wait)
{
	if (own->kind != WIRE_WAIT_SOCKET)
		return false;
	if (own->family == AF_UNIX)
		return wait->family == AF_UNIX && own->peer_object && own->peer_object == wait->object;
	if (wait->family != AF_INET && wait->family != AF_INET6)
		return false;
	/* a listening socket has no peer: who connects to its port ends the wait */
	return own->peer_port == wait->local_port && (!wait->peer_port || own->local_port == wait->peer_port);
}

/* A condition's words lie within 64 bytes, and waiters are moved from one to the other. Shared between processes, the
 * word has another address in each, but the same place in its page. */
static __always_inline bool is_same_lock(
    struct task_struct *waker, struct task_struct *task, const struct system_call *call, const struct wire_wait *wait)
{
	__u32 command = call->arguments[1] & FUTEX_COMMAND;

	if (waker->mm != task->mm)
		return !((call->arguments[0] ^ wait->object) & 4095);
	if (command == 3 || command == 4 || command == 5 || command == 12) /* requeue, wake two */
		return true;
	return !((call->arguments[0] ^ wait->object) & ~63ull);
}

/* Of a wait for several descriptors: the one that became ready is the other end of the socket that the waker's call
 * refers to. */
static __always_inline void keep_other_end(struct wire_wait *wait, const struct wait_object *own)
{
	if (!(own->flags & WIRE_WAIT_HAS_PEER))
		return;
	wait->flags |= WIRE_WAIT_HAS_PEER;
	if (own->peer_name)
		wait->flags |= WIRE_WAIT_ACCEPTED;
	wait->family = own->family;
	wait->peer_object = own->object;
	wait->local_port = own->peer_port;
	wait->peer_port = own->local_port;
	__builtin_memcpy(wait->peer, own->peer, sizeof(wait->peer)); /* a loopback address, as its own is */
}

/* Where the waker's datagram goes, of a socket that is not connected: the call says so. Not static, so that the
 * verifier checks it once. */
__noinline int keep_destination(const struct system_call *call, struct wait_object *own)
{
	struct {
		__u16 family, port;
		__u8 v4[4]; /* of AF_INET6, which the other address follows, the flow */
	} name = {};
	__u64 at;

	if (!call || !own || own->kind != WIRE_WAIT_SOCKET || own->peer_port)
		return 0;
	if (own->family != AF_INET && own->family != AF_INET6)
		return 0;
	at = call->kind & WIRE_SYSCALL_TO ? call->arguments[4] : 0;
	if (call->kind & WIRE_SYSCALL_HEADER && bpf_probe_read_user(&at, sizeof(at), (void *)call->arguments[1]))
		at = 0;
	if (!at || bpf_probe_read_user(&name, sizeof(name), (void *)at))
		return 0;
	if (name.family == AF_INET)
		__builtin_memcpy(own->peer, name.v4, sizeof(name.v4));
	else if (name.family != AF_INET6 || bpf_probe_read_user(own->peer, sizeof(own->peer), (void *)(at + 8)))
		return 0;
	own->family = name.family;
	own->peer_port = bpf_ntohs(name.port);
	return 1;
}

static __always_inline bool ends_descriptor(const struct system_call *call, struct wire_wait *wait, bool in_softirq)
{
	__u8 what = call->kind & WIRE_SYSCALL_WHAT;
	__u8 needed = wait->flags & WIRE_WAIT_WRITES ? WIRE_SYSCALL_READS : WIRE_SYSCALL_WRITES;
	struct wait_object own = {};

	if (what == WIRE_SYSCALL_CLOSE)
		return !in_softirq;
	if (what != WIRE_SYSCALL_DESCRIPTOR && what != WIRE_SYSCALL_TWO)
		return false;
	/* a socket's reader and writer both end waits of the other side, and connect() that of accept() */
	if (!(call->kind & needed) && wait->kind == WIRE_WAIT_PIPE)
		return false;
	describe_descriptor(call->arguments[0], &own);
	if (what == WIRE_SYSCALL_TWO && !is_same_inode(&own, wait) && !are_ends(&own, wait)) {
		__builtin_memset(&own, 0, sizeof(own));
		describe_descriptor(call->arguments[call->kind & WIRE_SYSCALL_MILLISECONDS ? 2 : 1], &own);
	}
	if (what == WIRE_SYSCALL_DESCRIPTOR)
		keep_destination(call, &own);
	switch (wait->kind) {
	case WIRE_WAIT_PIPE:
		return !in_softirq && own.kind == WIRE_WAIT_PIPE && is_same_inode(&own, wait);
	case WIRE_WAIT_SOCKET:
		if (!are_ends(&own, wait))
			return false;
		if (!wait->peer_port && call->kind & (WIRE_SYSCALL_TO | WIRE_SYSCALL_HEADER) && is_loopback(&own))
			keep_other_end(wait, &own);
		return true;
	case WIRE_WAIT_EVENT_FD:
		return !in_softirq && own.kind == WIRE_WAIT_EVENT_FD;
	case WIRE_WAIT_POLL: /* of several */
		if (own.kind != WIRE_WAIT_SOCKET || !is_loopback(&own))
			return !in_softirq && call->kind & WIRE_SYSCALL_WRITES;
		if (!in_softirq && !(call->kind & WIRE_SYSCALL_WRITES))
			return false;
		keep_other_end(wait, &own);
		return true;
	}
	return false;
}

/* (K3) The holder of a file's lock gives it up, or closes the file. */
static __always_inline bool ends_file_lock(const struct system_call *call, const struct wire_wait *wait)
{
	struct wait_object own = {};

	if ((call->kind & WIRE_SYSCALL_WHAT) == WIRE_SYSCALL_CLOSE)
		return true;
	if (!(call->kind & WIRE_SYSCALL_LOCKS))
		return false;
	describe_descriptor(call->arguments[0], &own);
	return is_same_inode(&own, wait);
}

/* Did the current thread end the wait of `task`? */
static __always_inline bool fits(struct task_struct *waker, struct task_struct *task, const struct system_call *call,
    struct wire_wait *wait, int context)
{
	bool in_softirq = context & PREEMPT_IN_SOFTIRQ;
	__u8 what = call->kind & WIRE_SYSCALL_WHAT;
	bool exits = waker->flags & EXITING || what == WIRE_SYSCALL_EXIT;

	/* (K1, K2) */
	if (context & PREEMPT_IN_HARD_INTERRUPT || waker->flags & KERNEL_THREAD || !waker->pid)
		return false;
	if (call->number < 0 && !(waker->flags & EXITING))
		return false;
	switch (wait->kind) {
	case WIRE_WAIT_PIPE:
	case WIRE_WAIT_SOCKET:
	case WIRE_WAIT_POLL:
	case WIRE_WAIT_EVENT_FD:
		return ((exits || wait->flags & WIRE_WAIT_NOTIFIED) && !in_softirq) ||
		       ends_descriptor(call, wait, in_softirq);
	case WIRE_WAIT_FUTEX:
		if (in_softirq)
			return false;
		return exits ? waker->mm == task->mm
			     : what == WIRE_SYSCALL_FUTEX && is_same_lock(waker, task, call, wait);
	case WIRE_WAIT_FILE:
		return wait->flags & WIRE_WAIT_LOCKS && !in_softirq && (exits || ends_file_lock(call, wait));
	case WIRE_WAIT_CHILD:
		return !in_softirq && exits && waker->real_parent->tgid == task->tgid;
	case WIRE_WAIT_STOPPED:
	case WIRE_WAIT_TRACED:
		return !in_softirq && what == WIRE_SYSCALL_SIGNAL;
	case WIRE_WAIT_PAGE_FAULT:
		return !in_softirq && waker->mm == task->mm && waker != task;
	case WIRE_WAIT_OTHER: /* for a signal, or as semop(): one thread's call ends another's */
		if (in_softirq)
			return false;
		if (what == WIRE_SYSCALL_SIGNAL || wait->flags & WIRE_WAIT_NOTIFIED)
			return true;
		/* for what the process's threads share in the kernel: the layout of its memory */
		if (wait->state & STATE_UNINTERRUPTIBLE && waker->mm == task->mm && waker != task)
			return true;
		return what == WIRE_SYSCALL_OTHER && call->number == wait->syscall && waker != task;
	}
	return false;
}

static __always_inline bool has_place(void)
{
	const __u32 only = 0;
	__u64 *count = bpf_map_lookup_elem(&watched_count, &only);

	if (!count || *count >= WIRE_MAX_WATCHED)
		return false;
	__sync_fetch_and_add(count, 1); /* two at once may both pass: the bound is for memory, one more does no harm */
	return true;
}

static __always_inline void give_place_back(void)
{
	const __u32 only = 0;
	__u64 *count = bpf_map_lookup_elem(&watched_count, &only);

	if (count)
		__sync_fetch_and_add(count, -1);
}

/* The current thread, which woke one at `depth`, is followed from now on, unless its process is traced anyway. */
static __always_inline void watch(struct task_struct *waker, __u32 depth, __u64 now)
{
	struct task_struct *leader = waker->group_leader;
	struct wire_thread *thread;
	struct wire_process *process;

	if (may_be_traced(waker)) {
		process = bpf_task_storage_get(&processes, leader, NULL, 0);
		if (process && process->traced == WIRE_TRACED_YES)
			return;
		thread = bpf_task_storage_get(&watched_threads, waker, NULL, 0);
		if (thread && thread->watched) {
			thread->named_ns = now;
			if (thread->watched > depth)
				thread->watched = depth;
			return;
		}
	}
	if (depth > WIRE_MAX_WATCH_DEPTH)
		return;
	if (!has_place()) {
		count_loss(WIRE_LOSS_WAKER_UNWATCHED);
		return;
	}
	/* The pointer test of other programs looks at the leader: an entry that says "not decided" passes it. */
	process = bpf_task_storage_get(&processes, leader, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	thread = process ? bpf_task_storage_get(&watched_threads, waker, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE) : NULL;
	if (!thread) {
		give_place_back();
		count_loss(WIRE_LOSS_WAKER_UNWATCHED);
		return;
	}
	thread->named_ns = now;
	thread->watched = depth;
}

static __always_inline int wake(struct task_struct *task, bool knows_context)
{
	struct task_struct *waker;
	struct wire_thread *thread;
	struct wire_wait *wait;
	struct system_call call;
	__u64 now;

	if (!may_be_traced(task))
		return 0;
	thread = followed(task);
	if (!thread || is_over(thread))
		return 0;
	waker = (void *)bpf_get_current_task_btf();
	wait = &thread->wait;
	if (task->__state & STATE_FROZEN) {
		/* asleep already when its cgroup was frozen: it went nowhere, and has been held since */
		wait->kind = WIRE_WAIT_FROZEN;
		wait->flags = (wait->flags & WIRE_WAIT_HAS_STACK) | WIRE_WAIT_WOKEN;
		thread->timeout_ns = 0;
		return 0;
	}
	read_system_call(waker, &call);
	now = bpf_ktime_get_ns();
	/* the thread that runs when its timer ends it is innocent, also where the context is not known */
	if ((thread->timeout_ns && now >= thread->timeout_ns) ||
	    !fits(waker, task, &call, wait, knows_context ? preempt_count_now(waker) : 0)) {
		/* a lock's waiter is woken by another thread, a signal or its timer */
		if (wait->kind == WIRE_WAIT_FUTEX && wait->flags & WIRE_WAIT_MAY_TIME_OUT &&
		    (call.kind & WIRE_SYSCALL_WHAT) != WIRE_SYSCALL_SIGNAL)
			wait->flags |= WIRE_WAIT_TIMED_OUT;
		wait->flags |= WIRE_WAIT_WOKEN;
		return 0;
	}
	wait->waker_pid = waker->tgid;
	wait->waker_tid = waker->pid;
	wait->waker_syscall = call.number;
	__builtin_memcpy(wait->waker_comm, waker->comm, WIRE_COMM_LEN);
	wait->flags |= WIRE_WAIT_WOKEN | WIRE_WAIT_HAS_WAKER;
	watch(waker, thread->watched + 1, now);
	return 0;
}

SEC("tp_btf/sched_waking")
int on_waking(__u64 *ctx)
{
	return wake((void *)ctx[0], true);
}

/* Where the kernel does not publish its preemption counter (no CONFIG_KALLSYMS_ALL): all but (K1). */
SEC("tp_btf/sched_waking")
int on_waking_blind(__u64 *ctx)
{
	return wake((void *)ctx[0], false);
}
