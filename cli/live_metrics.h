// The metrics of a running recording: one list, for whoever asks (the page for Prometheus, the sender of OTLP).
//
// add() is the recorder's capture thread; fill() any thread, one at a time, while `recorder` is there.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "cli/recorder.h"
#include "serve/prometheus/call_metrics.h"
#include "serve/prometheus/collective_metrics.h"
#include "serve/prometheus/page.h"

namespace ingero::cli {

class LiveMetrics {
 public:
  // `calls` must outlive this. With `earlier_names` what has names in no base unit is counted too; whether they are
  // shown is said each time.
  LiveMetrics(const hal::CallTable& calls, bool earlier_names)
      : calls_(calls), call_metrics_(calls, earlier_names), collective_metrics_(calls) {}

  void add(const Parcel& parcel);
  // More of the page: called each time. Before the first fill().
  using Part = std::function<void(serve::prometheus::Page&)>;
  void add_part(Part part) { parts_.push_back(std::move(part)); }
  void fill(serve::prometheus::Page& page, const Recorder& recorder, bool with_earlier_names);

 private:
  const hal::CallTable& calls_;
  serve::prometheus::CallMetrics call_metrics_;
  serve::prometheus::CollectiveMetrics collective_metrics_;
  std::vector<Part> parts_;
  std::mutex mutex_;
  uint64_t folded_ = 0;  // guarded by mutex_
};

}  // namespace ingero::cli
