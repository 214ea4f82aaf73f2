// Text in and out: durations, sizes and numbers as users type and read them. Pure; thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace ingero {

// "10s", "500ms", "1h30m", "2d", "1w", "250us" (Go syntax plus d and w); "0" is zero. Nanoseconds, never negative.
Result<uint64_t> parse_duration_ns(std::string_view text);
// "10g", "512m", "4k", "100" (powers of 1024). Bytes.
Result<uint64_t> parse_size_bytes(std::string_view text);
// Whole-string decimal or 0x hexadecimal.
std::optional<uint64_t> parse_u64(std::string_view text);
std::optional<int64_t> parse_i64(std::string_view text);
// Decimal digits and nothing else.
std::optional<uint64_t> parse_digits(std::string_view text);

// Three significant figures: "17ns", "73us", "25.8ms", "1.2s". (ASCII "us".)
std::string format_duration(uint64_t ns);
// "1.07 GB", "512 B".
std::string format_bytes(uint64_t bytes);
// A share with `decimals` figures behind the point: "25%", "<1%" rather than a zero that is none; "-" of nothing.
std::string format_percent(uint64_t part, uint64_t whole, int decimals = 0);
// Wall nanoseconds as RFC 3339 UTC with nanoseconds: "2026-11-21T02:26:36.000000001Z".
std::string format_wall(uint64_t wall_ns);

std::vector<std::string_view> split(std::string_view text, char separator);
std::string_view trim(std::string_view text);
// What follows the last slash.
inline std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }
// What the kernel keeps of a name: it ends at a NUL, or at the array's end.
template <size_t Bytes>
std::string_view fixed_text(const std::array<char, Bytes>& name) {
  return {name.data(), strnlen(name.data(), name.size())};
}
// "1 chain", "2 chains", "2 processes", "2 copies", "2 children".
std::string plural(uint64_t count, std::string_view word);
std::string to_hex(const uint8_t* bytes, size_t size);
// Untrusted text made safe to print: control characters and invalid UTF-8 replaced by '?', cut at `max_bytes`.
std::string printable(std::string_view untrusted, size_t max_bytes = 256);

// The whole file (for /proc, /sys and small configuration), at most `max_bytes`.
Result<std::string> read_file(const std::string& path, size_t max_bytes = 16 << 20);
// The same of an open file, from where it stands; `path` is for the error's sentence.
Result<std::string> read_file(int fd, const std::string& path, size_t max_bytes = 16 << 20);
// The same; empty where it cannot be read.
std::string text_of_file(const std::string& path, size_t max_bytes);

}  // namespace ingero
