/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Decides whether the stack of a call is worth keeping, and copies the top of it for user space to unwind. Done when
 * the call returns, because only then is it known whether it was slow or failed.
 *
 * Not unwound here: libraries are built without frame pointers, and unwinding needs tables that are in files. Copied is
 * what unwinding needs: the registers as after the return, the top of the stack, and the return addresses that the
 * kernel has replaced on the stack by its uretprobe trampoline.
 *
 * The cost is bounded twice: a call site gets at most STACKS_PER_SECOND, and more for slow calls, which would otherwise
 * be missed among many that synchronise or fail; and stacks have their own ring, so they never displace calls.
 */
#ifndef INGERO_BPF_STACK_BPF_H
#define INGERO_BPF_STACK_BPF_H

#include "python.bpf.h"
#include "thread.bpf.h"

/* enum wire_stack_mode */
const volatile __u32 stack_mode = WIRE_STACKS_OFF;
/* one of this number of ordinary calls of a call site; a power of two */
const volatile __u32 stack_every = 64;
/* a call is slow when it took this long; or longer than stack_slow_ns, and SLOW_TIMES what its call site usually takes
 */
const volatile __u64 stack_long_ns = 1000000;
const volatile __u64 stack_slow_ns = 100000;
#define SLOW_TIMES 3
#define STACKS_PER_SECOND 256
#define SLOW_STACKS_PER_SECOND 1024 /* more than one thread can make that take stack_long_ns */
#define ABOUT_A_SECOND 30	    /* bits of a nanosecond clock */
#define STACK_BACKLOG (512 << 10)

#if defined(__TARGET_ARCH_arm64)
#define USER_SP(ctx) ((ctx)->user_regs.sp)
#define USER_IP(ctx) ((ctx)->user_regs.pc)
#else
#define USER_SP(ctx) ((ctx)->sp)
#define USER_IP(ctx) ((ctx)->ip)
#endif

/* A call site: (probe, caller, process), by its hash. Two that hash to one entry share it; an entry that was not used
 * for a second is given to the next call site that needs it. */
struct stack_place {
	__u64 key;
	__u64 average_ns; /* of the durations, the newest weighing an eighth */
	__u64 second;	  /* of its last call */
	__u32 calls;
	__u32 taken;	   /* stacks in this second, without sampled ones */
	__u32 represented; /* of `calls`: those with a stack of their own, and those that a sampled one stands for */
};

#define STACK_PLACES 8192

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STACK_PLACES);
	__type(key, __u32);
	__type(value, struct stack_place);
} stack_places SEC(".maps");

/* Of the first calls of a call site more are taken: few come from most. */
#define FIRST_TAKEN 4
#define FIRST_EVERY 8

/* One of each `stack_every` calls, but not always the same of them: a program whose calls come from two places in turns
 * would show only one of the two. */
static __always_inline bool is_sampled(__u32 number)
{
	__u32 every = number < stack_every ? FIRST_EVERY : stack_every;

	return number < FIRST_TAKEN || (number & (every - 1)) == ((number & -every) * 0x9e3779b1u >> 16 & (every - 1));
}

static __always_inline bool has_failed(const struct wire_recipe *recipe, __u64 ret)
{
	__s32 status = ret;

	if (recipe->stack_when & WIRE_STACK_WHEN_NONZERO)
		return status && status != recipe->not_failures[0] && status != recipe->not_failures[1];
	return (recipe->stack_when & WIRE_STACK_WHEN_NULL) && !ret;
}

/* Is the stack of the call that returns now worth keeping, and how many calls of its call site does it stand for? Races
 * between CPUs blur an average and a weight, nothing more. */
static __always_inline __u32 stack_reason(
    struct pt_regs *ctx, const struct wire_call *call, __u64 end_ns, __u64 ret, __u32 *weight)
{
	__u32 probe = call->probe;
	struct wire_recipe *recipe = bpf_map_lookup_elem(&recipes, &probe);
	__u64 key = (USER_IP(ctx) ^ (__u64)call->pid << 32 ^ probe) * 0x9e3779b97f4a7c15ull;
	__u64 duration = end_ns - call->start_ns;
	__u64 second = end_ns >> ABOUT_A_SECOND;
	__u32 reason = WIRE_STACK_NOT;
	__u32 index = key >> 51; /* 13 bits: STACK_PLACES */
	struct stack_place *place = bpf_map_lookup_elem(&stack_places, &index);
	__u32 number;
	bool is_slow;

