// Follows allocations by their addresses, from the call that obtained them to the one that gave them back.
#include "report/device_memory.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "store/read/selection_sql.h"

namespace ingero::report {
namespace {

using store::Value;

constexpr size_t kMaxHeld = 2'000'000;  // allocations followed at once

struct Held {
  uint64_t bytes;
  MemorySite* site;
};

// Nodes have processes of one number, and ranks have the same addresses.
using Process = std::pair<std::string, int64_t>;

class Ledger {
 public:
  explicit Ledger(DeviceMemory& sums) : sums_(sums) {}

  // In which bin what comes next happens.
  void set_bin(uint32_t bin) { bin_ = bin; }

  void obtained(const Process& process, std::optional<int64_t> address, std::optional<uint64_t> bytes,
                MemorySite& site) {
    ++site.calls;
    if (!bytes) return;
    site.bytes += *bytes;
    if (!address) {
      ++sums_.address_unknown;
      return;
    }
    if (held_count_ >= kMaxHeld) {
      ++sums_.unfollowed;
      return;
    }
    // An address given out twice was given back unseen in between.
    returned(process, *address, true);
    held_[process][*address] = {*bytes, &site};
    ++held_count_;
    site.held_bytes += *bytes;
    site.peak_bytes = std::max(site.peak_bytes, site.held_bytes);
    sums_.held_bytes += *bytes;
    sums_.peak_bytes = std::max(sums_.peak_bytes, sums_.held_bytes);
    note(site);
  }
  void returned(const Process& process, int64_t address, bool quietly = false) {
    auto& held = held_[process];
    const auto found = held.find(address);
    if (found == held.end()) {
      if (!quietly && address != 0) ++sums_.frees_of_unseen;
      return;
    }
    give_back(found->second);
    held.erase(found);
  }
  // All that it still held.
  void ended(const Process& process) {
    const auto found = held_.find(process);
    if (found == held_.end()) return;
    for (const auto& [address, one] : found->second) give_back(one);
    held_.erase(found);
  }
  uint64_t held_allocations() const { return held_count_; }

 private:
  void give_back(const Held& one) {
    one.site->held_bytes -= one.bytes;
    one.site->freed_bytes += one.bytes;
    sums_.held_bytes -= one.bytes;
    --held_count_;
    note(*one.site);
  }
  void note(MemorySite& site) {
    if (!bin_) return;
    site.over_time.note(*bin_, site.held_bytes);
    sums_.over_time.note(*bin_, sums_.held_bytes);
  }
  DeviceMemory& sums_;
  std::map<Process, std::unordered_map<int64_t, Held>> held_;  // by address
  size_t held_count_ = 0;
  std::optional<uint32_t> bin_;  // absent: what was held over time is not asked for
};

// The bins over the selected time.
Status set_bins(const store::Reader& reader, const store::Selection& selection, uint32_t bins, DeviceMemory& memory) {
  const auto span = reader.time_span();
  if (!span.ok()) return span.error();
  memory.bins = *span ? bins : 0;
  memory.from_wall_ns = selection.from_wall_ns.value_or(*span ? (*span)->first_wall_ns : 0);
  const uint64_t to =
      std::max(memory.from_wall_ns + 1, selection.to_wall_ns.value_or(*span ? (*span)->last_wall_ns : 0));
  memory.bin_ns = memory.bins == 0 ? 0 : (to - memory.from_wall_ns) / memory.bins + 1;
  return {};
}

uint32_t bin_of(const DeviceMemory& memory, uint64_t wall_ns) {
  if (wall_ns <= memory.from_wall_ns) return 0;
  return static_cast<uint32_t>(std::min<uint64_t>((wall_ns - memory.from_wall_ns) / memory.bin_ns, memory.bins - 1));
}

}  // namespace

void HeldOverTime::note(uint32_t bin, uint64_t held) {
  if (levels_.empty() || levels_.back().bin != bin) {
    const uint64_t before = levels_.empty() ? 0 : levels_.back().last;
    levels_.push_back({bin, before, before});
  }
  Level& level = levels_.back();
  level.most = std::max(level.most, held);
  level.last = held;
}

std::vector<uint64_t> HeldOverTime::most(uint32_t bins) const {
  std::vector<uint64_t> list;
  list.reserve(bins);
  uint64_t held = 0;
  auto next = levels_.begin();
  for (uint32_t bin = 0; bin < bins; ++bin) {
    const bool changed = next != levels_.end() && next->bin == bin;
    list.push_back(changed ? next->most : held);
    if (changed) held = next++->last;
  }
  return list;
}

Result<DeviceMemory> gather_device_memory(const store::Reader& reader, const store::Selection& selection,
                                          const store::QueryLimits& limits, uint32_t bins) {
  DeviceMemory memory;
  INGERO_TRY(set_bins(reader, selection, bins, memory));
  store::Conditions conditions;
  // Calls made inside another allocation are the same memory once more; inside a call of another kind they are its own.
  conditions.add(
      "(e.call = 'process_exit' AND e.tid = e.pid OR e.kind IN ('alloc', 'free') AND NOT coalesce(e.parent_call IN "
      "(SELECT name FROM calls WHERE kind IN ('alloc', 'free')), 0) AND e.call NOT IN (SELECT name FROM calls WHERE "
      "memory != 'device'))");
  conditions.add_rows(selection, "e.seq");
  conditions.add_range(selection, "e.timestamp", "e.timestamp");
  conditions.add_pid(selection, "e.pid");
  const std::string sql =
      "SELECT e.pid, e.kind, e.op_name, e.address, e.bytes, e.stack_hash, e.failed, e.timestamp + "
      "coalesce(e.duration, 0), e.node FROM events e" +
      conditions.where() + " ORDER BY e.timestamp + coalesce(e.duration, 0)";
  std::map<std::tuple<Process, std::string, std::optional<int64_t>>, MemorySite> sites;
  Ledger ledger(memory);
  const auto outcome = reader.query(
      sql, limits,
      [&](std::span<const Value> row) {
        const Process process{row[8].as_text(), row[0].integer};
        if (memory.bins > 0) ledger.set_bin(bin_of(memory, static_cast<uint64_t>(row[7].integer)));
        const auto address = row[3].as_int64();
        const bool has_failed = row[6].integer == 1;
        if (row[1].text == "free") {
          if (address && !has_failed) ledger.returned(process, *address);
          return true;
        }
        if (row[1].text != "alloc") {
          ledger.ended(process);
          return true;
        }
        MemorySite& site = sites[{process, std::string(row[2].text), row[5].as_int64()}];
        if (has_failed) {
          ++site.calls;
          ++site.failed;
          return true;
        }
        ledger.obtained(process, address, row[4].as_uint64(), site);
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  memory.held_allocations = ledger.held_allocations();
  for (auto& [key, site] : sites) {
    std::tie(site.node, site.pid) = std::get<Process>(key);
    site.op = std::get<1>(key);
    site.stack_hash = std::get<2>(key);
    memory.sites.push_back(std::move(site));
  }
  std::stable_sort(memory.sites.begin(), memory.sites.end(), [](const MemorySite& a, const MemorySite& b) {
    return a.held_bytes != b.held_bytes ? a.held_bytes > b.held_bytes : a.bytes > b.bytes;
  });
  return memory;
}

}  // namespace ingero::report
