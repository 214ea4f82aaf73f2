// Device memory by call site: what was obtained where, what was given back, what was held at most.
#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/text.h"
#include "report/frame_text.h"
#include "serve/tools/tool_list.h"

namespace ingero::serve::tools {
namespace {

using store::Bound;
using store::Value;

constexpr size_t kMaxHeld = 2'000'000;  // allocations followed at once
constexpr size_t kMaxDrawn = 16;        // call sites whose bytes are given over time

// What was held over time, as it changed: a level for each bin in which it did.
class History {
 public:
  void note(uint32_t bin, uint64_t held) {
    if (levels_.empty() || levels_.back().bin != bin) {
      const uint64_t before = levels_.empty() ? 0 : levels_.back().last;
      levels_.push_back({bin, before, before});
    }
    Level& level = levels_.back();
    level.most = std::max(level.most, held);
    level.last = held;
  }
  // The most held in each of `bins`.
  Json most(uint32_t bins) const {
    Json list = Json::array();
    uint64_t held = 0;
    auto next = levels_.begin();
    for (uint32_t bin = 0; bin < bins; ++bin) {
      const bool changed = next != levels_.end() && next->bin == bin;
      list.push_back(changed ? next->most : held);
      if (changed) held = next++->last;
    }
    return list;
  }

 private:
  struct Level {
    uint32_t bin;
    uint64_t most, last;
  };
  std::vector<Level> levels_;
};

struct Site {
  uint64_t calls = 0, bytes = 0, freed_bytes = 0, held_bytes = 0, peak_bytes = 0, failed = 0;
  History history;
};

struct Held {
  uint64_t bytes;
  Site* site;
};

struct AddressKey {
  int64_t pid, address;
  bool operator==(const AddressKey&) const = default;
};
struct AddressHash {
  size_t operator()(const AddressKey& key) const { return std::hash<int64_t>()(key.address * 31 + key.pid); }
};

class Ledger {
 public:
  // In which bin what comes next happens.
  void set_bin(uint32_t bin) { bin_ = bin; }
  const History& history() const { return history_; }

  void obtained(int64_t pid, std::optional<int64_t> address, std::optional<uint64_t> bytes, Site& site) {
    ++site.calls;
    if (!bytes) return;
    site.bytes += *bytes;
    if (!address) {
      ++unknown_addresses_;
      return;
    }
    if (held_.size() >= kMaxHeld) {
      ++unfollowed_;
      return;
    }
    // An address given out twice was given back unseen in between.
    returned(pid, *address, true);
    held_[{pid, *address}] = {*bytes, &site};
    site.held_bytes += *bytes;
    site.peak_bytes = std::max(site.peak_bytes, site.held_bytes);
    total_ += *bytes;
    peak_ = std::max(peak_, total_);
    note(site);
  }
  void returned(int64_t pid, int64_t address, bool quietly = false) {
    const auto found = held_.find({pid, address});
    if (found == held_.end()) {
      if (!quietly && address != 0) ++unmatched_frees_;
      return;
    }
    found->second.site->held_bytes -= found->second.bytes;
    found->second.site->freed_bytes += found->second.bytes;
    total_ -= found->second.bytes;
    note(*found->second.site);
    held_.erase(found);
  }
  Json totals() const {
    return {{"held_bytes", total_},
            {"peak_bytes", peak_},
            {"held_allocations", held_.size()},
            {"frees_of_unseen", unmatched_frees_},
            {"address_unknown", unknown_addresses_},
            {"unfollowed", unfollowed_}};
  }

