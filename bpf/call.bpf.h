/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * The generic call capture: what happens when a described call starts and when it ends. One body for every row of
 * every backend; the recipe found through the attach cookie says which words to keep. Included by session.bpf.c (one
 * program for both ends) and capture.bpf.c (entry and return programs for uprobe-multi and perf probes).
 *
 * A thread's open calls are a stack of frames in task storage. It stays right when calls do not return:
 *
 *   (F1) A frame is alive while its stack pointer lies above that of every newer frame; frames at or below the stack
 *        pointer of a new entry were left by longjmp or an exception and are closed as WIRE_UNWOUND.
 *   (F2) An entry at the very stack pointer of the top frame is a tail call when the return address is the kernel's
 *        return trampoline (the top frame's own return address was replaced by it), else the top frame is dead by (F1).
 *   (F3) A return closes its own frame; frames above it were left without a return.
 *   (F4) A frame is dead when the trampoline no longer stands at its stack pointer: after a longjmp the thread can call
 *        from further down the stack than the frame it left, which has been written over by then. Not on arm64, where a
 *        function keeps its return address wherever it likes: there such a frame is closed when the stack next gets
 *        above it, and is the parent of the calls until then.
 *
 * Rejected: pairing by thread id alone (nested calls overwrite each other), a hash per call (three map operations),
 * two records per call (twice the ring, and nothing in the kernel to show a hang).
 */
#ifndef INGERO_BPF_CALL_BPF_H
#define INGERO_BPF_CALL_BPF_H

#include "stack.bpf.h"

/* filters; 0 means "no such filter". With any set, a process is traced when one matches. */
const volatile __u32 filter_pids = 0;
const volatile __u32 filter_uid_set = 0;
const volatile __u32 filter_uid = 0;
const volatile __u32 filter_cgroups = 0;
/* the agent itself, never traced */
const volatile __u32 own_pid = 0;
/* a backlog of this many bytes (a power of two), a sixteenth of the ring, wakes the reader at once; below it the reader
 * comes by itself */
const volatile __u64 wake_bytes = 512 << 10;
#define RING_BYTES (16 * wake_bytes)
#define CROWDED_BYTES (8 * wake_bytes)

#if defined(__TARGET_ARCH_arm64)
#define FIRST_STACK_ARGUMENT 0
#define RETURN_POPS(ctx) 0
#define RETURN_ADDRESS(ctx) ((ctx)->user_regs.regs[30])
#define RETURN_VALUE(ctx) ((ctx)->user_regs.regs[0])
#define LOAD_REGISTERS(in, ctx)                                                                                        \
	do {                                                                                                           \
		(in)[0] = (ctx)->user_regs.regs[0];                                                                    \
		(in)[1] = (ctx)->user_regs.regs[1];                                                                    \
		(in)[2] = (ctx)->user_regs.regs[2];                                                                    \
		(in)[3] = (ctx)->user_regs.regs[3];                                                                    \
		(in)[4] = (ctx)->user_regs.regs[4];                                                                    \
		(in)[5] = (ctx)->user_regs.regs[5];                                                                    \
		(in)[6] = (ctx)->user_regs.regs[6];                                                                    \
		(in)[7] = (ctx)->user_regs.regs[7];                                                                    \
	} while (0)
#else
#define FIRST_STACK_ARGUMENT 8 /* above the return address */
#define RETURN_POPS(ctx) (IS_NARROW(ctx) ? 4 : 8)
#define RETURN_ADDRESS(ctx) 0 /* on the stack */
#define RETURN_VALUE(ctx) (IS_NARROW(ctx) ? (__u32)(ctx)->ax : (ctx)->ax)
#define LOAD_REGISTERS(in, ctx)                                                                                        \
	do {                                                                                                           \
		(in)[0] = (ctx)->di;                                                                                   \
		(in)[1] = (ctx)->si;                                                                                   \
		(in)[2] = (ctx)->dx;                                                                                   \
		(in)[3] = (ctx)->cx;                                                                                   \
		(in)[4] = (ctx)->r8;                                                                                   \
		(in)[5] = (ctx)->r9;                                                                                   \
		(in)[6] = 0;                                                                                           \
		(in)[7] = 0;                                                                                           \
	} while (0)
#endif

/* Asking for the backlog costs as much as writing ten words: each thread asks with every eighth record. */
#define RECORDS_PER_LOOK 8

/* the highest bit of `written`: half of the ring was full when the thread looked last */
#define IS_CROWDED (1U << 31)

static __always_inline bool note_backlog(struct wire_thread *thread, __u64 backlog)
{
	bool is_crowded = backlog >= CROWDED_BYTES;

	thread->written = (thread->written & ~IS_CROWDED) | (is_crowded ? IS_CROWDED : 0);
	return is_crowded;
}

static __always_inline __u64 wake_flag(struct wire_thread *thread)
{
	__u64 backlog;

	if (thread->written++ % RECORDS_PER_LOOK)
		return BPF_RB_NO_WAKEUP;
	backlog = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA);
	note_backlog(thread, backlog);
	/* only just past a multiple of the mark: each further record would pay for a reader already on its way */
	return backlog >= wake_bytes &&
		       (backlog & (wake_bytes - 1)) < 2 * RECORDS_PER_LOOK * sizeof(struct wire_call_record)
		   ? BPF_RB_FORCE_WAKEUP
		   : BPF_RB_NO_WAKEUP;
}

