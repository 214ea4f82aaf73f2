// crowded_forks LIBRARY COUNT: forks COUNT children one after the other, each of which makes one call, on a processor
// where other threads start and end all the time. Every other child ends inside its call. The thread that forks, and
// its children, take the processor from those threads wherever they are: also where the kernel reports their start or
// end. Needs the right to SCHED_FIFO. Prints the forks that there were.
#define _GNU_SOURCE
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "timed.h"

enum { kThreads = 4, kSecondsForProbes = 3 };

static atomic_int is_over;

static void leave(void* argument) {
  (void)argument;
  _exit(0);
}

static void* nothing(void* argument) { return argument; }

static void* start_threads(void* argument) {
  while (!is_over) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, nothing, NULL) == 0) pthread_join(thread, NULL);
  }
  return argument;
}

int main(int count, char** arguments) {
  const long wanted = count == 3 ? strtol(arguments[2], NULL, 10) : 0;
  void* library = count == 3 ? dlopen(arguments[1], RTLD_NOW) : NULL;
  int (*call)(void) = NULL;
  struct timed_control* (*control)(void) = NULL;
  if (library) {
    *(void**)&call = dlsym(library, "cudaDeviceSynchronize");
    *(void**)&control = dlsym(library, "timed_runtime_control");
  }
  if (!call || !control || wanted < 1) {
    fprintf(stderr, "usage: crowded_forks LIBRARY COUNT: a stand-in with known times (timed.h), and how many\n");
    return 2;
  }
  sleep(kSecondsForProbes);

  cpu_set_t first;
  CPU_ZERO(&first);
  CPU_SET(0, &first);
  if (sched_setaffinity(0, sizeof(first), &first) != 0) perror("crowded_forks: processor 0");
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, start_threads, NULL);
  const struct sched_param before_others = {.sched_priority = 10};
  if (sched_setscheduler(0, SCHED_FIFO, &before_others) != 0) perror("crowded_forks: SCHED_FIFO");

  long forks = 0;
  for (long i = 0; i < wanted; ++i) {
    const struct timespec pause = {0, 200000 + (i * 7919) % 90000};  // in step with nothing
    nanosleep(&pause, NULL);
    const pid_t child = fork();
    if (child == 0) {
      if (i % 2 != 0) control()->inside = leave;
      _exit(call() != 0);
    }
    if (child < 0) continue;
    ++forks;
    waitpid(child, NULL, 0);
  }
  is_over = 1;
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  printf("%ld\n", forks);
  return 0;
}
