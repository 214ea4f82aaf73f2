// Reads a session's samples in order of time: snapshots, CPU limits and affinities, devices, fabric adapters.
#include "store/read/replay_sides.h"

#include <cstring>

#include "base/wrapping.h"
#include "store/read/device_rows.h"

namespace ingero::store {
namespace {

double real_or(const Statement& row, int column) { return row.is_null(column) ? -1 : row.real(column); }
int64_t integer_or(const Statement& row, int column) { return row.is_null(column) ? -1 : row.integer(column); }

}  // namespace

uint64_t Offsets::mono_of(int64_t wall_ns) const {
  if (by_wall_.empty()) return static_cast<uint64_t>(wall_ns);
  auto at = by_wall_.upper_bound(wall_ns);
  if (at != by_wall_.begin()) --at;
  return static_cast<uint64_t>(std::max<int64_t>(0, wrapping_difference(wall_ns, at->second)));
}

Status ReplaySides::load_snapshots(Database& database, const std::string& from, const Offsets& offsets) {
  items_.clear();
  INGERO_TRY(
      database.each_row("SELECT timestamp, cpu_pct, mem_pct, mem_avail, swap_mb, load_avg, psi_cpu_some, psi_io_some, "
                        "psi_io_full, psi_mem_some, psi_mem_full, major_faults, steal_pct, interrupt_pct FROM " +
                            from + " ORDER BY timestamp",
                        [&](const Statement& row) {
                          hal::SystemSnapshot snapshot;
                          snapshot.wall_ns = row.uint64(0);
                          snapshot.cpu_percent = real_or(row, 1);
                          snapshot.mem_percent = real_or(row, 2);
                          snapshot.mem_available_mb = integer_or(row, 3);
                          snapshot.swap_used_mb = integer_or(row, 4);
                          snapshot.load1 = real_or(row, 5);
                          snapshot.psi_cpu_some = real_or(row, 6);
                          snapshot.psi_io_some = real_or(row, 7);
                          snapshot.psi_io_full = real_or(row, 8);
                          snapshot.psi_mem_some = real_or(row, 9);
                          snapshot.psi_mem_full = real_or(row, 10);
                          snapshot.major_faults = integer_or(row, 11);
                          snapshot.steal_percent = real_or(row, 12);
                          snapshot.interrupt_percent = real_or(row, 13);
                          items_.emplace(offsets.mono_of(row.integer(0)), snapshot);
                        }));
  at_ = items_.begin();
  return {};
}

Status ReplaySides::load_samples(Database& database, int64_t session, const Offsets& offsets) {
  const std::string of_session = fmt::format(" WHERE session = {}", session);
  INGERO_TRY(database.each_row(
      "SELECT mono_ns, cgroup_id, pid, path, periods, throttled_ns FROM cgroup_throttling" + of_session,
      [&](const Statement& row) {
        hal::Throttling one;
        one.mono_ns = row.uint64(0);
        one.cgroup_id = row.uint64(1);
        one.pid = static_cast<uint32_t>(row.integer(2));
        one.path = row.text(3);
        one.periods = row.uint64(4);
        one.throttled_ns = row.uint64(5);
        items_.emplace(one.mono_ns, std::move(one));
      }));
  INGERO_TRY(load_affinities(database, of_session));
  INGERO_TRY(database.each_row(
      "SELECT timestamp, vendor, pci_address, kind, code, meaning, pid, process, message FROM device_errors" +
          of_session,
      [&](const Statement& row) {
        hal::DeviceError error;
        error.wall_ns = row.uint64(0);
        error.mono_ns = offsets.mono_of(row.integer(0));
        error.vendor = texts_.emplace_back(row.text(1));
        error.pci_address = row.text(2);
        error.kind = texts_.emplace_back(row.text(3));
        if (!row.is_null(4)) error.code = row.integer(4);
        error.meaning = texts_.emplace_back(row.text(5));
        if (!row.is_null(6)) error.pid = static_cast<uint32_t>(row.integer(6));
        error.process = row.text(7);
        error.message = row.text(8);
        items_.emplace(error.mono_ns, std::move(error));
      }));
  // Only those readings that a rule or a budget looks at.
  std::map<int64_t, hal::DeviceSample> samples;
  INGERO_TRY(database.each_row(
      fmt::format("SELECT {} FROM device_values v JOIN devices d ON d.id = v.device WHERE d.session = {} AND v.name IN "
                  "('memory_free_bytes', 'throttle_thermal_active', 'throttle_hw_active', 'pcie_link_generation', "
                  "'pcie_link_width', 'busy_ratio') ORDER BY v.timestamp, v.device",
                  kReadingColumns, session),
      [&](const Statement& row) { add_reading(row, samples[row.integer(0)]); }));
  for (auto& [wall_ns, sample] : samples) items_.emplace(offsets.mono_of(wall_ns), std::move(sample));
  return load_fabric(database, session, offsets);
}

Status ReplaySides::load_affinities(Database& database, const std::string& of_session) {
  return database.each_row("SELECT mono_ns, pid, cpus, threads, online FROM cpu_affinity" + of_session,
                           [&](const Statement& row) {
                             const auto cpus = hal::CpuList::parse(row.text(2));
                             if (!cpus) return;
                             hal::Affinity one;
                             one.mono_ns = row.uint64(0);
                             one.pid = static_cast<uint32_t>(row.integer(1));
                             one.cpus = *cpus;
                             one.threads = static_cast<uint32_t>(row.integer(3));
                             one.online = hal::CpuList::parse(row.text(4)).value_or(hal::CpuList());
                             items_.emplace(one.mono_ns, std::move(one));
                           });
}

// One sample for each counter that grew and each state of a port: what an adapter's driver calls them, its backend
// says.
Status ReplaySides::load_fabric(Database& database, int64_t session, const Offsets& offsets) {
  std::map<std::string, std::string> drivers;
  INGERO_TRY(database.each_row(
      fmt::format("SELECT device, max(driver) FROM fabric_links WHERE session = {} GROUP BY device", session),
      [&](const Statement& row) { drivers[row.text(0)] = row.is_null(1) ? std::string() : row.text(1); }));
  const auto sample_of = [&](const Statement& row) {
    hal::FabricSample sample;
    sample.wall_ns = row.uint64(0);
    hal::FabricDevice& device = sample.devices.emplace_back();
    device.name = row.text(1);
    device.driver = drivers[device.name];
    if (!row.is_null(2)) device.ports.emplace_back().number = static_cast<uint32_t>(row.integer(2));
    return sample;
  };
  INGERO_TRY(database.each_row(
      fmt::format("SELECT timestamp, device, port, state FROM fabric_links WHERE session = {} AND port IS NOT NULL AND "
                  "state IS NOT NULL ORDER BY id",
                  session),
      [&](const Statement& row) {
        hal::FabricSample sample = sample_of(row);
        sample.devices[0].ports[0].state = static_cast<uint32_t>(row.integer(3));
        items_.emplace(offsets.mono_of(row.integer(0)), std::move(sample));
      }));
  return database.each_row(
      fmt::format("SELECT v.timestamp, c.device, c.port, c.name, v.value, v.delta, c.origin FROM fabric_values v JOIN "
                  "fabric_counters c ON c.id = v.counter WHERE c.session = {} AND v.delta > 0",
                  session),
      [&](const Statement& row) {
        hal::FabricSample sample = sample_of(row);
        hal::FabricCounter counter;
        counter.name = row.text(3);
        counter.value = row.uint64(4);
        counter.delta = row.uint64(5);
        counter.change = hal::CounterChange::kGrew;
        const std::string origin = row.text(6);
        for (const auto one : {hal::CounterOrigin::kPortHardware, hal::CounterOrigin::kDeviceHardware}) {
          if (name_of(one) == origin) counter.origin = one;
        }
        hal::FabricDevice& device = sample.devices[0];
        (device.ports.empty() ? device.counters : device.ports[0].counters).push_back(std::move(counter));
        items_.emplace(offsets.mono_of(row.integer(0)), std::move(sample));
      });
}

Status ReplaySides::load(Database& database, int64_t session, const Offsets& offsets, uint64_t from_mono_ns,
                         uint64_t to_mono_ns) {
  // Samples of another session are not evidence here.
  INGERO_TRY(load_snapshots(database, fmt::format("system_snapshots WHERE session = {}", session), offsets));
  INGERO_TRY(load_samples(database, session, offsets));
  // The state that a port had, and where a process could run, when the time range begins.
  std::map<std::pair<std::string, uint32_t>, Item> states;
  std::map<uint32_t, Item> affinities;
  for (auto at = items_.begin(); at != items_.lower_bound(from_mono_ns); ++at) {
    if (const auto* affinity = std::get_if<hal::Affinity>(&at->second)) {
      affinities.insert_or_assign(affinity->pid, at->second);
      continue;
    }
    const auto* sample = std::get_if<hal::FabricSample>(&at->second);
    if (sample == nullptr || sample->devices[0].ports.empty() || !sample->devices[0].ports[0].state) continue;
    states.insert_or_assign({sample->devices[0].name, sample->devices[0].ports[0].number}, at->second);
  }
  items_.erase(items_.begin(), items_.lower_bound(from_mono_ns));
  for (auto& [port, state] : states) items_.emplace(from_mono_ns, std::move(state));
  for (auto& [pid, affinity] : affinities) items_.emplace(from_mono_ns, std::move(affinity));
  items_.erase(items_.upper_bound(to_mono_ns), items_.end());
  at_ = items_.begin();
  return {};
}

void ReplaySides::feed(uint64_t mono_ns, ReplaySink& sink) {
  for (; at_ != items_.end() && at_->first <= mono_ns; ++at_) {
    const uint64_t at = at_->first;
    std::visit(
        [&](const auto& item) {
          using T = std::decay_t<decltype(item)>;
          if constexpr (std::is_same_v<T, hal::SystemSnapshot>) {
            sink.snapshot(item, at);
          } else if constexpr (std::is_same_v<T, hal::Throttling>) {
            sink.throttling(item);
          } else if constexpr (std::is_same_v<T, hal::Affinity>) {
            sink.affinity(item);
          } else if constexpr (std::is_same_v<T, hal::DeviceError>) {
            sink.device_error(item);
          } else if constexpr (std::is_same_v<T, hal::DeviceSample>) {
            sink.device_sample(item, at);
          } else {
            sink.fabric_sample(item, at);
          }
        },
        at_->second);
  }
}

}  // namespace ingero::store
