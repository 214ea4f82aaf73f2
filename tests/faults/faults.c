/* Makes the n-th call of one kind fail: preloaded into the program under test (see faults.py), never part of it.
 *
 *   INGERO_FAULT=KIND:N    the N-th call of KIND fails once; "KIND:N+": all from the N-th on; N = 0: none, they are
 * counted INGERO_FAULT_COUNT=F   where the count is written when the program ends INGERO_FAULT_STACK=1   the first call
 * that fails writes its stack to standard error (addr2line -e)
 *
 * Kinds: malloc (operator new too, which calls it), sqlite_malloc (SQLite's own), read, write, sync, mmap, open,
 * sqlite_vfs (SQLite's reading, writing, syncing, truncating, opening, mapping), bpf, perf (perf_event_open and ioctl
 * on it). Calls are counted from main() on and only in the process that main() began in: what the loader does before is
 * not the program's. Who calls is known by the return address. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FORTIFY_SOURCE /* its functions are inline, and call the ones below under other names */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum kind { kMalloc, kSqliteMalloc, kRead, kWrite, kSync, kMmap, kOpen, kSqliteVfs, kBpf, kPerf, kKinds };
static const char* const kNames[kKinds] = {"malloc", "sqlite_malloc", "read",       "write", "sync",
                                           "mmap",   "open",          "sqlite_vfs", "bpf",   "perf"};

static int g_kind = -1;
static unsigned long g_number;
static int g_from_then_on, g_shows_stack;
static atomic_ulong g_count;
static atomic_int g_armed;
static pid_t g_pid;
static uintptr_t g_sqlite_first, g_sqlite_end;

static void* real(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL) _exit(99);
  return found;
}

static int find_sqlite(struct dl_phdr_info* info, size_t size, void* unused) {
  (void)size, (void)unused;
  if (info->dlpi_name == NULL || strstr(info->dlpi_name, "libsqlite3") == NULL) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    if (info->dlpi_phdr[i].p_type != PT_LOAD) continue;
    const uintptr_t first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr, end = first + info->dlpi_phdr[i].p_memsz;
    if (g_sqlite_first == 0 || first < g_sqlite_first) g_sqlite_first = first;
    if (end > g_sqlite_end) g_sqlite_end = end;
  }
  return 1;
}

static int is_sqlite(const void* caller) {
  return (uintptr_t)caller >= g_sqlite_first && (uintptr_t)caller < g_sqlite_end;
}

static void show_stack(void) {
  void* frames[32];
  atomic_store(&g_armed, 0);
  backtrace_symbols_fd(frames, backtrace(frames, 32), STDERR_FILENO);
  atomic_store(&g_armed, 1);
}

/* Whether this call is to fail. */
static int fails(int kind) {
  if (kind != g_kind || !atomic_load_explicit(&g_armed, memory_order_relaxed)) return 0;
  const unsigned long number = atomic_fetch_add(&g_count, 1) + 1;
  if (g_number == 0) return 0;
  if (number == g_number && g_shows_stack) show_stack();
  return g_from_then_on ? number >= g_number : number == g_number;
}

/* A kind of its own where SQLite calls. */
static int fails_for(int kind, int of_sqlite, const void* caller) {
  return fails(is_sqlite(caller) ? of_sqlite : kind);
}

static int is_anonymous(int fd) {
  struct stat status;
  return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == 0;
}

static void write_count(void) {
  const char* path = getenv("INGERO_FAULT_COUNT");
  if (path == NULL || getpid() != g_pid) return;
  atomic_store(&g_armed, 0);
  char text[32];
  const int length = snprintf(text, sizeof text, "%lu", atomic_load(&g_count));
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd >= 0) {
    if (syscall(SYS_write, fd, text, length) != length) _exit(98);
    syscall(SYS_close, fd);
  }
}

static void disarm(void) { atomic_store(&g_armed, 0); }

