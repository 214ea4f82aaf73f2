// A job of N ranks, each a process of its own, on the stand-in collective library and runtime: what each rank called,
// on which communicator, when and with which sequence number, printed as one JSON line per call.
//
//   ranks --collectives LIB --runtime LIB [--ranks N] [--late RANK] [--late-ms MS] [--missing R,R] [--wait FILE]
//   ranks --collectives LIB --runtime LIB --lives
//
// Rank I of N makes a communicator with the others; all of them then make collectives together (one of them comes
// late), groups of sends and receives, split it in two, wait for what they put on streams, and take it all apart, and
// make another communicator whose handle is the old one's. With --missing those ranks stay away from the last
// collective until FILE exists. The handles are the same numbers in every process. Times are CLOCK_MONOTONIC
// nanoseconds. With --lives one process makes communicators in every other way there is.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <getopt.h>

#include "fakes/clock.h"
#include "fakes/fake_control.h"

namespace {

using ingero::tests::now_ns;
using ingero::tests::sleep_ms;

constexpr uint64_t kWorld = 0x700000001000;
constexpr uint64_t kHalf = 0x700000002000;
constexpr int kFloat32 = 7;
constexpr int kSum = 0;

struct Id {
  unsigned char bytes[128];
};

// In memory that all ranks share.
struct Shared {
  std::atomic<unsigned> arrived, round;
};

void* stream(uintptr_t number) { return reinterpret_cast<void*>(number); }

class Rank {
 public:
  Rank(int rank, int size, const char* collectives, const char* runtime, Shared* shared, FILE* out)
      : rank_(rank), size_(size), shared_(shared), out_(out) {
    collectives_ = open(collectives);
    runtime_ = open(runtime);
    collectives_control_ = control_of(collectives_);
    runtime_control_ = control_of(runtime_);
  }

  // Waits until all ranks are here.
  void add_process() {
    const unsigned round = shared_->round;
    if (shared_->arrived.fetch_add(1) + 1 == static_cast<unsigned>(size_)) {
      shared_->arrived = 0;
      shared_->round = round + 1;
    }
    while (shared_->round == round) std::this_thread::yield();
  }

  // One call; `numbered`: a collective on `communicator`, of which this rank is `rank` of `size`.
  struct On {
    const char* name;  // "world", "half 0", ...
    uint64_t handle;
    int rank, size;
    uint64_t made = 0;  // collectives so far
  };
  template <typename... Arguments>
  int call(bool of_runtime, const char* symbol, uint64_t out, uint64_t sleep_ns, On* on, bool numbered,
           Arguments... arguments) {
    void* function = dlsym(of_runtime ? runtime_ : collectives_, symbol);
    if (function == nullptr) {
      fprintf(stderr, "ranks: no %s\n", symbol);
      _exit(1);
    }
    struct fake_control* control = of_runtime ? runtime_control_() : collectives_control_();
    control->ret = 0;
    control->out = out;
    control->sleep_ns = sleep_ns;
    int (*f)(Arguments...);
    memcpy(&f, &function, sizeof f);
    const uint64_t start = now_ns();
    const int result = f(arguments...);
    const uint64_t end = now_ns();
    if (numbered) ++on->made;
    char text[512];
    snprintf(text, sizeof text,
             R"({"call":"%s","job_rank":%d,"pid":%d,"start_ns":%lu,"end_ns":%lu,"on":"%s","rank":%d,"nranks":%d,)"
             R"("seq":%ld,"mark":"%s"})"
             "\n",
             symbol, rank_, getpid(), start, end, on != nullptr ? on->name : "", on != nullptr ? on->rank : -1,
             on != nullptr ? on->size : -1, numbered ? static_cast<long>(on->made) : -1L, mark_);
    fputs(text, out_);
    return result;
  }
  int reduce(On& on, void* on_stream, uint64_t sleep_ns = 0) {
    return call(false, "ncclAllReduce", 0, sleep_ns, &on, true, stream(0x1000), stream(0x2000), size_t{1000}, kFloat32,
                kSum, stream(on.handle), on_stream);
  }
  void mark(const char* text) { mark_ = text; }

