// The scraper's thread: checks that a server is still the one that was found, fetches its metrics, and stores them.
#include "agent/inference/inference_scrape.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/log.h"
#include "base/text.h"
#include "serve/metrics/metric_names.h"
#include "serve/prometheus/fetch.h"

namespace ingero::agent {
namespace {

namespace metrics = serve::metrics;

std::vector<store::ModelServerMetric> rows_of(uint64_t server, const std::vector<ModelServerReading>& before,
                                              const std::vector<ModelServerReading>& now, uint64_t wall_ns) {
  std::vector<store::ModelServerMetric> rows;
  for (const ModelServerReading& reading : now) {
    store::ModelServerMetric row;
    row.server = server;
    row.wall_ns = wall_ns;
    row.name = reading.row->name;
    row.source_name = reading.row->source;
    row.model = reading.model;
    row.unit = reading.row->unit;
    switch (reading.row->form) {
      case ModelServerForm::kHistogram: {
        row.kind = "histogram";
        row.count = reading.count;
        row.sum = reading.sum;
        const auto same = std::find_if(before.begin(), before.end(), [&](const ModelServerReading& one) {
          return one.row == reading.row && one.model == reading.model;
        });
        if (same != before.end()) {
          const Interval interval = between(*same, reading);
          row.interval_mean = interval.mean;
          row.interval_p95 = interval.p95;
        }
        break;
      }
      case ModelServerForm::kCounter:
      case ModelServerForm::kGauge:
        row.kind = reading.row->form == ModelServerForm::kCounter ? "counter" : "gauge";
        row.value = reading.value;
        break;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

bool listens(std::string_view table, uint16_t port, uint32_t uid) {
  const std::string wanted = fmt::format(":{:04X}", port), owner = std::to_string(uid);
  for (const std::string_view line : split(table, '\n')) {
    std::vector<std::string_view> words;
    for (const std::string_view word : split(line, ' ')) {
      if (!word.empty() && words.size() < 8) words.push_back(word);
    }
    if (words.size() == 8 && words[3] == "0A" && words[1].ends_with(wanted) && words[7] == owner) return true;
  }
  return false;
}

bool shares_network(const std::string& proc, uint32_t pid) {
  // The files of each network namespace have numbers of their own; ns/net itself would take CAP_SYS_PTRACE.
  struct stat theirs {};
  struct stat ours {};
  return ::stat(fmt::format("{}/{}/net/tcp", proc, pid).c_str(), &theirs) == 0 &&
         ::stat((proc + "/self/net/tcp").c_str(), &ours) == 0 && theirs.st_dev == ours.st_dev &&
         theirs.st_ino == ours.st_ino;
}

void InferenceScrape::start(Recorder& recorder) {
  recorder_ = &recorder;
  if (!proc_) proc_ = recorder.proc();
  thread_ = std::thread([this] { run(); });
}

void InferenceScrape::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

bool InferenceScrape::know(uint32_t pid) {
  const std::scoped_lock lock(mutex_);
  if (server_of_.contains(pid)) return true;
  if (server_of_.size() >= kMaxProcesses) return false;
  server_of_[pid] = std::nullopt;
  unknown_.insert(pid);
  changed_.notify_all();
  return true;
}

void InferenceScrape::forget(uint32_t pid) {
  const std::scoped_lock lock(mutex_);
  server_of_.erase(pid);
  unknown_.erase(pid);
}

std::optional<uint64_t> InferenceScrape::server_of(uint32_t pid) const {
  const std::scoped_lock lock(mutex_);
  const auto found = server_of_.find(pid);
  return found == server_of_.end() ? std::nullopt : found->second;
}

std::optional<ModelServer> InferenceScrape::found(uint32_t pid) const {
  const std::scoped_lock lock(mutex_);
  const auto known = server_of_.find(pid);
  if (known == server_of_.end() || !known->second) return {};
  const auto server = servers_.find(*known->second);
  return server == servers_.end() ? std::nullopt : std::optional(server->second.found);
}

void InferenceScrape::run() {
  pthread_setname_np(pthread_self(), "ingero-scrape");
  using Time = std::chrono::steady_clock;
  const std::chrono::nanoseconds interval(options_.interval_ns), redetect(options_.redetect_ns);
  auto next_read = Time::now(), next_look = Time::now() + redetect;
  std::unique_lock lock(mutex_);
  for (;;) {
    const bool last = stopping_;
    if (Time::now() >= next_look) {  // a process that was not a model server may have run another program
      next_look = Time::now() + redetect;
      for (const auto& [pid, server] : server_of_) {
        if (!server) unknown_.insert(pid);
      }
    }
    if (!unknown_.empty()) {
      const uint64_t before = last_id_;
      lock.unlock();
      look_for_servers();
      lock.lock();
      if (last_id_ > before) next_read = Time::now();
    }
    if (last || Time::now() >= next_read) {
      next_read = Time::now() + interval;
      lock.unlock();
      forget_gone();
      for (auto& [id, server] : servers_) read(server);
      lock.lock();
    }
    if (last) return;
    changed_.wait_until(lock, std::min(next_read, next_look), [this] { return stopping_ || !unknown_.empty(); });
  }
}

void InferenceScrape::look_for_servers() {
  forget_gone();
  std::set<uint32_t> pids;
  {
    const std::scoped_lock lock(mutex_);
    pids.swap(unknown_);
  }
  for (const uint32_t pid : pids) {
    std::optional<uint64_t> belongs;
    uint32_t at = pid;
    for (int i = 0; i < kMaxParents && at > 1 && !belongs; ++i) {
      const auto process = proc_->process(at);
      if (!process.ok()) break;
      belongs = server_at(at, process->command_line);
      at = process->parent_pid;
    }
    const std::scoped_lock lock(mutex_);
    if (const auto known = server_of_.find(pid); known != server_of_.end()) known->second = belongs;
  }
}

// The server that this process is: one that is known, or a new one.
std::optional<uint64_t> InferenceScrape::server_at(uint32_t pid, const std::string& command_line) {
  const auto found = find_model_server(command_line);
  const auto owner = proc_->owner(pid);
  if (!found || !owner.ok()) return std::nullopt;
  for (const auto& [id, server] : servers_) {
    if (server.pid == pid && server.start_ticks == owner->start_ticks) return id;
  }
  if (servers_.size() >= kMaxModelServers) {
    recorder_->add_loss(hal::Loss::model_server_lost, 1);
    return std::nullopt;
  }
  const uint64_t id = ++last_id_;
  {
    const std::scoped_lock lock(mutex_);
    servers_[id] = {id, *found, pid, owner->uid, owner->start_ticks, {}, {}};
  }
  store::InferenceModelServer row;
  row.id = id;
  row.pid = pid;
  row.name = found->name;
  row.model = found->model;
  row.url = fmt::format("http://{}:{}/metrics", options_.host, found->port);
  row.found_wall_ns = system_clock().wall_ns();
  if (!recorder_->with_writer([row](store::Writer& writer) { writer.add_model_server(row); })) {
    recorder_->add_loss(hal::Loss::inference_lost, 1);
  }
  log_info("process {} is {}, metrics at {}", pid, row.name, row.url);
  return id;
}

bool InferenceScrape::is_there(const Server& server) const {
  const auto owner = proc_->owner(server.pid);
  return owner.ok() && owner->start_ticks == server.start_ticks;
}

void InferenceScrape::forget_gone() {
  std::vector<uint64_t> gone;
  for (const auto& [id, server] : servers_) {
    if (!is_there(server)) gone.push_back(id);
  }
  const std::scoped_lock lock(mutex_);
  for (const uint64_t id : gone) servers_.erase(id);
}

void InferenceScrape::note(Server& server, const std::string& last_error) {
  recorder_->add_loss(hal::Loss::engine_unread, 1);
  {
    const std::scoped_lock lock(mutex_);
    ++failures_;
  }
  if (server.reported == last_error) return;
  server.reported = last_error;
  log_warning("metrics of {} (process {}): {}", server.found.name, server.pid, last_error);
}

void InferenceScrape::read(Server& server) {
  const auto owner = proc_->owner(server.pid);
  if (!owner.ok() || owner->start_ticks != server.start_ticks) return;  // forgotten before the next reading
  bool is_its_own = false;
  for (const char* table : {"tcp", "tcp6"}) {
    const auto text = read_file(fmt::format("{}/{}/net/{}", proc_->root(), server.pid, table));
    is_its_own = is_its_own || (text.ok() && listens(*text, server.found.port, owner->uid));
  }
  if (!is_its_own) {
    return note(server, fmt::format("no process of user {} listens on port {}", owner->uid, server.found.port));
  }
  // What listens there in this namespace is another program.
  if (!shares_network(proc_->root(), server.pid)) {
    return note(server, fmt::format("port {} is one of another network namespace (a container's), which is not read",
                                    server.found.port));
  }
  const uint64_t timeout_ns = std::min(options_.interval_ns / 2, ScrapeOptions::kMaxTimeoutNs);
  const auto page =
      serve::prometheus::fetch_page(options_.host, server.found.port, "/metrics", timeout_ns, ScrapeOptions::kMaxBytes);
  if (!page.ok()) return note(server, page.error().text());
  ModelServerPage found = read_model_server(server.found.name, *page);
  if (found.refused > 0) recorder_->add_loss(hal::Loss::engine_unread, 1);
  server.reported.clear();
  auto rows = std::make_shared<std::vector<store::ModelServerMetric>>(
      rows_of(server.id, server.last, found.readings, system_clock().wall_ns()));
  {
    const std::scoped_lock lock(mutex_);
    server.last = std::move(found.readings);
    ++reads_;
  }
  const bool taken = recorder_->with_writer([rows](store::Writer& writer) {
    for (store::ModelServerMetric& row : *rows) writer.add_model_server_metric(std::move(row));
  });
  if (!taken) recorder_->add_loss(hal::Loss::inference_lost, 1);
}

void InferenceScrape::write(metrics::MetricSet& page) const {
  const std::scoped_lock lock(mutex_);
  page.add(metrics::kEngineReads, {{"outcome", "read"}}, static_cast<double>(reads_));
  page.add(metrics::kEngineReads, {{"outcome", "failed"}}, static_cast<double>(failures_));
  // Servers of one name that serve one model are one series: a pid would be another label without end.
  std::map<std::tuple<const metrics::Metric*, std::string_view, std::string>, ModelServerReading> sums;
  for (const auto& [id, server] : servers_) {
    for (const ModelServerReading& reading : server.last) {
      const std::string& model = reading.model.empty() ? server.found.model : reading.model;
      const auto [sum, is_new] = sums.try_emplace({reading.row->metric, server.found.name, model}, reading);
      if (is_new) continue;
      ModelServerReading& into = sum->second;
      into.value += reading.value;
      into.sum += reading.sum;
      into.count += reading.count;
      const bool same_bounds = into.counts.size() == reading.counts.size() &&
                               std::equal(into.counts.begin(), into.counts.end(), reading.counts.begin(),
                                          [](const auto& one, const auto& other) { return one.first == other.first; });
      if (!same_bounds) into.counts.clear();
      for (auto& [bound, count] : into.counts) count += reading.counts.at(bound);
    }
  }
  for (const auto& [key, reading] : sums) {
    const auto& [metric, name, model] = key;
    const metrics::Labels labels = {{"engine", std::string(name)}, {"model", model}};
    if (reading.row->form != ModelServerForm::kHistogram) {
      page.add(*metric, labels, reading.value);
      continue;
    }
    std::vector<double> bounds;
    std::vector<uint64_t> counts;
    uint64_t before = 0;
    for (const auto& [bound, total] : reading.counts) {
      bounds.push_back(bound);
      counts.push_back(total - before);
      before = total;
    }
    counts.push_back(reading.count - before);
    page.add(*metric, labels, metrics::Buckets{bounds, counts, reading.sum});
  }
}

}  // namespace ingero::agent
