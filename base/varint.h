// Integers in as few bytes as they need: seven bits a byte, the lowest first, a set high bit says that more follow
// (LEB128, as in Protocol Buffers).
//
// Any thread; owns nothing. Failure of get_varint(): false, where the bytes end too early or hold more than 64 bits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ingero {

inline void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(0x80 | (value & 0x7f)));
  out.push_back(static_cast<char>(value));
}

// Takes the integer from the front of `untrusted`.
inline bool get_varint(std::string_view& untrusted, uint64_t& value) {
  value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (untrusted.empty()) return false;
    const auto byte = static_cast<uint8_t>(untrusted.front());
    untrusted.remove_prefix(1);
    if (shift == 63 && byte > 1) return false;
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return true;
  }
  return false;
}

}  // namespace ingero
