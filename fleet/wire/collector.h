// Checks the points of one request as they are read, and sorts them into those of any sender and our own windows.
//
// Everything that a sender can make long or many is bounded here; what is refused is counted under its reason, so that
// the answer can say it. Used by one thread; the readers (protobuf.h, metrics_json.h) call it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "fleet/wire/names.h"
#include "fleet/wire/point.h"

namespace ingero::fleet::wire {

inline constexpr size_t kMaxPoints = 20'000, kMaxAttributes = 64, kMaxKeyBytes = 128, kMaxValueBytes = 4096;
inline constexpr size_t kMaxNameBytes = 256, kMaxIdBytes = 128, kMaxKeptBytes = 32 << 20, kMaxDepth = 8;
inline constexpr size_t kMaxIdle = 1024;  // senders of a request that have nothing to send
// What is said of a point that has more.
inline constexpr const char* kManyAttributes = "a point or a resource has more than 64 attributes";
inline constexpr const char* kLongAttribute = "an attribute's key is longer than 128 bytes, or its value than 4 KiB";
inline constexpr const char* kDeepAttribute = "an attribute's value is nested more than 8 deep";
inline constexpr const char* kWrongAttribute = "an attribute's value is not of its type";
inline constexpr const char* kWrongNumber = "a value, a count or a time is not a number of its type";
inline constexpr uint64_t kMaxWindowAge_ns = 3600ULL * 1'000'000'000;        // of our own windows
inline constexpr uint64_t kMaxPointAge_ns = 30ULL * 86'400 * 1'000'000'000;  // of any sender's points
inline constexpr int64_t kMaxRank = 1 << 20;

// A data point as a reader found it.
struct RawPoint {
  uint64_t start_ns = 0, time_ns = 0;
  std::optional<double> value_double, sum, max;
  std::optional<int64_t> value_int;
  std::optional<uint64_t> count;  // of a histogram or a summary
  bool has_no_value = false;      // the sender says so
  Attributes attributes;
  const char* fault = nullptr;  // what the reader found wrong
};

class Collector {
 public:
  explicit Collector(uint64_t now_ns) : now_ns_(now_ns) {}

  void begin_resource(Attributes attributes, const char* fault);
  // Of the points that follow: two meters' points are two, though all else of them is the same.
  void begin_scope(std::string_view name, std::string_view version);
  void add(std::string_view metric, RawPoint point);
  Batch take();

 private:
  using WindowKey = std::tuple<std::string, std::string, std::string, uint64_t, uint32_t, uint64_t>;
  using RankKey = std::tuple<std::string, std::string, std::string, uint64_t, uint32_t>;

  void refuse(const char* reason) { ++batch_.refused[reason]; }
  const Json* find(const RawPoint& point, std::string_view name) const;
  std::optional<std::string> text(const RawPoint& point, Names names, size_t max_bytes = kMaxIdBytes) const;
  std::optional<int64_t> number(const RawPoint& point, Names names) const;
  bool has_wrong(const RawPoint& point, Names names) const;
  const char* fault_of_window(std::string_view name, const RawPoint& point) const;
  const char* fault_of(std::string_view metric, const RawPoint& point) const;
  // None: `fault` says why, where there is more to say than that none is there.
  std::optional<std::string> name(const RawPoint& point, Names names, const char*& fault) const;
  std::optional<Sender> sender(const RawPoint& point, const char*& fault) const;
  void end_resource();
  void add_point(std::string_view metric, Sender sender, RawPoint point);
  void add_window(std::string_view name, Sender sender, const RawPoint& point);
  bool add_off_cpu(const Sender& sender, const RawPoint& point);
  void add_activity(Window& window, const RawPoint& point) const;
  void add_progress(Window& window, const RawPoint& point) const;
  void add_arrival(WindowKey key, const RawPoint& point);
  bool is_of_device(std::string_view metric, const RawPoint& point) const;
  void add_device(std::string_view metric, const Sender& sender, const RawPoint& point);

  uint64_t now_ns_;
  size_t seen_ = 0, kept_bytes_ = 0;
  size_t seen_before_ = 0;  // the points before the resource's
  Attributes resource_;
  const char* resource_fault_ = nullptr;
  std::string scope_;
  std::map<WindowKey, Window> windows_;
  std::map<RankKey, std::map<std::string, double>> off_cpu_;  // seconds by reason
  std::map<RankKey, DeviceState> devices_;
  std::map<WindowKey, std::vector<Arrival>> arrivals_;
  Batch batch_;
};

}  // namespace ingero::fleet::wire
