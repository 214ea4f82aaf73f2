/* SPDX-License-Identifier: GPL-2.0 OR BSD-3-Clause
 *
 * The only types the kernel side and the user side share. Fixed width, no pointers, no bit fields;
 * tests/bpf/wire_test.cc compares every struct below with the BTF of the BPF objects, so the two sides cannot drift.
 *
 * Times are CLOCK_MONOTONIC nanoseconds (bpf_ktime_get_ns). "pid" is the process (kernel tgid), "tid" the thread.
 * Values that come out of the traced process (words, ret, comm) are untrusted.
 */
#ifndef INGERO_BPF_WIRE_H
#define INGERO_BPF_WIRE_H

#ifndef __VMLINUX_H__
#include <linux/types.h>
#endif

enum wire_limits {
	WIRE_MAX_WORDS = 10,	 /* captured words of one call */
	WIRE_FEW_WORDS = 4,	 /* most calls have no more */
	WIRE_MORE_WORDS = 8,	 /* launches */
	WIRE_MAX_STACK_ARGS = 8, /* eight-byte argument slots read from the stack */
	WIRE_MAX_DEPTH = 8,	 /* described calls in flight on one thread; deeper ones are counted, not captured */
	WIRE_MAX_PROBES = 16384, /* (row, library file) pairs; the attach cookie is the index */
	WIRE_NO_PROBE = 0xffff,	 /* of a stack that is not as a call's caller has it */
	WIRE_COMM_LEN = 16,
	WIRE_NAME_LEN = 256,	    /* a kernel's name; what is beyond is read when the kernel is launched */
	WIRE_MAX_STRAYS = 256,	    /* threads in a call whose own storage could not be had when it began */
	WIRE_LOSS_PROCESSES = 1024, /* whose lost calls are counted apart */
	WIRE_NOT_FAILURES = 2,
	WIRE_MAX_WATCHED = 1024,  /* threads that are followed only because they wake followed ones */
	WIRE_MAX_WATCH_DEPTH = 6, /* of their wakers, the wakers of those, and so on */
};

/* Where a call's off-CPU time went; index of the off arrays. */
enum wire_off {
	WIRE_OFF_PREEMPTED = 0, /* switched out while still runnable */
	WIRE_OFF_RUNQUEUE = 1,	/* woken, waiting for a CPU */
	WIRE_OFF_BLOCKED = 2,	/* asleep */
	WIRE_OFF_IO = 3,	/* asleep in I/O wait (task_struct.in_iowait) */
	WIRE_OFF_KINDS = 4,
};

/* What a thread waits for; hal::WaitKind has the same numbers (hal/wait.h), and what each means. */
enum wire_wait_kind {
	WIRE_WAIT_UNKNOWN = 0,
	WIRE_WAIT_PREEMPTED = 1,
	WIRE_WAIT_THROTTLED = 2,
	WIRE_WAIT_STOPPED = 3,
	WIRE_WAIT_TRACED = 4,
	WIRE_WAIT_FROZEN = 5,
	WIRE_WAIT_DISK = 6,
	WIRE_WAIT_RECLAIM = 7,
	WIRE_WAIT_PAGE_FAULT = 8,
	WIRE_WAIT_PIPE = 9,
	WIRE_WAIT_SOCKET = 10,
	WIRE_WAIT_FUTEX = 11,
	WIRE_WAIT_POLL = 12,
	WIRE_WAIT_CHILD = 13,
	WIRE_WAIT_SLEEP = 14,
	WIRE_WAIT_DRIVER = 15,
	WIRE_WAIT_FILE = 16,
	WIRE_WAIT_TERMINAL = 17,
	WIRE_WAIT_EVENT_FD = 18,
	WIRE_WAIT_IO_URING = 19,
	WIRE_WAIT_OTHER = 20,
	WIRE_WAIT_KINDS = 21,
	WIRE_WAIT_SLOTS = 32, /* of arrays by kind: a power of two */
};

/* What a system call waits for, by its number; set before load from the machine's own numbers. The low four bits say
 * which, the others are flags. */
