// What changed since the last sample, and how it is inserted.
#include "store/write/samples.h"

#include <fmt/format.h>

#include "store/db/bind.h"

namespace ingero::store {
namespace {

std::string facts_of(const hal::FabricDevice& device, const hal::FabricPort& port) {
  std::string facts =
      fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", port.link_layer, port.state ? int64_t{*port.state} : -1,
                  port.physical_state ? int64_t{*port.physical_state} : -1, port.rate_bits_per_second.value_or(0),
                  port.netdev, device.driver, device.firmware, device.board, device.node_guid, device.pci_address,
                  device.numa_node.value_or(-1));
  for (const auto& gid : port.gids) facts += fmt::format("|{}={} {} {}", gid.position, gid.gid, gid.type, gid.netdev);
  return facts;
}

}  // namespace

Status Samples::load(Database& database, int64_t session) {
  session_ = session;
  const auto next = [&](const char* table, int64_t& out) -> Status {
    const auto last = database.integer(fmt::format("SELECT max(id) FROM {}", table));
    if (!last.ok()) return last.error();
    out = last->value_or(0) + 1;
    return {};
  };
  INGERO_TRY(next("fabric_counters", next_counter_));
  return next("devices", next_device_);
}

size_t Samples::rows() const {
  return new_links_.size() + new_counters_.size() + values_.size() + new_devices_.size() + readings_.size() +
         processes_.size() + errors_.size();
}

bool Samples::has_room(hal::LossLedger& losses) const {
  if (rows() < kMaxRows) return true;
  losses.add(hal::Loss::store_failed);
  return false;
}

void Samples::add_counter(const std::string& device, int64_t port, const hal::FabricCounter& counter, int64_t wall_ns) {
  const auto [at, is_new] = counter_ids_.try_emplace({device, port, counter.origin, counter.name}, next_counter_);
  if (is_new) {
    new_counters_.push_back({next_counter_, device, port, counter.name, counter.origin, counter.unit});
    ++next_counter_;
  } else if (counter.change == hal::CounterChange::kSame) {
    return;
  }
  values_.push_back({at->second, wall_ns, counter.value, counter.delta, counter.change});
}

void Samples::add(const hal::FabricSample& sample, hal::LossLedger& losses) {
  if (!has_room(losses)) return;
  const auto wall_ns = static_cast<int64_t>(sample.wall_ns);
  for (const auto& device : sample.devices) {
    for (const auto& counter : device.counters) add_counter(device.name, -1, counter, wall_ns);
    for (const auto& port : device.ports) {
      std::string facts = facts_of(device, port);
      std::string& known = links_[{device.name, port.number}];
      if (known != facts) {
        known = std::move(facts);
        Link link{wall_ns, device.name, port.number, port, device};
        link.facts.counters.clear();
        link.owner.ports.clear();
        link.owner.counters.clear();
        new_links_.push_back(std::move(link));
      }
      for (const auto& counter : port.counters) add_counter(device.name, port.number, counter, wall_ns);
    }
  }
}

void Samples::add(const hal::DeviceSample& sample, hal::LossLedger& losses) {
  if (!has_room(losses)) return;
  const auto wall_ns = static_cast<int64_t>(sample.wall_ns);
  for (const auto& device : sample.devices) {
    const auto [at, is_new] = device_ids_.try_emplace({device.vendor, device.uuid}, next_device_);
    if (is_new) {
      DeviceRow row{next_device_++, device};
      row.facts.readings.clear();
      row.facts.processes.clear();
      new_devices_.push_back(std::move(row));
    }
    for (const auto& reading : device.readings) readings_.push_back({at->second, wall_ns, reading});
    for (const auto& process : device.processes) processes_.push_back({at->second, wall_ns, process});
  }
}

void Samples::add(const hal::DeviceError& error, hal::LossLedger& losses) {
  if (has_room(losses)) errors_.push_back(error);
}

