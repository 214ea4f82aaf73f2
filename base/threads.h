// Threads that share one piece of work, as many as can be started.
//
// A limit on processes (RLIMIT_NPROC, TasksMax) or memory may leave fewer than are asked for, and a std::thread that
// throws in the middle of a list would end the program: its joinable neighbours are destroyed. So the list is as long
// as it could be made, and the caller goes on with what there is; a list that is too short for it is its error to
// report. The caller joins them. Thread-safe; no state.
#pragma once

#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

namespace ingero {

// Up to `count` threads, each running a copy of `work`.
template <typename Work>
std::vector<std::thread> start_threads(size_t count, const Work& work) {
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    while (threads.size() < count) threads.emplace_back(work);
  } catch (const std::exception&) {  // std::system_error, std::bad_alloc: no more of them
  }
  return threads;
}

}  // namespace ingero
