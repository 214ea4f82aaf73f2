// Decoding of the three line tables; each is a list of steps in instructions and in lines.
#include "symbols/python_lines.h"

namespace ingero::symbols {
namespace {

// Lines are kept in 64 bits while they are added up: a made-up table may count far.
std::optional<int32_t> as_line(int64_t line) {
  if (line < 0 || line > INT32_MAX) return std::nullopt;
  return static_cast<int32_t>(line);
}

// Pairs: bytes forward, then lines forward (signed). A line holds until the next pair's bytes are passed.
std::optional<int32_t> line_in_lnotab(std::span<const uint8_t> table, int64_t line, uint32_t offset, bool is_cut) {
  uint64_t at = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    at += table[i];
    if (at > offset) return as_line(line);
    line += static_cast<int8_t>(table[i + 1]);
  }
  return is_cut ? std::nullopt : as_line(line);
}

// Pairs: bytes covered, and the line's distance from the one before (signed); -128 covers bytes without a line.
std::optional<int32_t> line_in_pairs(std::span<const uint8_t> table, int64_t line, uint32_t offset) {
  constexpr int8_t kNoLine = -128;
  uint64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    const auto step = static_cast<int8_t>(table[i + 1]);
    end += table[i];
    if (step != kNoLine) line += step;
    if (offset < end) return step == kNoLine ? std::nullopt : as_line(line);
  }
  return std::nullopt;
}

class LocationReader {
 public:
  explicit LocationReader(std::span<const uint8_t> table) : table_(table) {}
  bool at_end() const { return at_ >= table_.size(); }
  // More was asked for than there is.
  bool ran_out() const { return ran_out_; }
  uint8_t next() {
    if (!at_end()) return table_[at_++];
    ran_out_ = true;
    return 0;
  }
  // Six bits a byte, the lowest first; bit 6 says that more follow.
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 60; shift += 6) {
      const uint8_t byte = next();
      value |= static_cast<uint64_t>(byte & 63U) << shift;
      if ((byte & 64U) == 0) break;
    }
    return value;
  }
  int64_t signed_number() {
    const uint64_t value = number();
    return (value & 1U) != 0 ? -static_cast<int64_t>(value >> 1) : static_cast<int64_t>(value >> 1);
  }
  // To the first byte of the next entry; only those have the high bit.
  void skip_entry() {
    while (!at_end() && (table_[at_] & 0x80U) == 0) ++at_;
  }

 private:
  std::span<const uint8_t> table_;
  size_t at_ = 0;
  bool ran_out_ = false;
};

std::optional<int32_t> line_in_locations(std::span<const uint8_t> table, int64_t line, uint32_t offset) {
  constexpr unsigned kNone = 15, kLong = 14, kNoColumn = 13, kOneLine0 = 10;
  constexpr uint64_t kInstruction = 2;
  LocationReader reader(table);
  uint64_t end = 0;
  while (!reader.at_end()) {
    const uint8_t head = reader.next();
    if ((head & 0x80U) == 0) return std::nullopt;  // no entry starts like that
    const unsigned kind = head >> 3 & 15U;
    end += kInstruction * ((head & 7U) + 1);
    if (kind == kLong || kind == kNoColumn) {
      line += reader.signed_number();
    } else if (kind >= kOneLine0 && kind < kNoColumn) {
      line += kind - kOneLine0;
    }
    if (reader.ran_out()) return std::nullopt;
    if (offset < end) return kind == kNone ? std::nullopt : as_line(line);
    reader.skip_entry();
  }
  return std::nullopt;
}

}  // namespace

std::optional<int32_t> executing_line(wire_python_table format, std::span<const uint8_t> table, int32_t first_line,
                                      uint32_t offset, bool is_cut) {
  switch (format) {
    case WIRE_PYTHON_LNOTAB:
      return line_in_lnotab(table, first_line, offset, is_cut);
    case WIRE_PYTHON_LINES:
      return line_in_pairs(table, first_line, offset);
    case WIRE_PYTHON_LOCATIONS:
      return line_in_locations(table, first_line, offset);
  }
  return std::nullopt;
}

}  // namespace ingero::symbols
