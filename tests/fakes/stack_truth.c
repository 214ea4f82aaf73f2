/* Makes calls from places it knows, and says which: one JSON line a call, {"id": bytes asked for, "case": ...,
 * "chain": [innermost function, ..., outermost of ours]}. In a chain "?" stands for code without a name.
 *
 * stack_truth LIBRARY SEED COUNT [PAUSE_US, default 300] */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fakes/stack_walk.h"

static int (*allocate)(void** pointer, size_t bytes);
static unsigned pause_us = 300;
static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

#define DEEPEST 128

static OPAQUE int make_the_call(struct walk* walk) {
  void* pointer = NULL;
  return RETURNED(allocate(&pointer, walk->id));
}

/* Where our part of every chain begins. */
static OPAQUE int begin_walk(struct walk* walk) { return RETURNED(walk->functions[0](walk)); }

/* Other ways from one function to the next. */
static walk_function jit_with_frame, jit_without_frame;

static OPAQUE int through_framed_jit(struct walk* walk) {
  return RETURNED(((int (*)(struct walk*, walk_function))(void*)jit_with_frame)(walk, walk->functions[++walk->at]));
}
static OPAQUE int through_unframed_jit(struct walk* walk) {
  return RETURNED(((int (*)(struct walk*, walk_function))(void*)jit_without_frame)(walk, walk->functions[++walk->at]));
}

static _Thread_local struct walk* interrupted;
static OPAQUE void on_signal(void) {
  volatile int result = NEXT(interrupted);
  (void)result;
}
static OPAQUE int through_a_signal(struct walk* walk) {
  interrupted = walk;
  /* An instruction that faults, so that the place is this function's own and not the C library's. */
#if defined(__aarch64__)
  __asm__ volatile("udf #0" ::: "memory");
#else
  __asm__ volatile("ud2" ::: "memory");
#endif
  return 1;
}
static OPAQUE void on_fault(int signal, siginfo_t* info, void* context) {
  (void)signal;
  (void)info;
  ucontext_t* at = context;
#if defined(__x86_64__)
  at->uc_mcontext.gregs[REG_RIP] += 2; /* over ud2 */
#elif defined(__aarch64__)
  at->uc_mcontext.pc += 4;
#endif
  on_signal();
  __asm__ volatile("");
}

struct link {
  walk_function function;
  const char* name;
};

static void describe(const char* what, size_t id, const struct link* links, size_t count) {
  pthread_mutex_lock(&printing);
  printf("{\"id\":%zu,\"case\":\"%s\",\"chain\":[", id, what);
  for (size_t i = count; i-- > 0;) printf("\"%s\",", links[i].name);
  printf("\"begin_walk\"]}\n");
  pthread_mutex_unlock(&printing);
}

/* Names may hold "a\",\"?" for two frames at once. */
static void go(const char* what, size_t id, const struct link* links, size_t count) {
  walk_function functions[DEEPEST + 2];
  for (size_t i = 0; i < count; i++) functions[i] = links[i].function;
  struct walk walk = {functions, 0, id};
  describe(what, id, links, count);
  begin_walk(&walk);
  usleep(pause_us); /* stacks of all calls, as fast as they come, are more than is kept */
}

static struct link random_link(unsigned* seed, int framed) {
  const struct named_function* table = framed ? framed_functions : unframed_functions;
  const struct named_function* one = &table[(unsigned)rand_r(seed) % WALK_FUNCTIONS];
  return (struct link){one->function, one->name};
}

/* kind 0: with frame pointers; 1: without; 2: both mixed. `special`, if any, in the middle. */
static void random_walk(const char* what, size_t id, unsigned* seed, int kind, size_t depth,
                        const struct link* special) {
  struct link links[DEEPEST + 2];
  size_t count = 0;
  for (size_t i = 0; i < depth; i++) {
    if (special && i == depth / 2) links[count++] = *special;
    links[count++] = random_link(seed, kind == 0 || (kind == 2 && rand_r(seed) % 2));
  }
  links[count++] = (struct link){make_the_call, "make_the_call"};
  go(what, id, links, count);
}

