"""Programs of 32-bit x86: their calls are recorded like any others, next to 64-bit ones in the same recording, by each way
of attaching.

Neither a 32-bit C library nor its loader is needed: the program maps the library by itself and makes its threads by clone();
where the functions are is on its command line. What it calls follows from the thread's number and the round, so every field
of every call is known.
"""
import collections
import json
import os
import subprocess

from harness import Skip, Trace, check, run, say, tool
from whole import CALLER, compiled, explained, runtime

LIBRARY = r"""
typedef unsigned long long u64;
typedef unsigned int u32;
#define API __attribute__((noinline))
API int clFlush(void *queue) { return ((u32)queue & 1) ? -36 : 0; }
API int clFinish(void *queue) { int result = clFlush(queue); __asm__ volatile("" ::: "memory"); return result; }
API int clEnqueueWriteBuffer(void *queue, void *buffer, u32 blocking, u32 offset, u32 bytes, const void *from, u32 n,
                             const void *waits, void **event) {
  (void)queue; (void)buffer; (void)blocking; (void)offset; (void)from; (void)n; (void)waits; (void)event;
  return bytes % 5 == 0 ? -30 : 0;
}
API void *clCreateBuffer(void *context, u64 flags, u32 bytes, void *from, int *error) {
  (void)context; (void)flags; (void)from; (void)error;
  return bytes % 7 == 0 ? 0 : (void *)(0xf0000000u + bytes % 1000);
}
API void *clCreateKernel(void *program, const char *name, int *error) {
  (void)error;
  return name ? (void *)((u32)program + 1) : 0;
}
API int clEnqueueNDRangeKernel(void *queue, void *kernel, u32 dimensions, const u32 *offset, const u32 *global,
                               const u32 *local, u32 n, const void *waits, void **event) {
  (void)queue; (void)kernel; (void)dimensions; (void)offset; (void)global; (void)local; (void)n; (void)waits; (void)event;
  return 0;
}
"""
PROGRAM = r"""
typedef unsigned long long u64;
typedef unsigned int u32;
typedef unsigned short u16;
enum { EXIT = 1, OPEN = 5, GETTID = 224, WRITE = 4, READ = 3, CLONE = 120, MMAP2 = 192, FUTEX = 240, EXIT_GROUP = 252 };
static int sys(int n, int a, int b, int c, int d, int e, int f) {
  int arguments[7] = {n, a, b, c, d, e, f}, result;
  __asm__ volatile("pushl %%ebp\n pushl %%ebx\n movl 4(%%eax), %%ebx\n movl 8(%%eax), %%ecx\n movl 12(%%eax), %%edx\n"
                   "movl 16(%%eax), %%esi\n movl 20(%%eax), %%edi\n movl 24(%%eax), %%ebp\n movl (%%eax), %%eax\n"
                   "int $0x80\n popl %%ebx\n popl %%ebp\n"
                   : "=a"(result) : "0"(arguments) : "ecx", "edx", "esi", "edi", "memory");
  return result;
}
static void die(int code) { sys(EXIT_GROUP, code, 0, 0, 0, 0, 0); }
static u32 number(const char *text) {
  u32 value = 0;
  for (; *text; ++text) value = value * 10 + (u32)(*text - '0');
  return value;
}
static u32 base;
struct header { unsigned char ident[16]; u16 type, machine; u32 version, entry, phoff, shoff, flags; u16 ehsize, phentsize, phnum; };
struct segment { u32 type, offset, vaddr, paddr, filesz, memsz, flags, align; };
static char first[4096];
static void map_library(const char *path) {
  const int file = sys(OPEN, (int)path, 0, 0, 0, 0, 0);
  if (file < 0 || sys(READ, file, (int)first, sizeof first, 0, 0, 0) < 200) die(2);
  const struct header *header = (const struct header *)first;
  const struct segment *segments = (const struct segment *)(first + header->phoff);
  base = (u32)sys(MMAP2, 0, 1 << 20, 0, 0x22, -1, 0);
  for (int i = 0; i < header->phnum; ++i) {
    const struct segment *one = &segments[i];
    if (one->type != 1) continue;
    const u32 page = one->vaddr & ~4095u;
    const u32 protection = (one->flags & 4 ? 1 : 0) | (one->flags & 2) | (one->flags & 1 ? 4 : 0);
    if (sys(MMAP2, (int)(base + page), (int)(one->filesz + one->vaddr - page), (int)protection, 0x12, file,
            (int)(one->offset / 4096)) != (int)(base + page)) die(3);
  }
}
static u32 rounds, addresses[6];
static char stacks[8][65536] __attribute__((aligned(16)));
static volatile u32 alive[8];
static u32 tids[8];
#define AT(i, type) ((type)(base + addresses[i]))
__attribute__((noinline)) void make_calls(u32 thread) {
  static const char *const names[4] = {"narrow_a", "narrow_b", "narrow_c", "narrow_d"};
  void *const queue = (void *)(0x1000 + thread);
  void *kernel = AT(4, void *(*)(u32, const char *, int *))(0x9000 + 16 * thread, names[thread % 4], 0);
  for (u32 i = 0; i < rounds; ++i) {
    AT(2, int (*)(void *, u32, u32, u32, u32, u32, u32, u32, u32))(queue, 0xe0000000u + i, i % 2, 3, 0x80000000u + i, 0xd0000000u + i, 0, 0, 0);
    AT(3, void *(*)(u32, u64, u32, u32, u32))(0x3000 + thread, 0x100000004ull * (thread + 1), 0xf0000000u + i, 0, 0);
    AT(1, int (*)(void *))(queue);
    AT(5, int (*)(void *, void *, u32, u32, u32, u32, u32, u32, u32))(queue, kernel, 1, 0, 0, 0, 0, 0, 0);
  }
}
void run_thread(u32 thread) {
  tids[thread] = (u32)sys(GETTID, 0, 0, 0, 0, 0, 0);
  make_calls(thread);
  __asm__ volatile("");
}
static void begin(u32 thread) {
  u32 *top = (u32 *)(stacks[thread] + sizeof stacks[thread] - 64);
  int result;
  top[0] = (u32)run_thread;
  top[1] = thread;
  alive[thread] = 1;
  /* CLONE_VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, CHILD_CLEARTID */
  __asm__ volatile("int $0x80\n testl %%eax, %%eax\n jnz 1f\n popl %%eax\n xorl %%ebp, %%ebp\n call *%%eax\n movl $1, %%eax\n"
                   "xorl %%ebx, %%ebx\n int $0x80\n1:\n"
                   : "=a"(result)
                   : "0"(CLONE), "b"(0x100 | 0x200 | 0x400 | 0x800 | 0x10000 | 0x40000 | 0x200000), "c"(top), "d"(0), "S"(0),
                     "D"(&alive[thread])
                   : "memory");
  if (result < 0) die(4);
}
static void say(u32 value) {
  char text[12];
  u32 at = sizeof text;
  text[--at] = '\n';
  do text[--at] = (char)('0' + value % 10); while (value /= 10);
  sys(WRITE, 1, (int)(text + at), (int)(sizeof text - at), 0, 0, 0);
}
/* library, threads, rounds, addresses of six functions; prints a thread's number a line */
void start_here(u32 *stack) {
  char **arguments = (char **)(stack + 1);
  if (stack[0] != 10) die(1);
  const u32 threads = number(arguments[2]);
  rounds = number(arguments[3]);
  for (int i = 0; i < 6; ++i) addresses[i] = number(arguments[4 + i]);
  if (threads > 8) die(1);
  map_library(arguments[1]);
  for (u32 i = 0; i < threads; ++i) begin(i);
  for (u32 i = 0; i < threads; ++i)
    for (u32 value; (value = alive[i]) != 0;) sys(FUTEX, (int)&alive[i], 0, (int)value, 0, 0, 0);
  for (u32 i = 0; i < threads; ++i) say(tids[i]);
  die(0);
}
__asm__(".globl _start\n_start:\n xorl %ebp, %ebp\n movl %esp, %eax\n pushl %eax\n call start_here\n");
"""
FUNCTIONS = ("clFlush", "clFinish", "clEnqueueWriteBuffer", "clCreateBuffer", "clCreateKernel", "clEnqueueNDRangeKernel")
FLAGS = ("-m32", "-nostdlib", "-ffreestanding", "-fno-stack-protector", "-fno-omit-frame-pointer", "-fcf-protection=none", "-w")
THREADS, ROUNDS, WIDE_CALLS = 4, 400, 3000