enum wire_syscall {
	WIRE_SYSCALL_OTHER = 0,
	WIRE_SYSCALL_DESCRIPTOR = 1, /* what argument 0 refers to */
	WIRE_SYSCALL_TWO = 2,	     /* two descriptors: arguments 0 and 1 (sendfile, tee), or 0 and 2 (splice) */
	WIRE_SYSCALL_FUTEX = 3,	     /* the word at argument 0 */
	WIRE_SYSCALL_POLL = 4,	     /* an array of descriptors at argument 0, argument 1 of them */
	WIRE_SYSCALL_EPOLL = 5,	     /* descriptor argument 0 */
	WIRE_SYSCALL_SELECT = 6,
	WIRE_SYSCALL_CHILD = 7,
	WIRE_SYSCALL_SLEEP = 8,
	WIRE_SYSCALL_DRIVER = 9, /* ioctl of argument 0 */
	WIRE_SYSCALL_FILE = 10,	 /* a file: argument 0; it waits for the file system */
	WIRE_SYSCALL_IO_URING = 11,
	WIRE_SYSCALL_EXIT = 12,	  /* or exec: its memory and what it closes are others' no longer */
	WIRE_SYSCALL_SIGNAL = 13, /* sends one */
	WIRE_SYSCALL_UPROBE = 14, /* not a program's own: a probe entered the kernel by it (6.18) */
	WIRE_SYSCALL_CLOSE = 15,  /* what it closed it no longer refers to when it wakes */
	WIRE_SYSCALL_WHAT = 15,
	WIRE_SYSCALL_WRITES = 16,  /* waits for room; ends the waits of readers */
	WIRE_SYSCALL_READS = 32,   /* ends the waits of writers */
	WIRE_SYSCALL_LOCKS = 64,   /* a file: waits for a lock on it, and gives one up */
	WIRE_SYSCALL_TO = 64,	   /* a descriptor: where a datagram goes is at argument 4 */
	WIRE_SYSCALL_HEADER = 128, /* a descriptor: a message header at argument 1 begins with where it goes */
	/* poll: the timeout is milliseconds in argument 2; epoll: in argument 3; two descriptors: 0 and 2, not 0 and 1
	 */
	WIRE_SYSCALL_MILLISECONDS = 128,
	/* a child: made here, and waited for until it runs a program or ends, if the flags in argument 0 say so; both:
	 * if those at the address in argument 0 do */
	WIRE_SYSCALL_VFORKS = 128,
	WIRE_SYSCALL_FLAGS = 32,
	WIRE_SYSCALLS = 512, /* and as many behind them of 32-bit x86, which has numbers of its own */
};

/* Bits of wire_wait.flags. */
enum wire_wait_flags {
	WIRE_WAIT_HAS_OBJECT = 1,
	WIRE_WAIT_HAS_PEER = 2,
	WIRE_WAIT_HAS_DESCRIPTOR = 4,
	WIRE_WAIT_WRITES = 8,
	WIRE_WAIT_ACCEPTED = 16,
	WIRE_WAIT_MAY_TIME_OUT = 32,
	WIRE_WAIT_TIMED_OUT = 64,
	WIRE_WAIT_HAS_WAKER = 128,
	WIRE_WAIT_WAKER_IS_KERNEL = 256,
	WIRE_WAIT_HAS_FAULTS = 512,
	WIRE_WAIT_WOKEN = 1024,	    /* by a waker or not: only the first wake-up counts */
	WIRE_WAIT_LOCKS = 2048,	    /* of a file: for a lock on it; of a futex: a lock, no condition */
	WIRE_WAIT_HAS_STACK = 4096, /* where it began: a WIRE_STACK_ASLEEP */
	WIRE_WAIT_NOTIFIED = 8192,  /* of what happens to files (inotify): the one that does that ends it */
};

/* Why a thread is off the CPU, and who ended that. Of a field that no flag announces the value means nothing. */
struct wire_wait {
	__u64 object;	    /* inode of a pipe, socket or file; address of a futex; pid of a child */
	__u64 peer_object;  /* AF_UNIX: inode of the other end; 0: not known */
	__u64 minor_faults; /* of the thread since its interval before */
	__s32 descriptor;
	__s16 syscall;	     /* -1: none; of a 32-bit x86 program WIRE_SYSCALLS more than its number */
	__s16 waker_syscall; /* likewise */
	__u32 waker_pid;
	__u32 waker_tid;
	char waker_comm[WIRE_COMM_LEN];
	__u16 state; /* task_struct.__state */
	__u16 flags; /* enum wire_wait_flags */
	__u8 kind;   /* enum wire_wait_kind */
	__u8 depth;  /* wake-ups between this thread and a traced process's: 0 is one of those */
	__u16 family;
	__u16 local_port;
	__u16 peer_port;
	__u32 file_system; /* of an inode: its super block's s_dev, major << 20 | minor; 0: the object is none */
	__u8 peer[16];
};

