// The time line of the stand-in device: streams, their queues, waiting, and the log of when the device was busy.
//
// The log is a file mapped at the first call (TRUTH_DIR/device.PID): 32 bytes of header (magic, count), then records of
// 32 bytes: start, end, kind, stream. It is what a judge holds against "the device had nothing to do for ...".
#include "device.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMaxStreams = 64, kMaxRecords = 1 << 18 };
enum { kForkedError = 3, kIllegalAddress = 700 };
enum { kSpin = 1, kYield = 2, kBlocking = 4 };

struct operation {
  struct work work;
  uint64_t submitted, start, end;
  int begun, closed;
};

struct device_stream {
  struct operation queue[kQueueLength];
  uint64_t submitted, known, ended;  // counts: given to the stream, with a known end, ended by now
  uint64_t last_end;
  int independent, number;
};

struct record {
  uint64_t start, end, kind, stream;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct device_stream* streams[kMaxStreams];
static int stream_count;
static uint64_t
    default_end;  // when the last operation of the default stream ends: all but independent streams wait for it
static unsigned wait_mode = kSpin;
static uint64_t sticky_from;
static struct record* records;
static uint64_t* record_count;
static pid_t owner;

uint64_t now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static __thread uint64_t inside_since, inside_ns;
static __thread unsigned inside_calls;

uint64_t truth_inside_ns(void) { return inside_ns; }

void device_enter(void) {
  if (inside_calls++ == 0) {
    inside_since = now_ns();
  }
}

void device_leave(const int* unused) {
  (void)unused;
  if (--inside_calls == 0) {
    inside_ns += now_ns() - inside_since;
  }
}

uint64_t device_setting(const char* name, uint64_t otherwise) {
  const char* text = getenv(name);
  return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10) : otherwise;
}

double device_slowdown(void) {
  static double factor = 0;
  if (factor == 0) {
    const char* text = getenv("TRUTH_SLOWDOWN");
    factor = text != NULL ? atof(text) : 1;
  }
  return factor;
}

static void open_log(void) {
  const char* folder = getenv("TRUTH_DIR");
  if (folder == NULL) {
    return;
  }
  char path[512];
  snprintf(path, sizeof path, "%s/device.%d", folder, (int)getpid());
  const size_t bytes = 32 + sizeof(struct record) * kMaxRecords;
  const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0 || ftruncate(fd, (off_t)bytes) != 0) {
    perror(path);
    exit(70);
  }
  uint64_t* header = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (header == MAP_FAILED) {
    perror(path);
    exit(70);
  }
  close(fd);
  header[0] = 0x31656369766564;  // "device1"
  record_count = &header[1];
  records = (struct record*)(header + 4);
}

static struct device_stream* add_stream(int independent) {
  if (stream_count == kMaxStreams) {
    fprintf(stderr, "the stand-in device has no more than %d streams\n", kMaxStreams);
    exit(70);
  }
  struct device_stream* stream = calloc(1, sizeof *stream);
  stream->independent = independent;
  stream->number = stream_count;
  streams[stream_count++] = stream;
  return stream;
}

static void initialise(void) {
  owner = getpid();
  open_log();
  add_stream(0);
}

int device_ready(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialise);
  return getpid() == owner ? 0 : kForkedError;
}

struct device_stream* device_default_stream(void) {
  return streams[0];
}

struct device_stream* device_stream_new(int independent) {
  pthread_mutex_lock(&lock);
  struct device_stream* stream = add_stream(independent);
  pthread_mutex_unlock(&lock);
  return stream;
}

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static void note(const struct device_stream* stream, const struct operation* operation) {
  if (records == NULL || operation->work.kind == kMark || *record_count >= kMaxRecords) {
    return;
  }
  records[*record_count] =
      (struct record){operation->start, operation->end, operation->work.kind, (uint64_t)stream->number};
  __atomic_store_n(record_count, *record_count + 1, __ATOMIC_RELEASE);
}

// Gives times to the next operation of a stream, if they are known. 1: done.
static int settle_one(struct device_stream* stream) {
  struct operation* next = &stream->queue[stream->known % kQueueLength];
  const struct work* work = &next->work;
  if (!next->begun) {
    if (work->after != NULL && work->after->known < work->after_count) {
      return 0;
    }
    next->start = later(next->submitted, stream->last_end);
    if (work->after != NULL) {
      next->start = later(next->start, work->after->at);
    }
    if (!stream->independent) {
      next->start = later(next->start, default_end);
      for (int i = 1; stream->number == 0 && i < stream_count; i++) {
        next->start = streams[i]->independent ? next->start : later(next->start, streams[i]->last_end);
      }
    }
    next->begun = 1;
    if (work->begin != NULL) {
      work->begin(work->context, stream->known, next->start);
    }
  }
  if (work->begin != NULL && !next->closed) {
    return 0;
  }
  next->end = work->begin != NULL ? later(next->end, next->start) : next->start + work->length_ns;
  if (work->faulty && sticky_from == 0) {
    sticky_from = next->end;
  }
  if (work->marks != NULL) {
    work->marks->known++;
    work->marks->at = next->end;
  }
  stream->last_end = next->end;
  if (stream->number == 0) {
    default_end = next->end;
  }
  stream->known++;
  note(stream, next);
  return 1;
}

