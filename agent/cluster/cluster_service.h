// `trace --fleet-endpoint`: sends what the ranks of this machine did to a cluster's server. The service
// that gives the sender (fleet/send) the live windows (agent/window_feed.h) and causal chains.
//
// open() before privileges are given up. take(): the capture thread; emit(): the store thread; neither waits.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "agent/service.h"
#include "agent/window_feed.h"
#include "base/clock.h"
#include "base/result.h"
#include "fleet/send/device_states.h"
#include "fleet/send/sender.h"
#include "fleet/send/settings.h"
#include "hal/call_table.h"
#include "hal/chain.h"
#include "hal/wait.h"
#include "store/db/location.h"

namespace ingero::agent {

using ClusterOptions = fleet::send::Settings;

class ClusterService final : public Service {
 public:
  // `node` names this machine where no flag does. Null where nothing is to be sent. The references must outlive it.
  static Result<std::unique_ptr<ClusterService>> open(const ClusterOptions& options, const Environment& environment,
                                                      const Clock& clock, const std::string& node,
                                                      const hal::CallTable& calls);

  void take(const EventBatch& batch);
  void emit(const hal::CausalChain& chain) { sender_->add(chain); }
  // The devices as one backend's sampler has just read them. Any thread.
  void take(const std::string& backend, const hal::DeviceSample& sample) { devices_.take(backend, sample); }
  void start(Recorder& recorder) override;
  void stop() override;
  std::vector<std::string> notes() const override;
  // What became of what was sent, in a line.
  std::string summary() const;

 private:
  ClusterService(std::unique_ptr<fleet::send::Sender> sender, std::string node, const Clock& clock,
                 const hal::CallTable& calls);
  void give(std::vector<correlate::RankWindow> windows);
  void look_at(const Recorder& recorder, correlate::RankActivity& activity) const;

  std::unique_ptr<fleet::send::Sender> sender_;
  const std::string node_;
  const hal::CallTable& calls_;
  fleet::send::DeviceStates devices_;
  std::unordered_map<uint32_t, hal::CpuSample> samples_;  // by tid: the last; the capture thread's
  int64_t wall_offset_ns_ = 0;                            // likewise
  std::atomic<const Recorder*> recorder_ = nullptr;       // null: not started, or stopped
  WindowFeed feed_;
};

}  // namespace ingero::agent