/* How the words of a call are made. Lowered from a prototype row, per architecture (hal/lower.h). */
enum wire_input {
	WIRE_IN_REGISTER = 0, /* inputs 0..7: argument registers */
	WIRE_IN_STACK = 8,    /* inputs 8..15: stack slots of eight bytes each */
	WIRE_INPUTS = 16,     /* of 32-bit x86: all of them stack slots, of four bytes each */
	WIRE_INPUT_BITS = 4,
};

/* A word replaced by what it points to. */
struct wire_peek {
	__u8 word;	/* which word of the call */
	__u8 bytes;	/* 1, 2, 4 or 8 */
	__u8 at_return; /* read when the call returns, not when it starts */
	__u8 pad;
	__s32 offset; /* bytes added to the pointer */
};

/* What of a call's own says that where it was made from is worth keeping; bits of wire_recipe.stack_when. */
enum wire_stack_when {
	WIRE_STACK_WHEN_DONE = 1,    /* always: the caller waits for the device, or allocates */
	WIRE_STACK_WHEN_NONZERO = 2, /* the low 32 bits of the return register are a status, and it means failure */
	WIRE_STACK_WHEN_NULL = 4,    /* it is a pointer, and null */
	WIRE_STACK_NOT_SAMPLED = 8,  /* only when it is slow: each is made once, from a place of its own */
};

enum wire_recipe_use {
	WIRE_RECIPE_NONE = 0, /* no such probe */
	WIRE_RECIPE_LIVE = 1,
	WIRE_RECIPE_ENDED = 2, /* the trace ends: calls that are open may return, none begins */
};

struct wire_recipe {
	__u64 inputs;	  /* WIRE_INPUT_BITS a word, the first lowest: the input it is taken from */
	__u8 n_words;	  /* captured words, at most WIRE_MAX_WORDS */
	__u8 stack_slots; /* stack slots to read, at most WIRE_MAX_STACK_ARGS */
	__u8 n_peeks;	  /* at entry and at return together */
	__u8 n_return_peeks;
	__u8 sleepable_word;  /* the word that points to what the sleepable name program reads, plus one; 0: none */
	__u8 sleepable_bytes; /* 0: a C string; else the number of bytes, which lie in stack slots from there on */
	__u8 use;	      /* enum wire_recipe_use */
	__u8 stack_when;      /* enum wire_stack_when */
	__s32 not_failures[WIRE_NOT_FAILURES]; /* return codes other than 0 that are not failures; 0: none */
	__u8 result_word; /* the word that is the return register, plus one, before it is read behind; 0: none */
	__u8 is_narrow;	  /* of 32-bit x86: words are taken from stack slots of four bytes */
	__u16 wide_words; /* there, bit i: word i is its slot and the one above it */
	__u8 asked_word;  /* the word that says what is asked, plus one; 0: no name is answered */
	__u8 answer_word; /* the word that points to where the callee writes the answer, plus one */
	__u16 name_asked; /* what is asked where the answer is a name: a C string, read when the call returns */
	struct wire_peek peeks[WIRE_MAX_WORDS];
};

enum wire_type {
	WIRE_CALL = 1,
	WIRE_SCHED = 2,
	WIRE_EXEC = 3,
	WIRE_EXIT = 4,
	WIRE_FORK = 5,
	WIRE_OOM = 6,
	WIRE_BLOCK = 7,
	WIRE_TCP = 8,
	WIRE_NAME = 9,
	WIRE_TRACED = 10,  /* a process made its first captured call */
	WIRE_PROCESS = 11, /* a traced process ended: its counters as they last were */
	WIRE_STACK = 12,   /* where a call was made from (ring "stacks") */
	WIRE_CODE = 13,	   /* a Python code object, the first time a stack names it (ring "stacks") */
};

enum wire_outcome {
	WIRE_RETURNED = 0,
	WIRE_UNWOUND = 1,   /* the frame was left without a return: longjmp, exception, stack switch */
	WIRE_EXITED = 2,    /* the thread ended inside the call */
	WIRE_EXECED = 3,    /* the thread called exec inside the call */
	WIRE_IN_FLIGHT = 4, /* not returned yet: what the in-flight dump (iter/task) writes, one wire_call_record an
			       open call, end_ns the dump's time, an off-CPU interval still open included; or its thread
			       ended when returns were not seen any more */
};

/* Bits of wire_call.flags. */
enum wire_call_flags {
	WIRE_CALL_HAS_OFF = 1,	 /* off-CPU times follow the words */
	WIRE_CALL_HAS_STACK = 2, /* ring "stacks" was given the call's stack before this was written */
};

/* One call, written when it ends; n_words words follow it and, with WIRE_CALL_HAS_OFF, WIRE_OFF_KINDS more: how long
 * the thread was off the CPU during the call, by cause. */