static int (*g_main)(int, char**, char**);
static int counted_main(int argc, char** argv, char** environment) {
  const char* wanted = getenv("INGERO_FAULT");
  g_pid = getpid();
  dl_iterate_phdr(find_sqlite, NULL);
  if (wanted != NULL) {
    const char* colon = strchr(wanted, ':');
    for (int i = 0; colon != NULL && i < kKinds; ++i) {
      if (strlen(kNames[i]) == (size_t)(colon - wanted) && strncmp(kNames[i], wanted, (size_t)(colon - wanted)) == 0)
        g_kind = i;
    }
    if (g_kind < 0) _exit(97);
    g_number = strtoul(colon + 1, NULL, 10);
    g_from_then_on = wanted[strlen(wanted) - 1] == '+';
    g_shows_stack = getenv("INGERO_FAULT_STACK") != NULL;
    unsetenv("INGERO_FAULT"); /* what the program starts is not under test */
    unsetenv("LD_PRELOAD");
    pthread_atfork(NULL, NULL, disarm);
    atomic_store(&g_armed, 1);
  }
  const int status = g_main(argc, argv, environment);
  write_count();
  return status;
}

EXPORT int __libc_start_main(int (*program)(int, char**, char**), int argc, char** argv, void (*init)(void),
                             void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  g_main = program;
  __typeof__(&__libc_start_main) start;
  void* found = real("__libc_start_main");
  memcpy(&start, &found, sizeof start); /* C has no cast from one to the other */
  return start(counted_main, argc, argv, init, fini, rtld_fini, stack_end);
}

EXPORT void _exit(int status) {
  write_count();
  syscall(SYS_exit_group, status);
  __builtin_unreachable();
}

/* The program's own heap under other names, since asking dlsym() for it would allocate: jemalloc's, or libc's where
 * that is not linked. */
extern void* mallocx(size_t size, int flags) __attribute__((weak));
extern void* rallocx(void* block, size_t size, int flags) __attribute__((weak));
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* block, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static size_t at_least_one(size_t size) { return size ? size : 1; }

static void* real_malloc(size_t size) { return mallocx ? mallocx(at_least_one(size), 0) : __libc_malloc(size); }

static void* real_calloc(size_t count, size_t size) {
  const int kZero = 0x40; /* MALLOCX_ZERO */
  size_t bytes;
  if (!mallocx) return __libc_calloc(count, size);
  return __builtin_mul_overflow(count, size, &bytes) ? NULL : mallocx(at_least_one(bytes), kZero);
}

static void* real_realloc(void* block, size_t size) {
  if (!mallocx) return __libc_realloc(block, size);
  return block ? rallocx(block, at_least_one(size), 0) : real_malloc(size);
}

static void* real_memalign(size_t alignment, size_t size) {
  return mallocx ? mallocx(at_least_one(size), __builtin_ctzl(alignment)) : __libc_memalign(alignment, size);
}

#define CALLER __builtin_return_address(0)
#define FAIL(with)  \
  do {              \
    errno = (with); \
    return 0;       \
  } while (0)
#define FAIL_MINUS(with) \
  do {                   \
    errno = (with);      \
    return -1;           \
  } while (0)

EXPORT void* malloc(size_t size) {
  if (fails_for(kMalloc, kSqliteMalloc, CALLER)) FAIL(ENOMEM);
  return real_malloc(size);
}
EXPORT void* calloc(size_t count, size_t size) {
  if (fails_for(kMalloc, kSqliteMalloc, CALLER)) FAIL(ENOMEM);
  return real_calloc(count, size);
}
EXPORT void* realloc(void* block, size_t size) {
  if (fails_for(kMalloc, kSqliteMalloc, CALLER)) FAIL(ENOMEM);
  return real_realloc(block, size);
}
EXPORT int posix_memalign(void** block, size_t alignment, size_t size) {
  if (fails(kMalloc)) return ENOMEM;
  *block = real_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}
EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  if (fails(kMalloc)) FAIL(ENOMEM);
  return real_memalign(alignment, size);
}

