// Where each rank of a job is, as its node said last: its process, its device, and while it stands still what its
// thread is doing. What a report of a hang says of the ranks that are waited for.
//
// One thread at a time. Bounded: kMaxRanks, and by what the caller lets it keep of texts. Failure: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "fleet/wire/point.h"

namespace ingero::fleet::server {

// Absent and empty: not known.
struct RankPlace {
  std::optional<uint32_t> pid;             // on its node
  std::string device;                      // its id
  std::optional<wire::Activity> activity;  // printable; only of a rank that stands still
};

class RankPlaces {
 public:
  static constexpr size_t kMaxRanks = size_t{1} << 20;

  // `with_stack`: there is room for it.
  void note(const wire::Window& window, bool with_stack);
  const RankPlace* find(uint32_t rank) const;
  size_t stack_bytes() const { return stack_bytes_; }

 private:
  std::map<uint32_t, RankPlace> places_;
  size_t stack_bytes_ = 0;
};

}  // namespace ingero::fleet::server
