// Legacy recordings have rows of their own view `events`: numbers in place of ids, processes and threads in each row.
#include "serve/perfetto/legacy/rows.h"

#include "base/text.h"

namespace ingero::serve::perfetto {
namespace {

using store::Value;

// `timestamp` of host events is their end there.
constexpr const char* kRows =
    "SELECT e.seq, CASE WHEN e.kind = 'host' THEN e.timestamp - e.duration ELSE e.timestamp END AS at, "
    "e.duration, e.source * 65536 + e.op, e.failed, e.node, e.pid, e.tid, e.comm, e.ret_code, e.stream, e.bytes, "
    "e.address, e.gpu_id, e.stack_hash, e.arg0, e.arg1 FROM events e";
enum : size_t { kCall = 3, kFailed, kNode, kPid, kTid, kComm, kNumbers };
constexpr Number kKnown[] = {Number::kReturn, Number::kStream, Number::kBytes, Number::kAddress,
                             Number::kDevice, Number::kStack,  Number::kArg0,  Number::kArg1};

class LegacyRows final : public RowSource {
 public:
  Status load(const store::Reader& reader, RecordedNames& names) override;
  std::string select() const override { return kRows; }
  store::Conditions conditions(const store::Selection& selection) const override {
    store::Conditions conditions;
    conditions.add_range(selection, "at", "at + coalesce(e.duration, 0)");
    conditions.add_pid(selection, "e.pid");
    return conditions;
  }
  const char* extent_sql() const override {
    return "SELECT min(CASE WHEN kind = 'host' THEN timestamp - duration ELSE timestamp END), "
           "max(timestamp + duration) FROM events";
  }
  bool decode(std::span<const Value> row, RecordedNames& names, RecordedEvent& event) override;

 private:
  size_t thread_of(RecordedNames& names, std::string_view node, int64_t pid, int64_t tid, std::string_view comm);

  std::map<std::tuple<size_t, int64_t>, size_t> threads_;
};

Status LegacyRows::load(const store::Reader& reader, RecordedNames& names) {
  INGERO_TRY(
      each_row(reader, "SELECT node FROM sessions ORDER BY id", [&](auto row) { names.add_node(name_text(row[0])); }));
  INGERO_TRY(each_row(reader,
                      "SELECT DISTINCT source * 65536 + op, call, op_name, coalesce(layer, 'OTHER'), coalesce(kind, "
                      "'host') FROM events",
                      [&](auto row) {
                        const auto kind = hal::kind_of(row[4].text);
                        names.calls[row[0].integer] = {name_text(row[1]), name_text(row[2]), name_text(row[3]),
                                                       kind.value_or(hal::Kind::kHost)};
                      }));
  return each_row(reader, "SELECT DISTINCT node, pid, tid, comm FROM events ORDER BY timestamp",
                  [&](auto row) { thread_of(names, row[0].text, row[1].integer, row[2].integer, row[3].text); });
}

size_t LegacyRows::thread_of(RecordedNames& names, std::string_view node, int64_t pid, int64_t tid,
                             std::string_view comm) {
  RecordedProcess process{printable(node), printable(comm), static_cast<uint32_t>(pid), {}, {}};
  auto key = std::tuple(process.node, pid, int64_t{0});
  const size_t index = names.add_process(std::move(process), std::move(key));
  const auto [found, is_new] = threads_.try_emplace({index, tid}, names.threads.size());
  if (is_new) names.threads.push_back({index, static_cast<uint32_t>(tid), printable(comm)});
  return found->second;
}

bool LegacyRows::decode(std::span<const Value> row, RecordedNames& names, RecordedEvent& event) {
  event.call = names.call(row[kCall].integer);
  if (event.call == nullptr || row[kPid].is_null()) return false;
  event.thread = thread_of(names, row[kNode].text, row[kPid].integer, row[kTid].integer, row[kComm].text);
  event.failed = row[kFailed].integer != 0;
  for (size_t i = 0; i < std::size(kKnown); ++i) {
    event.numbers[static_cast<size_t>(kKnown[i])] = number_of(row[kNumbers + i]);
  }
  // The row holds what other recordings have in dictionaries.
  if (const auto gpu = event[Number::kDevice]) names.gpu_ids[*gpu] = *gpu;
  if (const auto stack = event[Number::kStack]) names.stack_hashes[*stack] = *stack;
  return true;
}

}  // namespace

std::unique_ptr<RowSource> make_legacy_rows() { return std::make_unique<LegacyRows>(); }

}  // namespace ingero::serve::perfetto