struct job {
  size_t first_id, count;
  unsigned seed;
};

static void* many_walks(void* argument) {
  struct job* job = argument;
  const char* names[] = {"with frame pointers", "without frame pointers", "mixed"};
  for (size_t i = 0; i < job->count; i++) {
    int kind = (int)(i % 3);
    size_t depth = i % 10 == 9 ? 80 : 1 + (unsigned)rand_r(&job->seed) % 40;
    random_walk(names[kind], job->first_id + i, &job->seed, kind, depth, NULL);
  }
  return NULL;
}

static void make_jit(void) {
#if defined(__aarch64__)
  /* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x1; ldp x29, x30, [sp], #16; ret */
  static const unsigned framed[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0020, 0xa8c17bfd, 0xd65f03c0};
  /* str x30, [sp, #-16]!; blr x1; ldr x30, [sp], #16; ret */
  static const unsigned unframed[] = {0xf81f0ffe, 0xd63f0020, 0xf84107fe, 0xd65f03c0};
#elif defined(__x86_64__)
  static const unsigned char framed[] = {0x55, 0x48, 0x89, 0xe5,
                                         0xff, 0xd6, 0x5d, 0xc3}; /* push rbp; mov rbp,rsp; call rsi; pop rbp; ret */
  static const unsigned char unframed[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd6, 0x48, 0x83, 0xc4, 0x08, 0xc3};
#endif
#if defined(__aarch64__) || defined(__x86_64__)
  unsigned char* page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
  memcpy(page, framed, sizeof framed);
  memcpy(page + 256, unframed, sizeof unframed);
  __builtin___clear_cache((char*)page, (char*)page + 4096);
  jit_with_frame = (walk_function)(void*)page;
  jit_without_frame = (walk_function)(void*)(page + 256);
#endif
}

int main(int count, char** arguments) {
  if (count < 4) return 2;
  if (count > 4) pause_us = (unsigned)strtoul(arguments[4], NULL, 10);
  void* library = dlopen(arguments[1], RTLD_NOW);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    return 1;
  }
  *(void**)&allocate = dlsym(library, "cudaMalloc");
  if (!allocate) return 1;
  unsigned seed = (unsigned)strtoul(arguments[2], NULL, 10);
  size_t walks = strtoul(arguments[3], NULL, 10);

  struct sigaction fault;
  memset(&fault, 0, sizeof fault);
  fault.sa_sigaction = on_fault;
  fault.sa_flags = SA_SIGINFO | SA_NODEFER;
  sigaction(SIGILL, &fault, NULL);
  make_jit();

  struct job jobs[3] = {{1, walks, seed + 1}, {1 + walks, walks, seed + 2}, {1 + 2 * walks, walks, seed + 3}};
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, many_walks, &jobs[i]);
  many_walks(&jobs[2]);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);

  size_t id = 1 + 3 * walks;
  const struct link stripped = {walk_through_stripped, "?\",\"?\",\"walk_through_stripped"};
  const struct link signalled = {through_a_signal, "on_signal\",\"on_fault\",\"?\",\"through_a_signal"};
  const struct link framed = {through_framed_jit, "?\",\"through_framed_jit"};
  const struct link unframed = {through_unframed_jit, "?\",\"through_unframed_jit"};
  for (int round = 0; round < 20; round++) {
    random_walk("stripped library", id++, &seed, 1, 4, &stripped);
    if (jit_with_frame) {
      random_walk("signal handler", id++, &seed, 1, 4, &signalled);
      random_walk("code made at run time, with a frame pointer", id++, &seed, 0, 4, &framed);
      random_walk("code made at run time, without", id++, &seed, 1, 4, &unframed);
    }
  }
  return 0;
}
