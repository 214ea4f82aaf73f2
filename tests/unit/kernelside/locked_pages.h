// How much the helper processes of this process keep in memory (kernelside/helpers.h).
#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string_view>

#include "base/text.h"

namespace ingero::testing {

inline uint64_t status_field(std::string_view status, std::string_view name) {
  const size_t at = status.find(fmt::format("\n{}:", name));
  if (at == std::string_view::npos) return 0;
  const std::string_view line = status.substr(at + 1, status.find('\n', at + 1) - at - 1);
  const size_t digits = line.find_first_of("0123456789");
  return digits == std::string_view::npos ? 0 : parse_u64(split(line.substr(digits), ' ')[0]).value_or(0);
}

// In kB.
inline uint64_t locked_by_helpers() {
  uint64_t locked = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const auto status = read_file(entry.path().string() + "/status", 16384);
    if (!status.ok() || !status->starts_with("Name:\tingero-helper\n")) continue;
    const auto parent = read_file(fmt::format("/proc/{}/status", status_field(*status, "PPid")), 16384);
    if (!parent.ok() || status_field(*parent, "PPid") != static_cast<uint64_t>(getpid())) continue;
    locked += status_field(*status, "VmLck");
  }
  return locked;
}

}  // namespace ingero::testing
