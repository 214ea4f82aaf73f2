/* The bodies; see the header. Built without optimising frame pointers away. */
#include "target_calls.h"

static int burn(uint64_t seed) {
  uint64_t value = seed | 1;
  for (int i = 0; i < 260; i++) {
    value *= value;
    __asm__ volatile("" : "+r"(value));
  }
  return value == 0; /* an odd number stays odd: 0, success */
}

int benchNothing(void) { return burn(3); }

int benchFour(void* destination, const void* source, size_t bytes, void* stream) {
  return burn((uintptr_t)destination + (uintptr_t)source + bytes + (uintptr_t)stream);
}

int benchLaunch(const void* function, struct bench_dim3 grid, struct bench_dim3 block, void** arguments,
                size_t shared_bytes, void* stream) {
  return burn((uintptr_t)function + grid.x + block.x + (uintptr_t)arguments + shared_bytes + (uintptr_t)stream);
}

int benchPeek(const struct bench_parameters* parameters) { return burn(parameters->bytes); }

const void* benchAny(const void* a, const void* b, const void* c, const void* d, const void* e, const void* f,
                     struct bench_stack stack) {
  const int burnt = burn((uintptr_t)a + (uintptr_t)b + (uintptr_t)c + (uintptr_t)d + (uintptr_t)e + (uintptr_t)f +
                         (uintptr_t)stack.words[0]);
  return burnt == 42 ? b : a;
}
