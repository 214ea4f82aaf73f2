// A neighbour whose memory or whose library lies where a look at it may never come back (tests/e2e/foreign.py).
//
//   neighbour HOW LIBRARY [FILE] [--wait GATE]
//
//   library   loads LIBRARY and makes 10 calls, one every 100 ms, then waits to be ended
//   environ   its C library's `environ` points into a mapping of FILE
//   name      gives a call a name that lies in a mapping of FILE
//   stack     hangs in a call on a stack that is a mapping of FILE
//   missing   its `environ` points into memory that it was asked to fill in itself (userfaultfd(2)), and never does
//
// Prints "ready" when all is mapped; --wait is obeyed before the first call. Ends when it is ended.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fakes/timed.h"

enum { MAPPED = 1 << 20 };

static const char* gate;
static void* library;

static void fail(const char* what) {
  fprintf(stderr, "neighbour: %s: %s\n", what, strerror(errno));
  exit(1);
}

static void wait_for_go(void) {
  puts("ready");
  fflush(stdout);
  while (gate != NULL && access(gate, F_OK) != 0) usleep(2000);
}

static void* symbol(const char* name) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "neighbour: %s\n", dlerror());
    exit(1);
  }
  return found;
}

static void call(void) {
  int (*free_device)(void*);
  *(void**)&free_device = symbol("cudaFree");
  free_device((void*)0x10);
}

static char* mapping_of(const char* file, int protection) {
  const int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(file);
  char* mapped = mmap(NULL, MAPPED, protection, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) fail("mmap");
  close(fd);
  return mapped;
}

static char* never_filled(void) {
  char* mapped = mmap(NULL, MAPPED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  if (mapped == MAP_FAILED || fd < 0) fail("userfaultfd");
  struct uffdio_api api = {.api = UFFD_API};
  struct uffdio_register range = {.range = {(uintptr_t)mapped, MAPPED}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  if (ioctl(fd, UFFDIO_API, &api) != 0 || ioctl(fd, UFFDIO_REGISTER, &range) != 0) fail("register");
  return mapped;
}

// What calls need of the stack below this is there afterwards.
static __attribute__((noinline)) void touch(void) {
  volatile char used[64 << 10];
  for (size_t i = 0; i < sizeof(used); i += 512) used[i] = 1;
}

static void* hang(void* unused) {
  (void)unused;
  struct timed_control* (*control)(void);
  int (*synchronise)(void*);
  *(void**)&control = symbol("timed_runtime_control");
  *(void**)&synchronise = symbol("cudaStreamSynchronize");
  // Pages of the stack that were never written, between the call and its caller's frames.
  volatile char* never_touched = __builtin_alloca(256 << 10);
  never_touched[0] = 1;
  touch();
  wait_for_go();
  control()->sleep_ns = 600000000000U;
  synchronise((void*)0xdead0);
  return (void*)(uintptr_t)never_touched[0];
}

static void hang_on(char* stack) {
  pthread_attr_t attributes;
  pthread_t thread;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstack(&attributes, stack, MAPPED / 2) != 0) fail("set the stack");
  if (pthread_create(&thread, &attributes, hang, NULL) != 0) fail("start a thread");
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const char* how = argv[1];
  const char* file = argc > 3 && strcmp(argv[3], "--wait") != 0 ? argv[3] : NULL;
  for (int i = 3; i + 1 < argc; ++i) {
    if (strcmp(argv[i], "--wait") == 0) gate = argv[i + 1];
  }
  library = dlopen(argv[2], RTLD_NOW);
  if (library == NULL) {
    fprintf(stderr, "neighbour: %s\n", dlerror());
    return 1;
  }
  if (strcmp(how, "library") == 0) {
    wait_for_go();
    for (int i = 0; i < 10; ++i) {
      call();
      usleep(100000);
    }
  } else if (strcmp(how, "environ") == 0 || strcmp(how, "missing") == 0) {
    extern char** environ;
    char* list = file != NULL ? mapping_of(file, PROT_READ) : never_filled();
    wait_for_go();
    environ = (char**)list;
    call();
  } else if (strcmp(how, "name") == 0) {
    void (*reg)(void**, const char*, char*, const char*, int, void*, void*, void*, void*, int*);
    *(void**)&reg = symbol("__cudaRegisterFunction");
    char* name = mapping_of(file, PROT_READ);
    wait_for_go();
    reg((void**)0x10, (const char*)0x20, (char*)name, name, -1, NULL, NULL, NULL, NULL, NULL);
  } else if (strcmp(how, "stack") == 0) {
    hang_on(mapping_of(file, PROT_READ | PROT_WRITE));
  } else {
    return 2;
  }
  for (;;) pause();
}