 private:
  std::unordered_map<AddressKey, Held, AddressHash> held_;
  void note(Site& site) {
    if (!bin_) return;
    site.history.note(*bin_, site.held_bytes);
    history_.note(*bin_, total_);
  }
  std::optional<uint32_t> bin_;  // absent: no history was asked for
  History history_;
  uint64_t total_ = 0, peak_ = 0, unmatched_frees_ = 0, unknown_addresses_ = 0, unfollowed_ = 0;
};

Result<Json> memory(Question& question) {
  const auto selection = selection_of(question.input, *question.reader, question.clock);
  if (!selection.ok()) return selection.error();
  // Calls made inside another allocation are the same memory once more.
  std::string sql =
      "SELECT e.pid, e.kind, e.op_name, e.address, e.bytes, e.stack_hash, e.failed, e.timestamp + "
      "coalesce(e.duration, 0) FROM events e WHERE e.kind IN "
      "('alloc', "
      "'free') AND e.parent_call IS NULL";
  std::vector<Bound> bound;
  const auto add = [&](const char* condition, uint64_t value) {
    sql += condition;
    bound.push_back(Bound::of(static_cast<int64_t>(value)));
  };
  if (selection->from_wall_ns) add(" AND e.timestamp >= ?", *selection->from_wall_ns);
  if (selection->to_wall_ns) add(" AND e.timestamp <= ?", *selection->to_wall_ns);
  if (selection->pid) add(" AND e.pid = ?", *selection->pid);
  sql += " ORDER BY e.timestamp + coalesce(e.duration, 0)";
  const auto span = question.reader->time_span();
  if (!span.ok()) return span.error();
  const uint32_t bins = *span ? question.input.value("bins", 0U) : 0;
  const uint64_t from = selection->from_wall_ns.value_or(*span ? (*span)->first_wall_ns : 0);
  const uint64_t to = std::max(from + 1, selection->to_wall_ns.value_or(*span ? (*span)->last_wall_ns : 0));
  const uint64_t bin_ns = bins == 0 ? 0 : (to - from) / bins + 1;
  std::map<std::tuple<int64_t, std::string, std::optional<int64_t>>, Site> sites;
  Ledger ledger;
  const auto uint64 = [](const Value& value) {
    return value.is_null() ? std::nullopt : std::optional<int64_t>(value.integer);
  };
  const auto outcome = question.reader->query(
      sql, question.limits,
      [&](std::span<const Value> row) {
        const int64_t pid = row[0].integer;
        if (bins > 0) {
          const auto ended = static_cast<uint64_t>(row[7].integer);
          ledger.set_bin(ended <= from ? 0
                                       : static_cast<uint32_t>(std::min<uint64_t>((ended - from) / bin_ns, bins - 1)));
        }
        const auto address = uint64(row[3]);
        if (row[1].text == "free") {
          if (address) ledger.returned(pid, *address);
          return true;
        }
        Site& site = sites[{pid, std::string(row[2].text), uint64(row[5])}];
        if (row[6].integer == 1) {
          ++site.calls;
          ++site.failed;
          return true;
        }
        const auto bytes = uint64(row[4]);
        ledger.obtained(pid, address, bytes ? std::optional<uint64_t>(static_cast<uint64_t>(*bytes)) : std::nullopt,
                        site);
        return true;
      },
      {}, bound);
  if (!outcome.ok()) return outcome.error();
  std::vector<decltype(sites)::const_iterator> order;
  for (auto at = sites.cbegin(); at != sites.cend(); ++at) order.push_back(at);
  std::stable_sort(order.begin(), order.end(), [](const auto& one, const auto& other) {
    const Site &a = one->second, &b = other->second;
    return a.held_bytes != b.held_bytes ? a.held_bytes > b.held_bytes : a.bytes > b.bytes;
  });
  const auto most = question.input["limit"].get<size_t>();
  if (order.size() > most) {
    question.cuts.push_back(fmt::format("the first {} of {} call sites are given (limit)", most, order.size()));
    order.resize(most);
  }
  Json list = Json::array(), held_over_time = Json::array();
  for (const auto& at : order) {
    if (bins > 0 && held_over_time.size() < kMaxDrawn) held_over_time.push_back(at->second.history.most(bins));
    const auto& [pid, op, stack] = at->first;
    const Site& site = at->second;
    Json frames = nullptr;
    if (stack) {
      const auto rows =
          rows_of(question, "SELECT frames FROM stack_traces WHERE hash = ?", {Bound::of(*stack)}, 1, "stacks");
      if (!rows.ok()) return rows.error();
      if (!rows->empty() && (*rows)[0]["frames"].is_string()) {
        frames = report::frame_texts((*rows)[0]["frames"].get<std::string>());
      }
    }
    list.push_back({{"pid", pid},
                    {"op", op},
                    {"stack_hash", stack ? Json(*stack) : Json(nullptr)},
                    {"calls", site.calls},
                    {"failed", site.failed},
                    {"bytes", site.bytes},
                    {"freed_bytes", site.freed_bytes},
                    {"held_bytes", site.held_bytes},
                    {"peak_bytes", site.peak_bytes},
                    {"frames", std::move(frames)}});
  }
  Json over_time = nullptr;
  if (bins > 0) {
    over_time = {{"from", format_wall(from)},
                 {"bin_ns", bin_ns},
                 {"total_bytes", ledger.history().most(bins)},
                 {"site_bytes", std::move(held_over_time)}};
  }
  return Json{{"totals", ledger.totals()}, {"sites", std::move(list)}, {"over_time", std::move(over_time)}};
}

}  // namespace

std::vector<Tool> memory_tools() {
  Json properties = range_properties();
  properties["pid"] = property("integer", "Only this process", {{"minimum", 1}, {"maximum", 4294967295U}});
  properties["limit"] =
      property("integer", "Maximum number of call sites", {{"default", 20}, {"minimum", 1}, {"maximum", 100}});
  properties["bins"] = property("integer", "Also what was held over time, in this many parts of equal length",
                                {{"minimum", 2}, {"maximum", 1000}});
  Json output = object_of("over_time:object?");
  output["properties"].update(
      {{"totals", object_of("held_bytes:integer peak_bytes:integer held_allocations:integer frees_of_unseen:integer "
                            "address_unknown:integer unfollowed:integer")},
       {"sites",
        list_of(object_of("pid:integer op:string stack_hash:integer? calls:integer failed:integer bytes:integer "
                          "freed_bytes:integer held_bytes:integer peak_bytes:integer frames:array?"))}});
  output["properties"]["over_time"]["description"] =
      "With \"bins\": the most that was held in each, in total and by the first 16 call sites of the list";
  for (const char* name : {"totals", "sites"}) output["required"].push_back(name);
  return {
      {"get_memory", "Memory by call site",
       "Memory that calls obtained, by process, call and stack: how much, how much of it was given back, what is still "
       "held and what was held at most. What was obtained before the recording is not seen; a caching allocator's "
       "blocks "
       "are those it got from the driver.",
       input_of(std::move(properties)), std::move(output), true, true, memory, nullptr}};
}

}  // namespace ingero::serve::tools
