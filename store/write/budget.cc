// Writes the tables of where the time went.
#include "store/write/budget.h"

#include <fmt/format.h>

#include "store/db/bind.h"
#include "store/db/budget_schema.h"

namespace ingero::store {
namespace {

// "?1, ?2, ..."
std::string places(size_t count) {
  std::string text;
  for (size_t i = 1; i <= count; ++i) text += fmt::format("{}?{}", i == 1 ? "" : ", ", i);
  return text;
}

std::string class_names() {
  std::string text;
  for (const hal::TimeClassRow& one : hal::kTimeClassTable) text += fmt::format(", {0}, {0}_low, {0}_high", one.name);
  return text;
}

// Idle times, counts and classes from `index` on.
void bind_times(Statement& s, int index, const StoredTimes& times) {
  s.bind(index, signed_of(times.idle_low)).bind(index + 1, signed_of(times.idle_high));
  s.bind(index + 2, int64_t{times.syncs}).bind(index + 3, int64_t{times.submissions});
  index += 4;
  for (const StoredClassTime& one : times.classes) {
    s.bind_if(index++, one.ns != 0, signed_of(one.ns));
    s.bind_if(index++, one.low != 0, signed_of(one.low));
    s.bind_if(index++, one.high != 0, signed_of(one.high));
  }
}

}  // namespace

Status BudgetRows::load(Database& database, int64_t session) {
  session_ = session;
  return database.integer_into("SELECT max(id) FROM causes", causes_before_);
}

Status BudgetRows::write(Database& database) {
  INGERO_TRY(write_causes(database));
  INGERO_TRY(write_steps(database));
  return write_seconds(database);
}

Status BudgetRows::write_steps(Database& database) {
  constexpr size_t kOwn = 17;
  const std::string sql =
      "INSERT INTO step_rows (session, process, tid, number, timestamp, start_mono_ns, duration_ns, content, flags, "
      "usual_ns, slow_class, more_ns, cause, idle_low, idle_high, syncs, submissions" +
      class_names() + ") VALUES (" + places(kOwn + 3 * hal::kTimeClasses) + ")";
  return database.run_each(sql.c_str(), steps_, [&](Statement& s, const auto& item) {
    const auto& [step, process] = item;
    s.bind(1, session_).bind(2, process).bind(3, int64_t{step.tid});
    int index = 4;
    for (const uint64_t value : {step.number, step.start_wall_ns, step.start_mono_ns, step.duration_ns, step.content}) {
      s.bind(index++, signed_of(value));
    }
    s.bind(9, int64_t{(step.is_usual ? kStepUsual : 0) | (step.is_slow ? kStepSlow : 0)});
    bind_known(s, 10, step.usual_ns);
    s.bind_if<std::string_view>(11, step.slow_class.has_value(),
                                hal::name_of(step.slow_class.value_or(hal::TimeClass::kUnknown)));
    bind_known(s, 12, step.more_ns);
    s.bind_if(13, step.cause.has_value(), causes_before_ + int64_t{step.cause.value_or(0)});
    bind_times(s, 14, step.times);
  });
}

Status BudgetRows::write_seconds(Database& database) {
  constexpr size_t kOwn = 9;
  const std::string sql =
      "INSERT INTO second_rows (session, process, tid, timestamp, start_mono_ns, idle_low, "
      "idle_high, syncs, submissions" +
      class_names() + ") VALUES (" + places(kOwn + 3 * hal::kTimeClasses) + ")";
  return database.run_each(sql.c_str(), seconds_, [&](Statement& s, const auto& item) {
    const auto& [second, process] = item;
    s.bind(1, session_).bind(2, process).bind(3, int64_t{second.tid});
    s.bind(4, signed_of(second.start_wall_ns)).bind(5, signed_of(second.start_mono_ns));
    bind_times(s, 6, second.times);
  });
}

Status BudgetRows::write_causes(Database& database) {
  INGERO_TRY(database.run_each("INSERT OR REPLACE INTO causes VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", causes_,
                               [&](Statement& s, const auto& item) {
                                 const StoredCause& cause = item.first;
                                 s.bind(1, causes_before_ + int64_t{cause.id}).bind(2, session_);
                                 s.bind_if(3, cause.parent != 0, causes_before_ + int64_t{cause.parent});
                                 s.bind(4, hal::name_of(cause.is));
                                 s.bind_if<std::string_view>(5, !cause.role.empty(), cause.role);
                                 s.bind_if<std::string_view>(6, !cause.pids.empty(), cause.pids);
                                 s.bind_if<std::string_view>(7, !cause.object.empty(), cause.object);
                                 s.bind_if(8, cause.stack_hash != 0, signed_of(cause.stack_hash));
                                 s.bind(9, int64_t{cause.is_write});
                               }));
  return database.run_each(
      "INSERT INTO cause_rows (process, tid, timestamp, step, cause, times, ns, low, high) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
      shares_, [&](Statement& s, const auto& item) {
        const auto& [share, process] = item;
        s.bind(1, process).bind(2, int64_t{share.tid}).bind(3, signed_of(share.start_wall_ns));
        bind_known(s, 4, share.step);
        s.bind(5, causes_before_ + int64_t{share.cause}).bind(6, int64_t{share.times});
        s.bind(7, signed_of(share.ns)).bind(8, signed_of(share.low)).bind(9, signed_of(share.high));
      });
}

void BudgetRows::committed() {
  steps_.clear();
  seconds_.clear();
  shares_.clear();
  causes_.clear();
}

}  // namespace ingero::store
