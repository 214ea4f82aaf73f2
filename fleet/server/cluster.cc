// Store first, then detectors: see cluster.h.
#include "fleet/server/cluster.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <tuple>

#include "base/hash.h"
#include "base/log.h"
#include "base/text.h"
#include "fleet/server/hang_report.h"
#include "fleet/server/incident_rows.h"
#include "fleet/server/late_ranks.h"
#include "fleet/wire/names.h"

namespace ingero::fleet::server {
namespace {

constexpr uint64_t kSecond_ns = 1'000'000'000;
constexpr uint64_t kJobForgotten_ns = 600 * kSecond_ns;  // after its last window
constexpr uint64_t kDay_ns = 86'400 * kSecond_ns;
constexpr size_t kMaxOfDay = 1000;           // incidents, the newest
constexpr size_t kMaxUnwritten = 4096;       // incidents, until the store takes them
constexpr size_t kMaxLibraryHashes = 65536;  // of a job
constexpr const char* kManyRanks = "windows of more than 256 ranks of one node";
constexpr const char* kManyNodes =
    "the sender's network has brought seven in eight of the 4096 nodes, and the others are for other senders";
constexpr uint64_t kMisfits = 256;  // windows in a row, after which their period is the job's

std::string too_many_nodes(const std::string& node) {
  return fmt::format(
      "node {}: {}, and no more are known at a time: let pods send the name of their machine (host.name)", node,
      store::kTooManyNodes);
}

// By what else a window's communicator may have been known; 0: by nothing.
uint64_t alias_of(const wire::Window& window, uint64_t communicator) {
  const uint64_t alias = window.comm_id_hash.value_or(window.communicator);
  return alias == communicator ? 0 : alias;
}

void continue_as(const store::IncidentRow& known, store::IncidentRow& row) {
  row.id = known.id;
  row.from_ns = std::min(row.from_ns, known.from_ns);
}

// Null: nothing is compared, or what is usual is not known yet.
Json detectable(const detect::Limits& limits) {
  const double effect = limits.detectable_effect;
  return effect > 0 && effect < detect::kMaxDetectable ? Json(rounded(effect)) : Json(nullptr);
}

Json spool_json(const store::Backlog& backlog) {
  return {{"waiting_bytes", backlog.waiting_bytes},
          {"max_bytes", backlog.max_bytes},
          {"handed_on_rows", backlog.rows},
          {"due_minutes", backlog.due_minutes},
          {"expired_windows", backlog.expired_windows},
          {"damaged_bytes", backlog.damaged_bytes},
          {"refused_requests", backlog.refused},
          {"last_error", json_or_null(backlog.last_error)}};
}

}  // namespace

Result<std::unique_ptr<Cluster>> Cluster::open(std::unique_ptr<store::ClusterStore> store, const Clock& clock,
                                               uint64_t hang_after_ns, QuotaOptions quotas, Tokens tokens) {
  std::unique_ptr<Cluster> cluster(new Cluster(std::move(store), clock, hang_after_ns, quotas, std::move(tokens)));
  INGERO_TRY(cluster->restore());
  return cluster;
}

void Cluster::remember_node(const std::string& cluster, const std::string& node, uint32_t number) {
  if (number == 0) return;
  node_names_.insert_or_assign(number, node);
  node_numbers_.insert_or_assign({cluster, node}, number);
}

void Cluster::forget_node(const NodeKey& key) {
  clocks_.erase(key);
  instances_.erase(key);
  reports_.forget(key.first, key.second);
  const auto number = node_numbers_.find(key);
  if (number == node_numbers_.end()) return;
  node_names_.erase(number->second);
  node_numbers_.erase(number);
}

const std::string& Cluster::node_name(uint32_t node) const {
  static const std::string kUnknown = "unknown";
  const auto found = node_names_.find(node);
  return found == node_names_.end() ? kUnknown : found->second;
}

void Cluster::count_undecodable() {
  const std::lock_guard guard(mutex_);
  ++counters_.requests;
  ++counters_.undecodable;
}

void Cluster::count_over_quota() {
  const std::lock_guard guard(mutex_);
  ++counters_.requests;
}

void Cluster::tick() {
  const std::lock_guard guard(mutex_);
  (void)advance(clock_.mono_ns());  // what cannot be written now is kept
}

void Cluster::separate_namesakes(wire::Batch& batch) {
  const uint64_t now_ns = clock_.mono_ns();
  std::map<std::tuple<std::string, std::string, std::string>, std::string> known;  // a sender sends once a batch
  for (wire::Window& window : batch.windows) {
    auto& [cluster, node, job, instance, clock] = window.sender;
    auto [name, is_new] = known.try_emplace({cluster, node, instance});
    if (is_new) name->second = names_.name_of(cluster, node, instance, now_ns);
    node = name->second;
  }
  // Of our agents' runs alone: other senders' instances are many on one machine.
  for (wire::Point& point : batch.points) {
    auto& [cluster, node, job, instance, clock] = point.sender;
    node = names_.known_as(cluster, node, instance);
  }
}

// Of nodes for which this sender has no room left: what the store knows at a time is for all senders.
void Cluster::refuse_nodes(wire::Batch& batch) {
  const uint64_t now_ns = clock_.mono_ns();
  std::map<NodeKey, bool> taken;  // few nodes a batch
  const auto is_refused = [&](const auto& one) {
    const auto [node, is_new] = taken.try_emplace(NodeKey(one.sender.cluster, one.sender.node), true);
    if (is_new) {
      node->second = node_shares_.take(batch.sent_by, one.sender.cluster + '\0' + one.sender.node, now_ns);
    }
    return !node->second;
  };
  const size_t refused = std::erase_if(batch.windows, is_refused) + std::erase_if(batch.points, is_refused);
  if (refused == 0) return;
  counters_.refused[kManyNodes] += refused;
  batch.refused[kManyNodes] += refused;
}

// Of nodes that claim to have more ranks than a machine can have.
void Cluster::refuse_ranks(wire::Batch& batch) {
  const uint64_t now_ns = clock_.mono_ns();
  std::string node;
  const size_t refused = std::erase_if(batch.windows, [&](const wire::Window& window) {
    if (ranks_.take(window, now_ns)) return false;
    if (node.empty()) node = window.sender.node;
    return true;
  });
  if (refused == 0) return;
  counters_.ranks_of_node += refused;
  // What is counted is not named after nodes, of which there is no end.
  counters_.refused[kManyRanks] += refused;
  batch.refused[fmt::format("node {}: {}", node, kManyRanks)] += refused;
}

// Other batches are taken while this one gets durable.
Status Cluster::take(wire::Batch& batch) {
  uint64_t end = 0;
  Status taken;
  {
    const std::lock_guard guard(mutex_);
    taken = take_locked(batch, end);
  }
  if (taken.ok()) taken = store_->settle(end);
  note_write(taken);
  return taken;
}

// A full disk is refused at each request, and logged once in a while.
void Cluster::note_write(const Status& taken) {
  constexpr uint64_t kBetweenLogs_ns = 60'000'000'000;
  const std::lock_guard guard(mutex_);
  if (taken.ok()) return write_error_.clear();
  ++counters_.refused_writes;
  write_error_ = taken.error().text();
  const uint64_t now_ns = clock_.mono_ns();
  if (write_error_logged_ns_ != 0 && now_ns - write_error_logged_ns_ < kBetweenLogs_ns) return;
  write_error_logged_ns_ = now_ns;
  log_warning("what nodes send is not stored, and they are to send it again: {}", write_error_);
}

Status Cluster::take_locked(wire::Batch& batch, uint64_t& end) {
  ++counters_.requests;
  separate_namesakes(batch);
  const wire::Refusals of_points = batch.refused;
  refuse_nodes(batch);
  refuse_ranks(batch);
  const auto written = store_->write(batch);
  INGERO_TRY(written);
  for (const auto& [reason, count] : of_points) counters_.refused[reason] += count;
  end = written->end;
  uint64_t taken = batch.points.size() + batch.windows.size();
  for (const auto& [reason, count] : written->refused) {
    counters_.refused[reason] += count;
    taken -= count;
    // What is counted is not named after nodes, of which there is no end.
    batch.refused[reason == store::kTooManyNodes ? too_many_nodes(written->refused_node) : reason] += count;
  }
  counters_.points += written->points;
  counters_.windows += written->windows.size();
  counters_.repeated += taken - written->points - written->windows.size();
  for (const auto& key : written->forgotten) forget_node(key);
  const uint64_t now_ns = clock_.mono_ns();
  note_held();
  for (size_t i = 0; i < batch.windows.size(); ++i) {
    const wire::Sender& sender = batch.windows[i].sender;
    remember_node(sender.cluster, sender.node, written->nodes[i]);
    if (written->nodes[i] != 0) instances_.insert_or_assign({sender.cluster, sender.node}, sender.instance);
    if (sender.clock && written->nodes[i] != 0) {
      clocks_.insert_or_assign({sender.cluster, sender.node}, NodeClock{*sender.clock, now_ns});
    }
  }
  for (const size_t i : written->windows) compare(batch.windows[i], written->nodes[i], now_ns, batch.sent_by);
  for (const auto& [window, node] : written->filled) compare(window, node, now_ns, batch.sent_by);
  for (const wire::Point& point : batch.points) {
    // Of a node that sends windows, its ranks are compared, by more than its score.
    const bool is_compared = instances_.contains({point.sender.cluster, point.sender.node});
    if (point.metric == wire::kScoreMetric && !is_compared) compare_score(point, now_ns, batch.sent_by);
  }
  take_reports(batch);
  hear_idle(batch);
  (void)advance(now_ns);  // the batch is stored, and an incident that cannot be written now is kept
  return {};
}

// Of the run that sent the windows of its ranks: another one, which came later, may not know them.
void Cluster::hear_idle(const wire::Batch& batch) {
  for (const wire::Sender& sender : batch.idle) {
    const NodeKey key(sender.cluster, names_.known_as(sender.cluster, sender.node, sender.instance));
    const auto number = node_numbers_.find(key);
    const auto instance = instances_.find(key);
    if (number == node_numbers_.end() || instance == instances_.end() || instance->second != sender.instance) continue;
    for (auto& [job, one] : jobs_) {
      if (job.cluster == sender.cluster && job.kind == Kind::kWork) one.hangs.hear_node(number->second);
    }
  }
}

// What a node says of itself may come after its rank was named: then that is known anew.
void Cluster::take_reports(const wire::Batch& batch) {
  std::set<std::pair<std::string, std::string>> nodes;
  for (const wire::Point& point : batch.points) {
    if (!store_->node_number(point.sender.cluster, point.sender.node)) continue;  // there was no room for it
    if (reports_.take(point)) nodes.emplace(point.sender.cluster, point.sender.node);
  }
  std::erase_if(nodes, [&](const auto& node) {
    return std::ranges::none_of(open_, [&](const auto& open) {
      return std::tie(open.second.cluster, open.second.node) == std::tie(node.first, node.second);
    });
  });
  if (nodes.empty()) return;
  std::vector<store::IncidentRow> rows;
  for (const auto& [key, job] : jobs_) {
    if (key.kind != Kind::kWork) continue;
    for (const detect::Incident& one : job.detector.named()) {
      if (nodes.contains({key.cluster, node_name(one.node)})) keep(row_of(key, job, one), true, rows);
    }
  }
  (void)write_incidents(std::move(rows));  // what cannot be written now is kept
}

// Where there is no room, the longest silent one gives way; null: none is silent, or the sender has its share.
Cluster::Job* Cluster::job_of(const JobKey& key, uint64_t period_ns, uint64_t now_ns, const std::string& sent_by) {
  const std::string name = key.cluster + '\0' + key.job + '\0' + (key.kind == Kind::kWork ? 'w' : 's');
  const bool has_share = job_shares_.take(sent_by, name, now_ns);
  const auto found = jobs_.find(key);
  if (found != jobs_.end()) return &found->second;
  if (!has_share) {
    ++counters_.no_room;
    return nullptr;
  }
  if (jobs_.size() >= kMaxJobs) {
    const auto oldest = std::min_element(jobs_.begin(), jobs_.end(), [](const auto& a, const auto& b) {
      return std::pair(!a.second.is_silent, a.second.heard_ns) < std::pair(!b.second.is_silent, b.second.heard_ns);
    });
    if (!oldest->second.is_silent) {
      ++counters_.no_room;
      return nullptr;
    }
    forget(oldest);
    ++counters_.displaced;
  }
  const auto better = key.kind == Kind::kWork ? detect::Better::kLess : detect::Better::kMore;
  Job& job = jobs_.try_emplace(key, better, hang_after_ns_, period_ns).first->second;
  job.heard_ns = now_ns;
  return &job;
}

// Of a job that is silent: nothing of it is open.
std::map<Cluster::JobKey, Cluster::Job>::iterator Cluster::forget(std::map<JobKey, Job>::iterator job) {
  counters_.late += job->second.detector.late();
  counters_.dropped += job->second.detector.dropped();
  return jobs_.erase(job);
}

void Cluster::Job::hear(uint64_t now_ns, bool is_replay) {
  if (!is_replay && (is_restored || now_ns >= heard_ns + detect::kSilentAfter * period_ns)) {
    detector.resume(now_ns);
    hangs.resume(now_ns);
    is_restored = false;
  }
  heard_ns = now_ns;
  is_silent = false;
}

// By most windows until something was compared, then by many in a row: one odd window decides nothing.
bool Cluster::Job::is_of_another_period(uint64_t length_ns) {
  if (length_ns * 2 >= period_ns && length_ns <= period_ns * 2) {
    ++fitting;
    if (detector.last_window() != 0) misfits = 0;
    return false;
  }
  ++misfits;
  return detector.last_window() == 0 ? misfits > fitting : misfits >= kMisfits;
}

// A job of the same name, whose windows have another length. What was open is silent.
Cluster::Job* Cluster::relearn(const JobKey& key, Job& job, uint64_t period_ns, uint64_t now_ns,
                               const std::string& sent_by) {
  std::vector<store::IncidentRow> rows;
  for (const auto& incident : job.detector.end_all_silent()) keep(row_of(key, job, incident), false, rows);
  for (const auto& hang : job.hangs.end_silent()) keep(row_of(key, job, hang), false, rows);
  job.is_silent = true;
  advance_pace(key, job, rows);
  (void)write_incidents(std::move(rows));  // what cannot be written now is kept
  auto hashes = std::move(job.library_hashes);
  const JobKey name = key;
  forget(jobs_.find(key));
  Job* anew = job_of(name, period_ns, now_ns, sent_by);
  if (anew == nullptr) return nullptr;
  anew->library_hashes = std::move(hashes);
  anew->fitting = 1;
  return anew;
}

void Cluster::note_held() {
  held_ = {};
  for (const auto& [key, job] : jobs_) {
    held_.ranks += job.detector.rank_count();
    held_.samples += job.detector.sample_count();
    held_.members += job.hangs.member_count();
    held_.stack_bytes += job.places.stack_bytes();
  }
}

// Jobs are bounded each, and all of them together.
bool Cluster::has_room_for(const wire::Window& window, uint64_t communicator, const Job& job) {
  const bool has_room = (held_.ranks < kMaxRanksOfAll || job.detector.knows(window.rank)) &&
                        held_.samples < kMaxSamplesOfAll &&
                        (held_.members < kMaxMembersOfAll || job.hangs.knows(communicator, window.rank));
  counters_.too_many_ranks += has_room ? 0 : 1;
  return has_room;
}

uint64_t Cluster::Job::communicator_of(const wire::Window& window) {
  if (!window.comm_id_hash) {
    const auto found = library_hashes.find(window.communicator);
    return found == library_hashes.end() ? window.communicator : found->second;
  }
  if (library_hashes.size() >= kMaxLibraryHashes) library_hashes.clear();
  if (*window.comm_id_hash != window.communicator) library_hashes[*window.comm_id_hash] = window.communicator;
  return window.communicator;
}

// Where the rank is among the collectives of the others that it is matched with.
std::optional<detect::Place> Cluster::place_of(const wire::Window& window, uint64_t communicator, Job& job) {
  if (!window.progress || window.is_lost) return std::nullopt;
  const wire::Progress& its = *window.progress;
  detect::Counted counted;
  counted.communicator = communicator;
  counted.rank = window.rank;
  counted.window = (window.start_ns + job.period_ns / 2) / job.period_ns;
  counted.base = its.base;
  counted.entered = its.entered;
  counted.left = its.left;
  counted.recent = its.recent;
  counted.collectives = window.count;
  if (window.sender.clock && its.left_ns != 0) {
    counted.left_ns = static_cast<int64_t>(its.left_ns) - window.sender.clock->offset_ns;
    counted.within_ns = static_cast<int64_t>(window.sender.clock->within_ns);
  }
  return job.matching.add(counted);
}

// What a rank entered and left last, for the detector of hangs. A window without both says that its node is there, and
// that the rank's numbers are not known, or not any more.
void Cluster::follow(const wire::Window& window, uint64_t communicator, uint32_t node, Job& job) {
  detect::Progress progress;
  progress.communicator = communicator;
  progress.alias = alias_of(window, communicator);
  progress.rank = window.rank;
  progress.comm_rank = window.comm_rank;
  progress.nranks = window.nranks;
  progress.node = node;
  progress.end_ns = window.end_ns;
  progress.entered = window.entered.value_or(0);
  progress.left = window.left.value_or(0);
  progress.operation = window.operation;
  progress.bytes = window.entered_bytes;
  progress.is_lost = window.is_lost || !window.entered || !window.left;
  progress.is_matched = window.is_matched;
  const auto matched = place_of(window, communicator, job);
  if (progress.is_lost && !window.is_lost && matched) {
    progress.entered = matched->entered;
    progress.left = matched->left;
    progress.is_lost = false;
    progress.is_matched = true;
  }
  progress.has_failed = window.has_failed;
  progress.is_gone = window.is_gone;
  if (!job.hangs.add(progress)) {
    ++counters_.no_room;
    return;
  }
  held_.stack_bytes -= job.places.stack_bytes();
  job.places.note(window, held_.stack_bytes + job.places.stack_bytes() + wire::kMaxStackBytes <= kMaxStackBytesOfAll);
  held_.stack_bytes += job.places.stack_bytes();
}

void Cluster::compare(const wire::Window& window, uint32_t node, uint64_t now_ns, const std::string& sent_by) {
  const uint64_t length_ns = window.end_ns - window.start_ns;
  const uint64_t period_ns = std::max(kSecond_ns, (length_ns + kSecond_ns / 2) / kSecond_ns * kSecond_ns);
  if (window.end_ns > clock_.wall_ns() + kMaxAhead_ns) {
    ++counters_.ahead;
    return;
  }
  const JobKey key{window.sender.cluster, window.sender.job, Kind::kWork};
  Job* job = job_of(key, period_ns, now_ns, sent_by);
  if (job == nullptr) return;
  if (window.work_s && job->is_of_another_period(length_ns)) job = relearn(key, *job, period_ns, now_ns, sent_by);
  if (job == nullptr) return;
  const uint64_t communicator = job->communicator_of(window);
  if (!has_room_for(window, communicator, *job)) return;
  job->hear(now_ns, replay_.has_value());
  follow(window, communicator, node, *job);
  job->devices.add(window, (window.start_ns + job->period_ns / 2) / job->period_ns, node);
  for (const wire::Arrival& arrival : window.arrivals) {
    if (!detect::waits_for_all(arrival.operation)) continue;
    job->clocks.add(communicator, arrival.number, node, arrival.entered_ns, arrival.left_ns);
  }
  if (!window.work_s) return;
  if (length_ns * 2 < job->period_ns || length_ns > job->period_ns * 2) {
    ++counters_.other_period;
    return;
  }
  detect::Sample sample;
  sample.window = (window.start_ns + job->period_ns / 2) / job->period_ns;
  sample.rank = window.rank;
  sample.node = node;
  sample.communicator = communicator;
  sample.alias = alias_of(window, communicator);
  sample.process = window.pid.value_or(0);
  sample.nranks = window.nranks;
  sample.count = window.count == 0 ? 2 : window.count;  // a sender of medians only says nothing of their number
  sample.work_s = *window.work_s;
  sample.bytes = window.count == 0 ? 0 : static_cast<double>(window.bytes) / static_cast<double>(window.count);
  sample.reasons = {window.preempted_s + window.runqueue_s, window.io_s, window.blocked_s};
  if (!job->detector.add(sample, now_ns)) return;  // late ones are counted there
  job->pace.add({sample.window, sample.rank, sample.nranks, sample.count, sample.work_s, window.wait_s, sample.bytes});
}

store::IncidentRow Cluster::row_of(const JobKey& key, const Job& job, const detect::Incident& incident) {
  const bool is_score = key.kind == Kind::kScore;
  store::IncidentRow row;
  row.cluster = key.cluster;
  row.job = key.job;
  row.kind = kind_of(incident, is_score);
  row.node = node_name(is_score ? job.scored.at(incident.rank).node : incident.node);
  row.state = detect::name_of(incident.state);
  row.rank = incident.rank;
  row.communicator = incident.communicator;
  row.from_ns = incident.from_window * job.period_ns;
  row.to_ns = (incident.last_window + 1) * job.period_ns;
  row.confidence = incident.confidence;
  row.evidence = is_score ? evidence_of_score(incident, job.scored.at(incident.rank).group) : evidence_of(incident);
  row.what = explain(key, job, incident, row.evidence);
  row.evidence["sentence"] = sentence_of(row.node, incident, is_score ? &job.scored.at(incident.rank).group : nullptr);
  row.evidence["named_ns"] = (incident.named_window + 1) * job.period_ns;
  if (!is_score) row.evidence.update(delayed(job.detector, incident));
  identify(row);
  if (incident.state == detect::State::kMerged) row.evidence["merged_into"] = id_of_node(row);
  return row;
}

// Of the incident of a row's node, which is open.
Json Cluster::id_of_node(store::IncidentRow row) const {
  row.kind = kSlowNode;
  const auto known = open_.find(incident_name(row));
  return known == open_.end() ? Json(nullptr) : Json(known->second.id);
}

// By what is measured now, else by what was known while it was slow: of a device or a node that has recovered.
std::string Cluster::explain(const JobKey& key, const Job& job, const detect::Incident& incident,
                             Json& evidence) const {
  std::string what = explain_now(key, job, incident, evidence);
  if (what != detect::name_of(detect::Class::kUnknown) || incident.last_window == 0) return what;
  store::IncidentRow name;
  name.cluster = key.cluster;
  name.job = key.job;
  name.kind = kind_of(incident, key.kind == Kind::kScore);
  name.node = node_name(incident.node);
  name.rank = incident.rank;
  const auto known = open_.find(incident_name(name));
  if (known == open_.end()) return what;
  for (const char* reason : {"device", "slow_devices", "reported"}) {
    if (!known->second.evidence.contains(reason)) continue;
    evidence[reason] = known->second.evidence.at(reason);
    what = known->second.what;
  }
  return what;
}

// By the node's own measurements first; where these say nothing, by what its causal engine says.
std::string Cluster::explain_now(const JobKey& key, const Job& job, const detect::Incident& incident,
                                 Json& evidence) const {
  std::string what = detect::name_of(incident.what);
  if (key.kind != Kind::kWork || incident.last_window == 0) return what;
  // What is measured of the host counts more: a device that waits for it is slow because it is at rest.
  if (incident.what == detect::Class::kUnknown && job.devices.explain(incident, evidence)) what = "device";
  const NodeReport* report =
      reports_.reason(key.cluster, node_name(incident.node), incident, incident.from_window * job.period_ns,
                      (incident.last_window + 1) * job.period_ns);
  if (report == nullptr) return what;
  const std::string_view its = class_of_rule(report->rule);
  if (what != detect::name_of(detect::Class::kUnknown) && its != what) return what;
  evidence["reported"] = report_json(*report);
  return std::string(its);
}

store::IncidentRow Cluster::row_of(const JobKey& key, const Job& job, const detect::PaceChange& change) {
  SlowJob slow = slow_job(change, job.devices);
  store::IncidentRow row;
  row.cluster = key.cluster;
  row.job = key.job;
  row.kind = kSlowJob;
  row.state = detect::name_of(change.is_over ? detect::State::kOver : detect::State::kOpen);
  if (slow.device) {
    row.node = node_name(slow.device->node);
    row.rank = slow.device->ranks.front();
  }
  row.from_ns = change.from_window * job.period_ns;
  row.to_ns = (change.last_window + 1) * job.period_ns;
  std::set<std::string> nodes;
  for (const auto& one : job.detector.courses()) nodes.insert(node_name(one.node));
  const auto [report, its] = reports_.network(key.cluster, nodes, row.from_ns, row.to_ns);
  if (report != nullptr) explain_by_network(change, *report, slow);
  if (slow.what == "network") row.node = its;
  row.what = slow.what;
  row.confidence = slow.confidence;
  row.evidence = std::move(slow.evidence);
  row.evidence["sentence"] = sentence_of(change, slow, row.node);
  // What was known while it was slow is why it was.
  const auto known = open_.find(incident_name(row));
  if (known != open_.end() && !known->second.node.empty() && row.node.empty()) {
    const store::IncidentRow& before = known->second;
    std::tie(row.what, row.node, row.rank, row.confidence) =
        std::tie(before.what, before.node, before.rank, before.confidence);
    for (const char* name : {"device", "slow_devices", "sentence", "reported"}) {
      if (before.evidence.contains(name)) row.evidence[name] = before.evidence.at(name);
    }
  }
  identify(row);
  return row;
}

// Whether the job has become slower as a whole, as of the windows that were evaluated.
void Cluster::advance_pace(const JobKey& key, Job& job, std::vector<store::IncidentRow>& rows) {
  auto change =
      job.is_silent ? job.pace.end() : job.pace.advance(job.detector.last_window(), job.detector.has_suspects());
  if (!change) return;
  store::IncidentRow row = row_of(key, job, *change);
  if (job.is_silent) row.state = detect::name_of(detect::State::kSilent);
  keep(std::move(row), !change->is_over && !job.is_silent, rows);
}

// An incident that is open keeps its id, and so does one that ended before a restart and is found once more.
void Cluster::identify(store::IncidentRow& row) const {
  Fnv1a id;
  id.add(row.cluster).end_text().add(row.job).end_text().add(row.kind).end_text();
  if (row.kind == kSlowNode) id.add(row.node).end_text();
  row.id = hex(id.add(uint64_t{row.kind == kSlowNode ? 0 : row.rank}).add(row.from_ns).value());
  const std::string name = incident_name(row);
  if (const auto known = open_.find(name); known != open_.end()) return continue_as(known->second, row);
  if (!replay_) return;
  const auto [begin, end] = replay_->stored.equal_range(name);
  const auto same = std::find_if(
      begin, end, [&](const auto& one) { return row.from_ns <= one.second.to_ns && row.to_ns >= one.second.from_ns; });
  if (same != end) continue_as(same->second, row);
}

store::IncidentRow Cluster::row_of(const JobKey& key, const Job& job, const detect::Hang& hang) {
  const NodeName name = [this](uint32_t node) -> const std::string& { return node_name(node); };
  store::IncidentRow row;
  row.cluster = key.cluster;
  row.job = key.job;
  row.kind = detect::name_of(hang.kind);
  row.what = kHang;
  row.state = detect::name_of(hang.state);
  if (!hang.ranks.empty()) {
    row.node = node_name(hang.ranks.front().node);
    row.rank = hang.ranks.front().rank;
  }
  row.communicator = hang.communicator;
  row.from_ns = hang.from_ns;
  row.to_ns = hang.to_ns;
  row.confidence = hang.confidence;
  row.evidence = evidence_of(hang, name, job.places);
  identify(row);
  return row;
}

// Those that wait for its rank, or for its ranks.
Json Cluster::delayed(const detect::Detector& detector, const detect::Incident& incident) {
  std::vector<uint32_t> members = detector.members_of(incident.communicator), both;
  if (incident.is_of_node()) {
    for (const uint64_t cohort : detector.cohorts_of(incident.ranks)) {
      both.clear();
      std::ranges::set_union(members, detector.members_of(cohort), std::back_inserter(both));
      members.swap(both);
    }
  }
  return delayed(members, incident);
}

Json Cluster::delayed(const std::vector<uint32_t>& members, const detect::Incident& incident) {
  Json some = Json::array();
  size_t others = 0;
  for (const uint32_t other : members) {
    if (other == incident.rank || std::ranges::binary_search(incident.ranks, other)) continue;
    if (++others <= kMaxDelayed) some.push_back(other);
  }
  return {{"delayed_count", others}, {"delayed", std::move(some)}};
}

void Cluster::keep(store::IncidentRow row, bool is_open, std::vector<store::IncidentRow>& rows) {
  const std::string name = incident_name(row);
  unconfirmed_.erase(name);
  if (is_open) {
    open_[name] = row;
  } else {
    open_.erase(name);
  }
  rows.push_back(std::move(row));
}

void Cluster::advance_hangs(const JobKey& key, Job& job, uint64_t now_ns, std::vector<store::IncidentRow>& rows) {
  std::vector<detect::Hang> changes;
  if (job.hangs.is_due()) {
    changes = job.hangs.advance(false, now_ns);
    job.settled_ns = now_ns + kSettles_ns;
  } else if (job.settled_ns != 0 && now_ns >= job.settled_ns) {
    changes = job.hangs.advance(true, now_ns);
    job.settled_ns = 0;
  } else if (job.is_silent) {
    changes = job.hangs.end_silent();
  }
  for (const detect::Hang& hang : changes) {
    keep(row_of(key, job, hang), hang.state == detect::State::kOpen, rows);
  }
}

Status Cluster::advance(uint64_t now_ns) {
  std::vector<store::IncidentRow> rows;
  for (auto& [key, job] : jobs_) {
    const uint64_t before = job.detector.last_window();
    auto changes = job.detector.advance(now_ns);
    if (job.detector.last_window() != before) job.note_compared();
    if (!job.is_silent && job.has_gone(now_ns)) {
      job.is_silent = true;
      for (const detect::Incident& incident : job.detector.end_all_silent()) changes.push_back(incident);
      job.note_compared();
    }
    for (const detect::Incident& incident : changes) {
      keep(row_of(key, job, incident), incident.state == detect::State::kOpen, rows);
    }
    if (key.kind != Kind::kWork) continue;
    if (job.detector.last_window() != before || job.is_silent) advance_pace(key, job, rows);
    advance_hangs(key, job, now_ns, rows);
  }
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    const bool is_old = job->second.is_silent && now_ns >= job->second.heard_ns + kJobForgotten_ns;
    job = is_old ? forget(job) : std::next(job);
  }
  end_unconfirmed(now_ns, rows);
  return write_incidents(std::move(rows));
}

