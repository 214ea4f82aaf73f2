/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * What a call is passed behind a pointer: names of device functions where they are registered or looked up, identities
 * of communicators. Sleepable (uprobe.s, kernel 6.0, 8c7dcb84e3b7): the string is often in a page that is not present
 * yet, which the other programs cannot read; a page that might never arrive is not read (memory.bpf.h).
 * The handle it belongs to is in the call's own record; user space joins the two by thread and start. The program
 * therefore runs after the one that captures the call: the kernel runs a probe's programs newest first, so it is
 * attached before.
 */
#include "call.bpf.h"
#include "memory.bpf.h"

char LICENSE[] SEC("license") = "Dual BSD/GPL";

/* kernel 6.11, 65ab5ac4df01 "bpf: Add bpf_copy_from_user_str kfunc" */
extern int bpf_copy_from_user_str(void *to, __u32 size, const void *from, __u64 flags) __weak __ksym;

/* a sleepable program walks task pointers under an explicit lock since kernel 6.2, 9bb00b2895cb; before, none is asked
 * for */
extern void bpf_rcu_read_lock(void) __weak __ksym;
extern void bpf_rcu_read_unlock(void) __weak __ksym;

/* Bytes at `address`; pages that are not present are faulted in only if that cannot block for ever. 0: all were read.
 */
static __always_inline long read_or_bring_in(struct task_struct *task, void *to, __u32 size, __u64 address)
{
	if (!bpf_probe_read_user(to, size, (void *)address))
		return 0;
	return may_wait_for(task, address, size) ? bpf_copy_from_user(to, size, (void *)address) : -1;
}

/* Where what is named lies; 0: nowhere. Global, so that the verifier walks the rest of the program once and not for
 * each of these places. */
__noinline __u64 name_address(CONTEXT *context, struct wire_recipe *recipe)
{
	struct pt_regs *ctx = (void *)context;
	__u64 in[8] = {};
	__u32 input;

	if (!recipe || !recipe->sleepable_word)
		return 0;
	input = recipe->inputs >> ((recipe->sleepable_word - 1) * WIRE_INPUT_BITS) & (WIRE_INPUTS - 1);
#if !defined(__TARGET_ARCH_arm64)
	if (recipe->is_narrow) { /* the pointer is in that slot of four bytes, above a return address of four */
		__u32 pointer = 0;

		bpf_probe_read_user(&pointer, sizeof(pointer), (void *)(USER_SP(ctx) + (input + 1) * sizeof(pointer)));
		return pointer;
	}
#endif
	if (input & WIRE_IN_STACK)
		return USER_SP(ctx) + FIRST_STACK_ARGUMENT + (input & 7) * 8;
	LOAD_REGISTERS(in, ctx);
	return in[input & 7];
}

/* Long because each step needs what the ones before it found: the call, where its name is, how much of it is there. */
SEC("uprobe.s")
int on_name(struct pt_regs *ctx)
{
	struct task_struct *task = (void *)bpf_get_current_task_btf();
	__u32 probe = bpf_get_attach_cookie(ctx);
	struct wire_recipe *recipe = bpf_map_lookup_elem(&recipes, &probe);
	struct wire_thread *thread;
	struct wire_name *record;
	__u64 start_ns = 0;
	__u64 address;
	__u64 block;
	__u64 id = bpf_get_current_pid_tgid();
	int length = -1;

	stay_on_thread_stack();
	if (!recipe || recipe->use != WIRE_RECIPE_LIVE) {
		if (!has_ended(probe))
			count_loss(WIRE_LOSS_NO_RECIPE);
		return 0;
	}
	if (bpf_rcu_read_lock)
		bpf_rcu_read_lock();
	thread = state_of(task);
	if (thread && thread->depth && thread->depth <= WIRE_MAX_DEPTH) {
		struct wire_frame *frame = &thread->frames[(thread->depth - 1) & (WIRE_MAX_DEPTH - 1)];

		if (frame->record.call.probe == probe && frame->sp == USER_SP(ctx))
			start_ns = frame->record.call.start_ns;
	}
	if (bpf_rcu_read_unlock)
		bpf_rcu_read_unlock();
	if (!start_ns)
		return 0; /* no call to name: another's process, or one that is counted (too_deep, no_thread_state) */
	block = recipe->sleepable_bytes;
	address = name_address((CONTEXT *)ctx, recipe);
	if (!address)
		return 0; /* a null pointer names nothing */
	record = bpf_ringbuf_reserve(&events, sizeof(*record), 0);
	if (!record) {
		count_loss(WIRE_LOSS_NAME_RING_FULL);
		return 0;
	}
	record->type = WIRE_NAME;
	record->probe = probe;
	record->pid = id >> 32;
	record->tid = id;
	record->start_ns = start_ns;
	record->address = address;
	if (block) {
		/* a list may be shorter than what is asked for and end with its page; no page is smaller than this */
		__u64 in_page = 4096 - (address & 4095);

		if (!read_or_bring_in(task, record->name, block & 255, address))
			length = block & 255;
		else if (in_page < block && !read_or_bring_in(task, record->name, in_page & 255, address))
			length = in_page & 255;
	} else {
		length = bpf_probe_read_user_str(record->name, sizeof(record->name), (void *)address);
	}
	if (!block && length < 0) {
		/* a mapping may end within what is asked for, and the string before */
		bool whole = may_wait_for(task, address, sizeof(record->name));
		__u32 most = whole ? sizeof(record->name) : (4096 - (address & 4095)) & (sizeof(record->name) - 1);

		if (!most || (!whole && !may_wait_for(task, address, most)))
			length = -1;
		else if (bpf_copy_from_user_str)
			length = bpf_copy_from_user_str(record->name, most, (void *)address, 0);
		else if (whole && !bpf_copy_from_user(record->name, sizeof(record->name), (void *)address))
			length = sizeof(record->name);
		else if (may_wait_for(task, address, 32) && !bpf_copy_from_user(record->name, 32, (void *)address))
			length = 32;
	}
	if (length < 0) {
		count_loss(WIRE_LOSS_NAME_UNREADABLE);
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
		return 0;
	}
	record->length = length;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return 0;
}
