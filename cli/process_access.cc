// Opened under /proc.
#include "cli/process_access.h"

#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>

namespace ingero::cli {

ProcessAccess::ProcessAccess(std::string folder)
    : folder_(std::move(folder)), memory_(::open((folder_ + "/mem").c_str(), O_RDONLY | O_CLOEXEC)) {}

symbols::ProcessView ProcessAccess::view(std::span<const hal::Mapping> mappings) const {
  symbols::ProcessView view;
  view.mappings = mappings;
  view.open_file = [this](const hal::Mapping& mapping) -> Result<Fd> {
    for (const std::string& name : {fmt::format("{}/map_files/{:x}-{:x}", folder_, mapping.start, mapping.end),
                                    folder_ + "/root" + mapping.untrusted_path}) {
      Fd file(::open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
      if (file.valid()) return file;
    }
    return errno_error("open a mapped file");
  };
  view.read_memory = [this](uint64_t address, void* out, size_t size) {
    return memory_.valid() &&
           pread(memory_.get(), out, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
  };
  return view;
}

}  // namespace ingero::cli