def programs(build):
    """The program's command line and the library's path; skips where a 32-bit program cannot be made or run."""
    probe = build.path("probe.c")
    with open(probe, "w", encoding="ascii") as file:
        file.write('__asm__(".globl _start\\n_start: movl $1, %eax\\n xorl %ebx, %ebx\\n int $0x80");')
    made = subprocess.run([tool("cc"), *FLAGS, "-static", "-o", build.path("probe"), probe], capture_output=True, check=False)
    if made.returncode != 0:
        raise Skip("cc -m32 does not work here")
    try:
        ran = subprocess.run([build.path("probe")], check=False).returncode
    except OSError:
        ran = -1
    if ran != 0:
        raise Skip("this kernel does not run 32-bit programs (CONFIG_IA32_EMULATION)")
    folder = "lib32"
    os.makedirs(build.path(folder), exist_ok=True)
    library = compiled(build, os.path.join(folder, "libOpenCL.so.1"), LIBRARY, *FLAGS, "-shared", "-fPIC", "-fvisibility=protected",
                       "-Wl,-soname,libOpenCL.so.1")
    program = compiled(build, "program32", PROGRAM, *FLAGS, "-static", "-fno-pic", "-no-pie", "-g")
    listed = run("nm", "-D", "--defined-only", library).stdout.split("\n")
    addresses = {line.split()[2]: int(line.split()[0], 16) for line in listed if len(line.split()) == 3}
    return [program, library, str(THREADS), str(ROUNDS), *(str(addresses[name]) for name in FUNCTIONS)], library


