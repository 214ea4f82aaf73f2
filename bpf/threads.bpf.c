/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * What happened to the threads of traced processes: off-CPU time by cause, calls cut short by exit or exec, and the
 * dump of calls in flight; and where in the program threads sleep for long. Tasks of other processes are rejected by
 * one pointer test: they have no task storage.
 */
#define OF_A_RUNNING_THREAD
#include "call.bpf.h"
#include "wait.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

#define TASK_DEAD 0x80

/* sched_switch passes the state of the thread that leaves: since 5.18, fa2c3254d7cf "sched/tracing: Don't re-read
 * p->state when emitting sched_switch event". Before, a waker on another CPU may have changed it already. */
const volatile __u32 switch_has_state = 0;

/* Set by the first dump: the kernel itself keeps how long tasks wait in run queues. The program at sched_waking is then
 * not attached, because it would add a cost to every wake-up on the machine, traced or not. */
__u8 queue_times = 0; /* not bool: C's _Bool in the generated header does not compile as C++ */

/* What a call is whose thread ends, or executes another program, in it. Before probes of returns are removed both
 * become WIRE_IN_FLIGHT: the thread may have returned from it. Values, and not a flag: each branch doubles what the
 * verifier looks at. */
__u32 exited_as = WIRE_EXITED;
__u32 execed_as = WIRE_EXECED;

static __always_inline struct wire_thread *thread_of(struct task_struct *task)
{
	struct wire_thread *thread = state_of(task);
	struct wire_process *process;

	if (thread)
		return thread;
	process = bpf_task_storage_get(&processes, task->group_leader, NULL, 0);
	if (!process || process->traced != WIRE_TRACED_YES)
		return bpf_task_storage_get(&watched_threads, task, NULL, 0);
	thread = bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!thread)
		count_loss(WIRE_LOSS_HOST_STATE_FULL);
	return thread;
}

/* A sleep of this length is worth a line of the program, as are many short ones in I/O: one where they come to it.
 * There are at most some 50 stacks a second and thread, and a few at once. */
#define LONG_SLEEP_NS 1000000
#define SLEEP_STACK_EVERY_NS 20000000
#define SLEEP_STACKS_AT_ONCE 8

/* Where there are more sleeps than that, chance decides: the first after a while is the one behind a long sleep, and
 * another, as long and in its turn, would never have a stack. */
static __always_inline bool is_sleep_stack_due(struct wire_thread *thread, __u64 now)
{
	__u64 ahead = thread->sleep_stack_ns > now ? thread->sleep_stack_ns - now : 0;

	if (ahead > (SLEEP_STACKS_AT_ONCE - 1) * SLEEP_STACK_EVERY_NS)
		return false;
	if (ahead > SLEEP_STACKS_AT_ONCE / 2 * SLEEP_STACK_EVERY_NS && bpf_get_prandom_u32() & 1)
		return false;
	thread->sleep_stack_ns = now + ahead + SLEEP_STACK_EVERY_NS;
	return true;
}

/* The stack of the current thread, which goes to sleep: in a system call of its own, or while a page is read. Not
 * static, so that the verifier checks it once. 1: it is in the ring. */
__noinline int take_sleeping(__u64 now)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct wire_call call = {};

	if (!task->mm)
		return 0;
	call.probe = WIRE_NO_PROBE;
	call.pid = task->tgid;
	call.tid = task->pid;
	call.start_ns = now;
	return take_stack_of(task, (void *)bpf_task_pt_regs(task), &call, WIRE_STACK_ASLEEP, 1);
}

/* Where it has slept for long before, it may do so again: how long this time is known when it wakes, and its stack can
 * be read only now. Calls have stacks of their own. */
