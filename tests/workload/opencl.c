// A small OpenCL program whose every call is counted: on a CPU driver its kernels really run, which makes it a success
// path where there is no GPU.
//
// It writes a buffer, runs a kernel, waits, reads back and checks the values, ROUNDS times; then copies, fills, asks
// for more than there is (an error; with --with-error only), and frees. The last line on stdout is one JSON object: per
// described call how many were made, how many failed, and the bytes asked for. Exit status 77: no OpenCL, or no device.
// It needs no header: the few prototypes are here.
#define _GNU_SOURCE
#include <unistd.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRounds = 20, kElements = 1 << 16, kDeviceAll = -1, kReadWrite = 1, kInvalidValue = -30 };
enum { kFunctionName = 0x1190, kNumArgs = 0x1191 };  // of a kernel

typedef void* handle;

struct counted {
  const char* name;
  unsigned long calls, failed, bytes;
};
enum {
  kPlatforms,
  kDevices,
  kCreateContext,
  kCreateQueue,
  kCreateProgram,
  kBuild,
  kCreateKernel,
  kCreateKernels,
  kKernelInfo,
  kCreateBuffer,
  kWrite,
  kLaunch,
  kWait,
  kReleaseEvent,
  kRead,
  kCopy,
  kFill,
  kFinish,
  kReleaseMem,
  kReleaseKernel,
  kReleaseProgram,
  kReleaseQueue,
  kCalls
};
static struct counted counts[kCalls] = {
    [kPlatforms] = {"clGetPlatformIDs", 0, 0, 0},
    [kDevices] = {"clGetDeviceIDs", 0, 0, 0},
    [kCreateContext] = {"clCreateContext", 0, 0, 0},
    [kCreateQueue] = {"clCreateCommandQueue", 0, 0, 0},
    [kCreateProgram] = {"clCreateProgramWithSource", 0, 0, 0},
    [kBuild] = {"clBuildProgram", 0, 0, 0},
    [kCreateKernel] = {"clCreateKernel", 0, 0, 0},
    [kCreateKernels] = {"clCreateKernelsInProgram", 0, 0, 0},
    [kKernelInfo] = {"clGetKernelInfo", 0, 0, 0},
    [kCreateBuffer] = {"clCreateBuffer", 0, 0, 0},
    [kWrite] = {"clEnqueueWriteBuffer (non-blocking)", 0, 0, 0},  // by its third parameter
    [kLaunch] = {"clEnqueueNDRangeKernel", 0, 0, 0},
    [kWait] = {"clWaitForEvents", 0, 0, 0},
    [kReleaseEvent] = {"clReleaseEvent", 0, 0, 0},
    [kRead] = {"clEnqueueReadBuffer", 0, 0, 0},
    [kCopy] = {"clEnqueueCopyBuffer", 0, 0, 0},
    [kFill] = {"clEnqueueFillBuffer", 0, 0, 0},
    [kFinish] = {"clFinish", 0, 0, 0},
    [kReleaseMem] = {"clReleaseMemObject", 0, 0, 0},
    [kReleaseKernel] = {"clReleaseKernel", 0, 0, 0},
    [kReleaseProgram] = {"clReleaseProgram", 0, 0, 0},
    [kReleaseQueue] = {"clReleaseCommandQueue", 0, 0, 0},
};

static void* library;

// An object pointer becomes a function pointer by its bytes: ISO C has no cast for it.
static void (*symbol(const char* name))(void) {
  void* found = dlsym(library, name);
  if (found == NULL) {
    fprintf(stderr, "opencl: libOpenCL.so.1 has no %s\n", name);
    exit(1);
  }
  void (*function)(void) = NULL;
  memcpy(&function, &found, sizeof function);
  return function;
}
#define CALL(type, name, parameters) ((type(*) parameters)symbol(name))

static void skip(const char* why) {
  fprintf(stderr, "opencl: %s\n", why);
  exit(77);
}

