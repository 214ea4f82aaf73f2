// Reads DWARF's numbers and texts from bytes, one after the other. Private to symbols/.
//
// What lies behind the end is 0, and is_good() false from then on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace ingero::symbols {

class ByteCursor {
 public:
  explicit ByteCursor(std::span<const std::byte> bytes) : rest_(bytes) {}
  std::span<const std::byte> take(uint64_t size) {
    if (size > rest_.size()) is_good_ = false;
    const auto taken = rest_.first(is_good_ ? size : 0);
    rest_ = is_good_ ? rest_.subspan(size) : rest_.first(0);
    return taken;
  }
  uint64_t number(size_t size) {
    uint64_t value = 0;
    const auto bytes = take(size);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), bytes.size());  // little-endian
    return value;
  }
  uint64_t leb128() {
    uint64_t value = 0;
    for (unsigned shift = 0; is_good_ && shift < 64; shift += 7) {
      const uint64_t byte = number(1);
      value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
    is_good_ = false;
    return 0;
  }
  // Up to its zero byte.
  std::string_view text() {
    const auto end = std::find(rest_.begin(), rest_.end(), std::byte{0});
    const auto taken = take(static_cast<uint64_t>(end - rest_.begin()) + 1);
    return taken.empty() ? std::string_view()
                         : std::string_view(reinterpret_cast<const char*>(taken.data()), taken.size() - 1);
  }
  std::span<const std::byte> rest() const { return rest_; }
  bool is_good() const { return is_good_; }
  void fail() { is_good_ = false; }

 private:
  std::span<const std::byte> rest_;
  bool is_good_ = true;
};

}  // namespace ingero::symbols