static __always_inline void keep_place(struct task_struct *task, struct wire_thread *thread, __u64 now)
{
	struct pt_regs *registers = (void *)bpf_task_pt_regs(task);
	__u64 place = ((USER_IP(registers) ^ USER_SP(registers) << 20) * 0x9e3779b97f4a7c15ull) | 1;

	thread->sleeps_at = 0;
	if (stack_mode == WIRE_STACKS_OFF || thread->depth)
		return;
	if (thread->wait.syscall < 0 && thread->wait.kind != WIRE_WAIT_DISK)
		return;
	thread->sleeps_at = place;
	if (thread->slept_at[place >> 32 & (WIRE_LONG_SLEEPS - 1)] != place || !is_sleep_stack_due(thread, now))
		return;
	if (take_sleeping(now))
		thread->wait.flags |= WIRE_WAIT_HAS_STACK;
}

/* Threads of the kernel (rcu_preempt, migration/0, ksoftirqd) run for microseconds, and then another program has the
 * CPU for as long as its time lasts: that one is who ran instead. One slot a CPU, written there only: for the thread
 * that left it last. */
#define HEIR_CPUS 512

struct heir {
	__u32 of_tid;
	__u32 is_sought; /* until a program gets the CPU */
	__u32 pid;
	__u32 tid; /* 0: none has come yet */
	char comm[WIRE_COMM_LEN];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, HEIR_CPUS);
	__type(key, __u32);
	__type(value, struct heir);
} heirs SEC(".maps");

__u32 heirs_sought = 0; /* nearly always 0: other switches pay for one look at it */

/* `next` gets this CPU; it may be the thread itself. */
static __always_inline void note_heir(struct task_struct *next)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct heir *heir = bpf_map_lookup_elem(&heirs, &cpu);

	if (!heir || !heir->is_sought)
		return;
	heir->is_sought = 0;
	__sync_fetch_and_add(&heirs_sought, -1);
	if (next->pid == heir->of_tid)
		return;
	heir->pid = next->tgid;
	heir->tid = next->pid;
	__builtin_memcpy(heir->comm, next->comm, WIRE_COMM_LEN);
}

/* This CPU's number plus one, or 0. Not static, so that the verifier checks it once. */
__noinline int look_for_heir(__u32 tid)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct heir *heir = bpf_map_lookup_elem(&heirs, &cpu);

	if (!heir)
		return 0;
	if (!heir->is_sought) {
		heir->is_sought = 1;
		__sync_fetch_and_add(&heirs_sought, 1);
	}
	heir->tid = 0;
	heir->of_tid = tid;
	return cpu + 1;
}

static __always_inline void take_heir(__u32 cpu, struct wire_sched *record)
{
	struct heir *heir = bpf_map_lookup_elem(&heirs, &cpu);

	if (!heir || heir->of_tid != record->tid || !heir->tid)
		return; /* another thread left that CPU since, or none came */
	record->preempted_by_pid = heir->pid;
	record->preempted_by_tid = heir->tid;
	__builtin_memcpy(record->preempted_by_comm, heir->comm, WIRE_COMM_LEN);
}

/* A shorter wait for a CPU needs no culprit. */
#define LONG_QUEUE_NS 100000

/* The thread waited `queued` for a CPU after its sleep, and gets that of `prev`: who had it before that is not known.
 */
static __always_inline void note_prev(
    struct task_struct *prev, struct task_struct *task, __u64 queued, struct wire_sched *record)
{
	__u64 had_ns;

	record->preempted_by_ns = 0;
	if (!prev || !queue_times || queued < LONG_QUEUE_NS || !prev->pid)
		return;
	had_ns = had_cpu_ns(prev, task);
	record->preempted_by_ns = had_ns < queued ? had_ns : queued;
	record->preempted_by_pid = prev->tgid;
	record->preempted_by_tid = prev->pid;
	__builtin_memcpy(record->preempted_by_comm, prev->comm, WIRE_COMM_LEN);
}

