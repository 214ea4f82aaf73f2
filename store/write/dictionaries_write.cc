// Writes new entries of the dictionaries in each transaction: a part of class Dictionaries.
#include "base/text.h"
#include "store/db/bind.h"
#include "store/write/dictionaries.h"

namespace ingero::store {
namespace {

template <typename Entries, typename Bind>
Status insert_each(Database& database, const char* sql, const Entries& entries, const Bind& bind) {
  if (entries.empty()) return {};
  Result<Statement> statement = database.prepare(sql);
  if (!statement.ok()) return statement.error();
  for (const auto& entry : entries) {
    bind(*statement, entry);
    INGERO_TRY(statement->run());
  }
  return {};
}

std::string comm_of(uint64_t first, uint64_t second) {
  char bytes[17] = {};
  std::memcpy(bytes, &first, 8);
  std::memcpy(bytes + 8, &second, 8);
  return printable(bytes, 16);
}

}  // namespace

Status Dictionaries::write_calls(Database& database) {
  INGERO_TRY(insert_each(
      database, "INSERT OR IGNORE INTO sources VALUES (?1, ?2, ?2)", pending_sources_,
      [](Statement& s, const PendingSource& source) { s.bind(1, source.id).bind(2, std::string_view(source.name)); }));
  INGERO_TRY(insert_each(database, "INSERT INTO calls VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)",
                         pending_calls_, [&](Statement& s, hal::CallId id) {
                           const hal::Call& call = calls_[id];
                           const CallEntry& entry = call_entries_[id];
                           s.bind(1, entry.id).bind(2, call.name).bind(3, call.op_name).bind(4, call.vendor);
                           s.bind(5, call.backend).bind(6, call.layer).bind(7, hal::name_of(call.kind));
                           s.bind(8, int64_t{static_cast<uint8_t>(call.kind)}).bind(9, entry.source);
                           s.bind(10, entry.op).bind(11, int64_t{(call.flags & hal::kSynchronising) != 0});
                           s.bind(12, int64_t{(call.flags & hal::kAsync) != 0});
                           s.bind(13, int64_t{call.library != nullptr && call.library->below_runtime});
                           s.bind_if(14, call.kind == hal::Kind::kAlloc || call.kind == hal::Kind::kFree,
                                     hal::name_of(hal::memory_of(call)));
                         }));
  INGERO_TRY(insert_each(database, "INSERT OR IGNORE INTO ops VALUES (?1, ?2, ?3, ?4)", pending_calls_,
                         [&](Statement& s, hal::CallId id) {
                           const hal::Call& call = calls_[id];
                           s.bind(1, call_entries_[id].source).bind(2, call_entries_[id].op).bind(3, call.op_name);
                           s.bind(4, std::string_view(fmt::format("{} {}", call.layer, hal::name_of(call.kind))));
                         }));
  return insert_each(database,
                     "INSERT INTO sites SELECT ?1, id, ?3, ?4, ?5, name, op_name, vendor, backend, layer, kind, rule, "
                     "source, op, synchronising, ?6 FROM calls WHERE id = ?2",
                     pending_probes_, [&](Statement& s, const PendingProbe& probe) {
                       s.bind(1, probe.id).bind(2, call_entries_[probe.call].id);
                       bind_text(s, 3, probe.symbol);
                       bind_text(s, 4, probe.library);
                       bind_text(s, 5, probe.version);
                       s.bind_if(6, !probe.symbol.empty(), int64_t{probe.single_stepped});
                     });
}

Status Dictionaries::write_processes(Database& database, uint64_t now_wall_ns) {
  // A later report adds to an earlier one or replaces it; columns that it leaves out stay.
  INGERO_TRY(insert_each(
      database,
      "INSERT INTO processes VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14,?15,?16,?17) ON CONFLICT (id) DO "
      "UPDATE "
      "SET parent_pid = coalesce(excluded.parent_pid, parent_pid), "
      "start_mono_ns = coalesce(excluded.start_mono_ns, start_mono_ns), uid = coalesce(excluded.uid, uid), "
      "comm = coalesce(excluded.comm, comm), command_line = coalesce(excluded.command_line, command_line), "
      "cgroup_id = coalesce(excluded.cgroup_id, cgroup_id), cgroup_path = coalesce(excluded.cgroup_path, cgroup_path), "
      "container_id = coalesce(excluded.container_id, container_id), pod_uid = coalesce(excluded.pod_uid, pod_uid), "
      "slurm_job = coalesce(excluded.slurm_job, slurm_job), "
      // One launcher's word: never two of them mixed.
      "rank = coalesce(excluded.rank, rank), "
      "local_rank = iif(excluded.rank IS NULL, local_rank, excluded.local_rank), "
      "world_size = iif(excluded.rank IS NULL, world_size, excluded.world_size), "
      "settings = coalesce(excluded.settings, settings)",
      pending_processes_, [&](Statement& s, const std::pair<int64_t, hal::Process>& pending) {
        const hal::Process& p = pending.second;
        const bool reported = p.start_mono_ns != 0 || !p.comm.empty();
        s.bind(1, pending.first).bind(2, session_).bind(3, int64_t{p.pid});
        s.bind_if(4, p.parent_pid != 0, int64_t{p.parent_pid});
        s.bind_if(5, p.start_mono_ns != 0, signed_of(p.start_mono_ns)).bind_if(6, reported, int64_t{p.uid});
        bind_text(s, 7, printable(p.comm, 64));
        bind_text(s, 8, printable(p.command_line, 4096));
        s.bind_if(9, p.cgroup_id != 0, signed_of(p.cgroup_id));
        bind_text(s, 10, printable(p.cgroup_path, 4096));
        bind_text(s, 11, printable(p.container_id, 128));
        bind_text(s, 12, printable(p.pod_uid, 128));
        bind_text(s, 13, printable(p.slurm_job, 128));
        s.bind_if(14, p.rank >= 0, int64_t{p.rank}).bind_if(15, p.local_rank >= 0, int64_t{p.local_rank});
        s.bind_if(16, p.world_size >= 0, int64_t{p.world_size});
        bind_text(s, 17, printable(p.settings, 512));
      }));
  std::vector<std::pair<uint32_t, std::string>> named;
  std::vector<const hal::Process*> grouped;
  for (const auto& [id, process] : pending_processes_) {
    if (!process.comm.empty()) named.emplace_back(process.pid, printable(process.comm, 64));
    if (process.cgroup_id != 0) grouped.push_back(&process);
  }
  INGERO_TRY(insert_each(database, "UPDATE processes SET comm = ?2 WHERE id = ?1", pending_comms_,
                         [&](Statement& s, const auto& entry) {
                           const auto& [pid, comm] = entry.second;
                           named.emplace_back(pid, comm_of(comm[0], comm[1]));
                           s.bind(1, entry.first).bind(2, std::string_view(named.back().second));
                         }));
  INGERO_TRY(insert_each(database, "INSERT OR REPLACE INTO process_names VALUES (?1, ?2, ?3)", named,
                         [&](Statement& s, const std::pair<uint32_t, std::string>& name) {
                           s.bind(1, int64_t{name.first}).bind(2, std::string_view(name.second));
                           s.bind(3, signed_of(now_wall_ns));
                         }));
  return insert_each(
      database,
      "INSERT OR REPLACE INTO cgroup_metadata (cgroup_id, container_id, cgroup_path, pod_uid, slurm_job) "
      "VALUES (?1, ?2, ?3, ?4, ?5)",
      grouped, [](Statement& s, const hal::Process* p) {
        s.bind(1, signed_of(p->cgroup_id)).bind(2, std::string_view(printable(p->container_id, 128)));
        s.bind(3, std::string_view(printable(p->cgroup_path, 4096)));
        s.bind(4, std::string_view(printable(p->pod_uid, 128)));
        s.bind(5, std::string_view(printable(p->slurm_job, 128)));
      });
}

Status Dictionaries::write_small(Database& database) {
  INGERO_TRY(insert_each(
      database,
      "INSERT INTO clocks (id, session, mono_ns, wall_ns, node, sample_every) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
      pending_clocks_, [&](Statement& s, const ClockEntry& clock) {
        s.bind(1, clock.id).bind(2, session_).bind(3, signed_of(clock.mono_ns));
        s.bind(4, signed_of(clock.mono_ns) + clock.offset_ns).bind(5, std::string_view(node_));
        s.bind(6, int64_t{sample_every_});
      }));
  INGERO_TRY(insert_each(database, "INSERT INTO threads VALUES (?1, ?2, ?3, ?4, ?5, ?6)", threads_.pending(),
                         [](Statement& s, const auto& entry) {
                           const auto& w = entry.first.words;
                           s.bind(1, entry.second).bind(2, signed_of(w[0])).bind(3, signed_of(w[1]));
                           s.bind(4, signed_of(w[2])).bind_if(5, w[3] != 0, signed_of(w[3]));
                           bind_text(s, 6, comm_of(w[4], w[5]));
                         }));
  INGERO_TRY(insert_each(database, "INSERT INTO functions VALUES (?1, ?2, ?3, ?4)", functions_.pending(),
                         [&](Statement& s, const auto& entry) {
                           const auto& w = entry.first.words;
                           s.bind(1, entry.second).bind(2, signed_of(w[0])).bind(3, signed_of(w[1]));
                           const std::string* name = names_.find(signed_of(w[0]), w[1]);
                           s.bind_if<std::string_view>(4, name != nullptr,
                                                       name != nullptr ? *name : std::string_view());
                         }));
  INGERO_TRY(insert_each(
      database, "UPDATE functions SET name = ?2 WHERE id = ?1", pending_names_,
      [](Statement& s, const auto& entry) { s.bind(1, entry.first).bind(2, std::string_view(entry.second)); }));
  INGERO_TRY(insert_each(database, "INSERT INTO geometries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                         geometries_.pending(), [](Statement& s, const auto& entry) {
                           const auto& w = entry.first.words;
                           const bool grid = (w[4] & 1) != 0, block = (w[4] & 2) != 0, shared = (w[4] & 4) != 0;
                           const auto low = [](uint64_t word) { return int64_t{static_cast<uint32_t>(word)}; };
                           const auto high = [](uint64_t word) { return static_cast<int64_t>(word >> 32); };
                           s.bind(1, entry.second).bind_if(2, grid, low(w[0])).bind_if(3, grid, high(w[0]));
                           s.bind_if(4, grid, low(w[1])).bind_if(5, block, high(w[1])).bind_if(6, block, low(w[2]));
                           s.bind_if(7, block, high(w[2])).bind_if(8, shared, signed_of(w[3]));
                         }));
  INGERO_TRY(insert_each(database, "INSERT INTO details VALUES (?1, ?2, ?3, ?4)", details_.pending(),
                         [](Statement& s, const auto& entry) {
                           const auto& w = entry.first.words;
                           s.bind(1, entry.second).bind_if(2, (w[3] & 1) != 0, signed_of(w[0]));
                           s.bind_if(3, (w[3] & 2) != 0, signed_of(w[1])).bind_if(4, (w[3] & 4) != 0, signed_of(w[2]));
                         }));
  INGERO_TRY(insert_each(database, "INSERT INTO event_devices VALUES (?1, ?2, ?3, ?4, ?5, ?6)", devices_.pending(),
                         [this](Statement& s, const auto& entry) {
                           const auto& w = entry.first.words;
                           const auto known = device_refs_.find(static_cast<uint32_t>(w[0]));
                           const hal::EventDevice device =
                               known == device_refs_.end() ? hal::EventDevice{} : known->second;
                           s.bind(1, entry.second).bind_if(2, w[2] != 0, signed_of(w[1]));
                           s.bind_if(3, !device.vendor.empty(), std::string_view(device.vendor));
                           s.bind_if(4, device.gpu_id.has_value(), int64_t{device.gpu_id.value_or(0)});
                           s.bind_if(5, !device.uuid.empty(), std::string_view(device.uuid));
                           s.bind_if(6, !device.pci_address.empty(), std::string_view(device.pci_address));
                         }));
  INGERO_TRY(insert_each(database, "INSERT INTO culprits VALUES (?1, ?2, ?3)", preemptors_.pending(),
                         [](Statement& s, const auto& entry) {
                           const auto& w = entry.first.words;
                           s.bind(1, entry.second).bind(2, signed_of(w[0]));
                           s.bind(3, std::string_view(comm_of(w[1], w[2])));
                         }));
  return insert_each(
      database, "INSERT INTO stacks VALUES (?1, ?2)", stacks_.pending(),
      [](Statement& s, const auto& entry) { s.bind(1, entry.second).bind(2, signed_of(entry.first.words[0])); });
}

Status Dictionaries::write(Database& database, uint64_t now_wall_ns) {
  INGERO_TRY(write_calls(database));
  INGERO_TRY(write_processes(database, now_wall_ns));
  return write_small(database);
}

void Dictionaries::committed() {
  pending_sources_.clear();
  pending_calls_.clear();
  pending_probes_.clear();
  pending_clocks_.clear();
  empty(pending_processes_);
  pending_comms_.clear();
  pending_names_.clear();
  threads_.committed();
  functions_.committed();
  geometries_.committed();
  details_.committed();
  devices_.committed();
  preemptors_.committed();
  stacks_.committed();
  forget_ended();
}

}  // namespace ingero::store
