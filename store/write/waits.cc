// Writes the tables of waiting in each transaction.
#include "store/write/waits.h"

#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "base/text.h"
#include "store/db/bind.h"
#include "store/db/waits_schema.h"

namespace ingero::store {
namespace {

template <size_t Bytes>
std::array<uint64_t, 2> words_of(const std::array<uint8_t, Bytes>& bytes) {
  std::array<uint64_t, 2> words{};
  std::memcpy(words.data(), bytes.data(), sizeof(words));
  return words;
}

int64_t flags_of(const hal::Wait& wait) {
  return (wait.is_write ? kWaitWrites : 0) | (wait.is_timed_out ? kWaitTimedOut : 0) | (wait.is_lock ? kWaitLock : 0);
}

}  // namespace

Status Waits::load(Database& database, int64_t session) {
  session_ = session;
  int64_t last = 0;
  INGERO_TRY(database.integer_into("SELECT max(id) FROM wait_peers", last));
  peers_.start_at(last + 1);
  last = 0;
  INGERO_TRY(database.integer_into("SELECT max(id) FROM wakers", last));
  wakers_.start_at(last + 1);
  return {};
}

void Waits::add(int64_t seq, const hal::Wait& wait) {
  Row row{seq, -1, -1, wait};
  if (wait.peer) {
    const auto& peer = *wait.peer;
    const auto address = words_of(peer.peer);
    row.peer = peers_.id_of({{uint64_t{peer.family} | uint64_t{peer.local_port} << 16 | uint64_t{peer.peer_port} << 32 |
                                  uint64_t{peer.is_accepted} << 48,
                              address[0], address[1], peer.inode, 0}});
  }
  if (wait.waker) {
    std::array<uint64_t, 2> comm{};
    std::memcpy(comm.data(), wait.waker->comm.data(), sizeof(comm));
    row.waker = wakers_.id_of({{uint64_t{wait.waker->pid} << 32 | wait.waker->tid, comm[0], comm[1],
                                uint64_t{wait.waker->is_kernel_thread}}});
  }
  rows_.push_back(row);
}

void Waits::add(int64_t seq, int64_t thread, const hal::WaitTotals& totals) {
  for (size_t kind = 0; kind < totals.ns.size(); ++kind) {
    if (totals.ns[kind] == 0) continue;
    totals_.push_back({seq, thread, signed_of(totals.mono_ns), static_cast<int64_t>(kind), signed_of(totals.ns[kind])});
  }
  // Always, so that a thread that never waited has a row that says so.
  totals_.push_back({seq, thread, signed_of(totals.mono_ns), kWaitQueued, signed_of(totals.queued_ns)});
}

Status Waits::write_dictionaries(Database& database) {
  INGERO_TRY(database.run_each("INSERT INTO wait_peers VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", peers_.pending(),
                               [](Statement& s, const auto& entry) {
                                 const auto& w = entry.first.words;
                                 const auto family = static_cast<uint16_t>(w[0]);
                                 const auto local = static_cast<uint16_t>(w[0] >> 16),
                                            port = static_cast<uint16_t>(w[0] >> 32);
                                 std::array<char, 16> address;
                                 std::memcpy(address.data(), &w[1], 8);
                                 std::memcpy(address.data() + 8, &w[2], 8);
                                 s.bind(1, entry.second).bind(2, int64_t{family});
                                 s.bind_if(3, local != 0, int64_t{local}).bind_if(4, port != 0, int64_t{port});
                                 if ((w[1] | w[2]) != 0) {
                                   s.bind_blob(5, std::string_view(address.data(), address.size()));
                                 } else {
                                   s.bind_null(5);
                                 }
                                 s.bind(6, int64_t{(w[0] >> 48 & 1) != 0}).bind_if(7, w[3] != 0, signed_of(w[3]));
                               }));
  return database.run_each("INSERT INTO wakers VALUES (?1, ?2, ?3, ?4, ?5)", wakers_.pending(),
                           [](Statement& s, const auto& entry) {
                             const auto& w = entry.first.words;
                             std::array<char, 17> comm{};
                             std::memcpy(comm.data(), &w[1], 16);
                             s.bind(1, entry.second).bind(2, signed_of(w[0] >> 32));
                             s.bind(3, int64_t{static_cast<uint32_t>(w[0])});
                             s.bind(4, std::string_view(printable(comm.data(), 16))).bind(5, signed_of(w[3]));
                           });
}

Status Waits::write_waits(Database& database) {
  return database.run_each("INSERT OR REPLACE INTO waits VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)", rows_,
                           [](Statement& s, const Row& row) {
                             const hal::Wait& wait = row.wait;
                             s.bind(1, row.seq).bind(2, int64_t{static_cast<uint8_t>(wait.kind)});
                             s.bind(3, flags_of(wait));
                             bind_known(s, 4, wait.syscall);
                             bind_known(s, 5, wait.object);
                             bind_known(s, 6, wait.descriptor);
                             s.bind_if(7, row.peer >= 0, row.peer).bind_if(8, row.waker >= 0, row.waker);
                             bind_known(s, 9, wait.waker ? wait.waker->syscall : std::nullopt);
                             bind_known(s, 10, wait.minor_faults);
                             bind_known(s, 11, wait.file_system);
                           });
}

Status Waits::write(Database& database) {
  INGERO_TRY(write_dictionaries(database));
  INGERO_TRY(write_waits(database));
  INGERO_TRY(database.run_each("INSERT OR REPLACE INTO wait_totals VALUES (?1, ?2, ?3, ?4, ?5)", totals_,
                               [](Statement& s, const Total& one) {
                                 s.bind(1, one.seq).bind(2, one.thread).bind(3, one.mono_ns);
                                 s.bind(4, one.kind).bind(5, one.ns);
                               }));
  INGERO_TRY(database.run_each("INSERT OR REPLACE INTO cpu_samples VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", samples_,
                               [](Statement& s, const Sample& one) {
                                 s.bind(1, one.seq).bind(2, one.thread).bind(3, one.clock).bind(4, one.start);
                                 s.bind(5, one.weight_ns).bind_if(6, one.stack >= 0, one.stack);
                                 s.bind(7, int64_t{one.is_system});
                               }));
  return database.run_each("INSERT OR REPLACE INTO wait_objects VALUES (?1, ?2, ?3, ?4, ?5)", objects_,
                           [this](Statement& s, const hal::WaitObject& one) {
                             s.bind(1, session_).bind(2, int64_t{static_cast<uint8_t>(one.kind)});
                             s.bind(3, signed_of(one.object)).bind(4, std::string_view(one.name));
                             bind_known(s, 5, one.file_system);
                           });
}

void Waits::committed() {
  peers_.committed();
  wakers_.committed();
  empty(rows_);
  empty(totals_);
  empty(samples_);
  empty(objects_);
}

}  // namespace ingero::store
