// The dense numbering of calls: rows in backend, library and table order, then the host operations.
#include "hal/call_table.h"

#include <algorithm>
#include <map>

namespace ingero::hal {
namespace {

struct HostRow {
  std::string_view name;
  std::string_view layer;
  uint16_t source;
  uint16_t op;
};

// In the order of HostOp; ids as recordings have them, 0: none is fixed.
constexpr HostRow kHostRows[] = {
    {"sched_switch", kThreadLayer, 3, 1}, {"mm_page_alloc_summary", kThreadLayer, 3, 20},
    {"oom_kill", kThreadLayer, 3, 4},     {"process_exec", kThreadLayer, 3, 5},
    {"process_exit", kThreadLayer, 3, 6}, {"process_fork", kThreadLayer, 3, 7},
    {"block_read", "IO", 5, 1},           {"block_write", "IO", 5, 2},
    {"block_discard", "IO", 5, 3},        {"block_flush", "IO", 5, 0},
    {"block_other", "IO", 5, 0},          {"tcp_retransmit", "TCP", 6, 1},
    {"net_send_summary", "NET", 7, 0},    {"net_recv_summary", "NET", 7, 0},
    {"device_error", kThreadLayer, 3, 0},
};
static_assert(std::size(kHostRows) == static_cast<size_t>(HostOp::kCount));

Call call_of(const Backend& backend, const Library& library, const Row& row) {
  Call call;
  call.name = row.name;
  call.op_name = row.op_name.empty() ? row.name : row.op_name;
  call.vendor = library.vendor.empty() ? backend.vendor : library.vendor;
  call.backend = backend.name;
  call.layer = library.layer;
  call.kind = row.kind;
  call.source = row.source != 0 ? row.source : library.source;
  call.op = row.op;
  call.flags = row.flags;
  call.row = &row;
  call.owner = &backend;
  call.library = &library;
  return call;
}

bool is_by_parameter(const Row& row) {
  return std::ranges::any_of(row.shape, [](const Param& param) { return param.into == Field::kBlocking; });
}

}  // namespace

std::optional<HostOp> host_op_named(std::string_view name) {
  constexpr std::string_view kOfASum = "_summary";
  for (size_t op = 0; op < std::size(kHostRows); ++op) {
    const std::string_view known = kHostRows[op].name;
    const bool is_event_of_sum = known.ends_with(kOfASum) && known.substr(0, known.size() - kOfASum.size()) == name;
    if (known == name || is_event_of_sum) return static_cast<HostOp>(op);
  }
  return std::nullopt;
}

CallTable::CallTable(std::span<const Backend* const> backends) {
  for (const Backend* backend : backends) {
    for (const Library& library : backend->libraries) {
      std::map<std::string_view, CallId> known;  // names of this library
      for (const Row& row : library.rows) {
        const auto [at, is_new] = known.try_emplace(row.name, static_cast<CallId>(calls_.size()));
        by_row_.emplace_back(&row, at->second);
        if (!is_new) continue;
        calls_.push_back(call_of(*backend, library, row));
        if (!is_by_parameter(row)) continue;
        Call call = calls_.back();
        call.name = call.op_name = names_.emplace_back(std::string(row.name).append(kNonBlockingSuffix));
        call.op = 0;
        call.flags |= kAsync;
        non_blocking_[at->second] = static_cast<CallId>(calls_.size());
        calls_.push_back(call);
      }
    }
  }
  std::sort(by_row_.begin(), by_row_.end());
  host_base_ = calls_.size();
  for (const HostRow& host : kHostRows) {
    Call call;
    call.name = call.op_name = host.name;
    call.vendor = call.backend = "host";
    call.layer = host.layer;
    call.source = host.source;
    call.op = host.op;
    calls_.push_back(call);
  }
}

CallId CallTable::id_of(const Row& row) const {
  const auto at = std::lower_bound(by_row_.begin(), by_row_.end(), std::pair<const Row*, CallId>{&row, 0});
  return at != by_row_.end() && at->first == &row ? at->second : kNoCall;
}

CallId CallTable::non_blocking(CallId id) const {
  const auto found = non_blocking_.find(id);
  return found == non_blocking_.end() ? kNoCall : found->second;
}

Memory memory_of(const Call& call) {
  if ((call.flags & kAddressSpace) != 0) return Memory::kAddressSpace;
  return (call.flags & kHostMemory) != 0 ? Memory::kHost : Memory::kDevice;
}

constexpr std::string_view kMemories[] = {"device", "host", "address space"};
std::string_view name_of(Memory memory) { return kMemories[static_cast<size_t>(memory)]; }

std::optional<Memory> memory_named(std::string_view name) {
  const auto* const found = std::ranges::find(kMemories, name);
  return found == std::end(kMemories) ? std::nullopt
                                      : std::optional(static_cast<Memory>(found - std::begin(kMemories)));
}

std::string_view status_name(const Call& call, int64_t code) {
  if (call.library != nullptr && !call.library->statuses.empty()) return status_name(call.library->statuses, code);
  return call.owner != nullptr ? status_name(call.owner->statuses, code) : std::string_view{};
}

std::string source_name(const Call& call) {
  if (call.source == kGraphSource) return std::string(call.backend) + "_graph";
  std::string name(call.layer);
  for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return name;
}

}  // namespace ingero::hal