/* Global, so that the verifier looks at it once and not behind each place that writes a record. */
__noinline int count_ring_loss(__u32 probe)
{
	__u64 *count = bpf_map_lookup_elem(&probe_losses, &probe);
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	__u64 none = 0;

	count_loss(WIRE_LOSS_RING_FULL);
	if (count)
		__sync_fetch_and_add(count, 1);				/* (P2) */
	bpf_map_update_elem(&process_losses, &pid, &none, BPF_NOEXIST); /* fails where it is there */
	count = bpf_map_lookup_elem(&process_losses, &pid);
	if (count)
		__sync_fetch_and_add(count, 1);
	return 0;
}

/* Half of the ring is for all. Of the other half a process may have SHARE times what is still free: one that writes
 * more than is read leaves a tenth of the ring to others, n of them one in 2 (SHARE n + 1), so a process that makes few
 * calls loses none to one that makes many. (Dynamic thresholds, as in the buffers of switches: the number of writers
 * need not be known.) 0: the process has its share. */
#define SHARE 4
__noinline int take_share(struct wire_thread *thread, __u32 bytes)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u64 backlog = bpf_ringbuf_query(&events, BPF_RB_AVAIL_DATA);
	struct ring_share *share;
	bool is_crowded;

	if (!thread)
		return 1;
	is_crowded = note_backlog(thread, backlog);
	share = bpf_task_storage_get(&ring_shares, task->group_leader, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!share)
		return 1;
	/* or the reader has passed what it wrote */
	if (!is_crowded || bpf_ringbuf_query(&events, BPF_RB_CONS_POS) >= share->end)
		share->bytes = 0;
	if (!is_crowded)
		return 1;
	if (backlog >= RING_BYTES || share->bytes >= SHARE * (RING_BYTES - backlog))
		return 0;
	share->end = bpf_ringbuf_query(&events, BPF_RB_PROD_POS);
	__sync_fetch_and_add(&share->bytes, bytes);
	return 1;
}

/* Copying a size known at compile time costs less than bpf_ringbuf_output of just the bytes there are; and what was
 * just stored goes to the copy, for a load wider than the store before it would wait. */
#define EMIT(n_tail)                                                                                                   \
	do {                                                                                                           \
		struct wire_call *out = bpf_ringbuf_reserve(&events, sizeof(*out) + (n_tail)*8, 0);                    \
                                                                                                                       \
		if (!out) {                                                                                            \
			count_ring_loss(frame->record.call.probe);                                                     \
			return;                                                                                        \
		}                                                                                                      \
		__builtin_memcpy(out, &frame->record, sizeof(*out) + (n_tail)*8);                                      \
		out->outcome = outcome;                                                                                \
		out->flags = (any_off ? WIRE_CALL_HAS_OFF : 0) | stack_flag;                                           \
		out->end_ns = end_ns;                                                                                  \
		out->ret = ret;                                                                                        \
		bpf_ringbuf_submit(out, wake_flag(thread));                                                            \
	} while (0)

