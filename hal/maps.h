// /proc/PID/maps, parsed. The text comes from the kernel but its paths come from the traced process: untrusted. A path
// that ends in " (deleted)" or holds "\012" can be imitated by a file's name, and on some file systems (overlay, btrfs)
// stat gives another device than maps, so code that opens a path must check what it opened, or go through map_files.
// Pure functions, thread-safe; a line that cannot be parsed is left out, never guessed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::hal {

// A file's identity on this host, across mount namespaces and names.
struct FileId {
  uint64_t device = 0;  // makedev(major, minor) as maps prints it
  uint64_t inode = 0;
  auto operator<=>(const FileId&) const = default;
};

struct Mapping {
  uint64_t start = 0, end = 0, file_offset = 0;
  bool executable = false;
  bool deleted = false;  // the file's name is gone; reachable through /proc/PID/map_files
  FileId file;           // inode 0: anonymous
  std::string untrusted_path;
};

// One line; false when it is not one of maps' lines.
bool parse_maps_line(std::string_view line, Mapping& out);

// All file mappings of the text that are executable, in address order.
std::vector<Mapping> executable_mappings(std::string_view maps_text);

}  // namespace ingero::hal
