/* A stand-in whose calls take a given time. Compiled twice: the runtime (TIMED_RUNTIME) and the driver below it
 * (TIMED_DRIVER); and once more into a program of its own (scenario_static.c) with TIMED_STATIC, where every call is a
 * local symbol. The prototypes are the public ones; nothing of a vendor's header is needed. */
#include "fakes/timed.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#ifdef TIMED_STATIC
#define EXPORT static __attribute__((noinline, used))
#else
#define EXPORT __attribute__((noinline, visibility("default")))
#endif

struct dim3 {
  unsigned x, y, z;
};

static _Thread_local struct timed_control control;

static uint64_t clock_ns(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

/* Each step once per setting, so that a call made from `inside` starts from a clean block. */
static int work(void) {
  uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
  struct timed_control todo = control;
  memset(&control, 0, sizeof control);
  if (todo.sleep_ns) {
    uint64_t due = clock_ns(CLOCK_MONOTONIC) + todo.sleep_ns;
    struct timespec t = {(time_t)(due / 1000000000U), (long)(due % 1000000000U)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {
    }
  }
  if (todo.spin_ns) {
    uint64_t due = clock_ns(CLOCK_MONOTONIC) + todo.spin_ns;
    while (clock_ns(CLOCK_MONOTONIC) < due) {
    }
  }
  if (todo.spin_cpu_ns) {
    uint64_t due = clock_ns(CLOCK_THREAD_CPUTIME_ID) + todo.spin_cpu_ns;
    while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < due) {
    }
  }
  if (todo.inside) todo.inside(todo.argument);
  control.began_ns = began_ns;
  control.ended_ns = clock_ns(CLOCK_MONOTONIC);
  return (int)todo.ret;
}

#ifdef TIMED_DRIVER

EXPORT struct timed_control* timed_driver_control(void) { return &control; }

EXPORT int cuMemAlloc_v2(uint64_t* pointer, size_t bytes) {
  (void)bytes;
  uint64_t out = control.out;
  int status = work();
  if (status == 0 && pointer != NULL) *pointer = out;
  return status;
}

EXPORT int cuMemFree_v2(uint64_t pointer) {
  (void)pointer;
  return work();
}

EXPORT int cuLaunchKernel(void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared_bytes, void* stream, void** parameters,
                          void** extra) {
  (void)function, (void)grid_x, (void)grid_y, (void)grid_z, (void)block_x, (void)block_y, (void)block_z;
  (void)shared_bytes, (void)stream, (void)parameters, (void)extra;
  return work();
}

EXPORT int cuCtxSynchronize(void) { return work(); }

#else

EXPORT struct timed_control* timed_runtime_control(void) { return &control; }

typedef int (*alloc_function)(uint64_t*, size_t);

/* As the real runtime does: the driver is opened when it is first needed. */
static alloc_function driver_alloc(void) {
  static alloc_function found;
  if (found == NULL) {
    void* driver = dlopen("libcuda.so.1", RTLD_NOW);
    void* symbol = driver ? dlsym(driver, "cuMemAlloc_v2") : NULL;
    memcpy(&found, &symbol, sizeof found);
  }
  return found;
}

EXPORT int cudaMalloc(void** pointer, size_t bytes) {
  uint64_t out = control.out;
  uint64_t enters_driver = control.enters_driver;
  int status = work();
  if (enters_driver && driver_alloc() != NULL) {
    uint64_t address = 0;
    status = driver_alloc()(&address, bytes);
    out = address;
  }
  if (status == 0 && pointer != NULL) *pointer = (void*)out;
  return status;
}

EXPORT int cudaFree(void* pointer) {
  (void)pointer;
  return work();
}

EXPORT int cudaMemcpy(void* to, const void* from, size_t bytes, int direction) {
  (void)to, (void)from, (void)bytes, (void)direction;
  return work();
}

EXPORT int cudaMemcpyAsync(void* to, const void* from, size_t bytes, int direction, void* stream) {
  (void)to, (void)from, (void)bytes, (void)direction, (void)stream;
  return work();
}

EXPORT int cudaLaunchKernel(const void* function, struct dim3 grid, struct dim3 block, void** arguments,
                            size_t shared_bytes, void* stream) {
  (void)function, (void)grid, (void)block, (void)arguments, (void)shared_bytes, (void)stream;
  return work();
}

EXPORT int cudaStreamSynchronize(void* stream) {
  (void)stream;
  return work();
}

EXPORT int cudaDeviceSynchronize(void) { return work(); }

/* What a program with kernels calls before main: proves a static copy to a tracer that looks for one. */
EXPORT void** __cudaRegisterFatBinary(void* image) {
  static void* handle;
  handle = image;
  return &handle;
}

#endif