static __always_inline void switched_in(struct task_struct *task, struct task_struct *prev, __u64 now)
{
	struct wire_thread *thread = followed(task);
	struct wire_sched *record;
	__u64 out_ns;
	__u64 woken_ns;
	__u64 until_ns;
	__u32 kind;

	if (!thread || !thread->out_ns)
		return;
	out_ns = thread->out_ns;
	woken_ns = thread->woken_ns;
	kind = thread->out_kind & (WIRE_OFF_KINDS - 1);
	thread->out_ns = 0;
	thread->in_ns = now;
	if (queue_times && kind != WIRE_OFF_PREEMPTED) {
		__u64 queued = queued_ns(task) - thread->queued_ns;

		woken_ns = queued && queued < now - out_ns ? now - queued : 0;
	}
	until_ns = kind != WIRE_OFF_PREEMPTED && woken_ns > out_ns ? woken_ns : now;
	thread->off[kind] += until_ns - out_ns;
	thread->off[WIRE_OFF_RUNQUEUE] += now - until_ns;
	thread->waited[thread->wait.kind & (WIRE_WAIT_SLOTS - 1)] += until_ns - out_ns;
	if (kind == WIRE_OFF_IO)
		thread->short_io_ns += until_ns - out_ns;
	if (thread->sleeps_at &&
	    (until_ns - out_ns >= LONG_SLEEP_NS || (kind == WIRE_OFF_IO && thread->short_io_ns >= LONG_SLEEP_NS))) {
		thread->slept_at[thread->sleeps_at >> 32 & (WIRE_LONG_SLEEPS - 1)] = thread->sleeps_at;
		thread->short_io_ns = 0;
	}
	if (thread->timeout_ns && until_ns >= thread->timeout_ns && !(thread->wait.flags & WIRE_WAIT_HAS_WAKER))
		thread->wait.flags |= WIRE_WAIT_TIMED_OUT;

	/* threads that yield in turns make more of these than of anything: the last quarter of the ring is for calls */
	record = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA) < 12 * wake_bytes
		     ? bpf_ringbuf_reserve(&events, sizeof(*record), 0)
		     : NULL;
	if (!record) {
		count_loss(WIRE_LOSS_HOST_RING_FULL);
		return;
	}
	record->type = WIRE_SCHED;
	record->off = kind;
	record->in_call = thread->depth;
	record->cpu = bpf_get_smp_processor_id();
	record->pid = task->tgid;
	record->tid = task->pid;
	record->out_ns = out_ns;
	record->woken_ns = kind == WIRE_OFF_PREEMPTED ? 0 : woken_ns;
	record->in_ns = now;
	record->preempted_by_pid = thread->preempted_by_pid;
	record->preempted_by_tid = thread->preempted_by_tid;
	__builtin_memcpy(record->preempted_by_comm, thread->preempted_by_comm, WIRE_COMM_LEN);
	__builtin_memcpy(record->comm, task->comm, WIRE_COMM_LEN);
	__builtin_memcpy(&record->wait, &thread->wait, sizeof(record->wait));
	note_prev(prev, task, now - until_ns, record);
	if (thread->heir_cpu)
		take_heir(thread->heir_cpu - 1, record);
	/* never wakes: waking the reader from inside the scheduler would cost the switch */
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/* Now and then the kernel does not report that a thread gets a CPU (of sleeps of 20 ms one in some 500, on 6.18 in
 * a virtual machine: its own events lack it, too). When that thread leaves the CPU again, it came as long ago as it has
 * run since. Not static, so that the verifier checks it once. */
__noinline int switched_in_unseen(__u64 now)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct wire_thread *thread = followed(task);
	__u64 ran_ns = task->se.sum_exec_runtime;

	if (thread && ran_ns - thread->ran_ns < now - thread->out_ns)
		switched_in(task, NULL, now - (ran_ns - thread->ran_ns));
	return 0;
}

static __always_inline void switched_out(
    struct task_struct *task, struct task_struct *next, bool preempt, unsigned int state, __u64 now)
{
	struct wire_thread *thread = thread_of(task);
	struct wire_wait *wait;
	bool is_runnable = preempt || state == 0;
	bool is_io = !is_runnable && BPF_CORE_READ_BITFIELD(task, in_iowait);

