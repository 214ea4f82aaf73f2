// The one query whose rows are the events.
#include "serve/perfetto/recording.h"

#include <algorithm>

#include "serve/perfetto/legacy/rows.h"

namespace ingero::serve::perfetto {
namespace {

using store::Value;

// Of a RowSource's rows.
constexpr size_t kSeq = 0, kStart = 1, kDuration = 2;

template <typename T>
std::optional<T> found_in(const std::unordered_map<int64_t, T>& values, int64_t id) {
  const auto found = values.find(id);
  return found == values.end() ? std::nullopt : std::optional<T>(found->second);
}
std::string_view text_at(const std::unordered_map<int64_t, std::string>& texts, int64_t id) {
  const auto found = texts.find(id);
  return found == texts.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace

Result<Recording> Recording::load(const store::Reader& reader, const store::NodeClocks& clocks) {
  Recording recording;
  recording.reader_ = &reader;
  recording.source_ = reader.layout() == store::Layout::kLegacy ? make_legacy_rows() : make_row_source(clocks);
  INGERO_TRY(recording.source_->load(reader, recording.names_));
  return recording;
}

Status Recording::each_event(const store::Selection& selection, const std::function<Status(const RecordedEvent&)>& on) {
  const store::Conditions conditions = source_->conditions(selection);
  const std::string sql = source_->select() + conditions.where() + " ORDER BY at, e.duration DESC, e.seq";
  RecordedEvent event;
  Status status;
  const auto outcome = reader_->query(
      sql, no_limits(),
      [&](std::span<const Value> row) {
        if (row[kStart].is_null() || row[kStart].integer < 0 || !source_->decode(row, names_, event)) {
          ++unplaced_;
          return true;
        }
        event.seq = row[kSeq].integer;
        event.start_ns = row[kStart].integer;
        event.duration_ns.reset();
        // A time that cannot be is not known.
        const auto lasted = number_of(row[kDuration]);
        if (lasted && *lasted >= 0 && *lasted <= INT64_MAX - std::max<int64_t>(event.start_ns, 0)) {
          event.duration_ns = static_cast<uint64_t>(*lasted);
        }
        status = on(event);
        return status.ok();
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  return status;
}

Result<Recording::Counted> Recording::count(const store::Selection& selection) const {
  const store::Conditions conditions = source_->conditions(selection);
  std::string sql(selection.whole() && !selection.pid ? source_->count_all() : std::string_view());
  if (sql.empty()) sql = "SELECT count(*), min(at) FROM (" + source_->select() + conditions.where() + ")";
  Counted counted;
  const auto outcome = reader_->query(
      sql, no_limits(),
      [&](std::span<const Value> row) {
        counted = {static_cast<uint64_t>(row[0].integer), number_of(row[1])};
        return true;
      },
      {}, conditions.bound());
  if (!outcome.ok()) return outcome.error();
  return counted;
}

std::string_view Recording::kernel(int64_t function) const { return text_at(names_.kernels, function); }
std::string_view Recording::geometry(int64_t id) const { return text_at(names_.geometries, id); }
std::string_view Recording::preempted_by(int64_t id) const { return text_at(names_.preemptors, id); }
std::optional<int64_t> Recording::device(int64_t id) const { return found_in(names_.gpu_ids, id); }
std::optional<int64_t> Recording::stack_hash(int64_t id) const { return found_in(names_.stack_hashes, id); }

}  // namespace ingero::serve::perfetto