struct wire_call {
	__u16 type; /* WIRE_CALL */
	__u8 n_words;
	__u8 outcome; /* enum wire_outcome */
	__u8 depth;   /* 0: no described call encloses this one */
	__u8 flags;   /* enum wire_call_flags */
	__u16 valid;  /* bit i: words[i] could be read */
	__u32 probe;
	__u32 parent_probe; /* meaningful when depth > 0 */
	__u32 pid;
	__u32 tid;
	__u64 start_ns;
	__u64 end_ns;
	__u64 parent_start_ns; /* 0: none */
	__u64 ret;	       /* the return register, raw */
	__u64 cgroup_id;
};

enum { WIRE_CALL_TAIL = (int)WIRE_MAX_WORDS + (int)WIRE_OFF_KINDS };

/* With room for the longest. */
struct wire_call_record {
	struct wire_call call;
	__u64 tail[WIRE_CALL_TAIL];
};

/* One off-CPU interval of a thread of a traced process. */
struct wire_sched {
	__u16 type;   /* WIRE_SCHED */
	__u8 off;     /* WIRE_OFF_PREEMPTED, _BLOCKED or _IO: why it left */
	__u8 in_call; /* described calls in flight on the thread */
	__u32 cpu;    /* where it came back */
	__u32 pid;
	__u32 tid;
	__u64 out_ns;		/* left the CPU */
	__u64 woken_ns;		/* became runnable; 0 when it always was */
	__u64 in_ns;		/* back on a CPU */
	__u32 preempted_by_pid; /* who got the CPU when this thread left it; of the kernel's own threads, who came after
				 */
	__u32 preempted_by_tid;
	__u64 preempted_by_ns; /* of a thread that slept: who had the CPU last while it waited for one, and for how long
				* of that; 0: not known, and then the names are of who got it when this thread left */
	char preempted_by_comm[WIRE_COMM_LEN];
	char comm[WIRE_COMM_LEN];
	struct wire_wait wait;
};

/* How long a thread was off the CPU in all, by what it waited for (iter/task). */
struct wire_totals {
	__u32 pid;
	__u32 tid;
	__u64 ns; /* when they were read; a wait that goes on is not in them */
	__u64 queued_ns;
	__u64 ran_ns;
	__u64 waited[WIRE_WAIT_KINDS];
};

/* exec, exit, fork (thread-group leaders only), OOM kill, first captured call. */
struct wire_task {
	__u16 type; /* WIRE_EXEC, WIRE_EXIT, WIRE_FORK, WIRE_OOM, WIRE_TRACED */
	__u16 pad;
	__s32 code; /* exit code as wait(2) sees it */
	__u32 pid;  /* the subject */
	__u32 tid;
	__u32 other_pid; /* parent of a fork, killer's context of an OOM kill */
	__u32 uid;
	__u64 ns;
	__u64 start_ns; /* when the subject process started (its identity with pid) */
	__u64 cgroup_id;
	char comm[WIRE_COMM_LEN];
	__u32 sender_pid; /* of an exit by a signal, who sent it; 0: not known, or the kernel */
	__u32 pad2;
	char sender_comm[WIRE_COMM_LEN];
};

/* A block I/O request, issue to complete. */
struct wire_block {
	__u16 type; /* WIRE_BLOCK */
	__u8 op;    /* 0 read, 1 write, 2 discard, 3 flush, 4 other */
	__u8 failed;
	__u32 dev; /* kernel dev_t: major << 20 | minor */
	__u32 pid; /* who queued it; 0 unknown (writeback) */
	__u32 tid;
	__u64 issue_ns;
	__u64 complete_ns;
	__u64 sector;
	__u64 bytes;
	__u64 cgroup_id;
	char comm[WIRE_COMM_LEN];
};

/* A TCP retransmission. Addresses in network order; IPv4 in the first four bytes. */
struct wire_tcp {
	__u16 type;   /* WIRE_TCP */
	__u16 family; /* AF_INET, AF_INET6 */
	__u32 state;
	__u32 pid; /* the socket's owner; 0 unknown */
	__u32 tid;
	__u16 sport; /* host order */
	__u16 dport;
	__u32 seq;
	__u64 ns;
	__u64 cgroup_id;
	__u64 socket_inode; /* 0 unknown: lets user space find the owner */
	__u8 saddr[16];
	__u8 daddr[16];
};

/* What a call was passed in addition to its words: the name of a kernel function that it registers or looks up, the
 * identity of the communicator that it creates. */
