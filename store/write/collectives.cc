// Writes the tables of collectives in each transaction.
#include "store/write/collectives.h"

#include <fmt/format.h>

#include "store/db/bind.h"
#include "store/db/schema.h"

namespace ingero::store {
namespace {

// A vendor's code by its name where that is known, else the number as text: a type newer than this program stays
// distinct.
void bind_name(Statement& statement, int index, std::optional<uint32_t> code, std::string_view name) {
  if (!code) {
    statement.bind_null(index);
  } else {
    statement.bind(index, name.empty() ? std::string_view(fmt::format("{}", *code)) : name);
  }
}

std::string_view datatype_name(const hal::Backend* owner, std::optional<uint32_t> code) {
  return owner != nullptr && code && *code < owner->datatypes.size() ? owner->datatypes[*code].name
                                                                     : std::string_view();
}

std::string_view reduction_name(const hal::Backend* owner, std::optional<uint32_t> code) {
  return owner != nullptr && code && *code < owner->reductions.size() ? owner->reductions[*code] : std::string_view();
}

std::string_view name_of(hal::Role role) {
  switch (role) {
    case hal::Role::kInit:
      return "init";
    case hal::Role::kInitAll:
      return "init all";
    case hal::Role::kSplit:
      return "split";
    case hal::Role::kShrink:
      return "shrink";
    case hal::Role::kGrow:
      return "grow";
    default:
      return {};
  }
}

// "0,1,5"; a rank that is not known is "pid 1234".
std::string list_of(const std::vector<hal::CollectiveHang::Rank>& ranks) {
  std::string list;
  for (const auto& rank : ranks) {
    if (!list.empty()) list += ',';
    list += rank.rank ? fmt::format("{}", *rank.rank) : fmt::format("pid {}", rank.pid);
  }
  return list;
}

}  // namespace

Status Collectives::load(Database& database, int64_t session) {
  session_ = session;
  INGERO_TRY(database.integer_into("SELECT max(id) FROM communicators", communicators_before_));
  return database.integer_into("SELECT max(exchange) FROM exchanges", exchanges_before_);
}

Status Collectives::write(Database& database) {
  INGERO_TRY(write_communicators(database));
  INGERO_TRY(write_exchanges(database));
  if (!waits_.empty()) {
    Result<Statement> put = database.prepare("INSERT OR REPLACE INTO barrier_waits VALUES (?1, ?2)");
    if (!put.ok()) return put.error();
    for (const hal::BarrierWait& wait : waits_) {
      put->bind(1, exchanges_before_ + signed_of(wait.exchange_id)).bind(2, signed_of(wait.wait_ns));
      INGERO_TRY(put->run());
    }
  }
  return write_hangs(database);
}

Status Collectives::write_communicators(Database& database) {
  if (communicators_.empty()) return {};
  Result<Statement> put = database.prepare(
      "INSERT OR REPLACE INTO communicators VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  if (!put.ok()) return put.error();
  for (const auto& [reported, process] : communicators_) {
    put->bind(1, communicators_before_ + signed_of(reported.id)).bind(2, session_).bind(3, process);
    put->bind(4, signed_of(reported.handle));
    const std::string_view made_by = name_of(reported.made_by);
    put->bind_if(5, !made_by.empty(), made_by).bind_if(6, reported.made_mono_ns != 0, signed_of(reported.made_mono_ns));
    bind_known(*put, 7, reported.ended_mono_ns);
    bind_known(*put, 8, reported.comm_id_hash);
    bind_known(*put, 9, reported.rank);
    bind_known(*put, 10, reported.nranks);
    put->bind_if(11, reported.parent_id.has_value(), communicators_before_ + signed_of(reported.parent_id.value_or(0)));
    bind_known(*put, 12, reported.library_hash);
    INGERO_TRY(put->run());
  }
  return {};
}

Status Collectives::write_exchanges(Database& database) {
  if (exchanges_.empty()) return {};
  Result<Statement> put = database.prepare(
      "INSERT OR REPLACE INTO exchanges VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)");
  if (!put.ok()) return put.error();
  for (const Made& made : exchanges_) {
    const hal::Exchange& x = made.exchange;
    const hal::Backend* owner = made.call < calls_.size() ? calls_[made.call].owner : nullptr;
    put->bind(1, made.seq).bind(2, exchanges_before_ + signed_of(x.exchange_id));
    put->bind_if(3, x.communicator_id.has_value(), communicators_before_ + signed_of(x.communicator_id.value_or(0)));
    bind_known(*put, 4, x.communicator);
    bind_known(*put, 5, x.new_communicator);
    bind_known(*put, 6, x.number);
    bind_known(*put, 7, x.group);
    put->bind(8, int64_t{x.is_part});
    bind_known(*put, 9, x.count);
    bind_name(*put, 10, x.datatype, datatype_name(owner, x.datatype));
    bind_name(*put, 11, x.reduce_op, reduction_name(owner, x.reduce_op));
    bind_known(*put, 12, x.root);
    bind_known(*put, 13, x.peer);
    bind_known(*put, 14, x.color);
    bind_known(*put, 15, x.key);
    INGERO_TRY(put->run());
  }
  return {};
}

Status Collectives::write_hangs(Database& database) {
  if (hangs_.empty()) return {};
  Result<Statement> put =
      database.prepare("INSERT OR REPLACE INTO collective_hangs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
  if (!put.ok()) return put.error();
  for (const hal::CollectiveHang& hang : hangs_) {
    put->bind(1, session_).bind(2, signed_of(hang.comm_id_hash)).bind(3, signed_of(hang.number));
    put->bind_if(4, hang.call < calls_.size(), hang.call < calls_.size() ? calls_[hang.call].name : std::string_view());
    put->bind(5, signed_of(hang.entered_mono_ns)).bind(6, signed_of(hang.waited_ns)).bind(7, int64_t{hang.is_over});
    put->bind(8, std::string_view(list_of(hang.present))).bind(9, std::string_view(list_of(hang.missing)));
    bind_known(*put, 10, hang.nranks);
    INGERO_TRY(put->run());
  }
  return {};
}

void Collectives::committed() {
  exchanges_.clear();
  communicators_.clear();
  waits_.clear();
  hangs_.clear();
}

}  // namespace ingero::store
