// FNV-1a, 64 bits: ids that must be the same in every run and on every host. Not for what an attacker may choose to
// collide. Source: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash Algorithm", IETF draft. Pure; any thread.
//
// Failure: none.
#pragma once

#include <cstdint>
#include <string_view>

namespace ingero {

class Fnv1a {
 public:
  constexpr Fnv1a& add(std::string_view text) {
    for (const char c : text) byte(static_cast<uint8_t>(c));
    return *this;
  }
  // Eight bytes, the lowest first.
  constexpr Fnv1a& add(uint64_t value) {
    for (int i = 0; i < 8; ++i, value >>= 8) byte(static_cast<uint8_t>(value));
    return *this;
  }
  // Between texts, so that "ab", "c" is not "a", "bc".
  constexpr Fnv1a& end_text() {
    byte(0);
    return *this;
  }
  constexpr uint64_t value() const { return value_; }

 private:
  constexpr void byte(uint8_t value) { value_ = (value_ ^ value) * 0x100000001b3; }
  uint64_t value_ = 0xcbf29ce484222325;
};

constexpr uint64_t fnv1a(std::string_view text) { return Fnv1a().add(text).value(); }

}  // namespace ingero