/* (P4) The time, and the thread's off-CPU times at that time: were the thread switched out between the two, that
 * interval would be counted to a call that it lies outside of. */
#define OFF_ATTEMPTS 3
static __always_inline __u64 off_at(volatile struct wire_thread *thread, __u64 *off)
{
	__u64 now = 0;

#pragma unroll
	for (int attempt = 0; attempt < OFF_ATTEMPTS; attempt++) {
		__u64 in_ns = thread->in_ns;

#pragma unroll
		for (int i = 0; i < WIRE_OFF_KINDS; i++)
			off[i] = thread->off[i];
		now = bpf_ktime_get_ns();
		if (thread->in_ns == in_ns)
			break;
	}
	return now;
}

/* Writes the record of a frame whose call has ended; `off`: the thread's off-CPU times then. */
static __always_inline void emit_call(struct wire_thread *thread, struct wire_frame *frame, const __u64 *off_then,
    __u64 end_ns, __u64 ret, __u32 outcome, __u8 stack_flag)
{
	__u32 n_tail = frame->record.call.n_words;
	__u64 off[WIRE_OFF_KINDS];
	__u64 any_off = 0;

#pragma unroll
	for (int i = 0; i < WIRE_OFF_KINDS; i++) {
		off[i] = off_then[i] - frame->off[i];
		any_off |= off[i];
	}
	if (any_off) {
		if (n_tail > WIRE_MAX_WORDS)
			n_tail = WIRE_MAX_WORDS;
#pragma unroll
		for (int i = 0; i < WIRE_OFF_KINDS; i++)
			frame->record.tail[n_tail + i] = off[i];
		n_tail += WIRE_OFF_KINDS;
	}
	if ((thread->written & IS_CROWDED) && !take_share(thread, sizeof(struct wire_call) + n_tail * 8)) {
		count_ring_loss(frame->record.call.probe);
		return;
	}
	if (n_tail == 0)
		EMIT(0);
	else if (n_tail <= WIRE_FEW_WORDS)
		EMIT(WIRE_FEW_WORDS);
	else if (n_tail <= WIRE_MORE_WORDS)
		EMIT(WIRE_MORE_WORDS);
	else
		EMIT(WIRE_CALL_TAIL);
}

/* Closes frames [keep, depth) without a return. The words of an unwound frame are those read at entry. */
static __noinline int close_frames(struct wire_thread *thread, __u32 keep, __u32 outcome)
{
	__u64 off[WIRE_OFF_KINDS];
	__u64 now;

	if (!thread)
		return 0;
	now = off_at(thread, off);
	for (int i = WIRE_MAX_DEPTH - 1; i >= 0; i--) {
		__u32 depth = i;

		barrier_var(depth); /* or clang walks a pointer down from beyond the end, which the verifier refuses */
		depth &= WIRE_MAX_DEPTH - 1;
		if (depth >= thread->depth || depth < keep)
			continue;
		emit_call(thread, &thread->frames[depth], off, now, 0, outcome, 0);
	}
	if (thread->depth > keep)
		thread->depth = keep;
	return 0;
}

/* The kernel's return trampoline in this process, which stands where the return address of each call in flight was.
 * 0: not known. */
static __always_inline __u64 return_trampoline(void)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct xol_area *area;

	if (!bpf_core_field_exists(task->mm->uprobes_state.xol_area))
		return 0;
	area = BPF_CORE_READ(task, mm, uprobes_state.xol_area);
	return area ? BPF_CORE_READ(area, vaddr) : 0;
}

/* (F2, F4) Is the frame, which is not below the stack pointer `sp` of a call that starts, alive? */
static __always_inline bool is_alive(const struct wire_frame *frame, __u64 sp, __u64 trampoline, __u64 link)
{
#if defined(__TARGET_ARCH_arm64)
	return frame->sp != sp || (trampoline && link == trampoline);
#else
	__u64 return_address = 0;

	if (!trampoline)
		return frame->sp != sp;
	/* the page of a call that has long waited may not be there now: swapped out, or about to be moved */
	if (bpf_probe_read_user(&return_address, sizeof(return_address), (void *)frame->sp))
		return frame->sp != sp;
	/* only a 32-bit process has it so low: the other half is what lies above the address */
	return (trampoline >> 32 ? return_address : (__u32)return_address) == trampoline;
#endif
}

