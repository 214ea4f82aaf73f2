/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * The Python frames of the current thread at this instant: read from CPython's own structures, at the addresses that
 * user space found (python_processes). Nothing is called in the process, and nothing is read later, when the thread has
 * run on.
 *
 * (1) The thread's state is the one with this thread's id, or whose C frame is on this thread's stack. A thread
 * without the GIL has no "current" state, and most calls of interest are made without it.
 *
 * (2) A state found before is trusted only while it is still in its interpreter's list: a state that was freed and not
 * yet overwritten looks like a live one. A walk of the list starts again if a state does not point back to the one
 * before it: other threads start and end in the meantime, and the free list leads elsewhere.
 *
 * (3) A code object is identified by its address and a hash of its contents: addresses are reused, and a stack must
 * never be given the name of the object that is there now.
 *
 * (4) The contents of a code object are copied once, at the same instant, in a separate record; it counts as sent only
 * when the record is in the ring and complete.
 *
 * Buffers are in task storage: these programs can be preempted, so a buffer per CPU would be shared with the program
 * that preempts them.
 *
 * Where OF_A_WAITING_THREAD is defined (waiting.bpf.c), "the current thread" is another one, which waits: `reader` is
 * then that thread, and is passed to the global functions, which the verifier checks separately.
 */
#ifndef INGERO_BPF_PYTHON_BPF_H
#define INGERO_BPF_PYTHON_BPF_H

#include "maps.bpf.h"

#ifdef OF_A_WAITING_THREAD
#define READER_PARAMETER struct task_struct *reader __arg_trusted,
#define READER_ARGUMENT reader,
#define READER
#define THREAD_READ reader
#include "memory.bpf.h"
/* Only what cannot keep the thread's process waiting. */
#define read_user(to, size, from)                                                                                      \
	(may_wait_for(reader, (__u64)(from), size) ? bpf_copy_from_user_task(to, size, from, reader, 0) : -1)
#else
#define READER_PARAMETER
#define READER_ARGUMENT
#define READER struct task_struct *const reader = NULL
#define THREAD_READ ((struct task_struct *)bpf_get_current_task_btf())
#define read_user(to, size, from) bpf_probe_read_user(to, size, from)
#endif

/* thread states examined when a thread is seen for the first time; new ones are at the front */
#define PYTHON_STATES 512
/* times a walk of the states begins again */
#define PYTHON_RESTARTS 8
/* frames of a stack, and the C function's own between them */
#define PYTHON_STEPS (2 * WIRE_STACK_PYTHON + 2)
#define PYTHON_TAGS 7ull      /* 3.14: low bits of a reference */
#define PYTHON_BOUND (1 << 3) /* 3.13: of a thread state's status */
#define PYTHON_TABLE_LOOK 64  /* bytes of a line table, from its length on, that go into the identity */
#define PYTHON_HASH 0x9e3779b97f4a7c15ull

#define PYTHON_FRAMES 2048 /* bytes read at once where frames are adjacent */

struct python_thread {
	__u64 state; /* this thread's; 0: not found yet */
	__u64 first_interpreter;
	__u64 main_interpreter; /* BY_FRAME */
	__u64 at;		/* the next frame, or the next state while looking for this thread's */
	__u64 at_interpreter;
	__u64 came_from; /* the state that led to `at`; 0: the interpreter */
	__u64 identity;	 /* of this thread, as its state has it */
	__u64 nearest;
	__u64 sp;	       /* the thread's stack, */
	__u64 stack_room;      /* as far as it is known */
	__u32 one_interpreter; /* there was no other when the state was found */
	__u32 looked_at;
	__u32 doubtful; /* another's state may be running here */
	__u32 restarts;
	__u64 table[PYTHON_TABLE_LOOK / 8];
	__u64 frames_at;    /* where `frames` was read, */
	__u64 frames_reach; /* and up to which frame */
	__u8 state_window[WIRE_PYTHON_WINDOW];
	__u8 window[WIRE_PYTHON_WINDOW];		 /* of a code object */
	__u8 frames[PYTHON_FRAMES + WIRE_PYTHON_WINDOW]; /* a frame, and those below it */
};

struct python_code_key {
	__u64 code;
	__u32 pid;
	__u32 generation;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct python_thread);
} python_threads SEC(".maps");

