// Rules for fabric ports: down, corrupting or losing packets, congested. Counters of unknown meaning fire no rule.
#include <algorithm>

#include "base/text.h"
#include "correlate/fabric_state.h"
#include "correlate/state.h"

namespace ingero::correlate {
namespace {

using hal::CounterSense;

constexpr uint64_t kStillEvery = 2;               // windows: well within the quiet ones that end an incident
constexpr uint64_t kLongestUse = 60'000'000'000;  // before a sample: who had queue pairs then

constexpr bool is_wrong(CounterSense sense) { return sense >= CounterSense::kCongestion; }
constexpr size_t index(CounterSense sense) { return static_cast<size_t>(sense); }

// The rule of a sense, the most precise first: what lies further down is an effect of what lies above.
struct NamedBy {
  CounterSense sense;
  RuleId rule;
};
constexpr NamedBy kNames[] = {
    {CounterSense::kLinkDown, RuleId::fabric_port_down},
    {CounterSense::kLinkFault, RuleId::fabric_errors},
    {CounterSense::kGaveUp, RuleId::fabric_errors},
    {CounterSense::kRefused, RuleId::fabric_errors},
    {CounterSense::kLoss, RuleId::fabric_loss},
    {CounterSense::kNotReady, RuleId::fabric_not_ready},
    {CounterSense::kCongestion, RuleId::fabric_congestion},
};

}  // namespace

void FabricPart::add(const FabricPart& later) {
  for (const auto& [name, counter] : later.counters) {
    if (counters.size() >= kMaxShown && !counters.contains(name)) continue;
    counters[name].grown += counter.grown;
    counters[name].meaning = counter.meaning;
  }
  packets += later.packets;
  for (const auto& [pid, user] : later.users) {
    if (users.size() < kMaxShown || users.contains(pid)) users[pid] = user;
  }
  for (const FabricEvent& event : later.events) {
    if (events.size() < kMaxShown) events.push_back(event);
  }
  if (device.empty()) device = later.device;
  is_only_adapter = later.is_only_adapter;
  is_down = later.is_down;
  if (later.down_ns) {
    down_ns = down_ns.value_or(0) + *later.down_ns;
    is_back_exact = later.is_back_exact;
  }
}

std::string FabricPart::name() const {
  if (device.empty()) return fmt::format("port {} of an adapter", port);
  return port == 0 ? printable(device) : fmt::format("{} port {}", printable(device), port);
}

bool FabricState::add(const hal::FabricSample& sample, uint64_t mono_ns) {
  const auto keep = [&](const std::string& device, uint32_t number, std::optional<uint32_t> state,
                        const std::vector<hal::FabricCounter>& counters) {
    if (!ports_.contains({device, number}) && ports_.size() >= kMaxPorts) return false;
    Port& port = ports_[{device, number}];
    Observation one{{device, number}, {}, {}, 0, {}};
    if (state && port.added_state != state) one.state = port.added_state = state;
    bool grew = false;
    for (const hal::FabricCounter& counter : counters) {
      if (counter.delta.value_or(0) == 0) continue;
      grew = true;
      if (counter.meaning.sense == CounterSense::kPackets) one.packets += *counter.delta;
      if (is_wrong(counter.meaning.sense)) one.counters.push_back({counter.name, {*counter.delta, counter.meaning}});
    }
    if (!grew && !one.state) return true;
    if (waiting_.size() >= kMaxWaiting) return false;
    waiting_.emplace(mono_ns, std::move(one));
    last_ns_ = std::max(last_ns_, mono_ns);
    return true;
  };
  bool all = true;
  for (const hal::FabricDevice& device : sample.devices) {
    if (!device.counters.empty()) all = keep(device.name, 0, {}, device.counters) && all;
    for (const hal::FabricPort& port : device.ports) {
      all = keep(device.name, port.number, port.state, port.counters) && all;
    }
  }
  return all;
}

bool FabricState::add(FabricEvent event) {
  if (waiting_.size() >= kMaxWaiting) return false;
  last_ns_ = std::max(last_ns_, event.mono_ns);
  const uint64_t at = event.mono_ns;
  waiting_.emplace(at, Observation{{}, {}, {}, 0, std::move(event)});
  return true;
}

std::optional<uint64_t> FabricState::first_ns() const {
  return waiting_.empty() ? std::nullopt : std::optional(waiting_.begin()->first);
}

FabricState::Seen& FabricState::seen_of(const Key& key, std::map<Key, Seen>& seen) const {
  Seen& one = seen[key];
  one.part.device = key.first;
  one.part.port = key.second;
  one.part.is_only_adapter = ports_.empty() || ports_.begin()->first.first == ports_.rbegin()->first.first;
  return one;
}

void FabricState::note_fall(Port& port, Seen& seen, uint64_t mono_ns, bool is_notified) {
  seen.changed_link = true;
  if (seen.onset_ns == 0) seen.onset_ns = mono_ns;
  if (port.is_down) return;
  port.is_down = true;
  port.is_notified = is_notified;
  port.down_since_ns = mono_ns;
}

void FabricState::note_return(Port& port, Seen& seen, uint64_t mono_ns, bool is_notified) {
  if (!port.is_down) return;
  port.is_down = false;
  seen.changed_link = true;
  if (seen.onset_ns == 0) seen.onset_ns = port.down_since_ns;
  seen.part.down_ns = seen.part.down_ns.value_or(0) + mono_ns - std::min(mono_ns, port.down_since_ns);
  seen.part.is_back_exact = is_notified && port.is_notified;
}

// The port that an event is about: the only one of its number, or the only one of them that is down.
std::optional<FabricState::Key> FabricState::port_of(uint32_t number) const {
  std::optional<Key> only, down;
  size_t count = 0, fallen = 0;
  for (const auto& [key, port] : ports_) {
    if (key.second != number) continue;
    only = key;
    ++count;
    if (!port.is_down) continue;
    down = key;
    ++fallen;
  }
  if (count == 1) return only;
  return fallen == 1 ? down : std::nullopt;
}

// Who had queue pairs at some time between the two.
void FabricState::add_users(FabricPart& part, const Processes& processes, uint64_t from_ns, uint64_t to_ns) {
  for (const auto& process : processes) {
    if (!process->had_queues(from_ns, to_ns)) continue;
    if (part.users.size() >= FabricPart::kMaxShown) break;
    part.users[process->facts.pid] = {process->facts.comm, process->completion_wait_ns};
  }
}

void FabricState::take_event(const FabricEvent& event, const Processes& processes, std::map<Key, Seen>& seen) {
  const auto key = port_of(event.port);
  if (!key) {
    if (unresolved_.size() < FabricPart::kMaxShown) unresolved_.push_back(event);
    return;
  }
  Port& port = ports_[*key];
  if (!event.is_error && !port.is_down) {
    // A recovery that another event has reported already: evidence of that finding, or nothing wrong.
    if (const auto known = seen.find(*key); known != seen.end()) known->second.part.events.push_back(event);
    return;
  }
  Seen& one = seen_of(*key, seen);
  one.part.events.push_back(event);
  if (event.is_error) add_users(one.part, processes, event.mono_ns, event.mono_ns);
  event.is_error ? note_fall(port, one, event.mono_ns, true) : note_return(port, one, event.mono_ns, true);
}

// Events of a port of this number whose adapter was unknown belong to this one, which was seen going down.
void FabricState::take_unresolved(uint32_t number, Port& port, Seen& seen) {
  for (auto at = unresolved_.begin(); at != unresolved_.end();) {
    if (at->port != number) {
      ++at;
      continue;
    }
    seen.part.events.push_back(*at);
    seen.onset_ns = std::min(seen.onset_ns, at->mono_ns);
    at->is_error ? note_fall(port, seen, at->mono_ns, true) : note_return(port, seen, at->mono_ns, true);
    at = unresolved_.erase(at);
  }
}

void FabricState::give_up_unresolved(uint64_t end_ns, std::map<Key, Seen>& nameless) {
  while (!unresolved_.empty() && unresolved_.front().mono_ns + kUnresolvedNs < end_ns) {
    const FabricEvent event = std::move(unresolved_.front());
    unresolved_.pop_front();
    if (!event.is_error) continue;
    Seen& one = seen_of({"", event.port}, nameless);
    one.part.events.push_back(event);
    one.changed_link = true;
    if (one.onset_ns == 0) one.onset_ns = event.mono_ns;
  }
}

void FabricState::take(uint64_t mono_ns, Observation& one, const Processes& processes, std::map<Key, Seen>& seen) {
  Port& port = ports_[one.port];
  if (mono_ns > port.last_ns) port.before_ns = std::exchange(port.last_ns, mono_ns);
  if (sampled_ns_ != 0 && mono_ns > sampled_ns_) gap_ns_ = std::min(gap_ns_, mono_ns - sampled_ns_);
  sampled_ns_ = std::max(sampled_ns_, mono_ns);
  // The change came after the sample before, which left no observation here if nothing had changed in it.
  const uint64_t since = std::max(port.before_ns, mono_ns - std::min({mono_ns, kLongestUse, gap_ns_ / 2 * 3}));
  const bool falls = one.state && port.state == hal::kPortActive && *one.state != hal::kPortActive;
  if (one.state) port.state = one.state;
  // A port that fell and came back between two samples was never sampled down.
  const bool returns = port.is_down && port.state == hal::kPortActive;
  const bool is_link_down = std::any_of(one.counters.begin(), one.counters.end(), [](const auto& counter) {
    return counter.second.meaning.sense == CounterSense::kLinkDown;
  });
  if (!one.counters.empty() || falls || returns) {
    Seen& found = seen_of(one.port, seen);
    if (found.onset_ns == 0) found.onset_ns = returns ? port.down_since_ns : mono_ns;
    for (const auto& [name, counter] : one.counters) {
      FabricPart::Counter& known = found.part.counters[name];
      known.grown += counter.grown;
      known.meaning = counter.meaning;
    }
    // Which processes used the port when it went down is known exactly if an event reported it.
    if (!port.is_notified || !(port.is_down || is_link_down)) add_users(found.part, processes, since, mono_ns);
    if (is_link_down && !port.is_down) port.is_notified = false;
    if (is_link_down) found.changed_link = true;
    if (falls || is_link_down) take_unresolved(one.port.second, port, found);
    if (falls) note_fall(port, found, mono_ns, false);
    if (returns) note_return(port, found, mono_ns, false);
  }
  if (port.recent.empty() || port.recent.back().window != mono_ns / kWindowNs) {
    port.recent.push_back({mono_ns / kWindowNs, 0, {}});
  }
  Recent& now = port.recent.back();
  now.packets += one.packets;
  for (const auto& [name, counter] : one.counters) {
    uint64_t& most = now.most[index(counter.meaning.sense)];
    most = std::max(most, counter.grown);
  }
}

// What is wrong with the port by what the last windows hold, where this one holds some of it.
std::optional<RuleId> FabricState::rule_of(const Port& port, const Seen& seen) const {
  if (seen.changed_link) return RuleId::fabric_port_down;
  uint64_t packets = 0;
  std::array<uint64_t, 16> most{};
  for (const Recent& one : port.recent) {
    packets += one.packets;
    for (size_t i = 0; i < most.size(); ++i) most[i] += one.most[i];
  }
  for (const NamedBy& named : kNames) {
    const uint64_t grown = most[index(named.sense)];
    if (grown == 0 || grown < rule(named.rule).count) continue;
    if (named.rule > RuleId::fabric_errors && grown * kPacketsPerLoss < packets) continue;
    const bool is_now = std::any_of(seen.part.counters.begin(), seen.part.counters.end(),
                                    [&](const auto& counter) { return counter.second.meaning.sense == named.sense; });
    if (is_now) return named.rule;
  }
  return std::nullopt;
}

void FabricState::evaluate(uint64_t window, const Processes& processes, std::vector<Finding>& findings) {
  const uint64_t end = (window + 1) * kWindowNs;
  std::map<Key, Seen> seen, nameless;
  std::map<Key, uint64_t> packets;
  for (auto at = waiting_.begin(); at != waiting_.end() && at->first < end; at = waiting_.erase(at)) {
    if (at->second.event) {
      take_event(*at->second.event, processes, seen);
      continue;
    }
    packets[at->second.port] += at->second.packets;
    take(at->first, at->second, processes, seen);
  }
  give_up_unresolved(end, nameless);
  const auto add = [&](const Key& key, const Seen& one, RuleId id) {
    Finding finding;
    finding.rule = id;
    finding.confidence = 1;
    for (const auto& [name, counter] : one.part.counters) finding.number_now += counter.grown;
    if (one.changed_link) finding.number_now = std::max<uint64_t>(1, finding.number_now);
    finding.number = finding.number_now;
    finding.lost_ns = finding.lost_now_ns = one.part.down_ns.value_or(0);
    finding.subject = fmt::format("{}/{}", key.first, key.second);
    finding.onset_mono_ns = one.onset_ns;
    finding.fabric = one.part;
    findings.push_back(std::move(finding));
  };
  for (auto& [key, one] : seen) {
    Port& port = ports_[key];
    while (!port.recent.empty() && port.recent.front().window + kTrailing <= window) port.recent.pop_front();
    one.part.packets = packets[key];
    one.part.is_down = port.is_seen_down();
    if (const auto id = rule_of(port, one)) add(key, one, *id);
  }
  for (const auto& [key, one] : nameless) add(key, one, RuleId::fabric_port_down);
  // A port that stays down keeps its incident open without a new finding every second.
  for (const auto& [key, port] : ports_) {
    if (!port.is_seen_down() || seen.contains(key) || window % kStillEvery != 0) continue;
    std::map<Key, Seen> still;
    Seen& one = seen_of(key, still);
    one.part.is_down = true;
    one.onset_ns = port.down_since_ns;
    add(key, one, RuleId::fabric_port_down);
  }
}

}  // namespace ingero::correlate