def expected(tids):
    """(thread, call, return code, failed, fields that are known), with how often: what the program above does."""
    calls = collections.Counter()
    for thread, tid in enumerate(tids):
        queue = 0x1000 + thread
        flushed = -36 if queue & 1 else 0
        calls[(tid, "clCreateKernel", None, None, None, None, None, None, None, 0x9000 + 16 * thread + 1)] += 1
        for i in range(ROUNDS):
            size = 0x80000000 + i
            code = -30 if size % 5 == 0 else 0
            name = "clEnqueueWriteBuffer" if i % 2 else "clEnqueueWriteBuffer (non-blocking)"
            calls[(tid, name, code, int(code != 0), queue, 0xe0000000 + i, 0xd0000000 + i, size, None, None)] += 1
            size = 0xf0000000 + i
            made = None if size % 7 == 0 else 0xf0000000 + size % 1000
            calls[(tid, "clCreateBuffer", None, 1 if made is None else None, None, made, None, size, 0x100000004 * (thread + 1), None)] += 1
            calls[(tid, "clFinish", flushed, int(flushed != 0), queue, None, None, None, None, None)] += 1
            calls[(tid, "clFlush", flushed, int(flushed != 0), queue, None, None, None, None, None)] += 1
            calls[(tid, "clEnqueueNDRangeKernel", 0, 0, queue, None, None, None, None, 0x9000 + 16 * thread + 1)] += 1
    return calls


def recorded(trace, library):
    columns = "tid, call, ret_code, failed, stream, address, source_address, bytes, flags, function"
    rows = trace.recording.rows(f"SELECT {columns}, outcome, duration FROM events WHERE library = ?", library)
    check(all(row["outcome"] == "returned" and row["duration"] > 0 for row in rows), "a call did not return, or took no time")
    return collections.Counter(tuple(row[name] for name in columns.split(", ")) for row in rows)