/* identity of the code object sent last, by address */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 32768);
	__type(key, struct python_code_key);
	__type(value, __u64);
} python_codes SEC(".maps");

static __always_inline __u64 word_in(const __u8 *window, __u32 offset)
{
	return *(const __u64 *)(window + (offset & (WIRE_PYTHON_WINDOW - 8)));
}

static __always_inline __u32 half_in(const __u8 *window, __u32 offset)
{
	return *(const __u32 *)(window + (offset & (WIRE_PYTHON_WINDOW - 4)));
}

static __always_inline __u8 byte_in(const __u8 *window, __u32 offset)
{
	return window[offset & (WIRE_PYTHON_WINDOW - 1)];
}

static __always_inline long read_window(struct task_struct *reader, __u8 *window, __u32 bytes, __u64 address)
{
	return read_user(window, bytes & (WIRE_PYTHON_WINDOW - 1), (void *)address);
}

/* 0 where nothing can be read */
static __always_inline __u64 user_word(struct task_struct *reader, __u64 address)
{
	__u64 word = 0;

	read_user(&word, sizeof(word), (void *)address);
	return word;
}

/* The thread's stack pointer as the process has it. */
static __always_inline __u64 user_sp(struct task_struct *task)
{
	struct pt_regs *registers = (void *)bpf_task_pt_regs(task);
	__u64 sp = 0;

#if defined(__TARGET_ARCH_arm64)
	bpf_probe_read_kernel(&sp, sizeof(sp), &registers->user_regs.sp);
#else
	bpf_probe_read_kernel(&sp, sizeof(sp), &registers->sp);
#endif
	return sp;
}

/* The thread's id as its own system calls return it. */
static __always_inline __u64 own_number(struct task_struct *task)
{
	/* an address and not a pointer, for the verifier: before 6.2 it lets nothing unbounded be added to one */
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);
	void *numbers = (void *)pid + bpf_core_field_offset(pid->numbers);
	__u32 number = 0;

	bpf_probe_read_kernel(&number, sizeof(number),
	    numbers + level * bpf_core_type_size(struct upid) + bpf_core_field_offset(((struct upid *)0)->nr));
	return number;
}

static __always_inline bool is_bound(const struct wire_python_layout *layout, const __u8 *state)
{
	return half_in(state, layout->thread_status) & PYTHON_BOUND;
}

/* (2) */
static __always_inline bool still_there(
    struct task_struct *reader, const struct wire_python_layout *layout, struct python_thread *thread)
{
	const __u8 *window = thread->state_window;
	__u64 previous;
	__u64 link;

	if (!thread->state || read_window(reader, thread->state_window, layout->thread_bytes, thread->state) ||
	    word_in(window, layout->thread_id) != thread->identity)
		return false;
	previous = word_in(window, layout->thread_previous);
	link = previous ? previous + layout->thread_next
			: word_in(window, layout->thread_interpreter) + layout->interpreter_threads;
	if (user_word(reader, link) != thread->state)
		return false;
	if (layout->running == WIRE_PYTHON_BY_STATUS)
		return is_bound(layout, window);
	/* a new interpreter is put in front of the others */
	return thread->one_interpreter && user_word(reader, layout->interpreters) == thread->first_interpreter;
}

/* How unlikely it is that a state with this thread's id is the one that runs here; ~0: it is another thread's. */
static __always_inline __u64 remoteness(const struct wire_python_layout *layout, struct python_thread *thread)
{
	const __u8 *window = thread->state_window;
	bool own = word_in(window, layout->thread_id) == thread->identity;
	__u64 depth;

	switch (layout->running) {
	case WIRE_PYTHON_BY_STATUS:
		if (!own)
			return ~0ull;
		return is_bound(layout, window) ? 0 : 1 + thread->looked_at;
	case WIRE_PYTHON_BY_CFRAME:
		/* Whatever thread it names: another interpreter's state may have been created by another thread. */
		depth = word_in(window, layout->thread_cframe) - thread->sp;
		if (depth < thread->stack_room)
			return depth;
		return own ? STACK_REACH + thread->looked_at : ~0ull;
	default:
		/* With more than one interpreter, nothing says which thread runs which. */
		if (thread->at_interpreter != thread->main_interpreter && word_in(window, layout->thread_frame))
			thread->doubtful = 1;
		if (!own)
			return ~0ull;
		return word_in(window, layout->thread_frame) ? thread->looked_at : STACK_REACH + thread->looked_at;
	}
}

