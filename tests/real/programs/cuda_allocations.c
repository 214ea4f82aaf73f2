// One rank: as many allocations as its number says, (rank + 1) * 1000, by a runtime that is loaded at run time.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char* rank = getenv("OMPI_COMM_WORLD_RANK");
  void* library = dlopen("libcudart.so.13", RTLD_NOW);
  if (!library) library = dlopen("/usr/local/cuda/lib64/libcudart.so.13", RTLD_NOW);
  int (*allocate)(void**, size_t) = library ? (int (*)(void**, size_t))dlsym(library, "cudaMalloc") : NULL;
  if (!allocate) {
    fprintf(stderr, "cuda_allocations: %s\n", dlerror());
    return 1;
  }
  const int calls = 1000 * ((rank ? atoi(rank) : 0) + 1);
  void* memory = NULL;
  for (int i = 0; i < calls; ++i) (void)allocate(&memory, 64);
  printf("%d allocations\n", calls);
  return 0;
}
