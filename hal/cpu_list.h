// CPUs by their numbers, as the kernel lists them: "0-3,6".
//
// A value: copied freely; any thread. Failure: no list. Texts may come from a recording and are not trusted: what is
// not such a list, or names a CPU of kMaxCpus or above, is none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ingero::hal {

class CpuList {
 public:
  static constexpr uint32_t kMaxCpus = 8192;  // of any kernel
  static std::optional<CpuList> parse(std::string_view untrusted_text);
  // In ascending order.
  void add(uint32_t cpu);
  size_t count() const;
  bool empty() const { return ranges_.empty(); }
  bool shares_any(const CpuList& other) const;
  std::string text() const;
  // "CPU 3", "CPUs 0-3,6"
  std::string name() const;
  bool operator==(const CpuList&) const = default;

 private:
  std::vector<std::pair<uint32_t, uint32_t>> ranges_;  // first and last, ascending, none next to another
};

}  // namespace ingero::hal
