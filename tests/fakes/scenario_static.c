/* A program that carries its own copy of the runtime, as a vendor's compiler links it by default: every call is a local
 * symbol of this file, and gone from the stripped copy, whose calls into the driver can still be seen.
 *
 *   scenario_static [ROUNDS] [WAIT_FILE]      one JSON line per call, as scenario.h describes */
#define _GNU_SOURCE
#define TIMED_RUNTIME
#define TIMED_STATIC
#include <sys/syscall.h>
#include <unistd.h>

#include <stdio.h>
#include <stdlib.h>

#include "timed.c"

static void print(const char* symbol, uint64_t start_ns, uint64_t end_ns, int status, const char* args,
                  const char* expect) {
  const struct timed_control* call = timed_runtime_control();
  printf(
      "{\"symbol\":\"%s\",\"pid\":%d,\"tid\":%ld,\"start_ns\":%lu,\"end_ns\":%lu,\"ret\":%d,"
      "\"inside\":[%lu,%lu],\"args\":{%s},\"outcome\":\"returned\",\"expect\":{%s}}\n",
      symbol, getpid(), syscall(SYS_gettid), (unsigned long)start_ns, (unsigned long)end_ns, status,
      (unsigned long)call->began_ns, (unsigned long)call->ended_ns, args, expect);
  fflush(stdout);
}

int main(int argc, char** argv) {
  long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 5;
  /* The section in which a vendor's compiler leaves its device code: strip keeps it. */
  static char image[16] __attribute__((section(".nvFatBinSegment")));
  __cudaRegisterFatBinary(image);
  if (driver_alloc() == NULL) {
    fprintf(stderr, "scenario_static: cannot load libcuda.so.1: %s\n", dlerror());
    return 1;
  }
  while (argc > 2 && access(argv[2], F_OK) != 0) usleep(2000);
  for (long i = 0; i < rounds; ++i) {
    char args[128];
    void* memory = NULL;
    timed_runtime_control()->enters_driver = 1;
    uint64_t start = clock_ns(CLOCK_MONOTONIC);
    int status = cudaMalloc(&memory, 4096 + (size_t)i);
    uint64_t end = clock_ns(CLOCK_MONOTONIC);
    snprintf(args, sizeof args, "\"bytes\":%ld,\"address\":%lu", 4096 + i, (unsigned long)memory);
    print("cudaMalloc", start, end, status, args, "\"child\":\"cuMemAlloc_v2\"");

    struct dim3 grid = {(unsigned)i + 1, 2, 3}, block = {64, 1, 1};
    start = clock_ns(CLOCK_MONOTONIC);
    status = cudaLaunchKernel(image, grid, block, NULL, 16, (void*)(0x5000 + i));
    end = clock_ns(CLOCK_MONOTONIC);
    snprintf(args, sizeof args, "\"stream\":%ld,\"shared_bytes\":16,\"grid\":[%ld,2,3],\"block\":[64,1,1]", 0x5000 + i,
             i + 1);
    print("cudaLaunchKernel", start, end, status, args, "");

    timed_runtime_control()->sleep_ns = 1000000;
    start = clock_ns(CLOCK_MONOTONIC);
    status = cudaStreamSynchronize((void*)(0x5000 + i));
    end = clock_ns(CLOCK_MONOTONIC);
    snprintf(args, sizeof args, "\"stream\":%ld", 0x5000 + i);
    print("cudaStreamSynchronize", start, end, status, args, "\"duration_ns\":1000000");
  }
  return 0;
}
