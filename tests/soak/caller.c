// Makes calls in many short and a few long lives, and logs how many it made: what a recording is compared with.
//
//   caller short LOG LIBRARY --count N [--calls C] [--parallel P] [--stop FILE]   programs that come and go: fork, exec
//   caller forks LOG LIBRARY --count N [--calls C] [--stop FILE]                  children that never run a program
//   caller again LOG LIBRARY --count N [--calls C] [--stop FILE]                  calls, then exec, then calls again
//   caller reopen LOG LIBRARY... --count N [--calls C] [--stop FILE]              opens and closes each in turn
//   caller steady LOG LIBRARY --rate N [--threads T] --stop FILE                  calls all the time, from threads
//   caller one LOG LIBRARY [--calls C]                                            one such life
//   caller hold LIBRARY...                                                        maps them until it is ended
//
// The log gets one line a process, written at once at its end: "PID FIRST_NS LAST_NS NAME=COUNT...", by the monotonic
// clock, before its first call and behind its last. --stop: goes on until that file is there, or --count lives are
// over, --pause-ms after each. Calls fail where there is no device, which is as good: they are counted when they
// return.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KINDS = 8, MOST_LIBRARIES = 32, MOST_THREADS = 64 };

// Their first calls without a driver do nothing but fail; a stand-in takes any words.
static const char* const kNames[KINDS] = {"cudaMalloc",      "cudaFree",
                                          "cudaMemcpyAsync", "cudaLaunchKernel",
                                          "cudaMemsetAsync", "cudaStreamSynchronize",
                                          "cudaStreamQuery", "cudaDeviceSynchronize"};
typedef int (*Function)(void*, void*, long, long, long, long, long, long);

static struct {
  const char* log;
  const char* stop;
  const char* libraries[MOST_LIBRARIES];
  int n_libraries;
  long count, calls, parallel, rate, threads, pause_ms;
} options = {.calls = 100, .parallel = 1, .rate = 1000, .threads = 2};

static void die(const char* what) {
  fprintf(stderr, "caller: %s: %s\n", what, strerror(errno));
  _exit(1);
}

static uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000U + (uint64_t)time.tv_nsec;
}

static int is_stopped(void) { return options.stop != NULL && access(options.stop, F_OK) == 0; }

static int goes_on(long lives) { return !is_stopped() && (options.count == 0 || lives < options.count); }

static void* open_library(const char* path, Function* functions) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "caller: %s\n", dlerror());
    _exit(1);
  }
  for (int i = 0; i < KINDS; ++i) {
    void* symbol = dlsym(library, kNames[i]);
    if (symbol == NULL) die(kNames[i]);
    memcpy(&functions[i], &symbol, sizeof symbol);
  }
  return library;
}

static void call(const Function* functions, long calls, uint64_t* made) {
  static char scratch[4096];
  for (long i = 0; i < calls; ++i) {
    functions[i % KINDS](scratch, scratch + 2048, 8, 1, 0, 0, 0, 0);
    ++made[i % KINDS];
  }
}

static void emit(uint64_t first_ns, const uint64_t* made) {
  char line[512];
  int length = snprintf(line, sizeof line, "%d %llu %llu", (int)getpid(), (unsigned long long)first_ns,
                        (unsigned long long)now_ns());
  for (int i = 0; i < KINDS; ++i) {
    if (made[i] == 0) continue;
    length += snprintf(line + length, sizeof line - (size_t)length, " %s=%llu", kNames[i], (unsigned long long)made[i]);
  }
  line[length++] = '\n';
  const int log = open(options.log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (log < 0 || write(log, line, (size_t)length) != length) die(options.log);
  close(log);
}

static int one(void) {
  Function functions[KINDS];
  uint64_t made[KINDS] = {0};
  const uint64_t first_ns = now_ns();
  open_library(options.libraries[0], functions);
  call(functions, options.calls, made);
  emit(first_ns, made);
  return 0;
}

// This program anew, as `mode`.
static void run_self(const char* mode) {
  char calls[32];
  snprintf(calls, sizeof calls, "%ld", options.calls);
  execl("/proc/self/exe", "caller", mode, options.log, options.libraries[0], "--calls", calls, (char*)NULL);
  die("exec");
}

static void reap(void) {
  int status = 0;
  if (wait(&status) < 0) die("wait");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    fprintf(stderr, "caller: a child ended with status %d\n", status);
    _exit(1);
  }
}

static void pause_after(void) {
  if (options.pause_ms > 0) usleep((useconds_t)options.pause_ms * 1000);
}