/* (F1, F2, F4) How many frames are alive when a call starts at `sp`. `link`: where it returns to, if a register
 * says so. */
static __noinline __u32 alive_frames(struct wire_thread *thread, __u64 sp, __u64 link)
{
	__u64 trampoline = return_trampoline();
	__u32 alive = 0;

	if (!thread)
		return 0;
	for (int i = 0; i < WIRE_MAX_DEPTH; i++) {
		struct wire_frame *frame = &thread->frames[i];

		if (i >= thread->depth || frame->sp < sp || !is_alive(frame, sp, trampoline, link))
			break;
		alive = i + 1;
	}
	return alive;
}

/* By the filters alone. */
static __noinline bool is_wanted(void)
{
	__u32 pid = bpf_get_current_pid_tgid() >> 32;
	bool wanted = true;

	if (filter_pids || filter_uid_set || filter_cgroups) {
		wanted = filter_pids && bpf_map_lookup_elem(&wanted_pids, &pid);
		if (!wanted && filter_uid_set)
			wanted = (__u32)bpf_get_current_uid_gid() == filter_uid;
		for (int level = 1; !wanted && filter_cgroups && level < 16; level++) {
			__u64 ancestor = bpf_get_current_ancestor_cgroup_id(level);

			if (!ancestor)
				break;
			wanted = bpf_map_lookup_elem(&wanted_cgroups, &ancestor) != NULL;
		}
	}
	return wanted && pid != own_pid;
}

#define MAX_PARENTS 16

/* A child of a traced process whose fork was not seen (P6). */
static __noinline bool has_traced_parent(void)
{
	struct task_struct *leader = ((struct task_struct *)bpf_get_current_task_btf())->group_leader;

	for (int i = 0; i < MAX_PARENTS; i++) {
		struct task_struct *parent = leader->real_parent;
		struct wire_process *process;

		if (!parent || leader->tgid == own_pid)
			break;
		leader = parent->group_leader;
		if (!leader)
			break;
		process = bpf_task_storage_get(&processes, leader, NULL, 0);
		if (process && process->traced != WIRE_UNDECIDED)
			return process->traced == WIRE_TRACED_YES;
	}
	return false;
}

static __noinline int decide_process(struct wire_process *process, struct task_struct *leader)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct wire_task *task;

	if (!process)
		return 0;
	process->pid = id >> 32;
	process->traced = is_wanted() || has_traced_parent() ? WIRE_TRACED_YES : WIRE_TRACED_NO;
	if (process->traced == WIRE_TRACED_NO)
		return 0;
	task = bpf_ringbuf_reserve(&critical_events, sizeof(*task), 0);
	if (!task) {
		count_loss(WIRE_LOSS_CRITICAL_RING_FULL);
		return 0;
	}
	__builtin_memset(task, 0, sizeof(*task));
	task->type = WIRE_TRACED;
	task->pid = id >> 32;
	task->tid = id;
	task->uid = bpf_get_current_uid_gid();
	task->ns = bpf_ktime_get_ns();
	task->start_ns = process->start_ns;
	task->cgroup_id = bpf_get_current_cgroup_id();
	bpf_get_current_comm(task->comm, sizeof(task->comm));
	bpf_ringbuf_submit(task, BPF_RB_FORCE_WAKEUP);
	return 0;
}

#define FIRST_CALL_ATTEMPTS 3

/* The first call of a thread: is its process traced, and where is the thread's state? Null: not traced. */
static __noinline struct wire_thread *first_call(void)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	struct task_struct *leader = task->group_leader;
	struct wire_process *process;
	struct wire_thread *thread;

	/* creating fails when another CPU creates the same at the same time (a thread that is woken meanwhile, the
	 * process's first calls on two threads), or an allocator's lock is taken: the next attempt finds or makes it */
	process = bpf_task_storage_get(&processes, leader, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	for (int i = 0; !process && i < FIRST_CALL_ATTEMPTS; i++)
		process = bpf_task_storage_get(&processes, leader, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (process && process->traced == WIRE_UNDECIDED) {
		process->start_ns = leader->start_time;
		decide_process(process, leader);
	}
	if (process ? process->traced != WIRE_TRACED_YES : !is_wanted() && !has_traced_parent())
		return NULL;
	thread = bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	for (int i = 0; !thread && i < FIRST_CALL_ATTEMPTS; i++)
		thread = bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!thread) /* (P5) */
		thread = stray_thread(task->pid, true);
	if (!thread)
		count_loss(WIRE_LOSS_NO_THREAD_STATE);
	return thread;
}