struct wire_name {
	__u16 type;   /* WIRE_NAME */
	__u16 length; /* bytes of name, at most WIRE_NAME_LEN; longer ones are cut */
	__u32 probe;
	__u32 pid;
	__u32 tid;
	__u64 start_ns; /* of the call it was given to: with tid, which call that is */
	__u64 address;	/* where it was */
	char name[WIRE_NAME_LEN];
};

enum wire_stack_limits {
	WIRE_STACK_REGISTERS = 14,
	WIRE_STACK_RETURNS = WIRE_MAX_DEPTH,
	WIRE_STACK_PYTHON = 64,	 /* Python frames of one stack, innermost first; deeper stacks are cut and flagged */
	WIRE_STACK_LEAST = 2048, /* room for bytes of the thread's stack: the least of these four that is enough */
	WIRE_STACK_SOME = 8192,
	WIRE_STACK_MORE = 24576,
	WIRE_STACK_MOST = 65536,
	WIRE_STACK_PAGE = 4096, /* as wire_stack.holes has them, whatever the machine's are */
	WIRE_STACK_RED_ZONE =
	    128, /* below the stack pointer, and a function's own all the same (System V ABI, x86-64) */
};

/* Which calls' stacks are taken. */
enum wire_stack_mode {
	WIRE_STACKS_OFF = 0,
	WIRE_STACKS_AUTO = 1, /* of slow, failed, synchronising and allocating calls, and one in stack_every of the rest
			       * of a call site */
	WIRE_STACKS_ALL = 2,
};

/* Why a stack was taken. From WIRE_STACK_WAITING on the thread is where its registers say, and has not just returned
 * from a call. */
enum wire_stack_reason {
	WIRE_STACK_NOT = 0, /* none was */
	WIRE_STACK_EVERY = 1,
	WIRE_STACK_SYNC = 2,
	WIRE_STACK_FAILED = 3,
	WIRE_STACK_SLOW = 4,
	WIRE_STACK_SAMPLED = 5,
	WIRE_STACK_WAITING = 6,	  /* of a call that has not returned: where its thread sleeps or spins */
	WIRE_STACK_ON_CPU = 7,	  /* of a thread outside calls: `weight` nanoseconds on the CPU, `start_ns` when */
	WIRE_STACK_IN_KERNEL = 8, /* likewise, while it was in the kernel; without a stack where it took a fault */
	WIRE_STACK_ASLEEP = 9,	  /* of a thread outside calls that went to sleep at `start_ns` */
};

/* What became of the Python part of a stack. */
enum wire_python_outcome {
	WIRE_PYTHON_NONE = 0,	    /* the process is not a known interpreter, or this thread runs no Python */
	WIRE_PYTHON_WHOLE = 1,	    /* all frames are there */
	WIRE_PYTHON_CUT = 2,	    /* deeper than WIRE_STACK_PYTHON */
	WIRE_PYTHON_UNREADABLE = 3, /* some memory could not be read: the frames there are right, more are missing */
};

/* The registers a caller's frame is found from, after the call has returned. x86-64: ip (in the caller), sp, bp, bx,
 * r12..r15. arm64: pc, sp, x29, x19..x28, lr. */
enum wire_stack_register {
	WIRE_STACK_IP = 0,
	WIRE_STACK_SP = 1,
	WIRE_STACK_BP = 2,
	WIRE_STACK_SAVED = 3, /* the callee-saved ones in the order above */
	WIRE_STACK_LINK =
	    13, /* of a thread inside a call: its function's return address, unless that is stored by now */
};

/* A return address the kernel replaced by its trampoline: what had stood there. */
struct wire_return_address {
	__u64 sp; /* where the return address stood */
	__u64 address;
};

struct wire_python_frame {
	__u64 code;	/* the code object's address */
	__u32 identity; /* of those that ever lived there, which: the low half of wire_code.identity */
	__u32 place;	/* WIRE_PYTHON_OFFSET: where in the bytecode; WIRE_PYTHON_ENTRY */
};

enum wire_python_place {
	WIRE_PYTHON_OFFSET = 0x7fffffff, /* of the executing instruction, in bytes */
	WIRE_PYTHON_ENTRY =
	    -0x7fffffff - 1, /* the top bit: the outermost frame of one run of the interpreter's C function */
};

/* Where a call was made from: registers and the top of the thread's stack, copied when the call returned, and the
 * Python frames of the same instant. `bytes` of stack follow, from `below` bytes below registers[WIRE_STACK_SP]
 * upwards. */
