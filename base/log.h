// Diagnostics: short lines on standard error, and in a file when one is given. Standard output belongs to results.
//
// Thread-safe: one line is one write, so that lines of several threads do not mix. Never fails and never throws; a line
// that cannot be written is dropped. What is logged may come from a traced process: every line goes through
// printable(). Owns the file's descriptor until the program ends.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/result.h"

namespace ingero {

enum class LogLevel : uint8_t { kError, kWarning, kInfo };

// Lines above `level` are dropped. The start is kWarning; --debug sets kInfo.
void set_log_level(LogLevel level);
LogLevel log_level();

// Lines are also appended to `path` (created with mode 0600): a regular file with no second name, which belongs to a
// trusted owner (private_file.h) or to its folder's. An error leaves the previous file in use.
Status set_log_file(const std::string& path);

// Writes one line: "ingero: warning: text".
void log_line(LogLevel level, std::string_view text);

template <typename... Args>
void log_error(fmt::format_string<Args...> format, Args&&... args) {
  log_line(LogLevel::kError, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_warning(fmt::format_string<Args...> format, Args&&... args) {
  if (log_level() >= LogLevel::kWarning) log_line(LogLevel::kWarning, fmt::format(format, std::forward<Args>(args)...));
}
template <typename... Args>
void log_info(fmt::format_string<Args...> format, Args&&... args) {
  if (log_level() >= LogLevel::kInfo) log_line(LogLevel::kInfo, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace ingero
