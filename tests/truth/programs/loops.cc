// Loops of a C++ program: threads that hold each other up, and one that only waits for the device.
//
//   loops KIND SECONDS    mutex, threads, default_stream, decoder, fed, buffers, spin, blocking, pipelined, deadlock
//
// Built with its symbols: a function that plants a cause is not inlined, so its name can be said.
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include <pthread.h>

#include "clock.h"
#include "runtime.h"

extern "C" void _Z4gemmPKfS0_Pf();

namespace {

#define CHECK(call)                                                  \
  do {                                                               \
    const cudaError_t error = call;                                  \
    if (error != cudaSuccess) {                                      \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      exit(1);                                                       \
    }                                                                \
  } while (0)

double seconds;
uint64_t began;

bool going() { return stamp() - began < static_cast<uint64_t>(seconds * 1e9); }

void launch(uint64_t us, cudaStream_t stream = nullptr) {
  uint64_t length = us * 1000;
  void* args[] = {&length};
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(&_Z4gemmPKfS0_Pf), {128, 1, 1}, {256, 1, 1}, args, 0, stream));
}

void model(uint64_t us, cudaStream_t stream = nullptr) {
  for (int layer = 0; layer < 10; layer++) {
    launch(us / 10, stream);
  }
}

std::mutex cache_lock;

// A worker that tidies the sample cache up, and keeps it locked meanwhile.
[[gnu::noinline]] void evict_samples() {
  const std::lock_guard<std::mutex> held(cache_lock);
  burn(12000000);
}

[[gnu::noinline]] void look_up_sample() {
  const std::lock_guard<std::mutex> held(cache_lock);
  burn(100000);
}

void run_mutex(Clock& clock) {
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  std::atomic<bool> stop = false;
  std::vector<std::thread> workers;
  std::atomic<int> holder = 0;
  for (int number = 0; number < 4; number++) {
    workers.emplace_back([&, number] {
      pthread_setname_np(pthread_self(), number == 2 ? "cache-evict" : "worker");
      if (number == 2) {
        holder = static_cast<int>(syscall(SYS_gettid));
      }
      while (!stop) {
        if (number == 2) {
          evict_samples();
          usleep(9000);
        } else {
          look_up_sample();
          usleep(20000);
        }
      }
    });
  }
  while (going()) {
    clock.next();
    clock.part("lock", [] { look_up_sample(); });
    clock.part("submit", [] { model(6000); });
    clock.part("sync", [] { CHECK(cudaDeviceSynchronize()); });
  }
  clock.next();
  stop = true;
  clock.note("holder_tid", std::to_string(holder));
  for (auto& worker : workers) {
    worker.join();
  }
}

// A pool as a numerical library has one: 16 threads, whatever the machine has, that wait for each other at a barrier.
[[gnu::noinline]] void preprocess_slice() { burn(900000); }

void run_threads(Clock& clock) {
  const int count = atoi(getenv("OMP_NUM_THREADS"));
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  std::atomic<int> round = 0, done = 0;
  std::vector<std::thread> pool;
  for (int number = 1; number < count; number++) {
    pool.emplace_back([&] {
      for (int seen = 0;;) {
        while (round == seen) {  // such pools spin for a while: that is what costs
          sched_yield();
        }
        seen = round;
        if (seen < 0) {
          return;
        }
        preprocess_slice();
        done++;
      }
    });
  }
  while (going()) {
    clock.next();
    clock.part("host", [&] {
      done = 0;
      round++;
      preprocess_slice();
      while (done < count - 1) {
        sched_yield();
      }
    });
    clock.part("submit", [] { model(6000); });
    clock.part("sync", [] { CHECK(cudaDeviceSynchronize()); });
  }
  clock.next();
  round = -1;
  for (auto& thread : pool) {
    thread.join();
  }
}

// Four threads of independent work that all use the default stream: the device does one after the other.
void run_default_stream(Clock& clock) {
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  const auto loop = [](Clock* own) {
    while (going()) {
      if (own != nullptr) {
        own->next();
      }
      const auto submit = [] { model(4000); };
      const auto wait = [] { CHECK(cudaStreamSynchronize(nullptr)); };
      if (own != nullptr) {
        own->part("submit", submit);
        own->part("sync", wait);
      } else {
        submit();
        wait();
      }
    }
  };
  std::vector<std::thread> others;
  for (int number = 1; number < 4; number++) {
    others.emplace_back(loop, nullptr);
  }
  loop(&clock);
  clock.next();
  for (auto& other : others) {
    other.join();
  }
}

// A decoder thread in the same process fills a queue of two batches; the loop takes from it.
[[gnu::noinline]] void decode_batch(uint64_t ns) { burn(ns); }