// What cannot be written now is written with what comes next.
Status Cluster::write_incidents(std::vector<store::IncidentRow> rows) {
  for (store::IncidentRow& row : rows) {
    if (unwritten_.size() >= kMaxUnwritten && unwritten_.count(row.id) == 0) {
      ++counters_.lost_incidents;
      continue;
    }
    unwritten_.insert_or_assign(row.id, std::move(row));
  }
  if (unwritten_.empty() || replay_) return {};
  rows.clear();
  for (const auto& [id, row] : unwritten_) rows.push_back(row);
  INGERO_TRY(store_->write(rows));
  unwritten_.clear();
  return {};
}

void Cluster::add_outliers(const JobKey& key, const Job& job, const OutlierQuery& query,
                           std::vector<Outlier>& outliers) const {
  std::map<uint32_t, detect::Standing> nodes;
  for (const detect::Incident& one : job.detector.named()) {
    if (!one.is_of_node()) continue;
    detect::Standing& node = nodes[one.node];
    node.rank = one.rank;
    node.node = one.node;
    node.communicator = one.communicator;
    node.onset = one.from_window;
    node.effect = one.effect;
    node.usual_s = one.usual_s;
    node.is_named = node.is_suspect = true;
    node.incident = one;
  }
  for (auto& one : job.detector.standings()) {
    // A named one stays until it is over; what it was named with may be lower by now.
    if (one.score <= 0) break;
    if (one.is_of_node) {
      detect::Standing& node = nodes[one.node];
      node.score = std::max(node.score, one.score);
      continue;
    }
    if (!one.is_named) {
      one.incident = detect::Incident();
      one.incident.rank = one.rank;
      one.incident.effect = one.effect;
      one.incident.lateness_s = std::abs(one.effect) * one.usual_s;
      one.incident.usual_s = one.usual_s;
    }
    if ((one.score < query.threshold && !one.is_named) || one.incident.effect < query.min_effect) continue;
    outliers.push_back({&key, &job, std::move(one)});
  }
  for (auto& [node, one] : nodes) {
    if (one.incident.effect >= query.min_effect) outliers.push_back({&key, &job, std::move(one)});
  }
}

