/* What workload.py calls through ctypes: the function the probe is on, and one that calls Python back. */

__attribute__((noinline, visibility("default"))) int marked_call(unsigned long id) {
  __asm__ volatile("" : : "r"(id) : "memory");
  return 0;
}

__attribute__((noinline, visibility("default"))) int call_back(int (*function)(void)) { return function(); }
