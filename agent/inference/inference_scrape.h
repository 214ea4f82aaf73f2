// Scrapes the metrics of the model servers that traced processes belong to, at an interval, into recording and metrics.
//
// A process that runs inference steps belongs to a model server if it, or one of its parents, is that server. A server
// is scraped only while its process is still the one that was found, only on this machine's own address, and only if
// the process's user also owns the listening socket: a command line can name any port. One in another network namespace
// has other ports and is not scraped. Failures are counted
// (engine_unread) and logged once. A server that has ended makes room for another; one that finds none is counted
// (model_server_lost) and looked for again.
//
// A thread of its own. know(), forget(), server_of(), found() and write() from any thread. start() and stop() with the
// recorder's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "agent/inference/model_servers.h"
#include "agent/recorder.h"
#include "kernelside/proc.h"
#include "serve/metrics/metric_set.h"

namespace ingero::agent {

struct ScrapeOptions {
  std::string host = "127.0.0.1";
  uint64_t interval_ns = 10'000'000'000;
  uint64_t redetect_ns = 30'000'000'000;
  static constexpr size_t kMaxBytes = 16 << 20;
  static constexpr uint64_t kMaxTimeoutNs = 2'000'000'000;
};

class InferenceScrape {
 public:
  static constexpr size_t kMaxModelServers = 64;
  static constexpr size_t kMaxProcesses = 4096;
  static constexpr int kMaxParents = 8;

  // `proc`: else the recorder's, which no process can hold up.
  explicit InferenceScrape(ScrapeOptions options, std::optional<kernelside::ProcFs> proc = {})
      : options_(std::move(options)), proc_(std::move(proc)) {}
  ~InferenceScrape() { stop(); }
  // `recorder` must outlive stop().
  void start(Recorder& recorder);
  // Reads every model server a last time.
  void stop();

  // This process makes steps. False: there is no room for it.
  bool know(uint32_t pid);
  // It has ended: the next process of that number is another.
  void forget(uint32_t pid);
  // The row of inference_engines (in this run's numbers) that a process belongs to.
  std::optional<uint64_t> server_of(uint32_t pid) const;
  std::optional<ModelServer> found(uint32_t pid) const;
  void write(serve::metrics::MetricSet& page) const;

 private:
  struct Server {
    uint64_t id = 0;
    ModelServer found;
    uint32_t pid = 0, uid = 0;
    uint64_t start_ticks = 0;
    std::vector<ModelServerReading> last;
    std::string reported;  // the problem that was reported last
  };
  void run();
  void look_for_servers();
  std::optional<uint64_t> server_at(uint32_t pid, const std::string& command_line);
  bool is_there(const Server& server) const;
  void forget_gone();
  void read(Server& server);
  void note(Server& server, const std::string& last_error);

  const ScrapeOptions options_;
  std::optional<kernelside::ProcFs> proc_;
  Recorder* recorder_ = nullptr;
  std::thread thread_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  bool stopping_ = false;
  std::set<uint32_t> unknown_;                             // processes to look at
  std::map<uint32_t, std::optional<uint64_t>> server_of_;  // by pid
  std::map<uint64_t, Server> servers_;                     // by id; changed by the thread alone
  uint64_t last_id_ = 0;                                   // of a server; the thread's own
  uint64_t reads_ = 0, failures_ = 0;
};

// Whether a socket of this uid listens on this TCP port, by the text of /proc/net/tcp or tcp6.
bool listens(std::string_view table, uint16_t port, uint32_t uid);

// Whether this process is in our network namespace: no, where that is not known. `proc` is as /proc.
bool shares_network(const std::string& proc, uint32_t pid);

}  // namespace ingero::agent
