// A device that exists only as a time line: what the stand-in runtime and the stand-in collective library share.
//
// Work has a length in nanoseconds, and a stream runs its work in order. When an operation begins and ends follows from
// when it was submitted and from what is before it, so it is known at once and no thread has to play the device: the
// times stay exact on a busy machine, as a real device's do, and a thread that waits sleeps in the kernel until a timer
// fires, as it would for an interrupt. Only a collective has an end that depends on others: it is "open" until the
// collective library closes it.
//
// Threads: every function may be called from any thread. Units: nanoseconds of CLOCK_MONOTONIC, bytes.
// Nothing here is shared with the rest of the tree: these programs judge the tracer, so they must not know it.
#pragma once

#include <stdint.h>

enum { kQueueLength = 1024 };  // operations that a stream holds before a submission has to wait
enum work_kind { kKernel = 1, kCopyIn, kCopyOut, kCopyWithin, kFill, kCollective, kMark };

struct device_stream;
struct device_event {
  uint64_t recorded;  // how many times it was recorded, and how many of these have a known end
  uint64_t known;
  uint64_t at;  // the end of the last known one
};

// Called with the device locked when the beginning of an open operation is known. It must not block.
typedef void (*begin_fn)(void* context, uint64_t position, uint64_t start_ns);

struct work {
  enum work_kind kind;
  uint64_t length_ns;
  int faulty;      // ends with an illegal access, which is fatal to the context
  begin_fn begin;  // set: open
  void* context;
  struct device_event* marks;  // kMark: this event gets the end
  struct device_event* after;  // begins no earlier than this event, as recorded when this was submitted
  uint64_t after_count;
};

uint64_t now_ns(void);
int device_ready(void);  // 0, or the error code of a process that forked after its first call
struct device_stream* device_stream_new(int independent);
struct device_stream* device_default_stream(void);
// Waits while the queue is full. Returns the position in the stream.
uint64_t device_submit(struct device_stream* stream, const struct work* work);
// Gives an open operation its end and lets what is behind it go on.
void device_close(struct device_stream* stream, uint64_t position, uint64_t end_ns);
// Waits as the flags of the device say until everything submitted so far has ended.
void device_wait_stream(struct device_stream* stream);
void device_wait_all(void);
void device_wait_event(struct device_event* event, int blocking);
int device_stream_idle(struct device_stream* stream);
int device_event_done(struct device_event* event);
void device_spin(uint64_t ns);                                  // host time that a call costs
void device_set_wait(unsigned how);                             // cudaDeviceScheduleSpin, Yield or BlockingSync
int device_sticky_error(void);                                  // 0, or the code that each call returns from now on
uint64_t device_setting(const char* name, uint64_t otherwise);  // a number from the environment
// How long this thread has been inside calls of the stand-in libraries: the program's own clock reads it, because a
// stamp around a call from Python would count the interpreter's part as the call's.
uint64_t truth_inside_ns(void);
void device_enter(void);
void device_leave(const int* unused);
#define INSIDE() __attribute__((cleanup(device_leave), unused)) const int inside = (device_enter(), 0)
double device_slowdown(void);
