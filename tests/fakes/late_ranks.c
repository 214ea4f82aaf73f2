/* A job whose communicator is older than its trace: late_ranks LIBRARY RANKS FILE. Each rank makes the communicator and
 * 7 collectives on it, and prints {"ready": true}; once FILE is there, it makes 200 more, every third a reduce-scatter,
 * splits it in two, and makes 20 on its half, and ends when FILE is gone. Between two of them it does something else.
 */
#include <sys/wait.h>
#include <unistd.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct id {
  uint64_t words[16];
};

/* ISO C has no conversion between pointers to objects and to functions. */
static int find(void* library, const char* name, void* function) {
  void* found = library ? dlsym(library, name) : NULL;

  memcpy(function, &found, sizeof(found));
  return found != NULL;
}

static int rank_of_a_job(const char* library, int ranks, const char* file, int rank) {
  void* at = dlopen(library, RTLD_NOW);
  int (*init)(void**, int, struct id, int);
  int (*split)(void*, int, int, void**, void*);
  int (*reduce)(const void*, void*, size_t, int, int, void*, void*);
  int (*scatter)(const void*, void*, size_t, int, int, void*, void*);
  int (*destroy)(void*);
  struct id id = {{4711}};
  void* world;
  void* half;

  if (!find(at, "ncclCommInitRank", &init) || !find(at, "ncclCommSplit", &split) ||
      !find(at, "ncclAllReduce", &reduce) || !find(at, "ncclReduceScatter", &scatter) ||
      !find(at, "ncclCommDestroy", &destroy)) {
    fprintf(stderr, "late_ranks: %s: %s\n", library, dlerror());
    return 1;
  }
  if (init(&world, ranks, id, rank)) return 1;
  for (int i = 0; i < 7; i++)
    if (reduce(NULL, NULL, 1000, 7, 0, world, NULL)) return 1;
  puts("{\"ready\": true}");
  fflush(stdout);
  while (access(file, F_OK)) usleep(10000);
  for (int i = 0; i < 200; i++) {
    if ((i % 3 == 2 ? scatter : reduce)(NULL, NULL, 1000, 7, 0, world, NULL)) return 1;
    usleep(10000); /* a call takes a tenth of the time: its count can be read between two */
  }
  if (split(world, rank % 2, rank, &half, NULL)) return 1;
  for (int i = 0; i < 20; i++)
    if (reduce(NULL, NULL, 10, 7, 0, half, NULL)) return 1;
  while (!access(file, F_OK)) usleep(10000);
  return destroy(half) || destroy(world);
}

int main(int argc, char** argv) {
  int ranks = argc == 4 ? atoi(argv[2]) : 0;
  int failed = 0;

  if (ranks < 1) {
    fprintf(stderr, "late_ranks LIBRARY RANKS FILE\n");
    return 2;
  }
  for (int rank = 0; rank < ranks; rank++)
    if (fork() == 0) _exit(rank_of_a_job(argv[1], ranks, argv[3], rank));
  for (int rank = 0; rank < ranks; rank++) {
    int status = 1;

    wait(&status);
    failed |= status;
  }
  return failed != 0;
}
