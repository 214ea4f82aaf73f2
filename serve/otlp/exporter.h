// The sender of `trace --otlp`: its own thread takes the metrics at an interval, keeps what cannot be sent on disk, and
// sends in order. What it is given to send never waits for the network.
//
// open() checks everything that can be checked without a connection, and opens what may need privileges; the first
// connection is made by start()'s thread. Memory is bounded: one collection, and kMaxSpans spans. Items (data points
// and spans) are accounted for: each was accepted, rejected by the receiver, dropped here, or is waiting in the queue.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "hal/loss.h"
#include "serve/metrics/metric_set.h"
#include "serve/otlp/disk_queue.h"
#include "serve/otlp/encode.h"
#include "serve/otlp/model.h"
#include "serve/otlp/transport.h"

namespace ingero::serve::otlp {

struct ExporterOptions {
  Receiver receiver;
  TlsFiles tls;
  QueueOptions queue;
  Attributes resource;
  std::string version;
  bool is_gzip = true;
  uint64_t interval_ns = 10'000'000'000;
  uint64_t timeout_ns = 10'000'000'000;  // of one request, from the name's resolution to the end of the answer
  uint64_t stop_ns = 5'000'000'000;      // for what is left at the end; the rest waits for the next run
};

// Totals since start().
struct ExporterHealth {
  uint64_t accepted_requests = 0, accepted_items = 0;
  uint64_t rejected_items = 0;  // by the receiver, of accepted requests
  uint64_t refused_items = 0;   // of requests that the receiver will never take
  uint64_t dropped_items = 0;   // here: too many spans, a full queue, a full disk
  uint64_t damaged_files = 0;   // of the queue
  uint64_t failed_tries = 0;
  uint64_t waiting_requests = 0, waiting_bytes = 0;
  std::string last_error;  // what the last try failed with; empty when it did not
  std::string warning;     // the last thing the receiver said about what it accepted
};

class Exporter {
 public:
  static constexpr size_t kMaxSpans = 4096;

  // Callbacks: called by its own thread, until stop() has returned.
  struct Hooks {
    std::function<void(metrics::MetricSet&)> fill;              // the metrics as they are now
    std::function<void(hal::Loss, uint64_t)> lose;              // for the ledger
    std::function<void(const std::string& sentence)> say = {};  // a problem begins, changes, is over
  };

  // `clock` must outlive this.
  static Result<std::unique_ptr<Exporter>> open(ExporterOptions options, const Clock& clock = system_clock());
  ~Exporter();  // as stop()
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  void start(Hooks hooks);
  // Any thread; waits for nothing. Beyond kMaxSpans between two collections spans are dropped and counted.
  void add(Span span);
  // A last collection, then what can be sent in stop_ns.
  void stop();

  ExporterHealth health() const;
  void write(metrics::MetricSet& metrics) const;
  std::string url() const;

 private:
  struct Impl;
  explicit Exporter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::serve::otlp