/* Replaces the words that point to what is wanted, those of one end of the call. */
static __noinline int follow(struct wire_recipe *recipe, struct wire_call_record *record, __u32 at_return)
{
	if (!recipe || !record)
		return 0;
	for (int i = 0; i < WIRE_MAX_WORDS; i++) {
		struct wire_peek *peek = &recipe->peeks[i];
		__u32 word = peek->word & 15;
		__u32 bytes = peek->bytes & 15;
		__u64 value = 0;

		if (i >= recipe->n_peeks)
			break;
		if (peek->at_return != at_return || word >= WIRE_MAX_WORDS || bytes > sizeof(value))
			continue;
		if (bpf_probe_read_user(&value, bytes, (void *)(record->tail[word] + peek->offset)))
			record->call.valid &= ~(1 << word);
		record->tail[word] = value;
	}
	return 0;
}

#if !defined(__TARGET_ARCH_arm64)
/* The words of a 32-bit call, all of which are on its stack, above a return address of four bytes. Global, so that the
 * verifier looks at it once. */
__noinline int take_narrow_words(struct wire_recipe *recipe, struct wire_call_record *record, __u64 sp)
{
	__u32 in[WIRE_INPUTS + 1] = {}; /* one more, for what is above the last slot */
	__u32 slots;
	__u64 inputs;

	if (!recipe || !record)
		return 0;
	inputs = recipe->inputs;
	slots = recipe->stack_slots;
	if (slots > WIRE_INPUTS)
		slots = WIRE_INPUTS;
	if (bpf_probe_read_user(in, slots * sizeof(in[0]), (void *)(sp + sizeof(in[0]))))
		record->call.valid = 0;
	for (int i = 0; i < WIRE_MAX_WORDS; i++) {
		__u32 slot = inputs >> (i * WIRE_INPUT_BITS) & (WIRE_INPUTS - 1);
		__u64 word = in[slot];

		if (recipe->wide_words >> i & 1)
			word |= (__u64)in[slot + 1] << 32;
		record->tail[i] = word;
	}
	return 0;
}
#endif

/* The words as they stand when the call starts. Straight code: a loop bounded by n_words costs more than the words it
 * saves. */
static __always_inline void take_words(
    struct pt_regs *ctx, struct wire_recipe *recipe, struct wire_call_record *record, __u64 sp)
{
	__u64 in[WIRE_INPUTS] = {};
	__u64 inputs = recipe->inputs;
	__u32 slots = recipe->stack_slots;
	bool unreadable = false;

	LOAD_REGISTERS(in, ctx);
	if (slots) {
#if !defined(__TARGET_ARCH_arm64)
		if (recipe->is_narrow) {
			take_narrow_words(recipe, record, sp);
			goto words_taken;
		}
#endif
		if (slots > WIRE_MAX_STACK_ARGS)
			slots = WIRE_MAX_STACK_ARGS;
		unreadable = bpf_probe_read_user(
				 &in[WIRE_IN_STACK], slots * sizeof(in[0]), (void *)(sp + FIRST_STACK_ARGUMENT)) != 0;
	}
#pragma unroll
	for (int i = 0; i < WIRE_FEW_WORDS; i++)
		record->tail[i] = in[inputs >> (i * WIRE_INPUT_BITS) & (WIRE_INPUTS - 1)];
	if (recipe->n_words > WIRE_FEW_WORDS) {
#pragma unroll
		for (int i = WIRE_FEW_WORDS; i < WIRE_MAX_WORDS; i++)
			record->tail[i] = in[inputs >> (i * WIRE_INPUT_BITS) & (WIRE_INPUTS - 1)];
	}
	if (unreadable) {
		for (int i = 0; i < WIRE_MAX_WORDS; i++)
			if (inputs >> (i * WIRE_INPUT_BITS) & WIRE_IN_STACK)
				record->call.valid &= ~(1 << i);
	}
#if !defined(__TARGET_ARCH_arm64)
words_taken:
#endif
	if (recipe->n_peeks > recipe->n_return_peeks)
		follow(recipe, record, 0);
}

