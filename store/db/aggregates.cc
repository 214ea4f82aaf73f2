// Keeps the aggregates in memory while recording and adds them to the file's, so that counts stay exact without rows.
#include "store/db/aggregates.h"

#include <algorithm>

#include "store/db/bind.h"
#include "store/db/event_row.h"

namespace ingero::store {
namespace {

constexpr uint64_t kWindowNs = 60'000'000'000;
constexpr uint64_t kKeep5sNs = 600'000'000'000;

}  // namespace

void Totals::add(const Sample& sample) {
  if (sample.never_returned) {
    ++never_returned;
    return;
  }
  ++count;
  errors += sample.failed ? 1 : 0;
  stored += sample.stored ? 1 : 0;
  if (sample.has_bytes) {
    has_bytes = true;
    bytes += sample.bytes;
  }
  if (!sample.timed) return;
  ++timed;
  total_ns += sample.duration_ns;
  min_ns = std::min(min_ns, sample.duration_ns);
  max_ns = std::max(max_ns, sample.duration_ns);
  if (sample.has_off) {
    for (size_t i = 0; i < off_ns.size(); ++i) off_ns[i] += sample.off_ns[i];
  }
}

void Totals::merge(const Totals& other) {
  count += other.count;
  errors += other.errors;
  never_returned += other.never_returned;
  stored += other.stored;
  timed += other.timed;
  total_ns += other.total_ns;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  bytes += other.bytes;
  has_bytes = has_bytes || other.has_bytes;
  for (size_t i = 0; i < off_ns.size(); ++i) off_ns[i] += other.off_ns[i];
}

Totals read_totals(const Statement& row, int first) {
  Totals totals;
  totals.count = row.uint64(first);
  totals.errors = row.uint64(first + 1);
  totals.never_returned = row.uint64(first + 2);
  totals.stored = row.uint64(first + 3);
  totals.timed = row.uint64(first + 4);
  totals.total_ns = row.uint64(first + 5);
  if (totals.timed > 0) {
    totals.min_ns = row.uint64(first + 6);
    totals.max_ns = row.uint64(first + 7);
  }
  for (int i = 0; i < 4; ++i) totals.off_ns[static_cast<size_t>(i)] = row.uint64(first + 8 + i);
  totals.has_bytes = !row.is_null(first + 12);
  totals.bytes = row.uint64(first + 12);
  return totals;
}

Aggregates::Entry& Aggregates::entry(const Sample& sample) {
  const uint64_t key = uint64_t{sample.call} << 32 | sample.process;
  Entry*& recent = recent_[(sample.call * 31 + sample.process) % recent_.size()];
  if (recent != nullptr && recent->call == sample.call && recent->process == sample.process) return *recent;
  std::unique_ptr<Entry>& slot = entries_[key];
  if (!slot) {
    slot = std::make_unique<Entry>();
    slot->call = sample.call;
    slot->process = sample.process;
    slot->pid = sample.pid;
    slot->source = sample.source;
    slot->op = sample.op;
  }
  recent = slot.get();
  return *slot;
}

void Aggregates::add(const Sample& sample) {
  Entry& entry = this->entry(sample);
  if (!entry.dirty) {
    entry.dirty = true;
    dirty_.push_back(&entry);
  }
  entry.totals.add(sample);
  if (sample.device >= 0) {
    DeviceCalls& calls = device_calls_[{sample.device, sample.process}];
    ++calls.count;
    calls.errors += sample.failed ? 1 : 0;
    calls.total_ns += sample.timed ? sample.duration_ns : 0;
  }
  if (sample.never_returned) return;
  if (sample.timed) entry.histogram.add(sample.duration_ns);
  for (size_t width = 0; width < kWidths; ++width) {
    Bucket& bucket = entry.buckets[width];
    if (sample.start_wall_ns - bucket.start_ns >= kWidthNs[width]) {
      if (bucket.count > 0) closed_.push_back({width, entry.source, entry.op, entry.pid, bucket});
      bucket = {};
      bucket.start_ns = sample.start_wall_ns - sample.start_wall_ns % kWidthNs[width];
    }
    ++bucket.count;
    bucket.stored += sample.stored ? 1 : 0;
    bucket.bytes += sample.has_bytes ? sample.bytes : 0;
    if (!sample.timed) continue;
    ++bucket.timed;
    bucket.sum_ns += sample.duration_ns;
    bucket.min_ns = std::min(bucket.min_ns, sample.duration_ns);
    bucket.max_ns = std::max(bucket.max_ns, sample.duration_ns);
  }
}

void Aggregates::add_off_cpu(uint64_t cgroup_id, uint64_t wall_ns, uint64_t duration_ns) {
  Window& window = windows_[cgroup_id];
  if (window.start_ns == 0) window.start_ns = wall_ns;
  window.total_ns += duration_ns;
  window.histogram.add(duration_ns);
}

Status Aggregates::prepare(Database& database) {
  if (select_) return {};
  const auto make = [&](Statement& statement, const std::string& sql) -> Status {
    Result<Statement> prepared = database.prepare(sql, true);
    if (!prepared.ok()) return prepared.error();
    statement = std::move(*prepared);
    return {};
  };
  INGERO_TRY(make(
      select_, fmt::format("SELECT {}, histogram FROM call_stats WHERE call = ?1 AND process = ?2", kTotalsColumns)));
  INGERO_TRY(make(upsert_, fmt::format("INSERT OR REPLACE INTO call_stats (call, process, {}, histogram) VALUES "
                                       "(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16)",
                                       kTotalsColumns)));
  INGERO_TRY(make(device_calls_upsert_,
                  "INSERT INTO device_calls VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET count = count + "
                  "excluded.count, errors = errors + excluded.errors, total_ns = total_ns + excluded.total_ns"));
  INGERO_TRY(make(trim_5s_, "DELETE FROM event_aggregates_5s WHERE bucket < ?1"));
  const char* const names[kWidths] = {"event_aggregates", "event_aggregates_5s"};
  for (size_t width = 0; width < kWidths; ++width) {
    INGERO_TRY(make(bucket_[width], fmt::format("INSERT INTO {} VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10){}",
                                                names[width], kBucketsAddUp)));
  }
  return {};
}

Status Aggregates::merge_stored(Database& database, Entry& entry) {
  select_.bind(1, int64_t{entry.call}).bind(2, int64_t{entry.process});
  Result<bool> row = select_.step();
  if (!row.ok()) return row.error();
  if (*row) {
    const bool good = entry.histogram.merge_encoded(select_.bytes(13));
    if (good) entry.totals.merge(read_totals(select_, 0));
    select_.reset();
    if (!good) {
      return Error(Errc::kCorrupt, fmt::format("{}: call_stats ({}, {}): the histogram is damaged", database.path(),
                                               entry.call, entry.process));
    }
  }
  entry.merged = true;
  return {};
}

Status Aggregates::write_bucket(Database&, size_t width, int64_t source, int64_t op, uint32_t pid,
                                const Bucket& bucket) {
  return bucket_[width]
      .bind(1, signed_of(bucket.start_ns))
      .bind(2, source)
      .bind(3, op)
      .bind(4, int64_t{pid})
      .bind(5, signed_of(bucket.count))
      .bind(6, signed_of(bucket.stored))
      .bind(7, signed_of(bucket.sum_ns))
      .bind_if(8, bucket.timed > 0, signed_of(bucket.min_ns))
      .bind_if(9, bucket.timed > 0, signed_of(bucket.max_ns))
      .bind(10, signed_of(bucket.bytes))
      .run();
}

Status Aggregates::flush_windows(Database& database, uint64_t now_wall_ns) {
  windows_written_.clear();
  for (auto& [cgroup, window] : windows_) {
    if (!close_windows_ && now_wall_ns - window.start_ns < kWindowNs) continue;
    Result<Statement> insert = database.prepare("INSERT OR REPLACE INTO cgroup_schedstat VALUES (?1,?2,?3,?4,?5,?6)");
    if (!insert.ok()) return insert.error();
    INGERO_TRY(insert->bind(1, signed_of(cgroup))
                   .bind(2, signed_of(window.histogram.percentile(0.99)))
                   .bind(3, signed_of(window.total_ns))
                   .bind(4, signed_of(window.histogram.total()))
                   .bind(5, signed_of(window.start_ns))
                   .bind(6, signed_of(std::max(now_wall_ns, window.start_ns)))
                   .run());
    windows_written_.push_back(cgroup);
  }
  return {};
}

Status Aggregates::flush(Database& database, uint64_t now_wall_ns) {
  INGERO_TRY(prepare(database));
  ++flushes_;
  for (Entry* entry : dirty_) {
    if (!entry->merged) INGERO_TRY(merge_stored(database, *entry));
    entry->flushed_at = flushes_;
    const Totals& totals = entry->totals;
    upsert_.bind(1, int64_t{entry->call})
        .bind(2, int64_t{entry->process})
        .bind(3, signed_of(totals.count))
        .bind(4, signed_of(totals.errors))
        .bind(5, signed_of(totals.never_returned))
        .bind(6, signed_of(totals.stored))
        .bind(7, signed_of(totals.timed))
        .bind(8, signed_of(totals.total_ns))
        .bind(9, totals.timed > 0 ? signed_of(totals.min_ns) : int64_t{0})
        .bind(10, signed_of(totals.max_ns));
    for (int i = 0; i < 4; ++i) upsert_.bind(11 + i, signed_of(totals.off_ns[static_cast<size_t>(i)]));
    upsert_.bind_if(15, totals.has_bytes, signed_of(totals.bytes));
    INGERO_TRY(upsert_.bind_blob(16, entry->histogram.encode()).run());
    for (size_t width = 0; width < kWidths; ++width) {
      if (entry->buckets[width].count == 0) continue;
      INGERO_TRY(write_bucket(database, width, entry->source, entry->op, entry->pid, entry->buckets[width]));
    }
  }
  for (const Closed& closed : closed_) {
    INGERO_TRY(write_bucket(database, closed.width, closed.source, closed.op, closed.pid, closed.bucket));
  }
  for (const auto& [key, calls] : device_calls_) {
    INGERO_TRY(device_calls_upsert_.bind(1, key.first)
                   .bind(2, int64_t{key.second})
                   .bind(3, signed_of(calls.count))
                   .bind(4, signed_of(calls.errors))
                   .bind(5, signed_of(calls.total_ns))
                   .run());
  }
  if (now_wall_ns > kKeep5sNs) INGERO_TRY(trim_5s_.bind(1, signed_of(now_wall_ns - kKeep5sNs)).run());
  return flush_windows(database, now_wall_ns);
}

void Aggregates::committed() {
  for (Entry* entry : dirty_) {
    entry->dirty = false;
    for (Bucket& bucket : entry->buckets) {
      const uint64_t start_ns = bucket.start_ns;
      bucket = {};
      bucket.start_ns = start_ns;
    }
  }
  dirty_.clear();
  closed_.clear();
  device_calls_.clear();
  for (const uint64_t cgroup : windows_written_) windows_.erase(cgroup);
  windows_written_.clear();
}

void Aggregates::trim(size_t keep) {
  if (entries_.size() <= keep) return;
  std::vector<std::pair<uint64_t, uint64_t>> by_age;  // flushed_at, key
  for (const auto& [key, entry] : entries_) {
    if (!entry->dirty) by_age.emplace_back(entry->flushed_at, key);
  }
  std::sort(by_age.begin(), by_age.end());
  const size_t excess = std::min(entries_.size() - keep, by_age.size());
  for (size_t i = 0; i < excess; ++i) entries_.erase(by_age[i].second);
  recent_.fill(nullptr);
}

Status aggregate_rows_after(Database& database, int64_t seq, Aggregates& aggregates) {
  Result<Statement> rows = database.prepare(
      "SELECT s.call, t.process, t.pid, s.source, s.op, k.wall_ns + e.start, e.duration, e.state, e.preempted, "
      "e.runqueue, e.blocked, e.io, coalesce(e.bytes, CASE WHEN s.name = 'mm_page_alloc' THEN e.arg0 END), "
      "(SELECT id FROM event_devices WHERE id = e.device AND vendor IS NOT NULL AND (e.state >> 7) & 15 = 0) "
      "FROM event_rows e JOIN sites s ON s.id = e.site JOIN threads t ON t.id = e.thread JOIN clocks k ON k.id = "
      "e.clock "
      "WHERE e.seq > ?1");
  if (!rows.ok()) return rows.error();
  rows->bind(1, seq);
  for (;;) {
    Result<bool> row = rows->step();
    if (!row.ok()) return row.error();
    if (!*row) return {};
    if (!is_finished(rows->integer(7))) continue;
    Sample sample;
    sample.call = static_cast<uint32_t>(rows->integer(0));
    sample.process = static_cast<uint32_t>(rows->integer(1));
    sample.pid = static_cast<uint32_t>(rows->integer(2));
    sample.source = rows->integer(3);
    sample.op = rows->integer(4);
    sample.start_wall_ns = rows->uint64(5);
    sample.timed = !rows->is_null(6);
    sample.duration_ns = rows->uint64(6);
    sample.failed = ((rows->integer(7) >> kFailedBit) & 1) != 0;
    sample.has_off = !rows->is_null(8);
    for (int i = 0; i < 4; ++i) sample.off_ns[static_cast<size_t>(i)] = rows->uint64(8 + i);
    sample.has_bytes = !rows->is_null(12);
    sample.bytes = rows->uint64(12);
    if (!rows->is_null(13)) sample.device = rows->integer(13);
    aggregates.add(sample);
  }
}

}  // namespace ingero::store
