// The stand-in collective library: 1 to 8 ranks that share a file in memory.
//
// A collective begins on a rank's stream when that rank's earlier work is done, and ends for all of them a transfer's
// time after the last one has begun. Ranks that differ in operation or size never end, nor do those whose partner never
// comes: on a real device the kernels wait for each other in the same way. Each communicator has one thread, as the
// library's proxy is one: it closes the operations whose ranks have all arrived.
#include "collectives.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

enum { kMaxRanks = 8, kInFlight = 256 };

struct arrival {
  uint64_t number;  // of the collective + 1; 0: none yet
  uint64_t start, bytes, operation;
};
struct meeting {
  uint32_t joined, bell;
  struct arrival arrivals[kInFlight][kMaxRanks];
};
struct pending {
  struct ncclComm* comm;
  struct device_stream* stream;
  uint64_t number, position, bytes, operation;
  int begun;
};
struct ncclComm {
  struct meeting* meeting;
  int ranks, rank, stop;
  uint64_t next, closed;
  struct pending pending[kInFlight];
  pthread_mutex_t lock;
  pthread_t proxy;
};

static void ring(struct meeting* meeting) {
  __atomic_add_fetch(&meeting->bell, 1, __ATOMIC_SEQ_CST);
  syscall(SYS_futex, &meeting->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void wait_for_bell(struct meeting* meeting, uint32_t seen) {
  syscall(SYS_futex, &meeting->bell, FUTEX_WAIT, seen, NULL, NULL, 0);
}

// The device is locked here: only the shared memory is written.
static void begun(void* context, uint64_t position, uint64_t start) {
  struct pending* mine = context;
  mine->position = position;
  struct arrival* arrival = &mine->comm->meeting->arrivals[mine->number % kInFlight][mine->comm->rank];
  arrival->start = start;
  arrival->bytes = mine->bytes;
  arrival->operation = mine->operation;
  __atomic_store_n(&arrival->number, mine->number + 1, __ATOMIC_RELEASE);
  __atomic_store_n(&mine->begun, 1, __ATOMIC_RELEASE);
  ring(mine->comm->meeting);
}

// When collective `number` ends, or 0 while it cannot.
static uint64_t end_of(const struct ncclComm* comm, const struct pending* mine) {
  const struct arrival* all = comm->meeting->arrivals[mine->number % kInFlight];
  uint64_t last = 0;
  for (int rank = 0; rank < comm->ranks; rank++) {
    if (__atomic_load_n(&all[rank].number, __ATOMIC_ACQUIRE) != mine->number + 1 || all[rank].bytes != mine->bytes ||
        all[rank].operation != mine->operation) {
      return 0;
    }
    last = all[rank].start > last ? all[rank].start : last;
  }
  return last + 20000 + mine->bytes / 10;  // 10 GB/s
}

static void* proxy(void* context) {
  struct ncclComm* comm = context;
  while (!__atomic_load_n(&comm->stop, __ATOMIC_ACQUIRE)) {
    const uint32_t seen = __atomic_load_n(&comm->meeting->bell, __ATOMIC_SEQ_CST);
    while (comm->closed < __atomic_load_n(&comm->next, __ATOMIC_ACQUIRE)) {
      struct pending* first = &comm->pending[comm->closed % kInFlight];
      const uint64_t end = __atomic_load_n(&first->begun, __ATOMIC_ACQUIRE) ? end_of(comm, first) : 0;
      if (end == 0) {
        break;
      }
      device_close(first->stream, first->position, end);
      comm->closed++;
    }
    wait_for_bell(comm->meeting, seen);
  }
  return NULL;
}

ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  memset(id, 0, sizeof *id);
  snprintf(id->internal, sizeof id->internal, "/dev/shm/truth-meeting-%d-%llx", (int)getpid(),
           (unsigned long long)now_ns());
  return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t* out, int ranks, ncclUniqueId id, int rank) {
  if (device_ready() != 0 || ranks < 1 || ranks > kMaxRanks || rank < 0 || rank >= ranks) {
    return ncclInvalidArgument;
  }
  id.internal[sizeof id.internal - 1] = '\0';
  const int fd = open(id.internal, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0 || ftruncate(fd, sizeof(struct meeting)) != 0) {
    return ncclSystemError;
  }
  struct ncclComm* comm = calloc(1, sizeof *comm);
  comm->meeting = mmap(NULL, sizeof(struct meeting), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (comm->meeting == MAP_FAILED) {
    return ncclSystemError;
  }
  comm->ranks = ranks;
  comm->rank = rank;
  pthread_mutex_init(&comm->lock, NULL);
  __atomic_add_fetch(&comm->meeting->joined, 1, __ATOMIC_SEQ_CST);
  ring(comm->meeting);
  for (;;) {
    const uint32_t seen = __atomic_load_n(&comm->meeting->bell, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&comm->meeting->joined, __ATOMIC_SEQ_CST) >= (uint32_t)ranks) {
      break;
    }
    wait_for_bell(comm->meeting, seen);
  }
  if (rank == 0) {
    unlink(id.internal);
  }
  pthread_create(&comm->proxy, NULL, proxy, comm);
  *out = comm;
  return ncclSuccess;
}

static ncclResult_t leave(ncclComm_t comm) {
  __atomic_store_n(&comm->stop, 1, __ATOMIC_RELEASE);
  ring(comm->meeting);
  pthread_join(comm->proxy, NULL);
  return ncclSuccess;
}

ncclResult_t ncclCommDestroy(ncclComm_t comm) { return leave(comm); }

// What the rank still waits for is given up; the others learn nothing of it.
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  leave(comm);
  for (; comm->closed < comm->next; comm->closed++) {
    struct pending* open = &comm->pending[comm->closed % kInFlight];
    device_close(open->stream, open->position, now_ns());
  }
  return ncclSuccess;
}