	if (!thread)
		return;
	if (thread->out_ns)
		switched_in_unseen(now);
	thread->ran_ns = task->se.sum_exec_runtime;
	thread->out_kind = is_runnable ? WIRE_OFF_PREEMPTED : is_io ? WIRE_OFF_IO : WIRE_OFF_BLOCKED;
	thread->woken_ns = 0;
	thread->timeout_ns = 0;
	wait = &thread->wait;
	wait->state = state;
	wait->depth = thread->watched;
	wait->flags = thread->in_ns ? WIRE_WAIT_HAS_FAULTS : 0;
	wait->minor_faults = task->min_flt - thread->faults;
	thread->faults = task->min_flt;
	if (is_runnable) {
		wait->kind = is_throttled(task) ? WIRE_WAIT_THROTTLED : WIRE_WAIT_PREEMPTED;
		thread->sleeps_at = 0;
	} else {
		describe_wait(task, thread, state, is_io, now);
		keep_place(task, thread, now);
	}
	if (queue_times)
		thread->queued_ns = queued_ns(task);
	thread->preempted_by_pid = next->tgid;
	thread->preempted_by_tid = next->pid;
	__builtin_memcpy(thread->preempted_by_comm, next->comm, WIRE_COMM_LEN);
	thread->heir_cpu = is_runnable && next->flags & KERNEL_THREAD ? look_for_heir(task->pid) : 0;
	thread->out_ns = now;
}

/* The current thread, whose number was `tid`, goes where no call of its returns. */
static __always_inline int cut_short(bool ends, __u32 outcome, __u32 tid)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct wire_thread *thread;

	if (may_be_traced(task)) {
		if (ends)
			watched_no_more(bpf_task_storage_get(&watched_threads, task, NULL, 0));
		thread = bpf_task_storage_get(&threads, task, NULL, 0);
		if (thread && thread->depth)
			close_frames(thread, 0, outcome);
	}
	thread = stray_thread(tid, false); /* its process may have no storage either */
	if (thread) {
		close_frames(thread, 0, outcome);
		forget_stray(tid);
	}
	return 0;
}

/* (P6) A thread leaves the CPU for good: what on_thread_exit was skipped for. Not static, as above. */
__noinline int left_for_good(void)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();

	return cut_short(true, exited_as, task->pid);
}

SEC("tp_btf/sched_switch")
int on_sched_switch(__u64 *ctx)
{
	bool preempt = ctx[0];
	struct task_struct *prev = (void *)ctx[1];
	struct task_struct *next = (void *)ctx[2];
	unsigned int state = switch_has_state ? ctx[3] : prev->__state;
	bool prev_traced = may_be_traced(prev);
	bool next_traced = may_be_traced(next);
	__u64 now;

	if (!prev_traced && !next_traced) {
		if (heirs_sought && !(next->flags & KERNEL_THREAD))
			note_heir(next);
		return 0;
	}
	now = bpf_ktime_get_ns();
	if (prev_traced && state & TASK_DEAD)
		left_for_good();
	else if (prev_traced)
		switched_out(prev, next, preempt, state, now);
	if (next_traced)
		switched_in(next, prev, now);
	if (heirs_sought && !(next->flags & KERNEL_THREAD))
		note_heir(next);
	return 0;
}

/* For kernels without queue times. sched_waking runs in the waker's context; sched_wakeup may run on the woken task's
 * CPU. */
SEC("tp_btf/sched_waking")
int on_sched_waking(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct wire_thread *thread;

	if (!may_be_traced(task))
		return 0;
	thread = followed(task);
	if (!thread || !thread->out_ns || thread->woken_ns || thread->out_kind == WIRE_OFF_PREEMPTED)
		return 0;
	thread->woken_ns = bpf_ktime_get_ns();
	return 0;
}

/* Any thread's end, inside a call or not. What is kept by the number of a process goes with its last thread, whether or
 * not the process has storage: the next one of that number is another. (Of two that end at once both may be the last.)
 */