 private:
  static void* open(const char* path) {
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      fprintf(stderr, "ranks: %s\n", dlerror());
      _exit(1);
    }
    return library;
  }
  using Control = struct fake_control* (*)();
  static Control control_of(void* library) {
    Control control = nullptr;
    void* symbol = dlsym(library, "fake_control");
    memcpy(&control, &symbol, sizeof control);
    if (control == nullptr) {
      fprintf(stderr, "ranks: not a stand-in library\n");
      _exit(1);
    }
    return control;
  }
  int rank_, size_;
  Shared* shared_;
  FILE* out_;
  void *collectives_ = nullptr, *runtime_ = nullptr;
  Control collectives_control_ = nullptr, runtime_control_ = nullptr;
  const char* mark_ = "";
};

struct Options {
  const char *collectives = nullptr, *runtime = nullptr, *wait = nullptr;
  int ranks = 8, late = -1;
  bool lives = false;
  unsigned late_ms = 0;
  std::set<int> missing;
};

// Two identities whose first eight bytes are the same.
Id id_of(unsigned which) {
  Id id{};
  memset(id.bytes, 0x2a, 8);
  for (size_t i = 8; i < sizeof id.bytes; ++i) id.bytes[i] = static_cast<unsigned char>(i * 7 + which * 31);
  return id;
}

// Says that this rank waits, and waits.
void wait_for(const char* path) {
  if (path == nullptr) return;
  if (write(STDOUT_FILENO, "waiting\n", 8) != 8) _exit(1);
  while (access(path, F_OK) != 0) sleep_ms(5);
}