/* tests: a place to wait in, so that a race is won by the others */
#ifndef PYTHON_BETWEEN_STATES
#define PYTHON_BETWEEN_STATES()
#endif

/* To the first state of an interpreter. */
static __always_inline void enter_interpreter(struct task_struct *reader, const struct wire_python_layout *layout,
    struct python_thread *thread, __u64 interpreter)
{
	thread->at_interpreter = interpreter;
	thread->at = user_word(reader, interpreter + layout->interpreter_threads);
	thread->came_from = 0;
}

/* Starts at the first thread state. False: no interpreter exists. */
static __always_inline bool begin_looking(
    struct task_struct *reader, const struct wire_python_layout *layout, struct python_thread *thread)
{
	thread->doubtful = 0;
	thread->state = 0;
	thread->nearest = ~0ull;
	thread->looked_at = 0;
	thread->one_interpreter = 1;
	thread->first_interpreter = user_word(reader, layout->interpreters);
	if (!thread->first_interpreter)
		return false;
	enter_interpreter(reader, layout, thread, thread->first_interpreter);
	return true;
}

/* Examines the state at thread->at, or moves to the next interpreter. 1: none is left, -1: it cannot be
 * read. Not static, so that the verifier checks it once and not once for each turn of a loop. */
__noinline int look_at_state(READER_PARAMETER const struct wire_python_layout *layout, struct python_thread *thread)
{
	READER;
	const __u8 *window;
	__u64 distance;

	if (!layout || !thread)
		return 1;
	window = thread->state_window;
	if (!thread->at) {
		__u64 next = user_word(reader, thread->at_interpreter + layout->interpreter_next);

		if (!next)
			return 1;
		thread->one_interpreter = 0;
		enter_interpreter(reader, layout, thread, next);
		return 0;
	}
	PYTHON_BETWEEN_STATES();
	if (read_window(reader, thread->state_window, layout->thread_bytes, thread->at) ||
	    word_in(window, layout->thread_previous) != thread->came_from ||
	    word_in(window, layout->thread_interpreter) != thread->at_interpreter) {
		if (++thread->restarts > PYTHON_RESTARTS)
			return -1;
		return begin_looking(reader, layout, thread) ? 0 : -1;
	}
	distance = remoteness(layout, thread);
	if (distance < thread->nearest) {
		thread->nearest = distance;
		thread->state = thread->at;
	}
	thread->looked_at++;
	thread->came_from = thread->at;
	thread->at = word_in(window, layout->thread_next);
	return 0;
}

/* (1) Leaves the state in state_window. 1: found, 0: the thread has none, -1: not all could be read. */
static __always_inline int find_state(struct task_struct *reader, struct task_struct *task,
    const struct wire_python_layout *layout, struct python_thread *thread)
{
	int end = 0;

	thread->sp = user_sp(task);
	thread->stack_room = stack_room(task, thread->sp);
	thread->restarts = 0;
	if (layout->running == WIRE_PYTHON_BY_FRAME)
		thread->main_interpreter = user_word(reader, layout->interpreters + 8);
	if (!begin_looking(reader, layout, thread))
		return 0;
	for (int i = 0; i < PYTHON_STATES; i++) {
		end = look_at_state(READER_ARGUMENT layout, thread);
		if (end)
			break;
	}
	if (thread->doubtful)
		return -1;
	if (!thread->state)
		return end == 1 ? 0 : -1;
	if (read_window(reader, thread->state_window, layout->thread_bytes, thread->state)) {
		thread->state = 0;
		return -1;
	}
	return 1;
}

/* (3) The contents of a code object, as read into the window. */
static __always_inline __u64 identify(
    struct task_struct *reader, const struct wire_python_layout *layout, struct python_thread *thread)
{
	const __u8 *window = thread->window;
	__u64 hash = layout->generation + 1;
	__u32 offset = layout->code_start;

