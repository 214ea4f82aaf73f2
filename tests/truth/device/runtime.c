// The stand-in runtime library: the exported calls, what they cost the caller, and when they wait.
//
// Settings, from the environment as a driver's are: CUDA_LAUNCH_BLOCKING; and of this device TRUTH_LAUNCH_NS (what a
// launch costs, 4,000), TRUTH_DEVICE_MB (memory, 16,384), TRUTH_SLOWDOWN (factor for the length of kernels).
#include "runtime.h"

#include <sys/mman.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#ifndef LAUNCHES_WAIT
#define LAUNCHES_WAIT "CUDA_LAUNCH_BLOCKING"
#endif

enum { kMaxRanges = 4096, kStaging = 4 << 20, kSmallCopy = 64 << 10 };
static const double kPinnedBytesPerNs = 16, kStagedBytesPerNs = 6, kWithinBytesPerNs = 400;

struct cuda_event {
  struct device_event event;
  int blocking;
};
struct range {
  uintptr_t from, bytes;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct range pinned[kMaxRanges], held[kMaxRanges];
static size_t device_used;
static uintptr_t device_base, device_next;
static __thread cudaError_t last_error;

static uint64_t launch_cost(void) {
  static uint64_t cost;
  if (cost == 0) {
    cost = device_setting("TRUTH_LAUNCH_NS", 4000);
  }
  return cost;
}

static int launches_wait(void) {
  static int set = -1;
  if (set < 0) {
    set = device_setting(LAUNCHES_WAIT, 0) != 0;
  }
  return set;
}

static cudaError_t result(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) {
    last_error = error;
  }
  return error;
}

// What each call begins with: a context that has failed answers nothing else any more.
#define BEGIN()                       \
  INSIDE();                           \
  do {                                \
    const int begin_error = enter();  \
    if (begin_error != cudaSuccess) { \
      return result(begin_error);     \
    }                                 \
  } while (0)

static int enter(void) {
  const int error = device_ready();
  return error != 0 ? error : device_sticky_error();
}

static struct device_stream* stream_of(cudaStream_t stream) {
  return stream == NULL || (uintptr_t)stream <= 2 ? device_default_stream() : stream;
}

cudaError_t cudaGetDeviceCount(int* count) {
  BEGIN();
  *count = 8;
  return cudaSuccess;
}

static __thread int current_device;
cudaError_t cudaSetDevice(int device) {
  BEGIN();
  current_device = device;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int* device) {
  BEGIN();
  *device = current_device;
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned flags) {
  BEGIN();
  device_set_wait(flags & 7u);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) {
  BEGIN();
  device_wait_all();
  return result(device_sticky_error());
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  BEGIN();
  *stream = device_stream_new((flags & cudaStreamNonBlocking) != 0);
  return cudaSuccess;
}

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  BEGIN();
  *stream = device_stream_new(0);
  return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  BEGIN();
  (void)stream;  // kept: its log goes on to name it
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  BEGIN();
  device_wait_stream(stream_of(stream));
  return result(device_sticky_error());
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  BEGIN();
  return device_stream_idle(stream_of(stream)) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  BEGIN();
  *event = calloc(1, sizeof **event);
  (*event)->blocking = (flags & cudaEventBlockingSync) != 0;
  return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
  BEGIN();
  *event = calloc(1, sizeof **event);
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  BEGIN();
  (void)event;  // kept: work that is queued still points to it
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  BEGIN();
  device_spin(1000);
  __atomic_add_fetch(&event->event.recorded, 1, __ATOMIC_SEQ_CST);
  device_submit(stream_of(stream), &(struct work){.kind = kMark, .marks = &event->event});
  return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  BEGIN();
  (void)flags;
  device_submit(stream_of(stream),
                &(struct work){.kind = kMark, .after = &event->event, .after_count = event->event.recorded});
  return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  BEGIN();
  device_wait_event(&event->event, event->blocking);
  return result(device_sticky_error());
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  BEGIN();
  return device_event_done(&event->event) ? cudaSuccess : cudaErrorNotReady;
}

cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  BEGIN();
  if (!device_event_done(&from->event) || !device_event_done(&to->event)) {
    return cudaErrorNotReady;
  }
  *ms = (float)((double)(to->event.at - from->event.at) / 1e6);
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, truth_dim3 grid, truth_dim3 block, void** args, size_t shared,
                             cudaStream_t stream) {
  BEGIN();
  (void)grid, (void)block, (void)shared;
  if (function == NULL || args == NULL) {
    return result(cudaErrorInvalidValue);
  }
  device_spin(launch_cost());
  const uint64_t length = *(const uint64_t*)args[0];
  const struct work work = {.kind = kKernel,
                            .length_ns = (uint64_t)((double)(length & ~(1ull << 63)) * device_slowdown()),
                            .faulty = (length >> 63) != 0};
  device_submit(stream_of(stream), &work);
  if (launches_wait()) {
    device_wait_stream(stream_of(stream));
    return result(device_sticky_error());
  }
  return cudaSuccess;
}

// Addresses of device memory are reserved and never mapped, so that none is taken for memory of the host.
static cudaError_t take(void** address, size_t bytes) {
  const size_t size = (bytes + 511) & ~(size_t)511;
  pthread_mutex_lock(&lock);
  if (device_base == 0) {
    device_base = device_next =
        (uintptr_t)mmap(NULL, 1ull << 40, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  cudaError_t error = cudaErrorMemoryAllocation;
  if (device_used + size <= device_setting("TRUTH_DEVICE_MB", 16384) << 20) {
    for (int i = 0; i < kMaxRanges; i++) {
      if (held[i].bytes == 0) {
        held[i] = (struct range){device_next, size};
        *address = (void*)device_next;
        device_next += size;
        device_used += size;
        error = cudaSuccess;
        break;
      }
    }
  }
  pthread_mutex_unlock(&lock);
  return error;
}

static cudaError_t give_back(struct range* ranges, const void* address, size_t* used) {
  cudaError_t error = cudaErrorInvalidValue;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < kMaxRanges; i++) {
    if (ranges[i].bytes != 0 && ranges[i].from == (uintptr_t)address) {
      if (used != NULL) {
        *used -= ranges[i].bytes;
      }
      ranges[i].bytes = 0;
      error = cudaSuccess;
      break;
    }
  }
  pthread_mutex_unlock(&lock);
  return error;
}

cudaError_t cudaMalloc(void** address, size_t bytes) {
  BEGIN();
  device_spin(60000 + bytes / 16384);  // page tables: about 60 us for a GiB
  return result(take(address, bytes));
}

cudaError_t cudaFree(void* address) {
  BEGIN();
  if (address == NULL) {
    return cudaSuccess;
  }
  device_wait_all();  // unmapping waits until nothing runs
  device_spin(80000);
  return result(give_back(held, address, &device_used));
}

cudaError_t cudaMallocAsync(void** address, size_t bytes, cudaStream_t stream) {
  BEGIN();
  (void)stream;
  device_spin(2000);
  return result(take(address, bytes));
}

cudaError_t cudaFreeAsync(void* address, cudaStream_t stream) {
  BEGIN();
  (void)stream;
  device_spin(2000);
  return result(give_back(held, address, &device_used));
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* all_bytes) {
  BEGIN();
  *all_bytes = device_setting("TRUTH_DEVICE_MB", 16384) << 20;
  *free_bytes = *all_bytes - device_used;
  return cudaSuccess;
}

static cudaError_t pin(const void* address, size_t bytes) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < kMaxRanges; i++) {
    if (pinned[i].bytes == 0) {
      pinned[i] = (struct range){(uintptr_t)address, bytes};
      pthread_mutex_unlock(&lock);
      return cudaSuccess;
    }
  }
  pthread_mutex_unlock(&lock);
  return cudaErrorMemoryAllocation;
}

static int is_pinned(const void* address) {
  int found = 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < kMaxRanges && !found; i++) {
    found = pinned[i].bytes != 0 && (uintptr_t)address - pinned[i].from < pinned[i].bytes;
  }
  pthread_mutex_unlock(&lock);
  return found;
}

cudaError_t cudaHostAlloc(void** address, size_t bytes, unsigned flags) {
  BEGIN();
  (void)flags;
  *address = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  return *address == MAP_FAILED ? result(cudaErrorMemoryAllocation) : result(pin(*address, bytes));
}

