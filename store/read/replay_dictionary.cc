// Loads the dictionaries, and reports the calls and processes in them.
#include "store/read/replay_dictionary.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace ingero::store {
namespace {

constexpr int64_t kMaxIds = int64_t{1} << 24;

bool valid(int64_t id) { return id >= 0 && id < kMaxIds; }

template <typename T>
T& at_id(std::vector<T>& values, int64_t id) {
  if (static_cast<size_t>(id) >= values.size()) values.resize(static_cast<size_t>(id) + 1);
  return values[static_cast<size_t>(id)];
}

void copy_name(std::array<char, 16>& name, std::string_view text) {
  std::copy_n(text.begin(), std::min(text.size(), name.size() - 1), name.begin());
}

}  // namespace

Status ReplayDictionary::load(Database& database) {
  // Ids are never reused, and what has one stays what it is.
  const auto rest_of = [](const char* columns, const char* table, size_t known) {
    return fmt::format("SELECT {} FROM {} WHERE id >= {}", columns, table, known);
  };
  INGERO_TRY(
      database.each_row(rest_of("id, session, mono_ns, wall_ns", "clocks", clocks.size()), [&](const Statement& row) {
        if (valid(row.integer(0))) at_id(clocks, row.integer(0)) = {row.integer(1), row.integer(2), row.integer(3)};
      }));
  INGERO_TRY(database.each_row(
      rest_of("id, pid, tid, process, coalesce(cgroup_id, 0), coalesce(comm, '')", "threads", threads.size()),
      [&](const Statement& row) {
        if (!valid(row.integer(0))) return;
        ReplayedThread& thread = at_id(threads, row.integer(0));
        thread.pid = static_cast<uint32_t>(row.integer(1));
        thread.tid = static_cast<uint32_t>(row.integer(2));
        thread.process = valid(row.integer(3)) ? row.integer(3) : -1;
        thread.cgroup_id = row.uint64(4);
        copy_name(thread.comm, row.text(5));
      }));
  INGERO_TRY(database.each_row(rest_of("id, pid, comm", "culprits", preemptors.size()), [&](const Statement& row) {
    if (!valid(row.integer(0))) return;
    ReplayedOther& preempted_by = at_id(preemptors, row.integer(0));
    preempted_by.pid = static_cast<uint32_t>(row.integer(1));
    copy_name(preempted_by.comm, row.text(2));
  }));
  INGERO_TRY(database.each_row(rest_of("id, hash", "stacks", stacks.size()), [&](const Statement& row) {
    if (valid(row.integer(0))) at_id(stacks, row.integer(0)) = row.uint64(1);
  }));
  INGERO_TRY(
      database.each_row(rest_of("id, name, op_name, layer, vendor, kind, synchronising, coalesce(asynchronous, 0), "
                                "below_runtime, coalesce(memory, '')",
                                "calls", kinds.size()),
                        [&](const Statement& row) {
                          if (row.integer(0) < 0 || row.integer(0) >= hal::kNoCall) return;
                          const auto kind = hal::kind_of(row.text(5));
                          if (!kind) return;
                          const auto id = static_cast<hal::CallId>(row.integer(0));
                          calls_[id] = {row.text(1),
                                        row.text(2),
                                        row.text(3),
                                        row.text(4),
                                        *kind,
                                        row.integer(6) != 0,
                                        row.integer(7) != 0,
                                        row.integer(8) != 0,
                                        hal::memory_named(row.text(9)).value_or(hal::Memory::kDevice)};
                          at_id(kinds, id) = *kind;
                        }));
  INGERO_TRY(database.each_row(rest_of("id, handle", "functions", functions.size()), [&](const Statement& row) {
    if (valid(row.integer(0))) at_id(functions, row.integer(0)) = row.uint64(1);
  }));
  INGERO_TRY(database.each_row(
      rest_of("id, call, coalesce(symbol, '')", "sites", call_of_probe.size()), [&](const Statement& row) {
        if (!valid(row.integer(0))) return;
        const auto call = static_cast<hal::CallId>(row.integer(1));
        const auto before = call_of_probe.size();
        at_id(call_of_probe, row.integer(0));
        std::fill(call_of_probe.begin() + static_cast<std::ptrdiff_t>(before), call_of_probe.end(), hal::kNoCall);
        call_of_probe[static_cast<size_t>(row.integer(0))] = calls_.contains(call) ? call : hal::kNoCall;
        at_id(symbol_of_probe, row.integer(0)) = row.text(2);
      }));
  INGERO_TRY(
      database.each_row("SELECT id, node, coalesce(cpu_cores, 0), stopped_at, started_at, coalesce(probe_ns, 0), "
                        "policy = 'selective' FROM "
                        "sessions",
                        [&](const Statement& row) {
                          sessions[row.integer(0)] = {row.text(1),    row.uint64(2), row.integer(4),
                                                      row.integer(3), row.uint64(5), row.integer(6) != 0};
                        }));
  INGERO_TRY(load_devices(database));
  return load_processes(database);
}