	for (int i = 0; i < WIRE_PYTHON_WINDOW / 8; i++) {
		__u64 word;

		if (offset + 8 > layout->code_bytes)
			break;
		word = word_in(window, offset);
		if (layout->code_changing && offset == layout->code_changing)
			word &= 0xffffffff;
		hash = (hash ^ word) * PYTHON_HASH;
		hash ^= hash >> 32;
		offset += 8;
	}
	if (!(layout->flags & WIRE_PYTHON_VERSIONED)) {
		__u64 table = word_in(window, layout->code_table) + layout->bytes_size;
		__u64 size;

		/* a short one at the end of a mapping: its length then (bytes that could not be read are zero) */
		if (read_user(thread->table, sizeof(thread->table), (void *)table))
			thread->table[0] = user_word(reader, table);
		size = thread->table[0];
		hash = (hash ^ size) * PYTHON_HASH;
		/* Its own bytes only: those after it belong to other objects, and change. */
#pragma unroll
		for (int i = 0; i < PYTHON_TABLE_LOOK / 8 - 2; i++) {
			if (size <= i * 8)
				continue;
			hash = (hash ^ thread->table[2 + i]) * PYTHON_HASH;
			hash ^= hash >> 32;
		}
	}
	return hash;
}

/* One string: the bytes kept, its width, and what to flag. `most` is a power of two. */
static __always_inline __u32 emit_text(struct task_struct *reader, const struct wire_python_layout *layout, __u64 text,
    char *to, __u32 most, __u16 *bytes, __u8 *width, bool keep_end)
{
	__u64 length = user_word(reader, text + layout->text_length);
	__u32 state = 0;
	__u64 size;
	__u64 from;
	__u32 kind;
	__u32 kept;
	__u32 cut = 0;

	*bytes = 0;
	*width = 0;
	if (read_user(&state, sizeof(state), (void *)(text + layout->text_state)))
		return 2;
	state >>= layout->text_kind_shift & 31;
	kind = state & 7;
	if (!(state & 8) || (kind != 1 && kind != 2 && kind != 4) || length > 1 << 28)
		return 2; /* not compact: its characters are elsewhere; CPython makes none for code */
	size = length * kind;
	from = text + (state & 16 ? layout->text_ascii_data : layout->text_data);
	if (size > most) {
		if (keep_end)
			from += size - most;
		size = most;
		cut = 1;
	}
	kept = size;
	barrier_var(kept); /* or clang leaves the second test out, by which the verifier knows the bound (6.1) */
	if (kept > most)
		kept = most;
	if (read_user(to, kept, (void *)from))
		return 2;
	*bytes = kept;
	*width = kind;
	return cut;
}

static __always_inline void emit_table(struct task_struct *reader, const struct wire_python_layout *layout,
    struct wire_code *record, __u64 table, __u8 *to, __u64 size, __u32 most)
{
	__u32 kept = size > most ? most : size;

	record->table_bytes = size;
	record->table_kept = 0;
	barrier_var(kept); /* as in tell_text() */
	if (kept > most)
		kept = most;
	if (read_user(to, kept, (void *)(table + layout->bytes_data))) {
		record->flags |= WIRE_CODE_TABLE_UNREADABLE;
		return;
	}
	record->table_kept = kept;
	if (size > most)
		record->flags |= WIRE_CODE_TABLE_CUT;
}

#define EMIT_CODE(most)                                                                                                \
	do {                                                                                                           \
		record = bpf_ringbuf_reserve(&stacks, sizeof(*record) + (most), 0);                                    \
		if (!record)                                                                                           \
			goto full;                                                                                     \
		record->flags = 0;                                                                                     \
		emit_table(reader, layout, record, table, (__u8 *)(record + 1), size, most);                           \
	} while (0)

/* (4) Writes the record of the code object in the thread's window. A global function, so that the verifier checks it
 * once and not for each frame. */
