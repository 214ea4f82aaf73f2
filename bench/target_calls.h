/* The calls the benchmarks probe: each starts with `push %rbp`, as the calls of the vendors' libraries do, and burns
 * about 200 ns in a chain of multiplications, so that a probe's cost is measured against a body of known length. */
#ifndef INGERO_BENCH_TARGET_CALLS_H
#define INGERO_BENCH_TARGET_CALLS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
struct bench_dim3 {
  uint32_t x, y, z;
};
/* A row that captures nothing but time. */
int benchNothing(void);
/* Four register arguments. */
int benchFour(void* destination, const void* source, size_t bytes, void* stream);
/* A launch: two structs by value, and on x86-64 two words on the stack. */
int benchLaunch(const void* function, struct bench_dim3 grid, struct bench_dim3 block, void** arguments,
                size_t shared_bytes, void* stream);
/* Two words are read through the pointer when the call starts. */
struct bench_parameters {
  uint64_t bytes;
  uint64_t address;
};
int benchPeek(const struct bench_parameters* parameters);
/* Any row: every register and the stack slots behind them hold what can be read, and one of them is returned. */
struct bench_stack {
  const void* words[24];
};
const void* benchAny(const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
                     struct bench_stack stack);
#ifdef __cplusplus
}
#endif

#endif
