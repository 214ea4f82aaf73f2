/* A stand-in runtime whose copy does nothing: how fast one thread can be made to produce events. It carries a described
 * library's name, so that the agent as it is shipped traces it. */

/* Calling something gives the copy a frame, hence `push %rbp` first as the real one has it. */
static __attribute__((noinline)) int nothing(void) {
  int status = 0;
  __asm__ volatile("" : "+r"(status));
  return status;
}

int cudaMemcpyAsync(void* destination, const void* source, unsigned long bytes, int direction, void* stream) {
  (void)destination, (void)source, (void)bytes, (void)direction, (void)stream;
  int status = nothing();
  __asm__ volatile("" : "+r"(status)); /* no jump in place of the call */
  return status;
}

/* A block of its own each time: no address is given out twice in a short time. */
int cudaMalloc(void** address, unsigned long bytes) {
  static unsigned long next = 0x7f0000000000;
  (void)bytes;
  *address = (void*)__atomic_fetch_add(&next, 512, __ATOMIC_RELAXED);
  int status = nothing();
  __asm__ volatile("" : "+r"(status));
  return status;
}

int cudaFree(void* address) {
  (void)address;
  int status = nothing();
  __asm__ volatile("" : "+r"(status));
  return status;
}

int cudaStreamSynchronize(void* stream) {
  (void)stream;
  int status = nothing();
  __asm__ volatile("" : "+r"(status));
  return status;
}
