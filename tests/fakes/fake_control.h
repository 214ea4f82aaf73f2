/* What a stand-in library does when it is called: a control block per thread, exported as fake_control().
 *
 * The caller sets its own thread's block before a call; nothing is shared between threads, so no call of one thread can
 * change what another one sees. Times are nanoseconds. C, because the stand-ins are C. */
#ifndef INGERO_TESTS_FAKES_FAKE_CONTROL_H
#define INGERO_TESTS_FAKES_FAKE_CONTROL_H

#include <stdint.h>

struct fake_control {
  uint64_t ret;      /* goes into the return register as it is */
  uint64_t out;      /* out-pointer k of a row is given out + k, cut to its size, whether the call "fails" or not */
  uint64_t spin_ns;  /* on the CPU inside the call */
  uint64_t sleep_ns; /* asleep inside the call */
  const uint64_t* awaited; /* then asleep until it is at least `least`; null: not */
  uint64_t least;
  uint64_t calls; /* calls this thread has made into this library: the stand-in's own count */
};

#ifdef __cplusplus
extern "C" {
#endif
/* The calling thread's block. Never null; lives as long as the thread. */
struct fake_control* fake_control(void);
#ifdef __cplusplus
}
#endif

#endif