cudaError_t cudaMallocHost(void** address, size_t bytes) { return cudaHostAlloc(address, bytes, 0); }

cudaError_t cudaFreeHost(void* address) {
  BEGIN();
  device_wait_all();
  return result(give_back(pinned, address, NULL));  // the pages stay: nothing measures their return
}

cudaError_t cudaHostRegister(void* address, size_t bytes, unsigned flags) {
  BEGIN();
  (void)flags;
  device_spin(bytes / 64);  // pinning a page costs a page table walk
  return result(pin(address, bytes));
}

cudaError_t cudaHostUnregister(void* address) {
  BEGIN();
  device_wait_all();
  return result(give_back(pinned, address, NULL));
}

// From and to memory that is not pinned a runtime copies through a buffer of its own, piece by piece: it needs the CPU,
// waits for what is before it in the stream, and returns when the last piece has left (or has come).
static void copy_staged(struct device_stream* stream, void* host, size_t bytes, int inwards) {
  static __thread char* staging;
  if (staging == NULL) {
    staging = aligned_alloc(4096, kStaging);
    memset(staging, 0, kStaging);
  }
  device_wait_stream(stream);
  for (size_t done = 0; done < bytes; done += kStaging) {
    const size_t piece = bytes - done < kStaging ? bytes - done : kStaging;
    const struct work work = {.kind = inwards ? kCopyIn : kCopyOut,
                              .length_ns = 3000 + (uint64_t)((double)piece / kStagedBytesPerNs)};
    if (inwards) {
      memcpy(staging, (char*)host + done, piece);
      device_submit(stream, &work);
    } else {
      device_submit(stream, &work);
      device_wait_stream(stream);
      memcpy((char*)host + done, staging, piece);
    }
  }
  device_wait_stream(stream);
}

static cudaError_t copy(void* to, const void* from, size_t bytes, int kind, struct device_stream* stream, int waits) {
  device_spin(launch_cost());
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToHost) {
    const int inwards = kind == cudaMemcpyHostToDevice;
    void* host = inwards ? (void*)(uintptr_t)from : to;
    if (!is_pinned(host) && !(inwards && bytes <= kSmallCopy)) {
      copy_staged(stream, host, bytes, inwards);
      return device_sticky_error();
    }
    device_submit(stream, &(struct work){.kind = inwards ? kCopyIn : kCopyOut,
                                         .length_ns = 3000 + (uint64_t)((double)bytes / kPinnedBytesPerNs)});
  } else {
    device_submit(
        stream, &(struct work){.kind = kCopyWithin, .length_ns = 2000 + (uint64_t)((double)bytes / kWithinBytesPerNs)});
    waits = 0;
  }
  if (waits || launches_wait()) {
    device_wait_stream(stream);
  }
  return device_sticky_error();
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, int kind) {
  BEGIN();
  return result(copy(to, from, bytes, kind, device_default_stream(), 1));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, int kind, cudaStream_t stream) {
  BEGIN();
  return result(copy(to, from, bytes, kind, stream_of(stream), 0));
}

cudaError_t cudaMemsetAsync(void* address, int value, size_t bytes, cudaStream_t stream) {
  BEGIN();
  (void)address, (void)value;
  device_spin(launch_cost());
  device_submit(stream_of(stream),
                &(struct work){.kind = kFill, .length_ns = 2000 + (uint64_t)((double)bytes / kWithinBytesPerNs)});
  return cudaSuccess;
}

cudaError_t cudaMemset(void* address, int value, size_t bytes) { return cudaMemsetAsync(address, value, bytes, NULL); }

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = device_sticky_error() != 0 ? device_sticky_error() : last_error;
  last_error = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return device_sticky_error() != 0 ? device_sticky_error() : last_error; }

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "cudaSuccess";
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorNotReady:
      return "cudaErrorNotReady";
    case 700:
      return "cudaErrorIllegalAddress";
    default:
      return "cudaErrorInvalidValue";
  }
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case 700:
      return "an illegal memory access was encountered";
    default:
      return "invalid argument";
  }
}
