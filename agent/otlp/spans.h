// What becomes a span: incidents (causal chains) once they are over, collectives that took longer than a bound, and
// slow inference steps.
//
// Ids are derived from what they identify, so that every agent gives the same thing the same id: the ranks of a
// collective, on all hosts, are spans of one trace where communicator and sequence number are known. Times are wall
// nanoseconds. Bounded: beyond the caps the oldest are dropped. Threads: one at a time for each class.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "agent/batch_queue.h"
#include "agent/inference/model_servers.h"
#include "correlate/workloads.h"
#include "hal/call_table.h"
#include "hal/chain.h"
#include "serve/otlp/model.h"

namespace ingero::agent {

using TakeSpan = std::function<void(serve::otlp::Span)>;

class IncidentSpans {
 public:
  static constexpr size_t kMaxOpen = 1024;

  // `run` names this recording: node and start. Incidents have the ids that they have in it: "node:id".
  IncidentSpans(std::string node, std::string run, TakeSpan take)
      : node_(std::move(node)), run_(std::move(run)), take_(std::move(take)) {}
  // A chain was found, changed, or is over: then it is a span.
  void emit(const hal::CausalChain& chain);
  // The recording ends: those that are not over are spans that say so.
  void finish();

 private:
  serve::otlp::Span span_of(const hal::CausalChain& chain) const;
  const std::string node_, run_;
  const TakeSpan take_;
  std::map<std::string, hal::CausalChain> open_;  // by id
};

// A slow step, with the model server of its process where that is known. `run` as above.
serve::otlp::Span span_of(const correlate::ClassifiedStep& evaluated, const std::optional<ModelServer>& server,
                          const std::string& run);

class CollectiveSpans {
 public:
  static constexpr size_t kMaxWaiting = 4096;  // collectives whose wait has not ended: the latest
  static constexpr size_t kMaxArrivals = 4096;

  // `calls` must outlive this.
  CollectiveSpans(const hal::CallTable& calls, std::string run, uint64_t slow_ns, TakeSpan take)
      : calls_(calls), run_(std::move(run)), slow_ns_(slow_ns), take_(std::move(take)) {}

  using Lookup = std::function<std::optional<hal::Communicator>(uint64_t id)>;
  void add(const EventBatch& batch, const Lookup& communicator);

 private:
  struct Waiting {
    hal::Event event;
    hal::Exchange exchange;
    std::optional<hal::Communicator> on;
  };
  void emit(const Waiting& one, std::optional<uint64_t> wait_ns) const;

  const hal::CallTable& calls_;
  const std::string run_;
  const uint64_t slow_ns_;
  const TakeSpan take_;
  std::unordered_map<uint64_t, Waiting> waiting_;  // by exchange
  std::deque<uint64_t> order_;
  std::map<std::pair<uint64_t, uint64_t>, correlate::Arrival> arrivals_;  // by communicator's hash and number
  std::deque<std::pair<uint64_t, uint64_t>> arrivals_order_;
};

}  // namespace ingero::agent
