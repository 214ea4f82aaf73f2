/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Where a thread's state is: in its task storage, or, where that could not be had, by its number (P5).
 */
#ifndef INGERO_BPF_THREAD_BPF_H
#define INGERO_BPF_THREAD_BPF_H

#include "maps.bpf.h"

const struct wire_thread fresh_thread = {};

static __noinline struct wire_thread *stray_thread(__u32 tid, bool make)
{
	const __u32 only = 0;
	__u64 *count = bpf_map_lookup_elem(&stray_count, &only);
	struct wire_thread *thread;

	if (!count || (!*count && !make))
		return NULL;
	thread = bpf_map_lookup_elem(&stray_threads, &tid);
	if (thread || !make || bpf_map_update_elem(&stray_threads, &tid, &fresh_thread, BPF_NOEXIST))
		return thread;
	__sync_fetch_and_add(count, 1);
	return bpf_map_lookup_elem(&stray_threads, &tid);
}

/* What is known of a thread, wherever that is. Null: it made no described call. */
static __always_inline struct wire_thread *state_of(struct task_struct *task)
{
	struct wire_thread *thread = bpf_task_storage_get(&threads, task, NULL, 0);

	return thread ? thread : stray_thread(task->pid, false);
}

/* The one test that threads of other processes pay for. */
static __always_inline bool may_be_traced(struct task_struct *task)
{
	bool has_storage = task->group_leader->bpf_storage != NULL;

	barrier_var(has_storage); /* or clang tests two pointers with one OR, which the verifier refuses */
	return has_storage;
}

/* As state_of(), or of a thread that is followed for what it wakes. */
static __always_inline struct wire_thread *followed(struct task_struct *task)
{
	struct wire_thread *thread = state_of(task);

	return thread ? thread : bpf_task_storage_get(&watched_threads, task, NULL, 0);
}

/* The thread ended, or has woken none for long. */
static __always_inline void watched_no_more(struct wire_thread *thread)
{
	const __u32 only = 0;
	__u64 *count = bpf_map_lookup_elem(&watched_count, &only);

	if (thread && count && __sync_lock_test_and_set(&thread->watched, 0))
		__sync_fetch_and_add(count, -1);
}

#endif