/* Global, so that the verifier looks at it once. */
__noinline int has_ended(__u32 probe)
{
	struct wire_recipe *recipe = bpf_map_lookup_elem(&recipes, &probe);

	return recipe && recipe->use == WIRE_RECIPE_ENDED;
}

/* A call starts. Returns the frame's number plus one, or 0 when the call is not captured. */
static __always_inline __u32 enter_call(struct pt_regs *ctx, struct task_struct *task, __u32 probe)
{
	struct wire_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	struct wire_recipe *recipe;
	struct wire_frame *frame;
	struct wire_call *call;
	__u64 sp = USER_SP(ctx);
	__u32 depth;

	if (!thread) {
		thread = first_call();
		if (!thread)
			return 0;
	}
	recipe = bpf_map_lookup_elem(&recipes, &probe);
	if (!recipe || recipe->use != WIRE_RECIPE_LIVE) {
		if (!has_ended(probe))
			count_loss(WIRE_LOSS_NO_RECIPE);
		return 0;
	}

	depth = thread->depth;
	if (depth) {
		__u32 alive = alive_frames(thread, sp, RETURN_ADDRESS(ctx));

		if (alive < depth)
			close_frames(thread, alive, WIRE_UNWOUND);
		depth = alive;
		if (depth >= WIRE_MAX_DEPTH) {
			count_loss(WIRE_LOSS_TOO_DEEP);
			return 0;
		}
	}
	frame = &thread->frames[depth & (WIRE_MAX_DEPTH - 1)];
	call = &frame->record.call;
	frame->sp = sp;
	frame->n_return_peeks = recipe->n_return_peeks;
	call->type = WIRE_CALL;
	call->n_words = recipe->n_words;
	call->outcome = WIRE_IN_FLIGHT;
	call->depth = depth;
	call->flags = 0;
	call->valid = 0xffff;
	call->probe = probe;
	call->pid = task->tgid;
	call->tid = task->pid;
	call->ret = 0;
	call->cgroup_id = task->cgroups->dfl_cgrp->kn->id; /* what the helper returns, without the call */
	call->parent_probe = 0;
	call->parent_start_ns = 0;
	if (depth) {
		struct wire_call *parent = &thread->frames[(depth - 1) & (WIRE_MAX_DEPTH - 1)].record.call;

		call->parent_probe = parent->probe;
		call->parent_start_ns = parent->start_ns;
	}
	if (recipe->n_words)
		take_words(ctx, recipe, &frame->record, sp);
	thread->depth = depth + 1;
	call->start_ns = off_at(thread, frame->off); /* last: our own work is not the call's */
	return depth + 1;
}

/* Not of a program that takes stacks of threads outside calls: leave_call() takes those of calls. */
#ifndef OF_A_RUNNING_THREAD
/* The answer to who asked for a function's name, which the callee has just written: its page is present. */
static __noinline int name_answered(struct wire_recipe *recipe, struct wire_call_record *record, __u64 ret)
{
	__u32 asked = (recipe->asked_word - 1) & 15;
	__u32 answer = (recipe->answer_word - 1) & 15;
	struct wire_name *name;
	long length;

	if (ret || asked >= WIRE_MAX_WORDS || answer >= WIRE_MAX_WORDS)
		return 0;
	if ((__u32)record->tail[asked] != recipe->name_asked || !record->tail[answer])
		return 0; /* something else; or only how long the name is */
	name = bpf_ringbuf_reserve(&events, sizeof(*name), 0);
	if (!name) {
		count_loss(WIRE_LOSS_NAME_RING_FULL);
		return 0;
	}
	length = bpf_probe_read_user_str(name->name, sizeof(name->name), (void *)record->tail[answer]);
	if (length < 0) {
		count_loss(WIRE_LOSS_NAME_UNREADABLE);
		bpf_ringbuf_discard(name, BPF_RB_NO_WAKEUP);
		return 0;
	}
	name->type = WIRE_NAME;
	name->length = length;
	name->probe = record->call.probe;
	name->pid = record->call.pid;
	name->tid = record->call.tid;
	name->start_ns = record->call.start_ns;
	name->address = record->tail[answer];
	bpf_ringbuf_submit(name, BPF_RB_NO_WAKEUP);
	return 0;
}