__noinline int emit_code(READER_PARAMETER __u64 code, __u64 identity)
{
	READER;
	struct task_struct *task = THREAD_READ;
	__u32 pid = task->tgid;
	const struct wire_python_layout *layout = bpf_map_lookup_elem(&python_processes, &pid);
	struct python_thread *thread = bpf_task_storage_get(&python_threads, task, NULL, 0);
	struct python_code_key key = {.code = code, .pid = pid};
	struct wire_code *record;
	__u64 table;
	__u64 size;
	__u32 flags;
	__u32 result;

	if (!layout || !thread)
		return 0;
	key.generation = layout->generation;
	table = word_in(thread->window, layout->code_table);
	size = user_word(reader, table + layout->bytes_size);
	if (size > 1 << 28)
		size = 0;
	if (size <= WIRE_CODE_LEAST)
		EMIT_CODE(WIRE_CODE_LEAST);
	else
		EMIT_CODE(WIRE_CODE_MOST);
	flags = record->flags;
	record->type = WIRE_CODE;
	record->table_format = layout->table_format;
	record->pid = pid;
	record->generation = layout->generation;
	record->pad = 0;
	record->code = code;
	record->identity = identity;
	record->first_line = half_in(thread->window, layout->code_first_line);
	result = emit_text(reader, layout, word_in(thread->window, layout->code_file), record->file,
	    sizeof(record->file), &record->file_bytes, &record->file_width, true);
	if (result)
		flags |= result == 1 ? WIRE_CODE_FILE_CUT : WIRE_CODE_FILE_UNREADABLE;
	result = emit_text(reader, layout, word_in(thread->window, layout->code_name), record->name,
	    sizeof(record->name), &record->name_bytes, &record->name_width, false);
	if (result)
		flags |= result == 1 ? WIRE_CODE_NAME_CUT : WIRE_CODE_NAME_UNREADABLE;
	record->flags = flags;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	if (flags & WIRE_CODE_UNREADABLE)
		count_loss(WIRE_LOSS_PYTHON_UNREADABLE);
	else
		bpf_map_update_elem(&python_codes, &key, &identity, BPF_ANY);
	return 0;
full:
	count_loss(WIRE_LOSS_CODE_RING_FULL);
	return 0;
}

/* Where in its bytecode a frame is. */
static __always_inline __u32 executing_offset(const struct wire_python_layout *layout, const __u8 *window, __u64 code)
{
	__u64 offset;

	if (!layout->code_bytecode) {
		__s32 last = half_in(window, layout->frame_instruction);

		return last < 0 ? 0 : (__u32)last << (layout->instruction_shift & 7);
	}
	offset = word_in(window, layout->frame_instruction) - (code + layout->code_bytecode);
	return offset > 0x7fffffff ? 0 : offset; /* one before the first: not begun yet */
}

/* The frame at thread->at, from the previous read or a new one. From 3.11 on a function's frame follows its caller's in
 * memory, and a read costs per call, not per byte: so the part of the page below the frame is read along. */
static __always_inline const __u8 *frame_window(
    struct task_struct *reader, const struct wire_python_layout *layout, struct python_thread *thread)
{
	__u64 at = thread->at;
	__u64 behind = at - thread->frames_at;

	if (behind > thread->frames_reach) {
		behind = 0;
		if (layout->frame_owner) {
			behind = at & 4095;
			if (behind > PYTHON_FRAMES - WIRE_PYTHON_WINDOW)
				behind = PYTHON_FRAMES - WIRE_PYTHON_WINDOW;
		}
		thread->frames_at = at - behind;
		thread->frames_reach = behind;
		if (read_user(thread->frames, (behind + layout->frame_bytes) & (PYTHON_FRAMES - 1),
			(void *)thread->frames_at))
			return NULL;
	}
	return thread->frames + (behind & (PYTHON_FRAMES - 1));
}

#define PYTHON_GOES_ON -1

/* Takes the frame at thread->at and moves on to the one that called it. An enum wire_python_outcome at the end. Checked
 * once by the verifier, like emit_code(). */
