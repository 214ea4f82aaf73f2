// One pass over launches, copies and waits in the order in which they ended, thread by thread.
#include "report/kernels.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include <fmt/format.h>

#include "store/read/selection_sql.h"

namespace ingero::report {
namespace {

using store::Value;

constexpr size_t kMaxKernels = 4096;  // with a name of their own; the others have none
constexpr size_t kMaxThreads = 1 << 16;

// What a thread has submitted since it last waited.
struct Submitted {
  std::unordered_map<size_t, uint64_t> launches;  // by kernel
  uint64_t in_all = 0;
  double bytes = 0;
};

class Kernels {
 public:
  KernelFigures& of(const std::string& name, size_t& index) {
    const auto known = by_name_.find(name);
    if (known != by_name_.end()) {
      index = known->second;
    } else if (list_.size() >= kMaxKernels && !name.empty()) {
      return of("", index);
    } else {
      index = list_.size();
      list_.emplace_back().untrusted_name = name;
      by_name_.emplace(name, index);
    }
    return list_[index];
  }

  void launch(Submitted& thread, const std::string& name, bool failed, uint64_t ns) {
    size_t index = 0;
    KernelFigures& kernel = of(name, index);
    ++kernel.launches;
    kernel.launch_ns += ns;
    kernel.failed += failed ? 1 : 0;
    if (failed) return;
    ++thread.launches[index];
    ++thread.in_all;
  }

  void wait(Submitted& thread, uint64_t ns) {
    for (const auto& [index, count] : thread.launches) {
      const double share = static_cast<double>(count) / static_cast<double>(thread.in_all);
      ++list_[index].waits;
      list_[index].wait_ns += share * static_cast<double>(ns);
      list_[index].copied_bytes += share * thread.bytes;
    }
    thread = {};
  }

  std::vector<KernelFigures> take() {
    std::stable_sort(list_.begin(), list_.end(), [](const KernelFigures& a, const KernelFigures& b) {
      return std::pair(a.wait_ns, a.launches) > std::pair(b.wait_ns, b.launches);
    });
    return std::move(list_);
  }

 private:
  std::vector<KernelFigures> list_;
  std::map<std::string, size_t> by_name_;
};

Result<bool> has_names(const store::Reader& reader) {
  bool has = false;
  const auto outcome =
      reader.query("SELECT 1 FROM functions WHERE name IS NOT NULL LIMIT 1", {}, [&](std::span<const Value>) {
        has = true;
        return false;
      });
  if (!outcome.ok()) return outcome.error();
  return has;
}

}  // namespace

Result<std::vector<KernelFigures>> gather_kernels(const store::Reader& reader, const store::Selection& selection,
                                                  uint64_t time_ns) {
  if (!reader.holds().kernels) return std::vector<KernelFigures>();
  const auto named = has_names(reader);
  if (!named.ok()) return named.error();
  if (!*named) return std::vector<KernelFigures>();
  store::Conditions conditions;
  conditions.add("(e.kind IN ('launch', 'memcpy', 'sync') OR e.call IN (SELECT name FROM calls WHERE synchronising))");
  // A copy that holds its thread waits for the launches before it as well.
  constexpr std::string_view kWaits =
      "SELECT name FROM calls WHERE synchronising OR (kind = 'memcpy' AND asynchronous = 0)";
  conditions.add(store::kOutermostOfKind);
  conditions.add_events(selection);
  store::QueryLimits limits;
  limits.time_ns = time_ns;
  Kernels kernels;
  std::map<std::pair<int64_t, int64_t>, Submitted> threads;  // by process and thread
  const auto outcome = reader.query(
      fmt::format("SELECT e.process, e.tid, e.kind, e.call IN ({}), e.duration, e.failed, CASE WHEN e.kind = 'launch' "
                  "THEN e.kernel END, e.bytes FROM events e",
                  kWaits) +
          conditions.where() + " ORDER BY e.seq",
      limits,
      [&](std::span<const Value> row) {
        const std::pair key(row[0].integer, row[1].integer);
        if (threads.size() >= kMaxThreads && !threads.contains(key)) threads.clear();
        Submitted& thread = threads[key];
        const uint64_t ns = row[4].as_uint64().value_or(0);
        const bool failed = row[5].as_int64().value_or(0) != 0;
        if (row[2].text == "launch") {
          kernels.launch(thread, row[6].as_text(), failed, ns);
        } else if (row[2].text == "memcpy" && !failed) {
          thread.bytes += row[7].as_real().value_or(0);
        }
        if (row[3].integer != 0 || row[2].text == "sync") kernels.wait(thread, ns);
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  return kernels.take();
}

Json kernels_json(const std::vector<KernelFigures>& kernels) {
  Json list = Json::array();
  for (const KernelFigures& kernel : kernels) {
    list.push_back({{"kernel", json_or_null(kernel.untrusted_name)},
                    {"launches", kernel.launches},
                    {"failed", kernel.failed},
                    {"launch_ns", kernel.launch_ns},
                    {"waits", kernel.waits},
                    {"wait_ns", static_cast<uint64_t>(kernel.wait_ns + 0.5)},
                    {"copied_bytes", static_cast<uint64_t>(kernel.copied_bytes + 0.5)}});
  }
  return list;
}

}  // namespace ingero::report
