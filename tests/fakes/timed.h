/* The stand-in with known times: what a thread's next call does before it returns. A call clears the block before it
 * acts on it, so that a call made from inside starts from nothing. Times are nanoseconds. */
#ifndef INGERO_TESTS_FAKES_TIMED_H
#define INGERO_TESTS_FAKES_TIMED_H

#include <stdint.h>

struct timed_control {
  uint64_t sleep_ns;     /* asleep, absolute deadline */
  uint64_t spin_ns;      /* on the CPU, by the wall: time when somebody else runs counts */
  uint64_t spin_cpu_ns;  /* on the CPU, by the thread's own CPU time */
  void (*inside)(void*); /* called inside the call: may wait, read, leave by longjmp, throw, exit, exec, call on */
  void* argument;
  int64_t ret;            /* status of calls that return one */
  uint64_t out;           /* written to out-pointers */
  uint64_t enters_driver; /* the runtime's allocation calls the driver's */
  uint64_t began_ns;      /* by the call: its own first and */
  uint64_t ended_ns;      /* last reading of CLOCK_MONOTONIC */
};

/* Looked up with dlsym:
 *   struct timed_control *timed_runtime_control(void);
 *   struct timed_control *timed_driver_control(void);   the calling thread's block, one per library */

#endif