// Those of all jobs, the named ones first, then by score.
Json Cluster::outlier_list(std::vector<Outlier> outliers, const OutlierQuery& query) const {
  std::stable_sort(outliers.begin(), outliers.end(), [](const Outlier& a, const Outlier& b) {
    return std::pair(a.standing.is_named, a.standing.score) > std::pair(b.standing.is_named, b.standing.score);
  });
  if (outliers.size() > query.top_n) outliers.resize(query.top_n);
  std::map<std::pair<const Job*, uint64_t>, std::vector<uint32_t>> members;  // by communicator
  Json list = Json::array();
  for (const auto& [key, job, one] : outliers) {
    const bool is_score = key->kind == Kind::kScore;
    const detect::Incident& incident = one.incident;
    const Scored* scored = is_score ? &job->scored.at(one.rank) : nullptr;
    const auto [found, is_new] = members.try_emplace({job, one.communicator});
    if (is_new && !is_score) found->second = job->detector.members_of(one.communicator);  // a score is not waited for
    const std::string& node = node_name(is_score ? scored->node : one.node);
    Json row{{"cluster_id", key->cluster}, {"job_id", json_or_null(key->job)}, {"node_id", node}};
    row["rank"] = is_score || incident.is_of_node() ? Json(nullptr) : Json(one.rank);
    row["kind"] = kind_of(incident, is_score);
    row["state"] = one.is_named ? "named" : "suspect";
    row["scope"] = is_score || incident.is_of_node() ? "node" : "rank";
    row["effect"] = rounded(incident.effect);
    row["score"] = rounded(one.score);
    row["threshold"] = query.threshold;
    row["lateness_s_per_step"] = is_score ? Json(nullptr) : Json(rounded(incident.lateness_s));
    row["since_ns"] = one.onset * job->period_ns;
    row["confidence"] = one.is_named ? Json(rounded(incident.confidence)) : Json(nullptr);
    row["communicator"] = hex(one.communicator);
    row.update(incident.is_of_node() ? delayed(job->detector, incident) : delayed(found->second, incident));
    row["evidence"] = is_score ? evidence_of_score(incident, scored->group) : evidence_of(incident);
    row["class"] = explain(*key, *job, incident, row["evidence"]);
    row["cause"] = cause_in_words(row["kind"].get<std::string>(), row["class"].get<std::string>(), row["evidence"]);
    row["sentence"] = sentence_of(node, incident, is_score ? &scored->group : nullptr);
    list.push_back(std::move(row));
  }
  return list;
}