__noinline int take_python_frame(
    READER_PARAMETER const struct wire_python_layout *layout, struct python_thread *thread, struct wire_stack *stack)
{
	READER;
	struct task_struct *task = THREAD_READ;
	struct python_code_key key = {.pid = task->tgid};
	struct wire_python_frame *frame;
	const __u8 *window;
	__u64 identity;
	__u64 *reported;
	__u32 offset;
	__u32 n;
	bool entry;
	__u8 owner;

	if (!layout || !thread || !stack)
		return WIRE_PYTHON_NONE;
	n = stack->n_python;
	if (!thread->at)
		return WIRE_PYTHON_WHOLE;
	window = frame_window(reader, layout, thread);
	if (!window)
		return WIRE_PYTHON_UNREADABLE;
	thread->at = word_in(window, layout->frame_previous);
	owner = byte_in(window, layout->frame_owner);
	if (layout->shims && owner >= layout->shims) {
		if (n && owner == layout->shims)
			stack->python[(n - 1) & (WIRE_STACK_PYTHON - 1)].place |= WIRE_PYTHON_ENTRY;
		return PYTHON_GOES_ON;
	}
	if (n >= WIRE_STACK_PYTHON)
		return WIRE_PYTHON_CUT;
	key.generation = layout->generation;
	key.code = word_in(window, layout->frame_code) & ~PYTHON_TAGS;
	offset = executing_offset(layout, window, key.code);
	entry =
	    layout->flags & WIRE_PYTHON_ALL_ENTRIES || (layout->frame_entry && byte_in(window, layout->frame_entry));
	if (read_window(reader, thread->window, layout->code_bytes, key.code))
		return WIRE_PYTHON_UNREADABLE;
	identity = identify(reader, layout, thread);
	reported = bpf_map_lookup_elem(&python_codes, &key);
	if (!reported || *reported != identity)
		emit_code(READER_ARGUMENT key.code, identity);
	frame = &stack->python[n & (WIRE_STACK_PYTHON - 1)];
	frame->code = key.code;
	frame->identity = identity;
	frame->place = (offset & WIRE_PYTHON_OFFSET) | (entry ? WIRE_PYTHON_ENTRY : 0);
	stack->n_python = n + 1;
	return PYTHON_GOES_ON;
}

/* The current thread's Python frames into `stack`: python, n_python and python_outcome. Not static, so that the
 * verifier checks it once and not at every place it is called from. Records of code objects go into the ring before it
 * returns, those of frames in `stack` that were not sent before. */
__noinline int walk_python(READER_PARAMETER struct wire_stack *stack)
{
	READER;
	struct task_struct *task = THREAD_READ;
	__u32 pid = task->tgid;
	const struct wire_python_layout *layout = bpf_map_lookup_elem(&python_processes, &pid);
	struct python_thread *thread;
	int outcome = PYTHON_GOES_ON;
	int found;

	if (!stack)
		return 0;
	stack->n_python = 0;
	stack->python_outcome = WIRE_PYTHON_NONE;
	if (!layout)
		return 0;
	thread = bpf_task_storage_get(&python_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!thread) {
		count_loss(WIRE_LOSS_PYTHON_UNREADABLE);
		stack->python_outcome = WIRE_PYTHON_UNREADABLE;
		return 0;
	}
	thread->identity = layout->flags & WIRE_PYTHON_NATIVE_ID ? own_number(task) : THREAD_POINTER(task);
	if (!still_there(reader, layout, thread)) {
		found = find_state(reader, task, layout, thread);
		if (found <= 0) {
			if (found < 0) {
				count_loss(WIRE_LOSS_PYTHON_UNREADABLE);
				stack->python_outcome = WIRE_PYTHON_UNREADABLE;
			}
			return 0;
		}
	}
	if (layout->flags & WIRE_PYTHON_CFRAME)
		thread->at =
		    user_word(reader, word_in(thread->state_window, layout->thread_cframe) + layout->cframe_frame);
	else
		thread->at = word_in(thread->state_window, layout->thread_frame);
	if (!thread->at)
		return 0;
	thread->frames_at = 0;
	thread->frames_reach = 0;
	for (int i = 0; i < PYTHON_STEPS; i++) {
		outcome = take_python_frame(READER_ARGUMENT layout, thread, stack);
		if (outcome != PYTHON_GOES_ON)
			break;
	}
	if (outcome == PYTHON_GOES_ON)
		outcome = WIRE_PYTHON_CUT;
	stack->python_outcome = outcome;
	if (outcome == WIRE_PYTHON_UNREADABLE)
		count_loss(WIRE_LOSS_PYTHON_UNREADABLE);
	if (outcome == WIRE_PYTHON_CUT)
		count_loss(WIRE_LOSS_PYTHON_CUT);
	return 0;
}

#endif
