// A small GPU program for the demonstration: two threads allocate, copy, launch, synchronise and free in a loop for
// about two seconds, through whichever real runtime the machine has (CUDA first, then HIP).
//
// It needs no GPU: without one each call still runs through the vendor's library and returns an error code, which is
// what a tracer must record too. It links no vendor library and needs no vendor header: the few prototypes are here.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kThreads = 2, kSeconds = 2, kPauseNs = 2000000, kElements = 1 << 16, kHostToDevice = 1, kDeviceToHost = 2 };

struct Dim3 {
  unsigned x, y, z;
};

struct Runtime {
  const char* library;
  const char* prefix;
  int (*malloc)(void**, size_t);
  int (*free)(void*);
  int (*memcpy)(void*, const void*, size_t, int);
  int (*launch)(const void*, struct Dim3, struct Dim3, void**, size_t, void*);
  int (*stream_create)(void**);
  int (*stream_synchronize)(void*);
  int (*device_count)(int*);
  const char* (*error_string)(int);
};

struct Tally {
  unsigned long calls;
  unsigned long failed;
};

static struct Runtime runtime;

// Stands where a kernel's host stub stands: only its address is used.
static void kernel_stub(void) {}

static void* symbol(void* library, const char* name) {
  char full[64];
  snprintf(full, sizeof full, "%s%s", runtime.prefix, name);
  void* found = dlsym(library, full);
  if (found == NULL) {
    fprintf(stderr, "workload: %s has no %s\n", runtime.library, full);
    exit(1);
  }
  return found;
}

static void* open_first(const char* const* names, const char* const* patterns) {
  for (; *names != NULL; ++names) {
    void* library = dlopen(*names, RTLD_NOW | RTLD_GLOBAL);
    if (library != NULL) return library;
  }
  for (; *patterns != NULL; ++patterns) {
    glob_t paths;
    void* library = NULL;
    if (glob(*patterns, 0, NULL, &paths) == 0) {
      for (size_t i = paths.gl_pathc; i > 0 && library == NULL; --i) {
        library = dlopen(paths.gl_pathv[i - 1], RTLD_NOW | RTLD_GLOBAL);
      }
    }
    globfree(&paths);
    if (library != NULL) return library;
  }
  return NULL;
}

static void* open_runtime(void) {
  static const char* const kCuda[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", NULL};
  static const char* const kCudaPaths[] = {"/usr/local/cuda*/lib*/libcudart.so.*", "/opt/conda/lib/libcudart.so.*",
                                           "/usr/*/lib/python3*/*-packages/nvidia/*/lib/libcudart.so.*",
                                           "/usr/lib/python3*/*-packages/nvidia/*/lib/libcudart.so.*", NULL};
  static const char* const kHip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", NULL};
  static const char* const kHipPaths[] = {"/opt/rocm*/lib/libamdhip64.so.*", NULL};
  runtime.prefix = "cuda";
  void* library = open_first(kCuda, kCudaPaths);
  if (library == NULL) {
    runtime.prefix = "hip";
    library = open_first(kHip, kHipPaths);
  }
  if (library == NULL) {
    fputs("workload: found neither libcudart.so (11 to 13) nor libamdhip64.so (5 to 7) on this machine\n", stderr);
    exit(1);
  }
  return library;
}

static void note(struct Tally* tally, int code) {
  ++tally->calls;
  if (code != 0) ++tally->failed;
}

static void one_step(struct Tally* tally, float* host, void* stream) {
  void* device = NULL;
  const size_t size = kElements * sizeof *host;
  const struct Dim3 grid = {kElements / 256, 1, 1};
  const struct Dim3 block = {256, 1, 1};
  void* arguments[] = {&device};
  const int allocated = runtime.malloc(&device, size);
  note(tally, allocated);
  if (allocated != 0) device = NULL;
  note(tally, runtime.memcpy(device, host, size, kHostToDevice));
  for (int i = 0; i < 4; ++i) {
    note(tally, runtime.launch((const void*)(size_t)&kernel_stub, grid, block, arguments, 0, stream));
  }
  note(tally, runtime.stream_synchronize(stream));
  note(tally, runtime.memcpy(host, device, size, kDeviceToHost));
  note(tally, runtime.free(device));
}

static double now_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void* run(void* argument) {
  struct Tally* tally = argument;
  float* host = calloc(kElements, sizeof *host);
  if (host == NULL) return NULL;
  void* stream = NULL;
  const int created = runtime.stream_create(&stream);
  note(tally, created);
  if (created != 0) stream = NULL;
  const double end = now_seconds() + kSeconds;
  while (now_seconds() < end) {
    one_step(tally, host, stream);
    const struct timespec pause = {0, kPauseNs};
    nanosleep(&pause, NULL);
  }
  free(host);
  return NULL;
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  void* library = open_runtime();
  struct link_map* map = NULL;
  runtime.library = dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 ? map->l_name : "the runtime";
  *(void**)&runtime.malloc = symbol(library, "Malloc");
  *(void**)&runtime.free = symbol(library, "Free");
  *(void**)&runtime.memcpy = symbol(library, "Memcpy");
  *(void**)&runtime.launch = symbol(library, "LaunchKernel");
  *(void**)&runtime.stream_create = symbol(library, "StreamCreate");
  *(void**)&runtime.stream_synchronize = symbol(library, "StreamSynchronize");
  *(void**)&runtime.device_count = symbol(library, "GetDeviceCount");
  *(void**)&runtime.error_string = symbol(library, "GetErrorString");
  printf("workload: %d threads call %s for %d s\n", kThreads, runtime.library, kSeconds);

  struct Tally tallies[kThreads] = {{0, 0}};
  pthread_t threads[kThreads];
  int devices = 0;
  const int code = runtime.device_count(&devices);
  if (code != 0 || devices == 0) {
    printf("workload: no usable GPU here (%sGetDeviceCount returned %d, %s): the calls run and return errors\n",
           runtime.prefix, code, runtime.error_string(code));
  }
  int started = 0;
  while (started < kThreads && pthread_create(&threads[started], NULL, run, &tallies[started]) == 0) ++started;
  struct Tally total = {1, code != 0};
  for (int i = 0; i < started; ++i) {
    pthread_join(threads[i], NULL);
    total.calls += tallies[i].calls;
    total.failed += tallies[i].failed;
  }
  printf("workload: made %lu calls, %lu of which returned an error\n", total.calls, total.failed);
  return started == kThreads ? 0 : 1;
}
