// Names Python frames: keeps the code objects, which the kernel side sends once each, and looks up the frames of
// stacks.
//
// A code object is identified by process, address and a hash of its contents: addresses are reused, and a stack means
// the object that was there then. Its record is in the ring near the stacks that need it, but may come after the first
// of them: name the frames of a batch when all of its records have been added, and those still unknown after the next.
//
// Bounded by bytes; the oldest are evicted first, and the kernel side must then be made to send them again
// (take_forgotten). Text is the traced process's: untrusted, valid UTF-8. Thread-compatible. Owns its code objects;
// name() returns copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "bpf/wire.h"

namespace ingero::symbols {

struct PythonFrame {
  std::string untrusted_file;      // "..." in front where only the end of a long path is known; may be empty: unknown
  std::string untrusted_function;  // qualified (3.11 and later); may be empty: unknown
  std::optional<int32_t> line;     // executing; absent: unknown, or an instruction without one
  int32_t first_line = 0;          // of the function
};

// The key of the kernel side's map python_codes.
struct PythonCodeKey {
  uint64_t code = 0;
  uint32_t pid = 0;
  uint32_t generation = 0;
  auto operator<=>(const PythonCodeKey&) const = default;
};

class PythonNames {
 public:
  static constexpr size_t kMaxBytes = 64 << 20;
  explicit PythonNames(size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // A record of type WIRE_CODE as it was in the ring. False: its shape is wrong, and nothing was added.
  bool add(std::span<const std::byte> record);
  // Nothing: the code object was not received, or not yet.
  std::optional<PythonFrame> name(uint32_t pid, const wire_python_frame& frame) const;
  // Whether name() would return one.
  bool knows(uint32_t pid, const wire_python_frame& frame) const { return find(pid, frame) != nullptr; }
  // The process is gone, or runs another program now.
  void forget(uint32_t pid);
  // Code objects that were dropped to stay below the limit since the last call: delete them from python_codes.
  std::vector<PythonCodeKey> take_forgotten();
  // The total of those.
  uint64_t forgotten() const { return n_forgotten_; }
  size_t bytes() const { return bytes_; }

 private:
  struct Code {
    PythonCodeKey key;
    uint32_t identity = 0;
    wire_python_table format = WIRE_PYTHON_LNOTAB;
    uint8_t flags = 0;
    int32_t first_line = 0;
    std::string file, function;
    std::vector<uint8_t> table;
    size_t bytes() const { return sizeof *this + 128 + file.capacity() + function.capacity() + table.capacity(); }
  };
  struct Place {
    uint64_t code;
    uint32_t identity;
    bool operator==(const Place&) const = default;
  };
  struct PlaceHash {
    size_t operator()(const Place& place) const { return (place.code ^ place.identity) * 0x9e3779b97f4a7c15U >> 13; }
  };
  using Codes = std::list<Code>;
  using Process = std::unordered_map<Place, Codes::iterator, PlaceHash>;

  const Code* find(uint32_t pid, const wire_python_frame& frame) const;
  void drop(Codes::iterator code);

  size_t max_bytes_;
  size_t bytes_ = 0;
  uint64_t n_forgotten_ = 0;
  Codes codes_;  // oldest first
  std::unordered_map<uint32_t, Process> processes_;
  std::vector<PythonCodeKey> forgotten_;
};

}  // namespace ingero::symbols