ncclResult_t ncclCommCount(ncclComm_t comm, int* count) {
  *count = comm->ranks;
  return ncclSuccess;
}

ncclResult_t ncclCommUserRank(ncclComm_t comm, int* rank) {
  *rank = comm->rank;
  return ncclSuccess;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* error) {
  (void)comm;
  *error = ncclSuccess;
  return ncclSuccess;
}

const char* ncclGetErrorString(ncclResult_t error) { return error == ncclSuccess ? "no error" : "invalid argument"; }

ncclResult_t ncclGroupStart(void) { return ncclSuccess; }

ncclResult_t ncclGroupEnd(void) { return ncclSuccess; }

static uint64_t bytes_of(size_t count, int type) {
  static const uint8_t kSizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
  return count * (type >= 0 && type < 10 ? kSizes[type] : 4u);
}

static ncclResult_t enqueue(ncclComm_t comm, uint64_t operation, uint64_t bytes, cudaStream_t stream) {
  if (device_sticky_error() != 0) {
    return 1;  // ncclUnhandledCudaError
  }
  device_spin(8000);
  pthread_mutex_lock(&comm->lock);
  const uint64_t number = comm->next;
  struct pending* mine = &comm->pending[number % kInFlight];
  *mine = (struct pending){.comm = comm,
                           .number = number,
                           .bytes = bytes,
                           .operation = operation,
                           .stream = stream == NULL ? device_default_stream() : stream};
  __atomic_store_n(&comm->next, number + 1, __ATOMIC_RELEASE);
  const uint64_t position =
      device_submit(mine->stream, &(struct work){.kind = kCollective, .begin = begun, .context = mine});
  mine->position = position;
  pthread_mutex_unlock(&comm->lock);
  return ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* from, void* to, size_t count, int type, int op, ncclComm_t comm,
                           cudaStream_t stream) {
  INSIDE();
  (void)from, (void)to, (void)op;
  return enqueue(comm, 1, bytes_of(count, type), stream);
}

ncclResult_t ncclAllGather(const void* from, void* to, size_t count, int type, ncclComm_t comm, cudaStream_t stream) {
  INSIDE();
  (void)from, (void)to;
  return enqueue(comm, 2, bytes_of(count, type), stream);
}

ncclResult_t ncclReduceScatter(const void* from, void* to, size_t count, int type, int op, ncclComm_t comm,
                               cudaStream_t stream) {
  INSIDE();
  (void)from, (void)to, (void)op;
  return enqueue(comm, 3, bytes_of(count, type), stream);
}

ncclResult_t ncclBroadcast(const void* from, void* to, size_t count, int type, int root, ncclComm_t comm,
                           cudaStream_t stream) {
  INSIDE();
  (void)from, (void)to, (void)root;
  return enqueue(comm, 4, bytes_of(count, type), stream);
}
