// Whether this machine calls itself a straggler: its score against the threshold that the cluster's server pushes back.
//
// What is compared, and why: the server's threshold is 1 / (1 + d), d being the effect from which on a rank's own work
// is rare among its peers (detect/detector.h). So the score is the same of this machine's slowest rank, as the server
// has compared it with its peers, and says in the same answer (Cluster::threshold). A node cannot find that by itself.
// It does not know its peers, and one window does not prove it: of 1,984 healthy nodes each had a rank beyond the
// threshold in some window of ten minutes of usual noise. Its own past does not say it either: the work of all ranks
// changes with the job, as in an evaluation, and who was always slow is as usual. So only where no server says the
// score, because it is away or knows none, a node is compared with its own past: the median own work of the last
// kRecent windows of its slowest rank over that of the last kUsual. And then it is a straggler below kBaseline,
// whatever the threshold, since that is not about this score. Where the work of the whole job grows by a fifth, all
// nodes say so.
//
// By detection mode (name_of): `fleet`, a threshold that is at most kFresh_ns old, with quorum; `fleet-cached`, the
// server answers without one, the last that had it counts; `local-cached`, it does not answer; `local-baseline`, after
// kCached_ns; `none`. A straggler is one from a score below the threshold on, until it is wire::kHysteresis above it.
// It takes windows and times, and has no clock; one thread. Bounded: the ranks of this machine.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "correlate/rank_windows.h"

namespace ingero::fleet::send {

inline constexpr double kBaseline = 0.85;
inline constexpr uint64_t kFresh_ns = 20'000'000'000, kCached_ns = 300'000'000'000;
inline constexpr size_t kRecent = 12, kUsual = 60, kWarm = 24;  // windows

struct PushedThreshold {
  double threshold = 0;
  bool has_quorum = false;
  std::optional<double> score;  // of this node; of a server that knows it
};

// None: one of the first two is absent, not a number from wire::kMinThreshold to kMaxThreshold, or not exactly `true`
// or `false`. A score that is not one from 0 to 1 is left out.
std::optional<PushedThreshold> read_threshold(std::string_view untrusted_threshold, std::string_view untrusted_quorum,
                                              std::string_view untrusted_score);
// The same of the answer to GET /api/v1/threshold.
std::optional<PushedThreshold> read_threshold_json(std::string_view untrusted_body);

enum class DetectionMode : uint8_t { kFleet, kFleetCached, kLocalCached, kLocalBaseline, kNone };
const char* name_of(DetectionMode mode);

struct NodeReport {
  uint64_t time_ns = 0;              // end of the last window
  const char* state = "idle";        // "active"; "calibrating": there is work, and no score or threshold yet; "idle"
  std::optional<double> score = {};  // 1 / (1 + d)
  DetectionMode mode = DetectionMode::kNone;
  std::optional<double> threshold = {};  // that the score was compared with
  bool is_straggler = false;
  uint64_t since_ns = 0;    // wall: since when it is one, or was one until now
  const char* signal = "";  // what its slowest rank lacks most: "cpu" or "throughput"
  bool operator==(const NodeReport&) const = default;
};

class NodeState {
 public:
  void add(std::span<const correlate::RankWindow> windows);
  // The server answered; none: without a threshold.
  void hear(const std::optional<PushedThreshold>& pushed, uint64_t mono_ns);
  bool has_fresh(uint64_t mono_ns) const { return pushed_ && mono_ns < pushed_ns_ + kFresh_ns; }
  // As of now.
  NodeReport report(uint64_t wall_ns, uint64_t mono_ns);

 private:
  struct Rank {
    uint64_t communicator = 0, last_ns = 0;  // last_ns: end of its last window
    std::deque<uint64_t> recent, usual;      // median own work, by window
    uint64_t measured = 0, cpu_wait_ns = 0;  // of the last
    std::optional<double> effect() const;
  };
  std::optional<double> own_score(const char*& signal) const;
  std::pair<DetectionMode, std::optional<double>> mode_of(bool has_own_score, uint64_t mono_ns) const;

  std::map<std::pair<std::string, uint32_t>, Rank> ranks_;  // by job and rank
  std::optional<PushedThreshold> pushed_;
  uint64_t pushed_ns_ = 0;             // mono
  double cached_ = 0;                  // the last with quorum
  std::optional<uint64_t> cached_ns_;  // mono
  uint64_t last_ns_ = 0;               // end of the last window with work
  bool is_straggler_ = false;
  uint64_t since_ns_ = 0;
};

}  // namespace ingero::fleet::send
