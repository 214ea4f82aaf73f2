/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * Every map of the kernel side. Each object includes this; the loader creates the maps with the first object and
 * hands the same ones to the others by name, so state is shared between capture and host programs.
 */
#ifndef INGERO_BPF_MAPS_BPF_H
#define INGERO_BPF_MAPS_BPF_H

#include "kernel.bpf.h"
#include "wire.h"

/* calls, sched, block, tcp, names */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20);
} events SEC(".maps");

/* exec, exit, fork, OOM, first call of a process: never behind a flood of calls */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 256 << 10);
} critical_events SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 8 << 20); /* some hundred deep ones: a burst of failures or allocations */
} stacks SEC(".maps");

/* the attach cookie is the index */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WIRE_MAX_PROBES);
	__type(key, __u32);
	__type(value, struct wire_recipe);
} recipes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct wire_losses);
} losses SEC(".maps");

/* calls that found the ring full, by probe */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WIRE_MAX_PROBES);
	__type(key, __u32);
	__type(value, __u64);
} probe_losses SEC(".maps");

/* the same by process: the latest WIRE_LOSS_PROCESSES */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, WIRE_LOSS_PROCESSES);
	__type(key, __u32);
	__type(value, __u64);
} process_losses SEC(".maps");

/* (P1) a thread that made a described call, or belongs to a process that did */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wire_thread);
} threads SEC(".maps");

/* (P5) State of threads that could not get task storage when a call started, until that call ends. By thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_MAX_STRAYS);
	__type(key, __u32);
	__type(value, struct wire_thread);
} stray_threads SEC(".maps");

/* their number: no program looks one up while it is 0 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} stray_count SEC(".maps");

/* a thread of another process that wakes followed ones (waking.bpf.c): not in `threads`, or its calls would count */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wire_thread);
} watched_threads SEC(".maps");

/* their number */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} watched_count SEC(".maps");

/* on the thread-group leader */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct wire_process);
} processes SEC(".maps");

/* what a process has written into the crowded ring (call.bpf.h), on the thread-group leader */
struct ring_share {
	__u64 bytes; /* none of them behind `end` */
	__u64 end;
};
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct ring_share);
} ring_shares SEC(".maps");

/* the layout of a process's Python frames; set by user space, inherited by its children */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, WIRE_PYTHON_PROCESSES);
	__type(key, __u32);
	__type(value, struct wire_python_layout);
} python_processes SEC(".maps");

/* filters: sets the agent fills; consulted once per process, never per call */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, __u32);
	__type(value, __u8);
} wanted_pids SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u64);
	__type(value, __u8);
} wanted_cgroups SEC(".maps");

static __always_inline void count_loss(__u32 kind)
{
	const __u32 only = 0;
	struct wire_losses *sums = bpf_map_lookup_elem(&losses, &only);

	if (sums && kind < WIRE_LOSS_KINDS)
		__sync_fetch_and_add(&sums->count[kind], 1); /* (P2) */
}

#endif
