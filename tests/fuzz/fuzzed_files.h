// A folder of files like those of /proc and sysfs, with the parts of an input as their content.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "temp_folder.h"

namespace ingero::fuzz {

inline void require(bool holds) {
  if (!holds) std::abort();
}

constexpr char kPartEnd = 0x1e;

// The next part of an input; `rest` goes on behind it.
inline std::string_view take_part(std::string_view& rest) {
  const size_t end = std::min(rest.find(kPartEnd), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

class Files {
 public:
  explicit Files(std::initializer_list<const char*> names) {
    for (const char* name : names) {
      const std::filesystem::path path = std::filesystem::path(temp_.path()) / name;
      std::filesystem::create_directories(path.parent_path());
      files_.emplace_back(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
      require(files_.back().valid());
    }
  }
  const std::string& root() const { return temp_.path(); }

  // The parts, in the order of the names; a file without one is empty.
  void write(std::string_view bytes) {
    for (const Fd& file : files_) {
      const std::string_view part = take_part(bytes);
      require(::ftruncate(file.get(), 0) == 0 &&
              ::pwrite(file.get(), part.data(), part.size(), 0) == static_cast<ssize_t>(part.size()));
    }
  }

 private:
  const TempFolder temp_;
  std::vector<Fd> files_;
};

}  // namespace ingero::fuzz
