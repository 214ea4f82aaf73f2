// `ingero fleet-push`: sends to a cluster's server, from a recording, what the trace that makes it would send itself
// (docs/fleet.md, "From a recording"): windows of ranks as they end, and incidents.
//
// The recording is only read, in step with the agent that writes it; it is also the queue: while the server is away it
// is not read on, so that nothing has to be kept. One thread besides the sender's. Owns the sender; the call table and
// the clock are the caller's. Failure: the store's, and kNotSupported of a file that several machines' recordings were
// merged into. What the server refuses, and what could not be sent in the end, is counted and said.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "fleet/send/sender.h"
#include "fleet/send/settings.h"
#include "hal/call_table.h"

namespace ingero::fleet::push {

inline constexpr uint64_t kShortestEveryNs = 50'000'000;
inline constexpr uint64_t kLongestEveryNs = 1'000'000'000;  // or windows come too late to be compared

struct PushOptions {
  std::string path;  // of the recording
  send::Settings settings;
  std::string agent = "ingero";          // of the User-Agent header
  uint64_t every_ns = 500'000'000;       // how often a live recording is looked at: kShortestEveryNs to kLongestEveryNs
  uint64_t give_up_ns = 30'000'000'000;  // without any progress, when the recording has ended
};

struct PushSummary {
  bool has_ended = false;  // the recording, and all of it was handed over
  send::SenderHealth sent;
  uint64_t unknown = 0;      // collectives of ranks, or on communicators, that the recording does not know
  uint64_t sampled_out = 0;  // collectives of runs that kept only a part of their calls
  uint64_t not_of_now = 0;   // windows of times that no server takes: longer ago than an hour, or still to come
};

// What became of it, a sentence each; the last ones say what is not in what was sent, and why.
std::vector<std::string> sentences_of(const PushSummary& summary, const std::string& url);
// Whether the server has it all; kIo: why not.
Status all_sent(const PushSummary& summary, const std::string& url);

class Push {
 public:
  // Says something on the way.
  using Say = std::function<void(const std::string& sentence)>;
  // Waits for so long; true: it is to stop.
  using Wait = std::function<bool(uint64_t ns)>;

  // Opens the recording and checks all that can be checked without a connection.
  static Result<std::unique_ptr<Push>> open(PushOptions options, const Environment& environment, const Clock& clock,
                                            const hal::CallTable& calls);
  ~Push();
  Push(const Push&) = delete;
  Push& operator=(const Push&) = delete;

  // Until the recording ends, or `wait` says so.
  Result<PushSummary> run(const Wait& wait, const Say& say);
  std::string url() const;
  const std::string& node() const;

 private:
  struct Impl;
  explicit Push(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::fleet::push