def compared(build, attach):
    command, library = programs(build)
    wide, wide_library = compiled(build, "caller", CALLER, "-ldl"), runtime(build)
    both = ["sh", "-c", f"{wide} {wide_library} 60000 {WIDE_CALLS} > {build.path('wide')} & {' '.join(command)} > {build.path('tids')}; wait"]
    with Trace(build, "--attach", attach, "--stack", "all", command=both) as trace:
        check(trace.wait() == 0, "the command failed: " + trace.stderr().decode(errors="replace"))
    with open(build.path("tids"), encoding="ascii") as file:
        tids = [int(line) for line in file]
    check(len(set(tids)) == THREADS, f"the program did not run: {tids}")
    want, found = expected(tids), recorded(trace, library)
    missing, extra = want - found, found - want
    check(not missing and not extra, f"{sum(missing.values())} calls are missing, such as {list(missing)[:3]}; "
          f"{sum(extra.values())} are not the program's, such as {list(extra)[:3]}; losses: {trace.recording.losses()}")
    nested = trace.recording.one("SELECT count(*) FROM events WHERE library = ? AND call = 'clFlush' AND depth = 1", library)
    check(nested == THREADS * ROUNDS, f"{nested} calls of clFlush are inside clFinish")
    with open(build.path("wide"), encoding="ascii") as file:
        made = json.load(file)["calls"]
    wide_found = trace.recording.one("SELECT count(*) FROM events WHERE library = ? AND call = 'cudaFree' AND ret_code = 0", wide_library)
    check(wide_found == made == WIDE_CALLS, f"{wide_found} of {made} 64-bit calls in the same recording")
    losses = trace.recording.losses()
    check(losses.get("library_32bit") == 1 and "library_unsupported" not in losses, losses)
    check("library_32bit: 1" in explained(build, trace.recording.path), "explain does not say that it is a 32-bit library")
    check("32-bit" in trace.stderr().decode(), trace.stderr().decode())
    names = {row["name"] for row in trace.recording.rows("SELECT DISTINCT kernel AS name FROM events WHERE library = ?", library)}
    check({"narrow_a", "narrow_b", "narrow_c", "narrow_d"} <= names, f"names of kernels: {names}")
    # Its first thread waits for the others by futex(2), which has another number in 32-bit programs.
    waits = {tuple(row) for row in trace.recording.rows(
        "SELECT kind, syscall FROM thread_waits WHERE comm = 'program32' AND tid = pid AND kind = 'futex'")}
    check(waits == {("futex", 202)}, f"what the first thread waited for: {waits}")
    stacks = [[frame.get("s", "").split("+")[0] for frame in json.loads(row["frames"])] for row in trace.recording.rows(
        "SELECT frames FROM stack_traces WHERE hash IN (SELECT stack_hash FROM events WHERE library = ?)", library)]
    # The thread's first frame is in begin(), which is inlined; it has no caller.
    outer = ["make_calls", "run_thread", "begin", "start_here", "[more]"]
    wrong = [names for names in stacks if names[-len(outer):] != outer]
    check(stacks and not wrong, f"stacks of calls: {wrong[:3]} of {len(stacks)}")
    say(attach=attach, calls=sum(found.values()), wide_calls=wide_found, losses=losses)
    return trace


def CallsOf32BitProgramsAreExactWithSessionLinks(build):
    compared(build, "session")


def CallsOf32BitProgramsAreExactWithMultiLinks(build):
    compared(build, "multi")


def CallsOf32BitProgramsAreExactWithPerfProbes(build):
    compared(build, "perf")


TESTS = (CallsOf32BitProgramsAreExactWithSessionLinks, CallsOf32BitProgramsAreExactWithMultiLinks,
         CallsOf32BitProgramsAreExactWithPerfProbes)
SHARED = TESTS