void run(Rank& self, const Options& options, int rank) {
  const int size = options.ranks;
  Rank::On world{"world", kWorld, rank, size};
  void* communicator = nullptr;
  self.call(false, "ncclCommInitRank", kWorld, 0, &world, false, static_cast<void*>(&communicator), size, id_of(0),
            rank);
  for (int i = 1; i <= 20; ++i) {
    self.add_process();
    if (i == 7 && rank == options.late) sleep_ms(options.late_ms);
    self.mark(i == 7 ? "late" : "");
    self.reduce(world, stream(0x10));
  }
  self.mark("group");
  self.call(false, "ncclGroupStart", 0, 0, nullptr, false);
  self.call(false, "ncclSend", 0, 0, &world, false, stream(0x1000), size_t{64}, kFloat32, (rank + 1) % size,
            stream(kWorld), stream(0x10));
  self.call(false, "ncclRecv", 0, 0, &world, false, stream(0x2000), size_t{64}, kFloat32, (rank + size - 1) % size,
            stream(kWorld), stream(0x10));
  self.call(false, "ncclGroupEnd", 0, 0, nullptr, false);
  self.mark("");
  self.add_process();

  // Two halves, each in the opposite order.
  const int color = rank % 2;
  Rank::On half{color == 0 ? "half 0" : "half 1", kHalf, (size - 1 - rank) / 2, size / 2};
  self.call(false, "ncclCommSplit", kHalf, 0, &half, false, stream(kWorld), color, -rank,
            static_cast<void*>(&communicator), stream(0));
  for (int i = 1; i <= 5; ++i) {
    self.add_process();
    self.mark(i == 3 ? "half late" : "");
    if (i == 3 && rank == 2) sleep_ms(options.late_ms / 2);
    self.call(false, "ncclBroadcast", 0, 0, &half, true, stream(0x1000), stream(0x2000), size_t{16}, kFloat32, 0,
              stream(half.handle), stream(0x20));
  }
  self.mark("");

  // What a program waits for: on the stream, through a marker on another one, and what a graph only keeps.
  self.mark("waited");
  self.reduce(world, stream(0x55));
  self.call(true, "cudaStreamSynchronize", 0, 30'000'000, nullptr, false, stream(0x55));
  self.mark("waited through a mark");
  self.reduce(world, stream(0x66));
  self.mark("");
  self.call(true, "cudaEventRecord", 0, 0, nullptr, false, stream(0xe1), stream(0x66));
  self.call(true, "cudaStreamWaitEvent", 0, 0, nullptr, false, stream(0x77), stream(0xe1), 0U);
  self.mark("waited through a mark");
  self.call(true, "cudaStreamSynchronize", 0, 20'000'000, nullptr, false, stream(0x77));
  self.mark("");
  self.call(true, "cudaStreamBeginCapture", 0, 0, nullptr, false, stream(0x88), 0);
  self.mark("kept for a graph");
  self.reduce(world, stream(0x88));
  self.mark("");
  self.call(true, "cudaStreamEndCapture", 0x99, 0, nullptr, false, stream(0x88), static_cast<void*>(&communicator));
  self.call(true, "cudaStreamSynchronize", 0, 0, nullptr, false, stream(0x88));

  // The same handle, another communicator.
  self.call(false, "ncclCommDestroy", 0, 0, &half, false, stream(kHalf));
  Rank::On second{"second", kHalf, rank, size};
  self.call(false, "ncclCommInitRank", kHalf, 0, &second, false, static_cast<void*>(&communicator), size, id_of(1),
            rank);
  self.add_process();
  self.mark("slow");
  self.reduce(second, stream(0x10), rank == 3 ? 60'000'000 : 0);
  self.mark("");

  self.add_process();
  self.mark("last");
  if (options.missing.contains(rank)) wait_for(options.wait);
  self.reduce(world, stream(0x10));
  self.mark("");
  if (!options.missing.contains(rank)) wait_for(options.wait);
  self.call(false, "ncclCommFinalize", 0, 0, &world, false, stream(kWorld));
  self.call(false, "ncclCommDestroy", 0, 0, &second, false, stream(kHalf));
  self.call(false, "ncclCommAbort", 0, 0, &world, false, stream(kWorld));
}

// All ranks in one process, several identities, and communicators made of others.
void live(Rank& self) {
  constexpr int kAll = 12;
  void* all[kAll];
  // The stand-in writes the first; the others are what the real one would have written.
  for (int i = 0; i < kAll; ++i) all[i] = stream(0x700000010000 + static_cast<uintptr_t>(i) * 0x100);
  self.call(false, "ncclCommInitAll", 0x700000010000, 0, nullptr, false, static_cast<void*>(all), kAll, stream(0));
  for (int i = 0; i < kAll; ++i) {
    Rank::On one{"all", reinterpret_cast<uint64_t>(all[i]), i, kAll};
    self.reduce(one, stream(0x10));
  }
  void* made = nullptr;
  Id ids[2] = {id_of(2), id_of(3)};
  Rank::On scalable{"scalable", 0x700000020000, 5, 8};
  self.call(false, "ncclCommInitRankScalable", scalable.handle, 0, &scalable, false, static_cast<void*>(&made), 8, 5, 2,
            static_cast<void*>(ids), stream(0));
  self.reduce(scalable, stream(0x10));
  Rank::On configured{"configured", 0x700000020100, 0, 2};
  self.call(false, "ncclCommInitRankConfig", configured.handle, 0, &configured, false, static_cast<void*>(&made), 2,
            id_of(4), 0, stream(0));
  self.reduce(configured, stream(0x10));
  int excluded[] = {6, 1, 3};
  Rank::On shrunk{"shrunk", 0x700000020200, 3, 5};
  self.call(false, "ncclCommShrink", shrunk.handle, 0, &shrunk, false, stream(scalable.handle),
            static_cast<void*>(excluded), 3, static_cast<void*>(&made), stream(0), 0U);
  self.reduce(shrunk, stream(0x10));
  Rank::On grown{"grown", 0x700000020300, 0, 3};
  self.call(false, "ncclCommGrow", grown.handle, 0, &grown, false, stream(configured.handle), 3,
            static_cast<void*>(ids + 1), -1, static_cast<void*>(&made), stream(0));
  self.reduce(grown, stream(0x10));
  Rank::On joined{"joined", 0x700000020400, 2, 3};
  self.call(false, "ncclCommGrow", joined.handle, 0, &joined, false, stream(0), 3, static_cast<void*>(ids + 1), 2,
            static_cast<void*>(&made), stream(0));
  self.reduce(joined, stream(0x10));
  // A split without the other rank: an identity, but no rank.
  Rank::On alone{"alone", 0x700000020500, -1, -1};
  self.call(false, "ncclCommSplit", alone.handle, 0, &alone, false, stream(grown.handle), 0, 0,
            static_cast<void*>(&made), stream(0));
  self.reduce(alone, stream(0x10));
  sleep_ms(300);  // the array of the first call is there while its handles are used
}