// Before ranks that are late: they are not what it waits for.
void Cluster::add_slow_job(const JobKey& key, const Job& job, const OutlierQuery& query, Json& list) const {
  const auto change = job.pace.open();
  if (!change || change->effect < query.min_effect) return;
  store::IncidentRow name;
  name.cluster = key.cluster;
  name.job = key.job;
  name.kind = kSlowJob;
  const auto open = open_.find(incident_name(name));
  if (open == open_.end()) return;
  const store::IncidentRow& row = open->second;
  const Json& evidence = row.evidence;
  const bool is_known = !row.node.empty();
  const size_t on_it = evidence.at("device").is_object() ? evidence.at("device").at("ranks").size() : 0;
  list.push_back({{"cluster_id", key.cluster},
                  {"job_id", json_or_null(key.job)},
                  {"node_id", is_known ? row.node : "unknown"},
                  {"rank", has_rank(row) ? Json(row.rank) : Json(nullptr)},
                  {"kind", kSlowJob},
                  {"class", row.what},
                  {"state", "named"},
                  {"scope", "job"},
                  {"effect", evidence.at("effect")},
                  {"score", rounded(job.pace.score())},
                  {"threshold", detect::Pace::kSlower},
                  {"lateness_s_per_step", evidence.at("lateness_s_per_step")},
                  {"since_ns", row.from_ns},
                  {"confidence", rounded(row.confidence)},
                  {"communicator", hex(row.communicator)},
                  {"delayed_count", job.limits.ranks - std::min(job.limits.ranks, on_it)},
                  {"delayed", Json::array()},
                  {"evidence", evidence},
                  {"cause", cause_in_words(row.kind, row.what, evidence)},
                  {"sentence", evidence.at("sentence")}});
}