	if (!place || !recipe)
		return WIRE_STACK_NOT;
	if (stack_mode == WIRE_STACKS_ALL)
		return WIRE_STACK_EVERY;
	if (place->second != second) {
		place->second = second;
		place->taken = 0;
		if (place->key != key) {
			place->key = key;
			place->calls = 0;
			place->represented = 0;
			place->average_ns = duration;
		}
	}
	is_slow = duration > stack_slow_ns && (duration >= stack_long_ns || duration > SLOW_TIMES * place->average_ns);
	if (recipe->stack_when & WIRE_STACK_WHEN_DONE)
		reason = WIRE_STACK_SYNC;
	else if (has_failed(recipe, ret))
		reason = WIRE_STACK_FAILED;
	else if (is_slow)
		reason = WIRE_STACK_SLOW;
	place->average_ns += ((__s64)(duration - place->average_ns)) >> 3;
	number = place->calls++;
	if (reason != WIRE_STACK_NOT) {
		if (place->taken < (is_slow ? SLOW_STACKS_PER_SECOND : STACKS_PER_SECOND)) {
			place->taken++;
			place->represented++;
			return reason;
		}
		count_loss(WIRE_LOSS_STACK_SKIPPED);
	}
	if ((recipe->stack_when & WIRE_STACK_NOT_SAMPLED) || !is_sampled(number))
		return WIRE_STACK_NOT;
	*weight = number + 1 - place->represented;
	place->represented = number + 1;
	return WIRE_STACK_SAMPLED;
}

static __always_inline void keep_registers(struct pt_regs *ctx, struct wire_stack *stack)
{
	__u64 *to = stack->registers;

#if defined(__TARGET_ARCH_arm64)
	to[WIRE_STACK_IP] = ctx->user_regs.pc;
	to[WIRE_STACK_SP] = ctx->user_regs.sp;
	to[WIRE_STACK_BP] = ctx->user_regs.regs[29];
#pragma unroll
	for (int i = 0; i < 10; i++)
		to[WIRE_STACK_SAVED + i] = ctx->user_regs.regs[19 + i];
	to[WIRE_STACK_LINK] = ctx->user_regs.regs[30];
#else
	to[WIRE_STACK_IP] = ctx->ip;
	to[WIRE_STACK_SP] = ctx->sp;
	to[WIRE_STACK_BP] = ctx->bp;
	to[WIRE_STACK_SAVED + 0] = ctx->bx;
	to[WIRE_STACK_SAVED + 1] = ctx->r12;
	to[WIRE_STACK_SAVED + 2] = ctx->r13;
	to[WIRE_STACK_SAVED + 3] = ctx->r14;
	to[WIRE_STACK_SAVED + 4] = ctx->r15;
#pragma unroll
	for (int i = 5; i < WIRE_STACK_REGISTERS - WIRE_STACK_SAVED; i++)
		to[WIRE_STACK_SAVED + i] = 0;
#endif
}

/* The return addresses of the enclosing calls, which return through the trampoline as well. Global, so that the
 * verifier looks at it once. */
__noinline int keep_returns(READER_PARAMETER struct wire_stack *stack, __u64 sp)
{
	struct task_struct *task = THREAD_READ;
	struct return_instance *instance;
	__u32 n = 0;

	if (!stack)
		return 0;
	instance = task->utask ? task->utask->return_instances : NULL;
	for (int i = 0; i < 2 * WIRE_STACK_RETURNS; i++) {
		if (!instance || n >= WIRE_STACK_RETURNS)
			break;
		if (instance->stack >= sp) {
			stack->returns[n & (WIRE_STACK_RETURNS - 1)].sp = instance->stack;
			stack->returns[n & (WIRE_STACK_RETURNS - 1)].address = instance->orig_ret_vaddr;
			n++;
		}
		instance = instance->next;
	}
	stack->n_returns = n;
	return 0;
}

/* The copy of the stack starts this far below the stack pointer, because in the middle of a function that may still be
 * needed: at gcc's `ret` the tables say that the frame pointer is in a slot that has just been popped. */
#if !defined(__TARGET_ARCH_arm64) && (defined(OF_A_WAITING_THREAD) || defined(OF_A_RUNNING_THREAD))
#define BELOW_SP WIRE_STACK_RED_ZONE
#else
#define BELOW_SP 0
#endif