Status ReplayDictionary::load_devices(Database& database) {
  return database.each_row(
      fmt::format("SELECT id, ordinal, vendor, gpu_id, uuid, pci_address FROM event_devices WHERE id >= {}",
                  devices.size()),
      [&](const Statement& row) {
        if (!valid(row.integer(0))) return;
        ReplayedDevice& device = at_id(devices, row.integer(0));
        if (!row.is_null(1)) device.ordinal = static_cast<int32_t>(row.integer(1));
        hal::EventDevice its{.vendor = row.text(2), .gpu_id = {}, .uuid = row.text(4), .pci_address = row.text(5)};
        if (!row.is_null(3)) its.gpu_id = static_cast<uint32_t>(row.integer(3));
        device.ref = ref_of(std::move(its));
      });
}

uint32_t ReplayDictionary::ref_of(hal::EventDevice device) {
  if (!device.is_known()) return 0;
  const int64_t gpu_id = device.gpu_id ? int64_t{*device.gpu_id} : -1;
  const auto [known, is_new] = ref_of_device_.try_emplace({device.vendor, gpu_id, device.uuid, device.pci_address},
                                                          static_cast<uint32_t>(device_refs.size() + 1));
  if (is_new) device_refs.push_back(std::move(device));
  return known->second;
}

// All of them each time: what is known of one grows.
Status ReplayDictionary::load_processes(Database& database) {
  return database.each_row(
      "SELECT id, session, pid, coalesce(parent_pid, 0), coalesce(start_mono_ns, 0), coalesce(comm, ''), "
      "coalesce(cgroup_id, 0), coalesce(cgroup_path, ''), coalesce(container_id, ''), coalesce(pod_uid, ''), "
      "coalesce(rank, -1), coalesce(settings, ''), coalesce(slurm_job, ''), coalesce(command_line, '') FROM processes "
      "ORDER BY id",
      [&](const Statement& row) {
        if (!valid(row.integer(0))) return;
        hal::Process process;
        process.pid = static_cast<uint32_t>(row.integer(2));
        process.parent_pid = static_cast<uint32_t>(row.integer(3));
        process.start_mono_ns = row.uint64(4);
        process.comm = row.text(5);
        process.cgroup_id = row.uint64(6);
        process.cgroup_path = row.text(7);
        process.container_id = row.text(8);
        process.pod_uid = row.text(9);
        process.rank = static_cast<int32_t>(row.integer(10));
        process.settings = row.text(11);
        process.slurm_job = row.text(12);
        process.command_line = row.text(13);
        auto& known = at_id(processes_, row.integer(0));
        const auto facts = [](const hal::Process& one) {
          return std::tie(one.pid, one.start_mono_ns, one.rank, one.slurm_job);
        };
        if (known.second.pid != 0 && facts(known.second) != facts(process)) changed_.push_back(row.integer(0));
        known = {row.integer(1), std::move(process)};
      });
}

void ReplayDictionary::emit_calls(ReplaySink& sink) const {
  for (const auto& [id, call] : calls_) {
    sink.call(id, {call.name, call.op, call.layer, call.vendor, call.kind, call.synchronising, call.asynchronous,
                   call.below_runtime, call.memory});
  }
}

void ReplayDictionary::emit_processes(int64_t session, ReplaySink& sink) {
  reported_.clear();
  reported_last_ = -1;
  // The others come with their first event, as when they were recorded.
  std::vector<bool> has_events(processes_.size());
  for (const ReplayedThread& thread : threads) {
    if (static_cast<size_t>(thread.process) < has_events.size()) has_events[static_cast<size_t>(thread.process)] = true;
  }
  for (size_t id = 0; id < processes_.size(); ++id) {
    if (processes_[id].first != session || processes_[id].second.pid == 0 || has_events[id]) continue;
    sink.process(processes_[id].second);
  }
}

void ReplayDictionary::emit_changed(ReplaySink& sink) {
  for (const int64_t id : std::exchange(changed_, {})) {
    const hal::Process& process = processes_[static_cast<size_t>(id)].second;
    const auto reported = reported_.find(process.pid);
    if (reported != reported_.end() && reported->second == id + 1) sink.process(process);
  }
}

}  // namespace ingero::store