/* A call ends; its frame is number `depth`, known to be its own. */
static __always_inline void leave_call(
    struct pt_regs *ctx, struct wire_thread *thread, __u32 depth, const __u64 *off, __u64 end_ns)
{
	struct wire_frame *frame = &thread->frames[depth & (WIRE_MAX_DEPTH - 1)];
	__u64 ret = RETURN_VALUE(ctx);
	__u8 stack_flag = 0;

	if (thread->depth > depth + 1)
		close_frames(thread, depth + 1, WIRE_UNWOUND); /* (F3) */
	thread->depth = depth;
	if (frame->n_return_peeks) {
		struct wire_recipe *recipe = bpf_map_lookup_elem(&recipes, &frame->record.call.probe);

		if (!recipe) {
			count_loss(WIRE_LOSS_NO_RECIPE);
			return;
		}
		if (recipe->result_word) {
			__u32 word = recipe->result_word - 1;

			if (word < WIRE_MAX_WORDS)
				frame->record.tail[word] = ret;
		}
		follow(recipe, &frame->record, 1);
		if (recipe->asked_word)
			name_answered(recipe, &frame->record, (__u32)ret);
	}
	if (stack_mode) {
		__u32 weight = 1;
		__u32 reason = stack_reason(ctx, &frame->record.call, end_ns, ret, &weight);

		if (reason != WIRE_STACK_NOT && take_stack((CONTEXT *)ctx, &frame->record.call, reason, weight))
			stack_flag = WIRE_CALL_HAS_STACK;
	}
	emit_call(thread, frame, off, end_ns, ret, WIRE_RETURNED, stack_flag);
}
#endif

static __noinline void forget_stray(__u32 tid)
{
	const __u32 only = 0;
	__u64 *count = bpf_map_lookup_elem(&stray_count, &only);

	if (count && !bpf_map_delete_elem(&stray_threads, &tid))
		__sync_fetch_and_sub(count, 1);
}

#define ANY_PROBE 0xffffffff

/* The frame of the call that returns, the top one first; its number plus one, or 0. */
static __always_inline __u32 frame_at(struct wire_thread *thread, __u64 sp, __u32 probe)
{
	__u32 depth = thread->depth;

	for (int i = 0; i < WIRE_MAX_DEPTH; i++) {
		struct wire_frame *frame;

		if (!depth)
			break;
		frame = &thread->frames[(depth - 1) & (WIRE_MAX_DEPTH - 1)];
		if (frame->sp == sp && (probe == ANY_PROBE || frame->record.call.probe == probe))
			return depth;
		depth--;
	}
	return 0;
}

#ifndef OF_A_RUNNING_THREAD
/* A return: its stack pointer names the frame. Frames of a tail call share a stack pointer and return newest first.
 * Where returns of calls without a frame come too, `probe` keeps them from a neighbour's. */
static __always_inline void return_at(struct pt_regs *ctx, struct task_struct *task, __u32 probe, __u64 end_ns)
{
	struct wire_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);
	__u64 sp = USER_SP(ctx) - RETURN_POPS(ctx);
	__u64 off[WIRE_OFF_KINDS];
	bool is_stray = false;
	__u32 depth = thread ? frame_at(thread, sp, probe) : 0;

	if (!depth) {
		struct wire_thread *stray = stray_thread(task->pid, false);

		if (stray) {
			is_stray = true;
			thread = stray;
			depth = frame_at(thread, sp, probe);
		}
	}
	if (!thread)
		return; /* a process that is not traced, or a call entered before the attach: not ours to count */
	if (!depth) {
		if (!has_ended(probe))
			count_loss(WIRE_LOSS_UNPAIRED_RETURN);
		return;
	}
#pragma unroll
	for (int i = 0; i < WIRE_OFF_KINDS; i++)
		off[i] = thread->off[i];
	if (thread->in_ns > end_ns) /* (P4) switched out since */
		end_ns = off_at(thread, off);
	leave_call(ctx, thread, depth - 1, off, end_ns);
	if (is_stray && depth == 1)
		forget_stray(task->pid);
}
#endif

#endif
