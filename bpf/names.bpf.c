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

/* The page of this byte, if it is not there, unless that could block for ever. */
static __always_inline bool bring_in(struct task_struct *task, __u64 address)
{
	char byte;

	return !bpf_probe_read_user(&byte, sizeof(byte), (void *)address) ||
	       (may_wait_for(task, address, sizeof(byte)) && !bpf_copy_from_user(&byte, sizeof(byte), (void *)address));
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
	__u64 most;
	__u64 id = bpf_get_current_pid_tgid();
	int length = -1;

	stay_on_thread_stack();
	if (!recipe || recipe->use != WIRE_RECIPE_LIVE) {
		if (!has_ended(probe))
			count_loss(WIRE_LOSS_NO_RECIPE);
		return 0;
	}
	thread = state_of(task);
	if (thread && thread->depth && thread->depth <= WIRE_MAX_DEPTH) {
		struct wire_frame *frame = &thread->frames[(thread->depth - 1) & (WIRE_MAX_DEPTH - 1)];

		if (frame->record.call.probe == probe && frame->sp == USER_SP(ctx))
			start_ns = frame->record.call.start_ns;
	}
	if (!start_ns)
		return 0; /* no call to name: another's process, or one that is counted (too_deep, no_thread_state) */
	block = recipe->sleepable_bytes;
	address = name_address((CONTEXT *)ctx, recipe);
	if (!address)
		return 0; /* a null pointer names nothing */
	most = block ? block : sizeof(record->name);
	/* Before there is a record: a page may be slow to come, and all records behind one that is not submitted wait
	 * for it. A list or a string may end with its page, and its mapping there. */
	if (bring_in(task, address) && (address & 4095) + most > 4096)
		bring_in(task, address + most - 1);
	record = bpf_ringbuf_reserve(&events, sizeof(*record), 0);
	if (!record) {
		count_loss(WIRE_LOSS_NAME_RING_FULL);
		return 0;
	}
	if (block) {
		__u64 in_page = 4096 - (address & 4095); /* no page is smaller than this */

		if (!bpf_probe_read_user(record->name, block & 255, (void *)address))
			length = block & 255;
		else if (in_page < block && !bpf_probe_read_user(record->name, in_page & 255, (void *)address))
			length = in_page & 255;
	} else {
		length = bpf_probe_read_user_str(record->name, sizeof(record->name), (void *)address);
	}
	if (length < 0) {
		count_loss(WIRE_LOSS_NAME_UNREADABLE);
		bpf_ringbuf_discard(record, BPF_RB_NO_WAKEUP);
		return 0;
	}
	record->type = WIRE_NAME;
	record->length = length;
	record->probe = probe;
	record->pid = id >> 32;
	record->tid = id;
	record->start_ns = start_ns;
	record->address = address;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	return 0;
}
