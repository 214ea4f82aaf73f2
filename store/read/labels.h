// What programs said of themselves while they were recorded (the table `annotations`), joined to times: which labels
// hold at a moment, and when a label held.
//
// An annotation without a pid holds for everything on its node; one with a pid for that process, and not for an earlier
// or later one of the same number. One with a span holds from its start to its end, ends included; one without, from
// its time on. Of each key the newest that holds wins: that with the latest begin. Wall nanoseconds. Owns what it read;
// text is untrusted. Threads: one. Failure: the store's; kFull when there are more than kMaxAnnotations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/read/reader.h"
#include "store/read/summary.h"

namespace ingero::store {

class Labels {
 public:
  static constexpr size_t kMaxAnnotations = 1'000'000;

  static Result<Labels> load(const Reader& reader);

  bool empty() const { return by_scope_.empty(); }
  // Keys in alphabetical order. `pid` 0: of no process.
  std::vector<std::pair<std::string_view, std::string_view>> at(std::string_view node, uint32_t pid,
                                                                uint64_t wall_ns) const;

  struct Range {
    uint64_t from_wall_ns = 0;
    uint64_t to_wall_ns = 0;  // included; UINT64_MAX: to the end
    uint32_t pid = 0;         // 0: all processes, or those of several scopes
  };
  // When `key` was `value`, in the order of time; ranges that touch are one, as are those of several processes that
  // overlap.
  // `pid`: only what holds for this process.
  std::vector<Range> ranges(std::string_view key, std::string_view value, std::optional<uint32_t> pid = {}) const;
  // Every key with its values, in the order in which they began.
  std::map<std::string, std::vector<std::string>> values() const;

 private:
  struct One {
    uint64_t from_wall_ns = 0, to_wall_ns = UINT64_MAX;
    uint64_t said_wall_ns = 0;  // of a process: of the one that had the pid then
    bool is_span = false;
    uint32_t value = 0;
  };
  using Keys = std::map<std::string, std::vector<One>>;  // by begin
  using Scope = std::pair<std::string, uint32_t>;        // a node's process; pid 0: all of the node's

  uint64_t process_start(const Scope& process, uint64_t wall_ns) const;
  const One* newest(const std::vector<One>& all, uint64_t not_before, uint64_t wall_ns) const;

  bool has_nodes_ = false;  // else all scopes are of the node without a name
  std::map<Scope, Keys> by_scope_;
  std::map<Scope, std::vector<uint64_t>> starts_;  // of processes, ascending
  std::vector<std::string> values_;
};

// Narrows `selection` to when "key=value" held. kInvalid: no such form, or it held several times (the error says when:
// a narrower selection chooses one); kNotFound: it never did.
Status narrow_by_label(const Reader& reader, std::string_view label, Selection& selection);

}  // namespace ingero::store
