// What a request of OTLP metrics holds once it is read and checked: data points of any sender, and the windows that our
// own agents send. Passive data; times in nanoseconds since the Unix epoch, work and waits in seconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "fleet/wire/clock.h"

namespace ingero::fleet::wire {

using Attributes = std::map<std::string, Json>;

// Where a point comes from.
struct Sender {
  std::string cluster, node, job;  // printable; job may be empty
  // Which run of the sender; of our own agents its clock less this server's, as it measured it.
  std::string instance = {};
  std::optional<ClockOffset> clock = {};
};

// One data point, as the table `events` has it.
struct Point {
  Sender sender;
  uint64_t time_ns = 0;
  std::string metric;
  std::optional<int64_t> rank, nranks;  // of the job
  std::optional<double> value_double;   // of a histogram or a summary: its sum
  std::optional<int64_t> value_int;     // of those: its count
  std::string attributes;               // all, the resource's too, as JSON with sorted keys
  uint64_t hash = 0;                    // of the attributes: with cluster, node, metric and time the point's identity
};

// What a rank's device was in a window, as its node read it last. What it does not say is absent.
struct DeviceState {
  std::string id, model;                    // printable; model: empty where it is not known
  std::optional<double> utilization_ratio;  // 0 to 1
  std::optional<double> power_watts, temperature_celsius, sm_clock_hertz;
  std::optional<uint32_t> throttle_reasons;  // bits: kThrottlePower and the like; 0: none
};
inline constexpr uint32_t kThrottlePower = 1, kThrottleThermal = 2, kThrottleSoftware = 4, kThrottleHardware = 8;

// When a rank entered a collective of the sample that all ranks choose alike, and when it left it.
struct Arrival {
  uint64_t number = 0, entered_ns = 0;
  std::optional<uint64_t> left_ns = {};  // it had not left it when this was sent
  std::string operation = {};
  int64_t bytes = 0;
};

// What the thread that enters a rank's collectives was doing at the end of a window in which it entered none.
enum class ActivityKind : uint8_t {
  kInCall,     // in a GPU call that had not returned
  kAsleep,     // blocked, outside of GPU calls
  kRunning,    // on a CPU, outside of GPU calls
  kAfterCall,  // a GPU call had returned; what it did since is not known
};
inline constexpr std::string_view kActivityNames[] = {"in_call", "asleep", "running", "after_call"};
inline constexpr size_t kMaxCallBytes = 128, kMaxLineBytes = 256, kMaxStackBytes = 2048;

struct Activity {
  ActivityKind kind = ActivityKind::kAfterCall;
  std::string call;       // its last GPU call; empty: not known
  uint64_t since_ns = 0;  // when it entered that, or left it, by its node's clock; 0: not known
  std::string line;       // of its own program; empty: not known
  std::string stack;      // of the thread, of kAfterCall of the call: a frame a line, innermost first; empty: not known
};

// Where a rank is in the order of a communicator's collectives, and what the last ones were.
struct Progress {
  int64_t base = 0;  // 0: numbers; else counted since the agent came, or since it lost some: of each base anew
  int64_t entered = 0, left = 0;
  uint64_t left_ns = 0;  // when that was, by the node's clock; 0: none was left
  std::string recent;    // operation and size of the last, newest at the end: kRecentBytes each
};
inline constexpr size_t kRecentBytes = 4, kMaxRecentBytes = 16 * kRecentBytes;  // hexadecimal digits

// How long a node's windows are. The schemas of the stores say it in their own steps, which never change.
inline constexpr uint64_t kWindow_ns = 5'000'000'000;

// How far a time may be ahead of the receiver's clock. Rows of later times came under a clock that was wrong: what is
// old is not counted from them.
inline constexpr uint64_t kMaxAhead_ns = 600'000'000'000;

// What one rank did in one communicator in one window.
struct Window {
  Sender sender;
  uint64_t start_ns = 0, end_ns = 0;
  uint32_t rank = 0;                          // of the job
  uint64_t communicator = 0;                  // its library's number of it where the node has that, else the node's own
  std::optional<uint64_t> comm_id_hash = {};  // the node's own, where `communicator` is the library's
  uint32_t comm_rank = 0, nranks = 0;
  uint64_t count = 0, blocked = 0;             // collectives; waits that blocked
  std::optional<double> work_s, work_total_s;  // own work before a collective: the median, and the sum
  double wait_s = 0;
  int64_t bytes = 0;
  std::optional<int64_t> entered, left;  // numbers of the last collective
  std::optional<Progress> progress = {};
  std::string operation;      // of the one that was entered last, where it is known
  int64_t entered_bytes = 0;  // of that one; 0: not known
  // Records were lost, so that the numbers mean nothing; numbered by comparing calls; a call failed; the process ended.
  bool is_lost = false, is_matched = false, has_failed = false, is_gone = false;
  double preempted_s = 0, runqueue_s = 0, blocked_s = 0, io_s = 0;  // of the rank, in all communicators
  std::optional<DeviceState> device = {};                           // of the rank; with one of its windows
  std::vector<Arrival> arrivals = {};
  std::optional<uint32_t> pid = {};       // on its node
  std::optional<Activity> activity = {};  // of a rank that entered nothing
};

// Points that can never be taken: how many, by reason.
using Refusals = std::map<std::string, uint64_t>;

struct Batch {
  std::vector<Point> points;
  std::vector<Window> windows;
  std::vector<Sender> idle;  // that are there, and had nothing to send; with their instance
  Refusals refused;
  uint64_t received = 0;  // points as they were sent, of all kinds
  std::string sent_by;    // the token and the address that it came with; empty: not known

  uint64_t refused_count() const {
    uint64_t sum = 0;
    for (const auto& [reason, count] : refused) sum += count;
    return sum;
  }
};

}  // namespace ingero::fleet::wire
