// What programs call the functions they launch, by process and handle, as the writer knows it.
//
// A child has what its ancestors had when it was forked, and launches it by the same handles. So the names of a process
// go when it and all that were forked from it are over. Bounded; what finds no room is the caller's to count. One
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ingero::store {

class FunctionNames {
 public:
  // Of one process a few thousand: a program has as many kernels as its libraries register.
  static constexpr size_t kMaxNames = 1 << 18;
  static constexpr size_t kMaxProcesses = 1 << 16;  // that live, or whose children do

  enum class Added : uint8_t { kFirst, kSame, kRenamed, kNoRoom };
  // Processes are the recording's ids, which are never given twice.
  Added add(int64_t process, uint64_t handle, std::string_view name);
  // The process's own name for it, else its nearest ancestor's; null: none.
  const std::string* find(int64_t process, uint64_t handle) const;
  // `process` was forked from `parent`. Set once for each; later calls are ignored. False: no room.
  bool add_parent(int64_t process, int64_t parent);
  void process_ended(int64_t process);

  size_t size() const { return size_; }
  size_t processes() const { return processes_.size(); }

 private:
  using Texts = std::unordered_map<std::string, uint32_t>;  // and its number of uses
  struct Process {
    int64_t parent = -1;
    uint32_t children = 0;
    bool is_over = false;
    std::unordered_map<uint64_t, Texts::value_type*> names;  // by handle
  };
  static constexpr int kMaxAncestors = 8;

  Texts::value_type* text(std::string_view name);
  void release(Texts::value_type* text);

  std::unordered_map<int64_t, Process> processes_;
  Texts texts_;
  size_t size_ = 0;
};

}  // namespace ingero::store
