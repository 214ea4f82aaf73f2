/* A collective library whose communicators are objects with the layout of NCCL 2.28.9, or of a version whose RANK_AT
 * is given, as far as a tracer may read it: a mark in front, the identity that all ranks compute, rank, size and device
 * behind it, and how often each function was called. Its accessors check, log and wait before they answer, as the real
 * ones do. No device: a collective takes a millisecond. */
#include <unistd.h>

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MARK 0x0280028002800280ull
#ifndef RANK_AT
#define RANK_AT 0x1044d0
#endif
#define COUNTS_AT (RANK_AT + 0x2540)
enum { REDUCE_SCATTER = 3, ALL_REDUCE = 4, FUNCTIONS = 5 };

struct communicator {
  uint64_t mark;
  char before[RANK_AT - 16];
  uint64_t identity;
  int rank;
  int ranks;
  int device;
  int children;
  char between[COUNTS_AT - RANK_AT - 4 * sizeof(int)];
  uint64_t counts[FUNCTIONS];
  uint64_t end_mark;
};
_Static_assert(offsetof(struct communicator, counts) == COUNTS_AT, "the layout of NCCL");
_Static_assert(offsetof(struct communicator, rank) == RANK_AT, "the layout of NCCL");

struct id {
  uint64_t words[16];
};

static int logs = -1;

__attribute__((noinline)) static int check(const struct communicator* on, const char* call) {
  if (logs < 0) logs = getenv("LIVE_NCCL_DEBUG") != NULL;
  if (on && on->mark == MARK && on->end_mark == MARK) return 0;
  fprintf(stderr, "%s: not a communicator\n", call);
  return 4;
}

__attribute__((noinline)) static int check_pointer(const void* pointer, const char* call) {
  if (pointer) return 0;
  fprintf(stderr, "%s: no place for the answer\n", call);
  return 4;
}

__attribute__((noinline)) static int wait_ready(const struct communicator* on) { return on->ranks > 0 ? 0 : 7; }

#define ACCESSOR(name, member)                                            \
  int name(const struct communicator* on, int* answer) {                  \
    int status = check(on, #name);                                        \
    if (status || (status = check_pointer(answer, #name))) return status; \
    if (logs) fprintf(stderr, "%s of %p\n", #name, (const void*)on);      \
    status = wait_ready(on);                                              \
    if (status) return status;                                            \
    *answer = on->member;                                                 \
    return 0;                                                             \
  }

ACCESSOR(ncclCommUserRank, rank)
ACCESSOR(ncclCommCount, ranks)
ACCESSOR(ncclCommCuDevice, device)

static int make(struct communicator** made, uint64_t identity, int rank, int ranks) {
  struct communicator* one = calloc(1, sizeof(*one));

  if (!one) return 2;
  one->mark = one->end_mark = MARK;
  one->identity = identity;
  one->rank = rank;
  one->ranks = ranks;
  *made = one;
  return 0;
}

int ncclCommInitRank(struct communicator** made, int ranks, struct id id, int rank) {
  return make(made, id.words[0] * 0x9e3779b97f4a7c15ull, rank, ranks);
}

/* Of ranks in order, with the key their rank: even ones and odd ones. */
int ncclCommSplit(struct communicator* of, int color, int key, struct communicator** made, void* config) {
  (void)config;
  return make(made, of->identity * 31 + (uint64_t)++of->children * 7 + (uint64_t)color, key / 2,
              (of->ranks + 1 - color) / 2);
}

static int collect(struct communicator* on, int function, const char* call) {
  int status = check(on, call);

  if (status) return status;
  on->counts[function]++;
  usleep(1000);
  return 0;
}

int ncclAllReduce(const void* from, void* to, size_t count, int datatype, int operation, struct communicator* on,
                  void* stream) {
  (void)from, (void)to, (void)count, (void)datatype, (void)operation, (void)stream;
  return collect(on, ALL_REDUCE, "ncclAllReduce");
}

int ncclReduceScatter(const void* from, void* to, size_t count, int datatype, int operation, struct communicator* on,
                      void* stream) {
  (void)from, (void)to, (void)count, (void)datatype, (void)operation, (void)stream;
  return collect(on, REDUCE_SCATTER, "ncclReduceScatter");
}

int ncclCommDestroy(struct communicator* one) {
  int status = check(one, "ncclCommDestroy");

  if (!status) free(one);
  return status;
}