/* How long a thread has run, in ns. The same value before and after a read means that it did not run in between, so the
 * read is consistent; a thread that runs now gives a new value each time. Not needed for the current thread. */
#ifdef OF_A_WAITING_THREAD
#define RAN(task) (BPF_CORE_READ(task, on_cpu) ? bpf_ktime_get_ns() : BPF_CORE_READ(task, se.sum_exec_runtime))
#else
#define RAN(task) 0
#endif

/* 1 where a read failed. No branch: each would double what the verifier looks at. */
#define HOLE(result) ((__u32)((__u64)(__s64)(result) >> 63))

/* Reads up to `size` bytes; how many there are in the end. Which pages of them could not be read is in `holes`. */
#ifdef OF_A_WAITING_THREAD
/* Pages that are not there are brought in; beyond its mapping a stack does not go on. */
static __always_inline __u32 read_parts(struct task_struct *reader, __u8 *to, __u64 from, __u32 size, __u32 *holes)
{
	__u64 end = may_wait_until(reader, from);
	__u32 want = end > from && end - from < size ? end - from : size;

	barrier_var(want);
	if (want > size) /* for the verifier */
		want = size;
	return end <= from || bpf_copy_from_user_task(to, want, (void *)from, reader, 0) ? 0 : want;
}
#else
/* By pages, what cannot be read in one piece: those of a large array that is not used yet are not there, a page may be
 * swapped out, and a stack that the program made itself may end before the copy does. Unrolled: a loop over the pages
 * was too much for the verifier of Linux 6.1. */
static __always_inline __u32 read_parts(struct task_struct *reader, __u8 *to, __u64 from, __u32 size, __u32 *holes)
{
	__u32 first = (~from & (WIRE_STACK_PAGE - 1)) + 1; /* bytes up to the next page */
	__u32 missing = 2;

	barrier_var(first);
	if (size < WIRE_STACK_PAGE) {
		if (first > size)
			first = size;
	} else {
		/* the last bytes, across the end of a page; those before it are read again with the page before */
		missing = HOLE(read_user(
			      to + (size - WIRE_STACK_PAGE), WIRE_STACK_PAGE, (void *)(from + size - WIRE_STACK_PAGE)))
			  << (size / WIRE_STACK_PAGE);
#pragma unroll
		for (__u32 page = 1; page < WIRE_STACK_MOST / WIRE_STACK_PAGE; page++) {
			__u32 offset = first + (page - 1) * WIRE_STACK_PAGE;

			if (page < size / WIRE_STACK_PAGE)
				missing |= HOLE(read_user(to + offset, WIRE_STACK_PAGE, (void *)(from + offset)))
					   << page;
		}
	}
	*holes = missing | HOLE(read_user(to, first, (void *)from));
	return size;
}
#endif

/* `room` bytes of stack, or, where that is 0, as many as the record has room for: `size`. 1: some are missing. */
static __always_inline int read_stack(
    struct task_struct *reader, struct wire_stack *stack, __u8 *to, __u64 from, __u64 room, __u32 size)
{
	__u32 want = room && room < size ? room : size;
	__u32 pages = ((from & (WIRE_STACK_PAGE - 1)) + want - 1) / WIRE_STACK_PAGE + 1;
	__u32 holes = 0;
	__u32 bytes;

	barrier_var(want);
	if (want > size) /* for the verifier */
		want = size;
	bytes = want;
	if (read_user(to, want, (void *)from)) {
		__u32 all = (1u << (pages & 31)) - 1;

		bytes = read_parts(reader, to, from, size, &holes);
		holes &= all;
		if (bytes > want)
			bytes = want;
		if (holes == all)
			bytes = 0;
	}
	stack->holes = holes;
	stack->bytes = bytes;
	return holes || bytes < want || room > size;
}

/* Global functions, which the verifier looks at once and not for each way to them. */
#define READ_STACK(SIZE)                                                                                               \
	struct stack_of_##SIZE {                                                                                       \
		struct wire_stack head;                                                                                \
		__u8 bytes[SIZE];                                                                                      \
	};                                                                                                             \
	__noinline int read_##SIZE(READER_PARAMETER struct stack_of_##SIZE *stack, __u64 from, __u64 room)             \
	{                                                                                                              \
		READER;                                                                                                \
		return stack ? read_stack(reader, &stack->head, stack->bytes, from, room, SIZE) : 0;                   \
	}