Result<Json> Cluster::outliers(const OutlierQuery& query) {
  Json answer{{"cluster_id", json_or_null(query.cluster)}, {"outliers", Json::array()}, {"jobs", Json::array()}};
  {
    const std::lock_guard guard(mutex_);
    (void)advance(clock_.mono_ns());
    std::vector<Outlier> outliers;
    for (const auto& [key, job] : jobs_) {
      if (!query.cluster.empty() && key.cluster != query.cluster) continue;
      add_outliers(key, job, query, outliers);
      const detect::Limits& limits = job.limits;
      answer["jobs"].push_back(
          {{"cluster_id", key.cluster},
           {"job_id", json_or_null(key.job)},
           {"compares", key.kind == Kind::kWork ? "own work" : "health score"},
           {"ranks", limits.ranks},
           {"not_observed_ranks", limits.unobserved},
           {"not_compared_ranks", limits.uncompared},
           {"contested_ranks", limits.contested},
           {"window_s", job.period_ns / kSecond_ns},
           {"last_window_end_ns", (job.detector.last_window() + 1) * job.period_ns},
           {"detectable_effect", detectable(limits)},
           {"late_windows", job.detector.late()},
           {"imbalance", key.kind == Kind::kWork ? imbalance_json(job.detector.imbalance()) : Json::array()}});
    }
    for (const auto& [key, job] : jobs_) {
      if (query.cluster.empty() || key.cluster == query.cluster) add_slow_job(key, job, query, answer["outliers"]);
    }
    for (Json& row : outlier_list(std::move(outliers), query)) answer["outliers"].push_back(std::move(row));
    while (answer["outliers"].size() > query.top_n) answer["outliers"].erase(answer["outliers"].size() - 1);
  }
  answer["ended"] = Json::array();
  if (query.since_ns == 0) return answer;
  const auto rows = store_->ended_incidents(query.cluster, query.since_ns, query.top_n + 1);
  INGERO_TRY(rows);
  const auto onsets = onsets_of_the_day(query.cluster);
  INGERO_TRY(onsets);
  for (const auto& row : *rows) {
    if (answer["ended"].size() < query.top_n) answer["ended"].push_back(incident_json(row, *onsets));
  }
  if (rows->size() > query.top_n) {
    answer["cut"] = {fmt::format("of the incidents that ended the newest {} are given (top_n)", query.top_n)};
  }
  return answer;
}