struct wire_stack {
	__u16 type;  /* WIRE_STACK */
	__u8 reason; /* enum wire_stack_reason */
	__u8 n_returns;
	__u8 n_python;
	__u8 python_outcome; /* enum wire_python_outcome */
	__u16 below; /* WIRE_STACK_RED_ZONE; 0 where that could not be read or means nothing: the call has returned */
	__u32 bytes;
	__u32 probe;
	__u32 pid;
	__u32 tid;
	__u32 holes; /* pages of the copy that could not be read, the lowest bit for the first, which may be in part */
	__u32 pad;
	__u64 weight;	/* calls of its call site that it stands for, its own among them; of a sample nanoseconds */
	__u64 start_ns; /* of the call: with tid, which call that is */
	__u64 ns;	/* when it was taken */
	__u64 registers[WIRE_STACK_REGISTERS];
	struct wire_return_address returns[WIRE_STACK_RETURNS];
	struct wire_python_frame python[WIRE_STACK_PYTHON];
};

enum wire_python_limits {
	WIRE_PYTHON_PROCESSES = 4096,
	WIRE_PYTHON_WINDOW = 256, /* at most this many bytes of a structure are read; offsets in it are below */
	WIRE_CODE_FILE = 512,
	WIRE_CODE_NAME = 256,
	WIRE_CODE_LEAST = 1024,
	WIRE_CODE_MOST = 16384, /* bytes of the line table, one of these two */
};

/* How to recognise the running thread's state among those that the same thread has in other interpreters. */
enum wire_python_running {
	WIRE_PYTHON_BY_STATUS = 0, /* 3.13: it is bound to the thread */
	WIRE_PYTHON_BY_CFRAME = 1, /* 3.10 to 3.12: its C frame is the innermost on the thread's stack */
	WIRE_PYTHON_BY_FRAME = 2,  /* 3.9: it has frames */
};

enum wire_python_flags {
	WIRE_PYTHON_NATIVE_ID = 1,   /* thread_id is the kernel's number of the thread, not pthread_self() */
	WIRE_PYTHON_CFRAME = 2,	     /* the C frame has the frame's address, not the thread state */
	WIRE_PYTHON_ALL_ENTRIES = 4, /* every frame is a run of its own (3.10 and before) */
	WIRE_PYTHON_VERSIONED = 8,   /* what is hashed of a code object has a version, never given twice */
};

/* What a code object's line table is. */
enum wire_python_table {
	WIRE_PYTHON_LNOTAB = 0,	   /* 3.9: co_lnotab */
	WIRE_PYTHON_LINES = 1,	   /* 3.10: co_linetable as PEP 626 has it */
	WIRE_PYTHON_LOCATIONS = 2, /* 3.11: co_linetable with columns */
};

/* Where a process keeps its Python frames: one address, and offsets in bytes in CPython's structures. Unless said
 * otherwise they are offsets in what is read at once of a structure, below WIRE_PYTHON_WINDOW. Made by user space
 * (symbols/python_layout.h). */
struct wire_python_layout {
	__u64 interpreters;	   /* where the address of the first interpreter stands */
	__u32 interpreter_next;	   /* any offset */
	__u32 interpreter_threads; /* any offset: the first thread state's address */
	__u32 generation; /* differs between the layouts that a pid has had: after exec its code is sent again */
	__u8 flags;	  /* enum wire_python_flags */
	__u8 running;	  /* enum wire_python_running */
	__u8 shims;	  /* the owner from which on a frame stands for the C function itself; 0: there are none */
	__u8 instruction_shift; /* where frames count instructions: log2 of an instruction's bytes */
	__u16 thread_bytes;	/* bytes of a thread state that are read */
	__u16 thread_previous;
	__u16 thread_next;
	__u16 thread_interpreter;
	__u16 thread_id;
	__u16 thread_status; /* BY_STATUS */
	__u16 thread_frame;
	__u16 thread_cframe; /* BY_CFRAME, or WIRE_PYTHON_CFRAME */
	__u16 cframe_frame;
	__u16 frame_bytes; /* bytes of a frame that are read */
	__u16 frame_previous;
	__u16 frame_code;
	__u16 frame_instruction;
	__u16 frame_entry; /* set in the outermost frame of one run; 0: not there */
	__u16 frame_owner;
	__u16 code_start;    /* from here to code_bytes a code object does not change while it lives */
	__u16 code_bytes;    /* bytes of a code object that are read */
	__u16 code_changing; /* but for the upper half of this word; 0: none */
	__u16 code_first_line;
	__u16 code_file;
	__u16 code_name;
	__u16 code_table;
	__u16 code_bytecode; /* any offset: the first instruction; 0: frames count instructions */
	__u16 bytes_size;
	__u16 bytes_data;
	__u16 text_length;
	__u16 text_state;
	__u16 text_kind_shift; /* of the bit fields kind:3, compact:1, ascii:1 in the state */
	__u16 text_ascii_data; /* any offset */
	__u16 text_data;       /* any offset */
	__u16 table_format;    /* enum wire_python_table */
	__u16 pad;
};