READ_STACK(WIRE_STACK_LEAST)
READ_STACK(WIRE_STACK_SOME)
READ_STACK(WIRE_STACK_MORE)
READ_STACK(WIRE_STACK_MOST)

/* Fills a record but for what is read of the thread's memory. */
static __always_inline void fill_head(
    struct pt_regs *ctx, struct wire_stack *stack, const struct wire_call *call, __u32 reason, __u32 weight)
{
	stack->type = WIRE_STACK;
	stack->reason = reason;
	stack->below = BELOW_SP;
	stack->probe = call->probe;
	stack->pid = call->pid;
	stack->tid = call->tid;
	stack->pad = 0;
	stack->weight = weight;
	stack->start_ns = call->start_ns;
	stack->ns = bpf_ktime_get_ns();
	keep_registers(ctx, stack);
}

/* With a record that has room for SIZE bytes of stack. */
#define TAKE(SIZE)                                                                                                     \
	do {                                                                                                           \
		stack = bpf_ringbuf_reserve(&stacks, sizeof(*stack) + SIZE, 0);                                        \
		if (!stack)                                                                                            \
			goto full;                                                                                     \
		ran = RAN(task);                                                                                       \
		fill_head(ctx, stack, call, reason, weight);                                                           \
		keep_returns(READER_ARGUMENT stack, USER_SP(ctx));                                                     \
		walk_python(READER_ARGUMENT stack);                                                                    \
		is_cut = read_##SIZE(READER_ARGUMENT(void *) stack, from, room);                                       \
		if (RAN(task) != ran) {                                                                                \
			bpf_ringbuf_discard(stack, 0);                                                                 \
			return 0;                                                                                      \
		}                                                                                                      \
		submit(stack, is_cut);                                                                                 \
		return 1;                                                                                              \
	} while (0)

static __always_inline void submit(struct wire_stack *stack, int is_cut)
{
	if (is_cut)
		count_loss(WIRE_LOSS_STACK_CUT);
	bpf_ringbuf_submit(stack,
	    bpf_ringbuf_query(&stacks, BPF_RB_AVAIL_DATA) > STACK_BACKLOG ? BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP);
}

/* The stack as `ctx` has it. 1: it is in the ring. */
static __always_inline int take_stack_of(
    struct task_struct *reader, struct pt_regs *ctx, const struct wire_call *call, __u32 reason, __u32 weight)
{
	struct task_struct *task = THREAD_READ;
	__u64 from = USER_SP(ctx) - BELOW_SP;
	__u64 room = stack_room(task, from);
	struct wire_stack *stack;
	int is_cut;
	__u64 ran;

	if (room && room <= WIRE_STACK_LEAST)
		TAKE(WIRE_STACK_LEAST);
	else if (room && room <= WIRE_STACK_SOME)
		TAKE(WIRE_STACK_SOME);
	else if (room <= WIRE_STACK_MORE)
		TAKE(WIRE_STACK_MORE);
	else
		TAKE(WIRE_STACK_MOST);
full:
	count_loss(WIRE_LOSS_STACK_RING_FULL);
	return 0;
}

#if defined(OF_A_WAITING_THREAD) || defined(OF_A_RUNNING_THREAD)
/* The stack of a thread in calls that have not returned, as it was when the thread entered the kernel. Recorded for the
 * outermost call: the calls nested in it are on the same stack. */
static __always_inline void take_stack_of_open_call(struct task_struct *task)
{
	struct wire_thread *thread = state_of(task);
	struct wire_call call;

	if (!thread || !thread->depth)
		return;
	__builtin_memcpy(&call, &thread->frames[0].record.call, sizeof(call));
	call.probe = WIRE_NO_PROBE;
	take_stack_of(task, (void *)bpf_task_pt_regs(task), &call, WIRE_STACK_WAITING, 1);
}
#else
/* As the caller of the returning call has it. Not static, so that the verifier checks it once and not on every path to
 * it. */
__noinline int take_stack(CONTEXT *ctx, struct wire_call *call, __u32 reason, __u32 weight)
{
	return call ? take_stack_of(NULL, (void *)ctx, call, reason, weight) : 0;
}
#endif

#endif