Json Cluster::hangs(const std::string& cluster) {
  Json answer{{"cluster_id", json_or_null(cluster)}, {"hangs", Json::array()}, {"jobs", Json::array()}};
  const std::lock_guard guard(mutex_);
  (void)advance(clock_.mono_ns());
  for (const auto& [key, job] : jobs_) {
    if (key.kind != Kind::kWork || (!cluster.empty() && key.cluster != cluster)) continue;
    for (const detect::Hang& hang : job.hangs.open()) {
      answer["hangs"].push_back(incident_json(row_of(key, job, hang), {}));
    }
    const detect::Hangs::Known known = job.hangs.known();
    answer["jobs"].push_back({{"cluster_id", key.cluster},
                              {"job_id", json_or_null(key.job)},
                              {"communicators", known.communicators},
                              {"unnumbered_ranks", known.unnumbered_ranks},
                              {"window_s", job.period_ns / kSecond_ns},
                              {"hang_after_s", static_cast<double>(hang_after_ns_) / kSecond_ns}});
  }
  return answer;
}

// For their persistence.
Result<Onsets> Cluster::onsets_of_the_day(const std::string& cluster) {
  const uint64_t now_ns = clock_.wall_ns();
  const auto known = store_->incidents(cluster, now_ns > kDay_ns ? now_ns - kDay_ns : 0, kMaxOfDay);
  INGERO_TRY(known);
  return Onsets(*known);
}