Status Samples::write(Database& database) const {
  INGERO_TRY(database.run_each(
      "INSERT INTO fabric_links (session, timestamp, device, port, link_layer, state, physical_state, "
      "rate_bits_per_second, driver, firmware, board, node_guid, netdev, pci_address, numa_node) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
      new_links_, [&](Statement& s, const Link& link) {
        const hal::FabricPort& port = link.facts;
        s.bind(1, session_).bind(2, link.wall_ns).bind(3, std::string_view(link.device)).bind(4, int64_t{link.port});
        bind_text(s, 5, port.link_layer);
        s.bind_if(6, port.state.has_value(), int64_t{port.state.value_or(0)});
        s.bind_if(7, port.physical_state.has_value(), int64_t{port.physical_state.value_or(0)});
        s.bind_if(8, port.rate_bits_per_second.has_value(),
                  static_cast<int64_t>(port.rate_bits_per_second.value_or(0)));
        bind_text(s, 9, link.owner.driver);
        bind_text(s, 10, link.owner.firmware);
        bind_text(s, 11, link.owner.board);
        bind_text(s, 12, link.owner.node_guid);
        bind_text(s, 13, port.netdev);
        bind_text(s, 14, link.owner.pci_address);
        s.bind_if(15, link.owner.numa_node.has_value(), int64_t{link.owner.numa_node.value_or(0)});
      }));
  for (const Link& link : new_links_) {
    INGERO_TRY(database.run_each(
        "INSERT INTO fabric_gids VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", link.facts.gids,
        [&](Statement& s, const hal::FabricGid& gid) {
          s.bind(1, session_).bind(2, link.wall_ns).bind(3, std::string_view(link.device));
          s.bind(4, int64_t{link.port}).bind(5, int64_t{gid.position}).bind(6, std::string_view(gid.gid));
          bind_text(s, 7, gid.type);
          bind_text(s, 8, gid.netdev);
        }));
  }
  INGERO_TRY(database.run_each("INSERT INTO fabric_counters VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", new_counters_,
                               [&](Statement& s, const Counter& counter) {
                                 s.bind(1, counter.id).bind(2, session_).bind(3, std::string_view(counter.device));
                                 s.bind_if(4, counter.port >= 0, counter.port).bind(5, std::string_view(counter.name));
                                 s.bind(6, name_of(counter.origin)).bind(7, name_of(counter.unit));
                               }));
  // A clock that was set back may give one time twice: the first row stays.
  INGERO_TRY(database.run_each(
      "INSERT OR IGNORE INTO fabric_values VALUES (?1, ?2, ?3, ?4, ?5)", values_, [](Statement& s, const Value& value) {
        s.bind(1, value.counter).bind(2, value.wall_ns).bind(3, static_cast<int64_t>(value.value));
        s.bind_if(4, value.delta.has_value(), static_cast<int64_t>(value.delta.value_or(0)));
        s.bind(5, static_cast<int64_t>(value.change));
      }));
  INGERO_TRY(database.run_each("INSERT INTO devices VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)", new_devices_,
                               [&](Statement& s, const DeviceRow& row) {
                                 s.bind(1, row.id).bind(2, session_).bind(3, std::string_view(row.facts.vendor));
                                 bind_text(s, 4, row.facts.uuid);
                                 bind_text(s, 5, row.facts.pci_address);
                                 bind_text(s, 6, row.facts.name);
                                 bind_text(s, 7, row.facts.driver);
                                 s.bind(8, int64_t{row.facts.position});
                                 bind_text(s, 9, row.facts.parent_uuid);
                               }));
  INGERO_TRY(database.run_each("INSERT OR IGNORE INTO device_values VALUES (?1, ?2, ?3, ?4, ?5)", readings_,
                               [](Statement& s, const ReadingValue& value) {
                                 s.bind(1, value.device).bind(2, value.wall_ns);
                                 s.bind(3, hal::kReadingTable[static_cast<size_t>(value.reading.id)].name);
                                 s.bind(4, std::string_view(value.reading.part)).bind(5, value.reading.value);
                               }));
  INGERO_TRY(database.run_each("INSERT OR IGNORE INTO device_processes VALUES (?1, ?2, ?3, ?4)", processes_,
                               [](Statement& s, const ProcessValue& value) {
                                 s.bind(1, value.device).bind(2, value.wall_ns).bind(3, int64_t{value.process.pid});
                                 s.bind_if(4, value.process.memory_bytes.has_value(),
                                           static_cast<int64_t>(value.process.memory_bytes.value_or(0)));
                               }));
  return database.run_each("INSERT INTO device_errors VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)", errors_,
                           [&](Statement& s, const hal::DeviceError& error) {
                             s.bind(1, static_cast<int64_t>(error.wall_ns)).bind(2, session_).bind(3, error.vendor);
                             bind_text(s, 4, error.pci_address);
                             s.bind(5, error.kind).bind_if(6, error.code.has_value(), error.code.value_or(0));
                             bind_text(s, 7, error.meaning);
                             s.bind_if(8, error.pid.has_value(), int64_t{error.pid.value_or(0)});
                             bind_text(s, 9, error.process);
                             s.bind(10, std::string_view(error.message));
                           });
}

void Samples::committed() {
  new_links_.clear();
  new_counters_.clear();
  values_.clear();
  new_devices_.clear();
  readings_.clear();
  processes_.clear();
  errors_.clear();
}

}  // namespace ingero::store