// Lives one after another, or `parallel` at a time.
static int lives(void (*life)(void)) {
  long running = 0;
  for (long i = 0; goes_on(i); ++i) {
    const pid_t child = fork();
    if (child < 0) die("fork");
    if (child == 0) {
      life();
      _exit(0);
    }
    if (++running >= options.parallel) {
      reap();
      --running;
    }
    pause_after();
  }
  for (; running > 0; --running) reap();
  return 0;
}

static void exec_one(void) { run_self("one"); }

static Function inherited[KINDS];
static void call_inherited(void) {
  uint64_t made[KINDS] = {0};
  const uint64_t first_ns = now_ns();
  call(inherited, options.calls, made);
  emit(first_ns, made);
}

static void call_and_exec(void) {
  call_inherited();
  run_self("one");
}

static int reopen(void) {
  uint64_t made[KINDS] = {0};
  const uint64_t first_ns = now_ns();
  for (long i = 0; goes_on(i); ++i) {
    Function functions[KINDS];
    void* library = open_library(options.libraries[i % options.n_libraries], functions);
    call(functions, options.calls, made);
    if (dlclose(library) != 0) die("dlclose");
    pause_after();
  }
  emit(first_ns, made);
  return 0;
}

static uint64_t steady_made[MOST_THREADS][KINDS];
static void* steady_thread(void* own) {
  uint64_t* made = own;
  const uint64_t begin_ns = now_ns();
  for (uint64_t calls = 0; !is_stopped();) {
    const uint64_t due = (now_ns() - begin_ns) * (uint64_t)options.rate / 1000000000U;
    if (calls < due) {
      call(inherited, (long)(due - calls), made);
      calls = due;
    }
    usleep(10000);
  }
  return NULL;
}

static int steady(void) {
  pthread_t threads[MOST_THREADS];
  uint64_t made[KINDS] = {0};
  const uint64_t first_ns = now_ns();
  for (long i = 0; i < options.threads; ++i) {
    if (pthread_create(&threads[i], NULL, steady_thread, steady_made[i]) != 0) die("pthread_create");
  }
  for (long i = 0; i < options.threads; ++i) {
    pthread_join(threads[i], NULL);
    for (int kind = 0; kind < KINDS; ++kind) made[kind] += steady_made[i][kind];
  }
  emit(first_ns, made);
  return 0;
}

_Noreturn static void hold(void) {
  for (int i = 0; i < options.n_libraries; ++i) {
    if (dlopen(options.libraries[i], RTLD_NOW | RTLD_LOCAL) == NULL) die(options.libraries[i]);
  }
  puts("held");
  fflush(stdout);
  for (;;) pause();
}

static void parse(int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    if (argv[i][0] != '-') {
      if (options.log == NULL) {
        options.log = argv[i];
      } else if (options.n_libraries < MOST_LIBRARIES) {
        options.libraries[options.n_libraries++] = argv[i];
      }
      continue;
    }
    if (i + 1 >= argc) die(argv[i]);
    const char* name = argv[i];
    const char* value = argv[++i];
    if (strcmp(name, "--stop") == 0) options.stop = value;
    if (strcmp(name, "--count") == 0) options.count = atol(value);
    if (strcmp(name, "--calls") == 0) options.calls = atol(value);
    if (strcmp(name, "--parallel") == 0) options.parallel = atol(value);
    if (strcmp(name, "--pause-ms") == 0) options.pause_ms = atol(value);
    if (strcmp(name, "--rate") == 0) options.rate = atol(value);
    if (strcmp(name, "--threads") == 0) options.threads = atol(value);
  }
}

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  const int is_hold = strcmp(mode, "hold") == 0;
  if (is_hold) options.log = "";
  parse(argc, argv);
  if (options.n_libraries == 0 || options.threads > MOST_THREADS) {
    fprintf(stderr, "caller: see the head of caller.c\n");
    return 2;
  }
  if (is_hold) hold();
  if (strcmp(mode, "one") == 0) return one();
  if (strcmp(mode, "reopen") == 0) return reopen();
  if (strcmp(mode, "short") == 0) return lives(exec_one);
  open_library(options.libraries[0], inherited);
  if (strcmp(mode, "forks") == 0) return lives(call_inherited);
  if (strcmp(mode, "again") == 0) return lives(call_and_exec);
  if (strcmp(mode, "steady") == 0) return steady();
  fprintf(stderr, "caller: no such mode: %s\n", mode);
  return 2;
}