static void settle(void) {
  int any = 1;
  int closed_any = 0;
  while (any) {
    any = 0;
    for (int i = 0; i < stream_count; i++) {
      while (streams[i]->known < streams[i]->submitted && settle_one(streams[i])) {
        any = closed_any = 1;
      }
    }
  }
  if (closed_any) {
    pthread_cond_broadcast(&changed);
  }
}

void device_set_wait(unsigned how) { wait_mode = how == 0 ? kSpin : how; }

static void sleep_until(uint64_t end) {
  static __thread int timer = -1;
  if (timer < 0) {
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  }
  const struct itimerspec when = {
      .it_value = {.tv_sec = (time_t)(end / 1000000000u), .tv_nsec = (long)(end % 1000000000u)}};
  struct pollfd fd = {.fd = timer, .events = POLLIN};
  timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL);
  while (now_ns() < end) {
    poll(&fd, 1, -1);
  }
}

static void wait_until(uint64_t end, unsigned how) {
  if (how == kBlocking) {
    sleep_until(end);
    return;
  }
  while (now_ns() < end) {
    if (how == kYield) {
      sched_yield();
    } else {
      __builtin_ia32_pause();
    }
  }
}

void device_spin(uint64_t ns) { wait_until(now_ns() + ns, kSpin); }

// With the device locked: lets it go and waits for somebody to change something.
static void wait_for_change(unsigned how) {
  if (how == kBlocking) {
    pthread_cond_wait(&changed, &lock);
    return;
  }
  pthread_mutex_unlock(&lock);
  for (int i = 0; i < 200; i++) {
    __builtin_ia32_pause();
  }
  if (how == kYield) {
    sched_yield();
  }
  pthread_mutex_lock(&lock);
}

uint64_t device_submit(struct device_stream* stream, const struct work* work) {
  pthread_mutex_lock(&lock);
  for (;;) {
    const uint64_t now = now_ns();
    while (stream->ended < stream->known && stream->queue[stream->ended % kQueueLength].end <= now) {
      stream->ended++;
    }
    if (stream->submitted - stream->ended < kQueueLength) {
      break;
    }
    if (stream->ended < stream->known) {  // full: a runtime spins here, whatever the flags say
      const uint64_t end = stream->queue[stream->ended % kQueueLength].end;
      pthread_mutex_unlock(&lock);
      wait_until(end, kSpin);
      pthread_mutex_lock(&lock);
    } else {
      wait_for_change(kSpin);
    }
  }
  const uint64_t position = stream->submitted;
  stream->queue[position % kQueueLength] = (struct operation){.work = *work, .submitted = now_ns()};
  stream->submitted++;
  settle();
  pthread_mutex_unlock(&lock);
  return position;
}

void device_close(struct device_stream* stream, uint64_t position, uint64_t end_ns) {
  pthread_mutex_lock(&lock);
  struct operation* operation = &stream->queue[position % kQueueLength];
  operation->end = end_ns;
  operation->closed = 1;
  settle();
  pthread_mutex_unlock(&lock);
}

static void wait_position(struct device_stream* stream, uint64_t count, unsigned how) {
  if (count == 0) {
    return;
  }
  pthread_mutex_lock(&lock);
  while (stream->known < count) {
    wait_for_change(how);
  }
  // With more than a queue behind it the operation has ended, or there would have been no room.
  const int gone = stream->submitted - count >= kQueueLength;
  const uint64_t end = gone ? 0 : stream->queue[(count - 1) % kQueueLength].end;
  pthread_mutex_unlock(&lock);
  wait_until(end, how);
}

void device_wait_stream(struct device_stream* stream) {
  pthread_mutex_lock(&lock);
  const uint64_t count = stream->submitted;
  pthread_mutex_unlock(&lock);
  wait_position(stream, count, wait_mode);
}

void device_wait_all(void) {
  const int count = stream_count;
  for (int i = 0; i < count; i++) {
    device_wait_stream(streams[i]);
  }
}

void device_wait_event(struct device_event* event, int blocking) {
  const unsigned how = blocking ? kBlocking : wait_mode;
  pthread_mutex_lock(&lock);
  while (event->known < event->recorded) {
    wait_for_change(how);
  }
  const uint64_t end = event->at;
  pthread_mutex_unlock(&lock);
  wait_until(end, how);
}

int device_stream_idle(struct device_stream* stream) {
  pthread_mutex_lock(&lock);
  const int idle = stream->known == stream->submitted && stream->last_end <= now_ns();
  pthread_mutex_unlock(&lock);
  return idle;
}

int device_event_done(struct device_event* event) {
  pthread_mutex_lock(&lock);
  const int done = event->known >= event->recorded && event->at <= now_ns();
  pthread_mutex_unlock(&lock);
  return done;
}

int device_sticky_error(void) {
  const uint64_t from = __atomic_load_n(&sticky_from, __ATOMIC_RELAXED);
  return from != 0 && now_ns() >= from ? kIllegalAddress : 0;
}
