// Names of C++ functions as people read them.
#pragma once

#include <cstddef>
#include <string>

namespace ingero {

// "ns::f(int)" of "_ZN2ns1fEi" (Itanium C++ ABI, 5.1); other spellings as they are, and so is a name that would take
// longer than kDemangleMs of processor time: names come from files of strangers, and one of a hundred characters can
// stand for a text of any length, or take longer than anybody waits. Longer texts are cut at kLongestDemangled bytes.
// After kMaxAbandoned such names within kAbandonedSeconds all are left as they are, for as long. Never fails; the
// caller owns the text. Any thread; uses SIGVTALRM.
std::string demangled(const std::string& symbol);

constexpr int kDemangleMs = 10;
constexpr size_t kLongestDemangled = 4096;
constexpr int kMaxAbandoned = 100;
constexpr int kAbandonedSeconds = 60;

}  // namespace ingero
