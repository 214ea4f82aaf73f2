// Words fabric incidents: which port, which counters, which processes got its events or had queue pairs on it.
#include <algorithm>

#include "base/text.h"
#include "correlate/state.h"

namespace ingero::correlate {
namespace {

std::string process_name(uint32_t pid, const std::string& comm) {
  return fmt::format("{} (pid {})", comm.empty() ? "a process" : printable(comm), pid);
}

// "18:00:01.234"
std::string clock_time(const FabricEvent& event) {
  const std::string full = format_wall(event.mono_ns + static_cast<uint64_t>(event.wall_offset_ns));
  return full.size() < 23 ? full : full.substr(11, 12);
}

// "completer_retry_err 57, rcvd_seq_err 23": the greatest first.
std::string counters_text(const FabricPart& part) {
  std::vector<std::pair<std::string, uint64_t>> list;
  for (const auto& [name, counter] : part.counters) list.emplace_back(name, counter.grown);
  std::stable_sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out;
  for (const auto& [name, grown] : list) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", printable(name), grown);
  return out;
}

// "PORT_ERR delivered to watcher (pid 12) at 18:00:01.234 and 2 more"
std::string events_text(const FabricPart& part) {
  const auto error =
      std::find_if(part.events.begin(), part.events.end(), [](const FabricEvent& event) { return event.is_error; });
  if (error == part.events.end()) return {};
  std::string out =
      fmt::format("{} delivered to {} at {}", error->name, process_name(error->pid, error->comm), clock_time(*error));
  const auto others = std::count_if(part.events.begin(), part.events.end(), [&](const FabricEvent& event) {
    return event.is_error && event.pid != error->pid;
  });
  if (others > 0) out += fmt::format(" and {} more", others);
  return out;
}

// "train (pid 9), train (pid 11) had queue pairs on it": those that waited longest first.
std::string users_text(const FabricPart& part) {
  std::vector<std::pair<uint32_t, const FabricPart::User*>> list;
  for (const auto& [pid, user] : part.users) list.emplace_back(pid, &user);
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second->waited_ns > b.second->waited_ns; });
  constexpr size_t kShown = 3;
  std::string out;
  for (size_t i = 0; i < std::min(kShown, list.size()); ++i) {
    out += (out.empty() ? "" : ", ") + process_name(list[i].first, list[i].second->comm);
    if (list[i].second->waited_ns > 0) {
      out += fmt::format(", which waited {} for completions,", format_duration(list[i].second->waited_ns));
    }
  }
  if (list.size() > kShown) out += fmt::format(" and {} more", list.size() - kShown);
  if (!out.empty())
    out += part.is_only_adapter ? " had queue pairs on it" : " had queue pairs on this adapter or another";
  return out;
}

std::string down_text(const FabricPart& part) {
  if (part.is_down) return ", and is down";
  if (!part.down_ns) return {};
  return fmt::format(", back after {}{}", part.is_back_exact ? "" : "about ", format_duration(*part.down_ns));
}

std::string join(std::string_view first, std::string_view second) {
  return first.empty() || second.empty() ? fmt::format("{}{}", first, second) : fmt::format("{}; {}", first, second);
}

}  // namespace

void describe_fabric(Incident& incident) {
  const Rule& its = rule(incident.rule);
  hal::CausalChain& chain = incident.chain;
  const FabricPart& part = incident.fabric;
  const std::string port = part.name();
  const std::string counters = counters_text(part), events = events_text(part), users = users_text(part);
  const std::string of_packets = part.packets > 0 ? fmt::format(" of {} packets", part.packets) : "";
  chain.timeline.clear();
  chain.evidence.clear();
  chain.recommendations = {std::string(its.remedy)};
  switch (incident.rule) {
    case RuleId::fabric_port_down:
      chain.summary = join(fmt::format("{} went down{}", port, down_text(part)), join(events, users));
      chain.root_cause = fmt::format("The link of {} was lost{}", port,
                                     join(events, counters).empty() ? "" : ": " + join(events, counters));
      chain.recommendations.push_back(
          part.device.empty() ? "See which it is: rdma link show"
                              : fmt::format("Look at the link: rdma link show {}; dmesg | grep -i -w -e link "
                                            "-e {}",
                                            printable(part.device), printable(part.device)));
      break;
    case RuleId::fabric_loss:
      chain.summary =
          join(fmt::format("Packets were lost or late on {} and sent again: {}{}", port, counters, of_packets), users);
      break;
    case RuleId::fabric_not_ready:
      chain.summary = join(fmt::format("Receivers were not ready at {}: {}{}", port, counters, of_packets), users);
      break;
    case RuleId::fabric_congestion:
      chain.summary = join(fmt::format("{} was slowed down by congestion: {}{}", port, counters, of_packets), users);
      break;
    default:
      chain.summary = join(fmt::format("Errors on {}: {}", port, counters), users);
  }
  if (incident.rule != RuleId::fabric_port_down) {
    chain.root_cause = fmt::format("{} {}", its.sentence, chain.summary);
  }
  for (const FabricEvent& event : part.events) {
    chain.timeline.push_back(
        {std::string(its.layer), event.name,
         fmt::format("port {}, to {} at {}", event.port, process_name(event.pid, event.comm), clock_time(event)), 0});
    chain.evidence.push_back(evidence_of(event, event.name, fmt::format("event on port {}", event.port)));
  }
  for (const auto& [name, counter] : part.counters) {
    chain.timeline.push_back({std::string(its.layer), printable(name),
                              fmt::format("grew by {}{}{}", counter.grown, counter.meaning.sentence.empty() ? "" : ": ",
                                          counter.meaning.sentence),
                              0});
  }
  chain.op = part.device.empty() ? std::string() : port;
  // Where one process alone is concerned, it is that process's incident.
  std::map<uint32_t, std::string> concerned;
  for (const auto& [pid, user] : part.users) concerned[pid] = user.comm;
  for (const FabricEvent& event : part.events) concerned[event.pid] = event.comm;
  chain.pid.reset();
  chain.process.clear();
  if (concerned.size() == 1) {
    chain.pid = concerned.begin()->first;
    chain.process = printable(concerned.begin()->second);
  }
  finish_chain(incident, its, 0);
}

}  // namespace ingero::correlate