void run_decoder(Clock& clock, uint64_t batch_ns) {
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  std::mutex lock;
  std::condition_variable changed;
  int ready = 0;
  bool stop = false;
  std::thread decoder([&] {
    pthread_setname_np(pthread_self(), "decoder");
    while (true) {
      decode_batch(batch_ns);
      std::unique_lock<std::mutex> held(lock);
      changed.wait(held, [&] { return ready < 2 || stop; });
      if (stop) {
        return;
      }
      ++ready;
      changed.notify_all();
    }
  });
  void *batch = nullptr, *device = nullptr;
  CHECK(cudaHostAlloc(&batch, 1 << 20, 0));
  CHECK(cudaMalloc(&device, 1 << 20));
  while (going()) {
    clock.next();
    clock.part("input", [&] {
      std::unique_lock<std::mutex> held(lock);
      changed.wait(held, [&] { return ready > 0; });
      --ready;
      changed.notify_all();
    });
    clock.part("submit", [&] {
      CHECK(cudaMemcpyAsync(device, batch, 1 << 20, cudaMemcpyHostToDevice, nullptr));
      model(8000);
    });
    clock.part("sync", [] { CHECK(cudaDeviceSynchronize()); });
  }
  clock.next();
  {
    const std::lock_guard<std::mutex> held(lock);
    stop = true;
    changed.notify_all();
  }
  decoder.join();
}

// Takes a buffer from the heap for each step and gives it back: above a size, that is new memory each time.
[[gnu::noinline]] void assemble(char* batch, size_t size) { memset(batch, 1, size); }

void run_buffers(Clock& clock) {
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  constexpr size_t kSize = 40 << 20;  // more than malloc ever keeps
  while (going()) {
    clock.next();
    clock.part("host", [] {
      char* batch = static_cast<char*>(malloc(kSize));
      assemble(batch, kSize);
      free(batch);
    });
    clock.part("submit", [] { model(6000); });
    clock.part("sync", [] { CHECK(cudaDeviceSynchronize()); });
  }
  clock.next();
}

void run_waiting(Clock& clock, unsigned how) {
  CHECK(cudaSetDeviceFlags(how));
  while (going()) {
    clock.next();
    clock.part("submit", [] { model(20000); });
    clock.part("sync", [] { CHECK(cudaDeviceSynchronize()); });
  }
  clock.next();
}

void run_pipelined(Clock& clock) {
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  cudaEvent_t done[2];
  CHECK(cudaEventCreateWithFlags(&done[0], cudaEventBlockingSync));
  CHECK(cudaEventCreateWithFlags(&done[1], cudaEventBlockingSync));
  for (int step = 0; going(); step++) {
    clock.next();
    clock.part("submit", [&] {
      model(15000);
      CHECK(cudaEventRecord(done[step % 2], nullptr));
    });
    if (step > 0) {
      clock.part("sync", [&] { CHECK(cudaEventSynchronize(done[(step - 1) % 2])); });
    }
  }
  clock.next();
}

std::mutex weights_lock, statistics_lock;

[[gnu::noinline]] void update_weights() {
  const std::lock_guard<std::mutex> weights(weights_lock);
  burn(200000);
  const std::lock_guard<std::mutex> statistics(statistics_lock);
}

// The other way round, from the second second on.
[[gnu::noinline]] void save_statistics() {
  const std::lock_guard<std::mutex> statistics(statistics_lock);
  usleep(50000);
  const std::lock_guard<std::mutex> weights(weights_lock);
}

void run_deadlock() {
  CHECK(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  std::thread([] {
    pthread_setname_np(pthread_self(), "saver");
    usleep(1500000);
    while (true) {
      save_statistics();
    }
  }).detach();
  std::thread([] {
    pthread_setname_np(pthread_self(), "watchdog");
    usleep(static_cast<useconds_t>(seconds * 1e6));
    _exit(9);
  }).detach();
  while (true) {
    update_weights();
    model(8000);
    CHECK(cudaDeviceSynchronize());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: loops KIND SECONDS\n");
    return 2;
  }
  seconds = atof(argv[2]);
  began = stamp();
  Clock clock;
  if (strcmp(argv[1], "mutex") == 0) {
    run_mutex(clock);
  } else if (strcmp(argv[1], "threads") == 0) {
    run_threads(clock);
  } else if (strcmp(argv[1], "default_stream") == 0) {
    run_default_stream(clock);
  } else if (strcmp(argv[1], "decoder") == 0) {
    run_decoder(clock, 20000000);
  } else if (strcmp(argv[1], "fed") == 0) {
    run_decoder(clock, 3000000);
  } else if (strcmp(argv[1], "buffers") == 0) {
    run_buffers(clock);
  } else if (strcmp(argv[1], "spin") == 0) {
    run_waiting(clock, cudaDeviceScheduleSpin);
  } else if (strcmp(argv[1], "blocking") == 0) {
    run_waiting(clock, cudaDeviceScheduleBlockingSync);
  } else if (strcmp(argv[1], "pipelined") == 0) {
    run_pipelined(clock);
  } else if (strcmp(argv[1], "deadlock") == 0) {
    run_deadlock();
  } else {
    fprintf(stderr, "loops: unknown kind %s\n", argv[1]);
    return 2;
  }
  clock.write();
}