// A row of what is open is written when there is news, and says until when it was known then.
void Cluster::bring_up_to_date(std::vector<store::IncidentRow>& rows) {
  std::map<std::string, uint64_t> until;  // by name
  {
    const std::lock_guard guard(mutex_);
    store::IncidentRow row;
    const auto note = [&](const char* kind, const char* what, uint64_t to_ns) {
      row.kind = kind;
      row.what = what;
      until[incident_name(row)] = to_ns;
    };
    for (const auto& [key, job] : jobs_) {
      std::tie(row.cluster, row.job) = std::tie(key.cluster, key.job);
      for (const auto& one : job.detector.named()) {
        row.rank = one.rank;
        row.node = node_name(one.node);
        note(kind_of(one, key.kind == Kind::kScore), "", (one.last_window + 1) * job.period_ns);
      }
      for (const auto& hang : job.hangs.open()) note(detect::name_of(hang.kind), kHang, hang.to_ns);
      if (const auto slow = job.pace.open()) note(kSlowJob, "", (slow->last_window + 1) * job.period_ns);
    }
  }
  for (store::IncidentRow& row : rows) {
    if (row.state != detect::name_of(detect::State::kOpen)) continue;
    const auto found = until.find(incident_name(row));
    if (found != until.end()) row.to_ns = std::max(row.to_ns, found->second);
  }
}