SEC("tp_btf/sched_process_exit")
int on_thread_exit(__u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 pid = task->tgid;

	if (task->signal->live.counter == 0) {
		bpf_map_delete_elem(&wanted_pids, &pid);
		bpf_map_delete_elem(&python_processes, &pid);
	}
	return cut_short(true, exited_as, task->pid);
}

SEC("tp_btf/sched_process_exec")
int on_thread_exec(__u64 *ctx)
{
	__u32 pid = ((struct task_struct *)bpf_get_current_task_btf())->tgid;

	bpf_map_delete_elem(&python_processes, &pid);
	return cut_short(false, execed_as, ctx[1]); /* of what it had been before it took the leader's place */
}

SEC("iter/task")
int dump_in_flight(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	struct wire_thread *thread;
	struct wire_call_record out;
	__u64 now;

	if (!task)
		return 0;
	thread = state_of(task);
	if (!thread || !thread->depth)
		return 0;
	now = bpf_ktime_get_ns();
	for (int i = 0; i < WIRE_MAX_DEPTH; i++) {
		struct wire_frame *frame = &thread->frames[i];
		__u64 off[WIRE_OFF_KINDS];
		__u32 words;

		if (i >= thread->depth)
			break;
		__builtin_memcpy(&out, &frame->record, sizeof(out));
		for (int kind = 0; kind < WIRE_OFF_KINDS; kind++)
			off[kind] = thread->off[kind] - frame->off[kind];
		if (thread->out_ns) {
			__u64 from = thread->out_ns > out.call.start_ns ? thread->out_ns : out.call.start_ns;

			if (now > from)
				off[thread->out_kind & (WIRE_OFF_KINDS - 1)] += now - from;
		}
		words = out.call.n_words;
		if (words > WIRE_MAX_WORDS)
			words = WIRE_MAX_WORDS;
		for (int kind = 0; kind < WIRE_OFF_KINDS; kind++)
			out.tail[words + kind] = off[kind];
		out.call.flags = WIRE_CALL_HAS_OFF;
		out.call.end_ns = now;
		/* the thread ran on meanwhile: a frame that changed under us is not in flight */
		if (i < thread->depth && frame->record.call.start_ns == out.call.start_ns &&
		    out.call.outcome == WIRE_IN_FLIGHT)
			bpf_seq_write(seq, &out, sizeof(out));
	}
	return 0;
}

/* A waker that no wake-up has named for this long is followed no more. */
#define FORGET_WAKER_NS 30000000000ull

SEC("iter/task")
int dump_totals(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	struct wire_thread *thread;
	struct wire_totals out;

	if (!task || !may_be_traced(task))
		return 0;
	thread = followed(task);
	if (!thread || !thread->in_ns)
		return 0;
	out.pid = task->tgid;
	out.tid = task->pid;
	out.ns = bpf_ktime_get_ns();
	out.queued_ns = thread->off[WIRE_OFF_RUNQUEUE];
	out.ran_ns = BPF_CORE_READ(task, se.sum_exec_runtime);
	__builtin_memcpy(out.waited, thread->waited, sizeof(out.waited));
	bpf_seq_write(seq, &out, sizeof(out));
	if (thread->watched && out.ns - thread->named_ns > FORGET_WAKER_NS) {
		watched_no_more(thread);
		bpf_task_storage_delete(&watched_threads, task);
	}
	return 0;
}

SEC("iter/task")
int dump_processes(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct seq_file *seq = ctx->meta->seq;
	struct wire_process *process;

	if (!task || task->pid != task->tgid)
		return 0;
	if (!queue_times)
		queue_times = keeps_queue_times(task);
	process = bpf_task_storage_get(&processes, task, NULL, 0);
	if (process && !process->start_ns)
		process->start_ns = task->start_time; /* marked by user space, which knows it less exactly */
	/* of one that ended its last counters are in the ring; it is listed until its parent has waited for it, or
	 * longer */
	if (process && process->traced == WIRE_TRACED_YES && !process->ended)
		bpf_seq_write(seq, process, sizeof(*process));
	return 0;
}
