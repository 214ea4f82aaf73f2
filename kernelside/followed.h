// Which processes a trace of some processes follows: those, and their children. The kernel side decides whose calls are
// captured; this decides whose libraries get probes, so that no other program's calls run into one.
//
// A process is known by its pid until it is said to have ended. One that is not known is looked up once: it is followed
// when a parent of its parents is, which /proc knows while they live. What /proc no longer knows (the parent has ended)
// add() brings, when the kernel side reports the fork. Who is found not to be followed stays so until add() or remove()
// names it. Thread-safe. Owns its lists; `parent_of` is called without its mutex. Failure: none; a process whose
// parents are not known is not followed.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

namespace ingero::kernelside {

class Followed {
 public:
  using ParentOf = std::function<std::optional<uint32_t>(uint32_t pid)>;
  // No pids: everybody is followed.
  Followed(std::span<const uint32_t> pids, ParentOf parent_of) : parent_of_(std::move(parent_of)) {
    pids_.insert(pids.begin(), pids.end());
    is_everybody_ = pids.empty();
  }

  bool is_everybody() const { return is_everybody_; }
  bool has(uint32_t pid);
  // False: it was known.
  bool add(uint32_t pid);
  void remove(uint32_t pid);

 private:
  const ParentOf parent_of_;
  bool is_everybody_;
  std::mutex mutex_;
  // Guarded by mutex_:
  std::unordered_set<uint32_t> pids_, others_;
};

}  // namespace ingero::kernelside