enum wire_code_flags {
	WIRE_CODE_FILE_CUT = 1,	 /* the end is kept */
	WIRE_CODE_NAME_CUT = 2,	 /* the beginning is kept */
	WIRE_CODE_TABLE_CUT = 4, /* the beginning is kept */
	WIRE_CODE_FILE_UNREADABLE = 8,
	WIRE_CODE_NAME_UNREADABLE = 16,
	WIRE_CODE_TABLE_UNREADABLE = 32,
	WIRE_CODE_UNREADABLE = 56, /* any of the three: it is sent again */
};

/* A code object as it was when a stack named it. `table_kept` bytes of its line table follow. Text is as CPython keeps
 * it: Latin-1, UCS-2 or UCS-4. Untrusted. */
struct wire_code {
	__u16 type;	   /* WIRE_CODE */
	__u8 flags;	   /* enum wire_code_flags */
	__u8 table_format; /* enum wire_python_table */
	__u32 pid;
	__u32 generation; /* of the layout it was read by */
	__s32 first_line;
	__u64 code;
	__u64 identity;
	__u32 table_bytes; /* of the whole table */
	__u32 table_kept;
	__u16 file_bytes;
	__u16 name_bytes;
	__u8 file_width; /* bytes of a character */
	__u8 name_width;
	__u16 pad;
	char file[WIRE_CODE_FILE];
	char name[WIRE_CODE_NAME];
};

/* Counters of one traced process, kept in the kernel, read once a second. */
struct wire_process {
	__u32 pid;
	__u32 traced; /* enum wire_traced */
	__u64 start_ns;
	__u64 page_allocs;	/* mm_page_alloc events */
	__u64 page_alloc_bytes; /* pages of the real page size */
	__u64 net_sent_bytes;
	__u64 net_received_bytes;
	__u64 net_sends;
	__u64 net_receives;
	__u32 ended;	  /* its exit was reported: not in the dump any more, though its task may be there for long */
	__u32 signal;	  /* of those that end a process, the last that it was sent; 0: none, or by the kernel */
	__u32 sender_pid; /* who sent it */
	__u32 pad;
	char sender_comm[WIRE_COMM_LEN];
};

/* Counters of a process that ended (critical ring, just before its WIRE_EXIT; only when some counter moved). */
struct wire_process_end {
	__u16 type; /* WIRE_PROCESS */
	__u16 pad;
	__u32 pad2;
	__u64 ns;
	struct wire_process process;
};

/* One disk's I/O by processes that are not traced, or not known (writeback, flushes), and by traced ones. Totals only
 * grow. */
struct wire_device_io {
	__u64 requests;
	__u64 bytes;
	__u64 total_ns; /* issue to complete, summed over the requests */
	__u64 failed;
	__u64 own_requests; /* of traced processes */
	__u64 own_bytes;
};

/* What a process that is not traced asked of a disk; requests that were merged into others are not in it. */
struct wire_disk_user_key {
	__u32 dev; /* dev_t: major << 20 | minor */
	__u32 pid;
};

struct wire_disk_user {
	__u64 requests;
	__u64 bytes;
	char comm[WIRE_COMM_LEN];
};

enum wire_traced {
	WIRE_UNDECIDED = 0,
	WIRE_TRACED_YES = 1,
	WIRE_TRACED_NO = 2,
};

/* A call in flight on a thread: its record as far as it is known. */
struct wire_frame {
	__u64 sp;		   /* stack pointer at entry: pairs the return, finds dead frames */
	__u64 off[WIRE_OFF_KINDS]; /* the thread's totals at entry */
	__u64 n_return_peeks;	   /* of the probe's recipe, as it was at entry */
	struct wire_call_record record;
};

#define WIRE_LONG_SLEEPS 4 /* a power of two */

