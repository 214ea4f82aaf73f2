// The executable mappings of a process: which file each code address belongs to.
//
// Read from /proc/PID/maps, and again when an address is unknown; in between, the caller adds new mappings. Mappings
// are kept after the process has ended, because its last calls still need their frames named. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hal/maps.h"
#include "symbols/code_file.h"

namespace ingero::symbols {

// A place in code: an address of a file, or nothing known (code made at run time, a file that is gone).
struct Code {
  std::shared_ptr<const CodeFile> file;  // null: unknown
  uint64_t address = 0;                  // the file's; of an unknown place the process's
};

class AddressSpace {
 public:
  // `files` must outlive this.
  AddressSpace(CodeFiles& files, uint32_t pid) : files_(files), pid_(pid) {}

  // Reads the maps now. False when they cannot be read.
  bool load();
  // The process has mapped this since.
  void add(const hal::Mapping& mapping);
  // The place of `address`.
  Code find(uint64_t address);
  bool is_executable(uint64_t address);
  const std::vector<hal::Mapping>& mappings() const { return mappings_; }

 private:
  struct Entry {
    std::shared_ptr<const CodeFile> file;
    bool looked = false;
  };
  const hal::Mapping* mapping_of(uint64_t address);
  void take(std::string_view maps_text);

  CodeFiles& files_;
  uint32_t pid_;
  std::vector<hal::Mapping> mappings_;  // executable ones, files and not, in address order
  std::vector<Entry> entries_;          // of each
  bool is_loaded_ = false;
  unsigned misses_ = 0;  // addresses not found since the maps were last read
};

}  // namespace ingero::symbols