EXPORT ssize_t read(int fd, void* buffer, size_t bytes) {
  if (!is_anonymous(fd) && fails_for(kRead, kSqliteVfs, CALLER)) FAIL_MINUS(EIO);
  return syscall(SYS_read, fd, buffer, bytes);
}
EXPORT ssize_t pread64(int fd, void* buffer, size_t bytes, off64_t at) {
  if (fails_for(kRead, kSqliteVfs, CALLER)) FAIL_MINUS(EIO);
  return syscall(SYS_pread64, fd, buffer, bytes, at);
}
EXPORT ssize_t pread(int fd, void* buffer, size_t bytes, off_t at) {
  if (fails_for(kRead, kSqliteVfs, CALLER)) FAIL_MINUS(EIO);
  return syscall(SYS_pread64, fd, buffer, bytes, at);
}
EXPORT ssize_t write(int fd, const void* buffer, size_t bytes) {
  /* What it has to say of the fault must be heard. */
  if (fd != STDERR_FILENO && !is_anonymous(fd) && fails_for(kWrite, kSqliteVfs, CALLER)) FAIL_MINUS(ENOSPC);
  return syscall(SYS_write, fd, buffer, bytes);
}
EXPORT ssize_t pwrite64(int fd, const void* buffer, size_t bytes, off64_t at) {
  if (fails_for(kWrite, kSqliteVfs, CALLER)) FAIL_MINUS(ENOSPC);
  return syscall(SYS_pwrite64, fd, buffer, bytes, at);
}
EXPORT ssize_t pwrite(int fd, const void* buffer, size_t bytes, off_t at) {
  if (fails_for(kWrite, kSqliteVfs, CALLER)) FAIL_MINUS(ENOSPC);
  return syscall(SYS_pwrite64, fd, buffer, bytes, at);
}
EXPORT ssize_t writev(int fd, const struct iovec* parts, int count) {
  if (fd != STDERR_FILENO && fails(kWrite)) FAIL_MINUS(ENOSPC);
  return syscall(SYS_writev, fd, parts, count);
}
EXPORT int fsync(int fd) {
  if (fails_for(kSync, kSqliteVfs, CALLER)) FAIL_MINUS(EIO);
  return (int)syscall(SYS_fsync, fd);
}
EXPORT int fdatasync(int fd) {
  if (fails_for(kSync, kSqliteVfs, CALLER)) FAIL_MINUS(EIO);
  return (int)syscall(SYS_fdatasync, fd);
}
EXPORT int ftruncate64(int fd, off64_t bytes) {
  if (fails_for(kWrite, kSqliteVfs, CALLER)) FAIL_MINUS(ENOSPC);
  return (int)syscall(SYS_ftruncate, fd, bytes);
}

EXPORT void* mmap64(void* address, size_t bytes, int access, int flags, int fd, off64_t at) {
  if (fails_for(kMmap, kSqliteVfs, CALLER)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void*)syscall(SYS_mmap, address, bytes, access, flags, fd, at);
}
EXPORT void* mmap(void* address, size_t bytes, int access, int flags, int fd, off_t at) {
  if (fails_for(kMmap, kSqliteVfs, CALLER)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void*)syscall(SYS_mmap, address, bytes, access, flags, fd, at);
}

/* openat() with whatever mode was given: unused where the flags need none. */
#define OPEN(name, parameters, folder, path, last)                \
  EXPORT int name parameters {                                    \
    va_list more;                                                 \
    va_start(more, last);                                         \
    const unsigned mode = va_arg(more, unsigned);                 \
    va_end(more);                                                 \
    if (fails_for(kOpen, kSqliteVfs, CALLER)) FAIL_MINUS(EMFILE); \
    return (int)syscall(SYS_openat, folder, path, flags, mode);   \
  }
OPEN(open, (const char* path, int flags, ...), AT_FDCWD, path, flags)
OPEN(open64, (const char* path, int flags, ...), AT_FDCWD, path, flags)
OPEN(openat, (int folder, const char* path, int flags, ...), folder, path, flags)
OPEN(openat64, (int folder, const char* path, int flags, ...), folder, path, flags)

EXPORT int eventfd(unsigned count, int flags) {
  if (fails(kOpen)) FAIL_MINUS(EMFILE);
  return (int)syscall(SYS_eventfd2, count, flags);
}

EXPORT long syscall(long number, ...) {
  va_list more;
  va_start(more, number);
  long a[6];
  for (int i = 0; i < 6; ++i) a[i] = va_arg(more, long);
  va_end(more);
  if (number == SYS_bpf && fails(kBpf)) FAIL_MINUS(ENOMEM);
  if (number == SYS_perf_event_open && fails(kPerf)) FAIL_MINUS(EMFILE);
  long result;
#if defined(__x86_64__)
  register long r10 __asm__("r10") = a[3];
  register long r8 __asm__("r8") = a[4];
  register long r9 __asm__("r9") = a[5];
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
#elif defined(__aarch64__)
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a[0];
  register long x1 __asm__("x1") = a[1];
  register long x2 __asm__("x2") = a[2];
  register long x3 __asm__("x3") = a[3];
  register long x4 __asm__("x4") = a[4];
  register long x5 __asm__("x5") = a[5];
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  result = x0;
#else
#error "an architecture that ingero does not know"
#endif
  if (result < 0 && result > -4096) {
    errno = (int)-result;
    return -1;
  }
  return result;
}