/* All the kernel side knows of a thread (task storage). */
struct wire_thread {
	__u64 off[WIRE_OFF_KINDS]; /* off-CPU totals since first seen */
	__u64 out_ns;		   /* when it left the CPU; 0 on CPU */
	__u64 ran_ns;		   /* how long it had run by then, in all */
	__u64 in_ns;		   /* when it came back last */
	__u64 woken_ns;		   /* where the kernel does not keep queue times */
	__u64 queued_ns;	   /* waited in run queues until then */
	__u32 preempted_by_pid;
	__u32 preempted_by_tid;
	char preempted_by_comm[WIRE_COMM_LEN];
	__u16 out_kind;
	__u16 heir_cpu; /* a thread of the kernel's got this CPU, plus one, and who comes after it is looked for; 0:
			   none */
	__u32 depth;
	__u32 written;	  /* records of calls, to look at the ring's backlog now and then */
	__u32 watched;	  /* of a thread that only wakes traced ones: its depth, from 1 */
	__u64 named_ns;	  /* and when a wake-up named it last */
	__u64 timeout_ns; /* when the wait ends by itself; 0: not known */
	__u64 faults;	  /* minor faults by the end of the interval before */
	__u64 waited[WIRE_WAIT_SLOTS];
	__u64 sleeps_at;		  /* where in the program it left the CPU last, as a hash; 0: it could run on */
	__u64 slept_at[WIRE_LONG_SLEEPS]; /* where it has slept for long */
	__u64 sleep_stack_ns;		  /* stacks of it asleep are taken up to then: threads.bpf.c */
	__u64 short_io_ns;		  /* asleep in I/O since a place was found where it sleeps for long */
	__u64 reads; /* the inode whose pages it has asked a disk for since it slept last; 0: none */
	struct wire_wait wait;
	struct wire_frame frames[WIRE_MAX_DEPTH];
};

#define WIRE_FILE_NAME_LEN 64

/* What a file that was waited for is called in its folder. */
struct wire_file_name {
	char text[WIRE_FILE_NAME_LEN];
};

/* A file as the kernel numbers it. */
struct wire_file {
	__u64 device; /* its super block's s_dev, major << 20 | minor */
	__u64 inode;
};

/* How the file of one of the agent's own mappings is used (iter/task_vma). */
struct wire_use {
	__u64 start;	 /* of that mapping */
	__u32 names;	 /* that the file has: 0 when it is deleted */
	__u32 is_mapped; /* by another process */
};

/* Kernel-side loss counters, per CPU: the counter, and its name in hal/loss.h, which has the sentence. */
#define WIRE_LOSSES(X)                                                                                                 \
	X(RING_FULL, ring_full)		  /* a call record found the ring full */                                      \
	X(HOST_RING_FULL, host_ring_full) /* a host record found the ring full */                                      \
	X(CRITICAL_RING_FULL, critical_ring_full)                                                                      \
	X(NO_THREAD_STATE, no_thread_state) /* nowhere to keep a thread's state: call not captured */                  \
	X(TOO_DEEP, too_deep)		    /* more nested calls than WIRE_MAX_DEPTH */                                \
	X(UNPAIRED_RETURN, unpaired_return) /* return without a known entry: entered before the attach */              \
	X(NO_RECIPE, no_recipe)		    /* a program ran for a probe that is gone */                               \
	X(BLOCK_UNPAIRED, block_unpaired)   /* an end without its issue, or of no traced process */                    \
	X(NAME_UNREADABLE, name_unreadable)                                                                            \
	X(STACK_RING_FULL, stack_ring_full)	/* a stack found its ring full */                                      \
	X(STACK_SKIPPED, stack_skipped)		/* of a call site that had given too many that second */               \
	X(STACK_CUT, stack_cut)			/* deeper than WIRE_STACK_MOST, or not readable whole */               \
	X(PYTHON_UNREADABLE, python_unreadable) /* Python frames, or what a code object says */                        \
	X(PYTHON_CUT, python_cut)		/* a Python stack deeper than WIRE_STACK_PYTHON */                     \
	X(CODE_RING_FULL, code_ring_full)	/* a code object's record found the ring full */                       \
	X(BLOCK_LOST, block_lost)		/* of a traced process: end not seen, or no room for its owner */      \
	X(NAME_RING_FULL, name_ring_full)	/* a name's record found the ring full */                              \
	X(WAKER_UNWATCHED, waker_unwatched)	/* a waker that is not followed: WIRE_MAX_WATCHED are, or no state */  \
	X(HOST_STATE_FULL, host_state_full)	/* nowhere to keep what the host did: not counted, or not recorded */

enum wire_loss {
#define X(counter, name) WIRE_LOSS_##counter,
	WIRE_LOSSES(X)
#undef X
	    WIRE_LOSS_KINDS,
};

/* In one value, so that the reader has all of them for one system call. */
struct wire_losses {
	__u64 count[WIRE_LOSS_KINDS];
};

#endif