// Counts a call that returned `status`; anything but `wanted` ends the program.
static void count(int call, int32_t status, int32_t wanted, unsigned long bytes) {
  ++counts[call].calls;
  counts[call].failed += status != 0;
  counts[call].bytes += bytes;
  if (status != wanted) {
    fprintf(stderr, "opencl: %s returned %d instead of %d\n", counts[call].name, status, wanted);
    exit(1);
  }
}

// Counts a call that returned a handle: null is failure.
static handle made(int call, handle object, unsigned long bytes) {
  count(call, object == NULL, 0, bytes);
  return object;
}

// Long because it is one program's life, call after call, from the first to the release of what it made.
int main(int argc, char** argv) {
  // --wait FILE, as the other programs that are traced: nothing is called until FILE exists.
  const char* gate = argc == 3 && strcmp(argv[1], "--wait") == 0 ? argv[2] : NULL;
  const int with_error = argc == 2 && strcmp(argv[1], "--with-error") == 0;
  library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) skip(dlerror());
  while (gate != NULL && access(gate, F_OK) != 0) usleep(5000);

  handle platform = NULL;
  handle device = NULL;
  int32_t error = 0;
  if (CALL(int32_t, "clGetPlatformIDs", (uint32_t, handle*, uint32_t*))(1, &platform, NULL) != 0) skip("no driver");
  if (CALL(int32_t, "clGetDeviceIDs", (handle, uint64_t, uint32_t, handle*, uint32_t*))(platform, (uint32_t)kDeviceAll,
                                                                                        1, &device, NULL) != 0) {
    skip("no device");
  }
  handle context = CALL(handle, "clCreateContext", (const intptr_t*, uint32_t, const handle*, void*, void*, int32_t*))(
      NULL, 1, &device, NULL, NULL, &error);
  if (context == NULL) skip("no context");
  count(kPlatforms, 0, 0, 0);
  count(kDevices, 0, 0, 0);
  count(kCreateContext, 0, 0, 0);

  handle queue =
      made(kCreateQueue,
           CALL(handle, "clCreateCommandQueue", (handle, handle, uint64_t, int32_t*))(context, device, 0, &error), 0);
  const char* source = "__kernel void twice(__global int *a) { int i = get_global_id(0); a[i] = 2 * a[i] + 1; }";
  handle program =
      made(kCreateProgram,
           CALL(handle, "clCreateProgramWithSource", (handle, uint32_t, const char**, const size_t*, int32_t*))(
               context, 1, &source, NULL, &error),
           0);
  count(kBuild,
        CALL(int32_t, "clBuildProgram", (handle, uint32_t, const handle*, const char*, void*, void*))(
            program, 1, &device, "", NULL, NULL),
        0, 0);
  handle kernel =
      made(kCreateKernel, CALL(handle, "clCreateKernel", (handle, const char*, int32_t*))(program, "twice", &error), 0);
  // The other one is created without a name, as by programs that take all kernels of a program and ask each for its
  // own.
  handle other = NULL;
  count(kCreateKernels,
        CALL(int32_t, "clCreateKernelsInProgram", (handle, uint32_t, handle*, uint32_t*))(program, 1, &other, NULL), 0,
        0);
  typedef int32_t (*kernel_info)(handle, uint32_t, size_t, void*, size_t*);
  const kernel_info ask = (kernel_info)symbol("clGetKernelInfo");
  size_t length = 0;
  char name[64] = "";
  uint32_t arguments = 0;
  count(kKernelInfo, ask(other, kFunctionName, 0, NULL, &length), 0, 0);
  count(kKernelInfo, ask(other, kFunctionName, sizeof name, name, NULL), 0, 0);
  count(kKernelInfo, ask(other, kNumArgs, sizeof arguments, &arguments, NULL), 0, 0);
  if (strcmp(name, "twice") != 0 || length != sizeof "twice" || arguments != 1) return 1;
  const size_t bytes = kElements * sizeof(int);
  const size_t elements = kElements;
  handle buffers[2];
  for (int i = 0; i < 2; ++i) {
    buffers[i] = made(kCreateBuffer,
                      CALL(handle, "clCreateBuffer", (handle, uint64_t, size_t, void*, int32_t*))(context, kReadWrite,
                                                                                                  bytes, NULL, &error),
                      bytes);
  }
  if (CALL(int32_t, "clSetKernelArg", (handle, uint32_t, size_t, const void*))(kernel, 0, sizeof buffers[0],
                                                                               &buffers[0]) != 0 ||
      CALL(int32_t, "clSetKernelArg", (handle, uint32_t, size_t, const void*))(other, 0, sizeof buffers[0],
                                                                               &buffers[0]) != 0) {
    return 1;
  }

  typedef int32_t (*transfer)(handle, handle, uint32_t, size_t, size_t, void*, uint32_t, const handle*, handle*);
  const transfer write = (transfer)symbol("clEnqueueWriteBuffer");
  const transfer read = (transfer)symbol("clEnqueueReadBuffer");
  int* values = calloc(kElements, sizeof(int));
  if (values == NULL) return 1;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kElements; ++i) values[i] = i + round;
    count(kWrite, write(queue, buffers[0], 0, 0, bytes, values, 0, NULL, NULL), 0, bytes);
    handle done = NULL;
    count(kLaunch,
          CALL(int32_t, "clEnqueueNDRangeKernel",
               (handle, handle, uint32_t, const size_t*, const size_t*, const size_t*, uint32_t, const handle*,
                handle*))(queue, round % 2 == 0 ? kernel : other, 1, NULL, &elements, NULL, 0, NULL, &done),
          0, 0);
    count(kWait, CALL(int32_t, "clWaitForEvents", (uint32_t, const handle*))(1, &done), 0, 0);
    count(kReleaseEvent, CALL(int32_t, "clReleaseEvent", (handle))(done), 0, 0);
    count(kRead, read(queue, buffers[0], 1, 0, bytes, values, 0, NULL, NULL), 0, bytes);
    for (int i = 0; i < kElements; ++i) {
      if (values[i] != 2 * (i + round) + 1) {
        fprintf(stderr, "opencl: the kernel did not run: value %d is %d\n", i, values[i]);
        return 1;
      }
    }
  }
  count(kCopy,
        CALL(int32_t, "clEnqueueCopyBuffer",
             (handle, handle, handle, size_t, size_t, size_t, uint32_t, const handle*, handle*))(
            queue, buffers[0], buffers[1], 0, 0, bytes, 0, NULL, NULL),
        0, bytes);
  const int pattern = 7;
  count(kFill,
        CALL(int32_t, "clEnqueueFillBuffer",
             (handle, handle, const void*, size_t, size_t, size_t, uint32_t, const handle*, handle*))(
            queue, buffers[1], &pattern, sizeof pattern, 0, bytes, 0, NULL, NULL),
        0, bytes);
  count(kFinish, CALL(int32_t, "clFinish", (handle))(queue), 0, 0);
  if (with_error) count(kRead, read(queue, buffers[1], 1, bytes, bytes, values, 0, NULL, NULL), kInvalidValue, bytes);
  for (int i = 0; i < 2; ++i) {
    count(kReleaseMem, CALL(int32_t, "clReleaseMemObject", (handle))(buffers[i]), 0, 0);
  }
  count(kReleaseKernel, CALL(int32_t, "clReleaseKernel", (handle))(kernel), 0, 0);
  count(kReleaseKernel, CALL(int32_t, "clReleaseKernel", (handle))(other), 0, 0);
  count(kReleaseProgram, CALL(int32_t, "clReleaseProgram", (handle))(program), 0, 0);
  count(kReleaseQueue, CALL(int32_t, "clReleaseCommandQueue", (handle))(queue), 0, 0);
  free(values);

  printf("{\"pid\":%d", (int)getpid());
  for (int i = 0; i < kCalls; ++i) {
    printf(",\"%s\":{\"calls\":%lu,\"failed\":%lu,\"bytes\":%lu}", counts[i].name, counts[i].calls, counts[i].failed,
           counts[i].bytes);
  }
  printf("}\n");
  return 0;
}