Result<Json> Cluster::incidents(const std::string& cluster, uint64_t since_ns, size_t limit) {
  auto rows = store_->incidents(cluster, since_ns, limit);
  INGERO_TRY(rows);
  bring_up_to_date(*rows);
  const auto onsets = onsets_of_the_day(cluster);
  INGERO_TRY(onsets);
  Json list = Json::array();
  for (const auto& row : *rows) list.push_back(incident_json(row, *onsets));
  return Json{{"incidents", std::move(list)}};
}

Result<Json> Cluster::history(const store::HistoryQuery& query) {
  auto found = store_->history(query);
  INGERO_TRY(found);
  const size_t count = found->events.size();
  Json answer{
      {"events", std::move(found->events)}, {"count", count}, {"is_cut", found->is_at_limit || found->is_too_long}};
  if (answer["is_cut"] == true) {
    answer["cut"] = {fmt::format("the first {} events are given; there are more ({})", count,
                                 found->is_at_limit ? "limit" : "longer than an answer may be")};
  }
  return answer;
}

Result<Json> Cluster::health(const store::Clusters& readable) {
  const auto coverage = store_->coverage();
  INGERO_TRY(coverage);
  const auto from = [](uint64_t ns) { return ns == 0 ? Json(nullptr) : Json(ns); };
  Json over_quota = Json::object();
  const auto refused = quotas_.refused();
  for (size_t i = 0; i < refused.size(); ++i) over_quota[std::string(Quotas::kNames[i])] = refused[i];
  const auto backlog = store_->backlog();
  const std::lock_guard guard(mutex_);
  uint64_t late = counters_.late, dropped = counters_.dropped;
  for (const auto& [key, job] : jobs_) {
    late += job.detector.late();
    dropped += job.detector.dropped();
  }
  return Json{{"status", write_error_.empty() ? "ok" : "failing"},
              {"store",
               {{"bytes", coverage->bytes},
                {"nodes", coverage->nodes},
                {"points_from_ns", from(coverage->points_from_ns)},
                {"windows_from_ns", from(coverage->windows_from_ns)},
                {"minutes_from_ns", from(coverage->minutes_from_ns)},
                {"hours_from_ns", from(coverage->hours_from_ns)},
                {"last_error", json_or_null(write_error_)},
                {"refused_requests", counters_.refused_writes}}},
              {"spool", backlog ? spool_json(*backlog) : Json(nullptr)},
              {"received",
               {{"requests", counters_.requests},
                {"undecodable", counters_.undecodable},
                {"points", counters_.points},
                {"windows", counters_.windows},
                {"repeated", counters_.repeated},
                {"refused", counters_.refused},
                {"over_quota", std::move(over_quota)}}},
              {"not_compared",
               {{"late", late},
                {"ahead", counters_.ahead},
                {"other_period", counters_.other_period},
                {"too_many_jobs", counters_.no_room},
                {"too_many_ranks", counters_.too_many_ranks},
                {"ranks_of_node", counters_.ranks_of_node},
                {"too_many_windows", dropped}}},
              {"nodes_of_one_name", names_.shared(readable)},
              {"nodes_of_too_many_ranks", ranks_.excessive(clock_.mono_ns(), readable)},
              {"jobs", jobs_.size()},
              {"displaced_jobs", counters_.displaced},
              {"unwritten_incidents", unwritten_.size()},
              {"lost_incidents", counters_.lost_incidents}};
}

}  // namespace ingero::fleet::server