bool parse(int argc, char** argv, Options& options) {
  static const option kLong[] = {
      {"collectives", 1, nullptr, 'c'}, {"runtime", 1, nullptr, 'r'}, {"ranks", 1, nullptr, 'n'},
      {"late", 1, nullptr, 'l'},        {"late-ms", 1, nullptr, 'm'}, {"missing", 1, nullptr, 'x'},
      {"lives", 0, nullptr, 'v'},       {"wait", 1, nullptr, 'w'},    {nullptr, 0, nullptr, 0}};
  for (int c = 0; (c = getopt_long(argc, argv, "", kLong, nullptr)) != -1;) {
    switch (c) {
      case 'c':
        options.collectives = optarg;
        break;
      case 'r':
        options.runtime = optarg;
        break;
      case 'n':
        options.ranks = atoi(optarg);
        break;
      case 'l':
        options.late = atoi(optarg);
        break;
      case 'm':
        options.late_ms = static_cast<unsigned>(atoi(optarg));
        break;
      case 'x':
        for (char* at = optarg; *at != 0;) {
          options.missing.insert(static_cast<int>(strtol(at, &at, 10)));
          if (*at == ',') ++at;
        }
        break;
      case 'v':
        options.lives = true;
        options.ranks = 1;
        break;
      case 'w':
        options.wait = optarg;
        break;
      default:
        return false;
    }
  }
  return options.collectives != nullptr && options.runtime != nullptr &&
         (options.lives || (options.ranks > 1 && options.ranks % 2 == 0));
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fprintf(stderr,
            "usage: ranks --collectives LIB --runtime LIB [--ranks N] [--late RANK] [--late-ms MS] "
            "[--missing R,R] [--lives] [--wait FILE]\n");
    return 2;
  }
  auto* shared =
      static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  if (shared == MAP_FAILED) return 1;
  std::vector<pid_t> children;
  for (int rank = 0; rank < options.ranks; ++rank) {
    const pid_t child = fork();
    if (child < 0) return 1;
    if (child == 0) {
      char* text = nullptr;
      size_t length = 0;
      FILE* out = open_memstream(&text, &length);
      Rank self(rank, options.ranks, options.collectives, options.runtime, shared, out);
      self.add_process();
      sleep_ms(400);  // probes are promised within 0.1 s of the mapping
      if (options.lives) {
        live(self);
      } else {
        run(self, options, rank);
      }
      fclose(out);
      // Whole lines, and each rank's together: what is written at once stays so.
      const bool written = write(STDOUT_FILENO, text, length) == static_cast<ssize_t>(length);
      _exit(written ? 0 : 1);
    }
    children.push_back(child);
  }
  int failed = 0;
  for (const pid_t child : children) {
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) failed = 1;
  }
  return failed;
}
