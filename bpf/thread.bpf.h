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

#endif
