// Text in and out: see text.h. Parsing is hand-written because every input here may be hostile or mistyped, and the
// standard parsers accept more (leading blanks, signs, trailing text) than a command line or /proc should.
#include "base/text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <ctime>

#include "base/fd.h"

namespace ingero {
namespace {

constexpr uint64_t kMaxNs = INT64_MAX;  // what SQLite and time arithmetic can hold
constexpr size_t kReadChunk = 64 << 10;

struct Unit {
  std::string_view name;
  uint64_t scale;
};

constexpr Unit kDurationUnits[] = {
    {"ns", 1},
    {"us", 1'000},
    {"\xC2\xB5s", 1'000},  // U+00B5 micro sign
    {"\xCE\xBCs", 1'000},  // U+03BC Greek mu
    {"ms", 1'000'000},
    {"s", 1'000'000'000},
    {"m", 60ULL * 1'000'000'000},
    {"h", 3'600ULL * 1'000'000'000},
    {"d", 86'400ULL * 1'000'000'000},
    {"w", 604'800ULL * 1'000'000'000},
};

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

Error bad_duration(std::string_view text, std::string_view why) {
  return {Errc::kInvalid, fmt::format("duration \"{}\": {}", printable(text, 64), why),
          "write it like 10s, 500ms, 1h30m or 2d"};
}

// The digits at the front of `text`, taken off it; false when they are more than 64 bits.
bool take_whole(std::string_view& text, uint64_t& whole) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
  if (error == std::errc::result_out_of_range) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

struct Fraction {
  uint64_t numerator = 0;
  uint64_t denominator = 1;
};

// ".25" at the front of `text`, taken off it. Digits past the 18th cannot matter and are dropped.
Fraction take_fraction(std::string_view& text) {
  Fraction fraction;
  size_t used = 1;
  for (; used < text.size() && is_decimal(text[used]); ++used) {
    if (used > 18) continue;
    fraction.numerator = fraction.numerator * 10 + static_cast<uint64_t>(text[used] - '0');
    fraction.denominator *= 10;
  }
  text.remove_prefix(used);
  return fraction;
}

// Three significant figures without trailing zeros: 25.8, 73, 1.2. `value` is in [1, 1000).
std::string three_figures(double value) {
  int decimals = 2;
  if (value >= 99.95) {
    decimals = 0;
  } else if (value >= 9.995) {
    decimals = 1;
  }
  std::string out = fmt::format("{:.{}f}", value, decimals);
  if (out.find('.') != std::string::npos) {
    while (out.back() == '0') out.pop_back();
    if (out.back() == '.') out.pop_back();
  }
  return out;
}

// The length of the well-formed UTF-8 sequence at the front of `text`, 0 when there is none.
size_t utf8_length(std::string_view text, uint32_t& code_point) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(0);
  size_t length = 0;
  uint32_t least = 0;
  if (lead < 0x80) {
    code_point = lead;
    return 1;
  }
  if ((lead & 0xE0) == 0xC0) {
    length = 2;
    code_point = lead & 0x1FU;
    least = 0x80;
  } else if ((lead & 0xF0) == 0xE0) {
    length = 3;
    code_point = lead & 0x0FU;
    least = 0x800;
  } else if ((lead & 0xF8) == 0xF0) {
    length = 4;
    code_point = lead & 0x07U;
    least = 0x10000;
  } else {
    return 0;
  }
  if (text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code_point = (code_point << 6) | (byte(i) & 0x3FU);
  }
  const bool surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  return code_point < least || code_point > 0x10FFFF || surrogate ? 0 : length;
}

// Controls move the cursor or colour a terminal; the bidirectional marks reorder what a reader sees.
bool unprintable(uint32_t code_point) {
  return code_point < 0x20 || (code_point >= 0x7F && code_point < 0xA0) || code_point == 0x061C ||
         (code_point >= 0x200B && code_point <= 0x200F) || (code_point >= 0x2028 && code_point <= 0x202E) ||
         (code_point >= 0x2060 && code_point <= 0x206F) || code_point == 0xFEFF ||
         (code_point >= 0xE0000 && code_point <= 0xE007F);
}

}  // namespace

Result<uint64_t> parse_duration_ns(std::string_view text) {
  if (text == "0") return uint64_t{0};
  if (text.empty()) return bad_duration(text, "empty");
  if (text.front() == '-') return bad_duration(text, "must not be negative");
  std::string_view rest = text;
  uint64_t total = 0;
  while (!rest.empty()) {
    if (!is_decimal(rest.front())) return bad_duration(text, "expected a number");
    uint64_t whole = 0;
    if (!take_whole(rest, whole)) return bad_duration(text, "too long");
    Fraction fraction;
    if (!rest.empty() && rest.front() == '.') {
      if (rest.size() < 2 || !is_decimal(rest[1])) return bad_duration(text, "expected digits after the point");
      fraction = take_fraction(rest);
    }
    const auto* end = std::find_if(rest.begin(), rest.end(), [](char c) { return is_decimal(c) || c == '.'; });
    const std::string_view name = rest.substr(0, static_cast<size_t>(end - rest.begin()));
    if (name.empty()) return bad_duration(text, "a unit is missing");
    const auto* unit = std::find_if(std::begin(kDurationUnits), std::end(kDurationUnits),
                                    [&](const Unit& candidate) { return candidate.name == name; });
    if (unit == std::end(kDurationUnits)) return bad_duration(text, "unknown unit");
    rest.remove_prefix(name.size());
    __extension__ using Wide = unsigned __int128;
    const Wide part = Wide{whole} * unit->scale + Wide{fraction.numerator} * unit->scale / fraction.denominator;
    if (part + total > kMaxNs) return bad_duration(text, "too long");
    total += static_cast<uint64_t>(part);
  }
  return total;
}

Result<uint64_t> parse_size_bytes(std::string_view text) {
  const auto bad = [&](std::string_view why) {
    return Error{Errc::kInvalid, fmt::format("size \"{}\": {}", printable(text, 64), why),
                 "write it like 10g, 512m, 4k or 100"};
  };
  std::string_view rest = text;
  uint64_t value = 0;
  if (rest.empty() || !is_decimal(rest.front())) return bad("expected a number");
  if (!take_whole(rest, value)) return bad("too large");
  int shift = 0;
  if (rest.size() == 1) {
    switch (rest.front()) {
      case 'k':
      case 'K':
        shift = 10;
        break;
      case 'm':
      case 'M':
        shift = 20;
        break;
      case 'g':
      case 'G':
        shift = 30;
        break;
      case 't':
      case 'T':
        shift = 40;
        break;
      default:
        return bad("unknown suffix");
    }
  } else if (!rest.empty()) {
    return bad("unknown suffix");
  }
  if (value > (static_cast<uint64_t>(INT64_MAX) >> shift)) return bad("too large");
  return value << shift;
}

std::optional<uint64_t> parse_u64(std::string_view text) {
  int base = 10;
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    base = 16;
  }
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<int64_t> parse_i64(std::string_view text) {
  const bool negative = !text.empty() && text.front() == '-';
  const auto magnitude = parse_u64(negative ? text.substr(1) : text);
  const uint64_t limit = static_cast<uint64_t>(INT64_MAX) + (negative ? 1 : 0);
  if (!magnitude || *magnitude > limit) return std::nullopt;
  return static_cast<int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<uint64_t> parse_digits(std::string_view text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

std::string format_duration(uint64_t ns) {
  if (ns < 1'000) return fmt::format("{}ns", ns);
  const auto value = static_cast<double>(ns);
  // A tier ends where rounding to three figures would print its thousand.
  if (value < 999.5e3) return three_figures(value / 1e3) + "us";
  if (value < 999.5e6) return three_figures(value / 1e6) + "ms";
  if (value < 119.5e9) return three_figures(value / 1e9) + "s";
  const uint64_t seconds = ns / 1'000'000'000 + (ns % 1'000'000'000 >= 500'000'000 ? 1 : 0);
  if (seconds < 3'600) return fmt::format("{}m{}s", seconds / 60, seconds % 60);
  const uint64_t minutes = seconds / 60;
  if (minutes < 48 * 60) return fmt::format("{}h{}m", minutes / 60, minutes % 60);
  return fmt::format("{}d{}h", minutes / 1440, minutes % 1440 / 60);
}

std::string format_bytes(uint64_t bytes) {
  if (bytes < 1'000) return fmt::format("{} B", bytes);
  constexpr std::array<std::string_view, 6> kUnits{"kB", "MB", "GB", "TB", "PB", "EB"};
  double value = static_cast<double>(bytes) / 1e3;
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kUnits.size()) {
    value /= 1e3;
    ++unit;
  }
  return fmt::format("{} {}", three_figures(value), kUnits[unit]);
}

std::string format_percent(uint64_t part, uint64_t whole, int decimals) {
  if (whole == 0) return "-";
  const double share = 100 * static_cast<double>(part) / static_cast<double>(whole);
  const double least = std::pow(10.0, -decimals);
  const bool is_small = part > 0 && share <= least / 2;
  return fmt::format("{}{:.{}f}%", is_small ? "<" : "", is_small ? least : share, decimals);
}

std::string format_wall(uint64_t wall_ns) {
  const auto seconds = static_cast<time_t>(wall_ns / 1'000'000'000);
  tm parts{};
  if (gmtime_r(&seconds, &parts) == nullptr) return fmt::format("{}ns since 1970", wall_ns);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, wall_ns % 1'000'000'000);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string plural(uint64_t count, std::string_view word) {
  if (count == 1) return fmt::format("1 {}", word);
  if (word.ends_with("child")) return fmt::format("{} {}ren", count, word);
  if (word.ends_with("copy")) return fmt::format("{} {}ies", count, word.substr(0, word.size() - 1));
  return fmt::format("{} {}{}", count, word, word.ends_with("s") ? "es" : "s");
}

std::string to_hex(const uint8_t* bytes, size_t size) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  out.reserve(size * 2);
  for (size_t i = 0; i < size; ++i) {
    out.push_back(kDigits[bytes[i] >> 4]);
    out.push_back(kDigits[bytes[i] & 15]);
  }
  return out;
}

std::string printable(std::string_view untrusted, size_t max_bytes) {
  std::string out;
  out.reserve(std::min(untrusted.size(), max_bytes));
  while (!untrusted.empty()) {
    uint32_t code_point = 0;
    const size_t length = utf8_length(untrusted, code_point);
    const bool good = length > 0 && !unprintable(code_point);
    if (out.size() + (good ? length : 1) > max_bytes) break;
    if (good) {
      out.append(untrusted.substr(0, length));
    } else {
      out.push_back('?');
    }
    untrusted.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

Result<std::string> read_file(const std::string& path, size_t max_bytes) {
  // Not blocking: a named pipe put where a file belongs must not hang the agent.
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) return file_error(fmt::format("open({})", printable(path)));
  return read_file(fd.get(), path, max_bytes);
}

std::string text_of_file(const std::string& path, size_t max_bytes) {
  auto text = read_file(path, max_bytes);
  return text.ok() ? std::move(*text) : std::string();
}

Result<std::string> read_file(int fd, const std::string& path, size_t max_bytes) {
  std::string out;
  struct stat status {};
  if (::fstat(fd, &status) == 0 && status.st_size > 0) {
    out.reserve(std::min(static_cast<size_t>(status.st_size), max_bytes) + 1);
  }
  // Read one byte more than allowed, to distinguish a file of exactly `max_bytes` from a longer one.
  while (out.size() <= max_bytes) {
    const size_t before = out.size();
    out.resize(before + std::min(kReadChunk, max_bytes + 1 - before));
    const ssize_t got = ::read(fd, out.data() + before, out.size() - before);
    if (got < 0 && errno == EINTR) {
      out.resize(before);
      continue;
    }
    if (got < 0) return errno_error(fmt::format("read({})", printable(path)));
    out.resize(before + static_cast<size_t>(got));
    if (got == 0) return out;
  }
  return Error{Errc::kFull,
               fmt::format("read({}): longer than the {} allowed", printable(path), format_bytes(max_bytes))};
}

}  // namespace ingero
