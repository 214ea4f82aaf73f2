// The JSON of chrome://tracing: an object whose "traceEvents" are complete slices (X), moments (i), counters (C), flows
// (s, t, f) and names (M). Every track is a thread of some process there; those that are none get numbers of their own.
//
// "displayTimeUnit" is left out: older readers take it for the unit of the times.
#include <map>

#include <fmt/format.h>

#include "serve/perfetto/trace_writer.h"

namespace ingero::serve::perfetto {
namespace {

constexpr int32_t kFirstMadeUp = 1 << 28;  // above every pid and tid, and the numbers given to duplicates

class ChromeWriter final : public TraceWriter {
 public:
  ChromeWriter(Sink sink, int64_t start_ns) : sink_(std::move(sink)), start_ns_(start_ns) {
    held_ = fmt::format("{{\"otherData\":{{\"start_wall_ns\":\"{}\"}},\n\"traceEvents\":[", start_ns);
  }

  void process(TrackId track, int32_t pid, std::string_view name, std::string_view label) override {
    places_[track] = {pid, pid, {}};
    name_of("process_name", pid, 0, "name", name);
    if (!label.empty()) name_of("process_labels", pid, 0, "labels", label);
  }
  void thread(TrackId track, TrackId process, int32_t tid, std::string_view name) override {
    const int32_t pid = places_[process].pid;
    places_[track] = {pid, tid, {}};
    name_of("thread_name", pid, tid, "name", name);
  }
  void group(TrackId track, std::string_view name) override { process(track, made_up_++, name, {}); }
  void track(TrackId track, TrackId parent, std::string_view name) override {
    const int32_t pid = places_[parent].pid, tid = made_up_++;
    places_[track] = {pid, tid, {}};
    name_of("thread_name", pid, tid, "name", name);
  }
  void counter_track(TrackId track, TrackId parent, std::string_view name, Unit unit) override {
    const std::string shown = std::string(name) + (unit == Unit::kBytes     ? " (bytes)"
                                                   : unit == Unit::kPercent ? " (%)"
                                                                            : "");
    places_[track] = {places_[parent].pid, 0, shown};
  }

  void slice(const Slice& slice) override {
    const Place& place = places_[slice.track];
    open(slice.duration_ns ? "X" : "i", place.pid, place.tid);
    time("ts", slice.start_ns - start_ns_);
    if (slice.duration_ns) {
      time("dur", static_cast<int64_t>(*slice.duration_ns));
    } else {
      held_ += ",\"s\":\"t\"";
    }
    text("cat", slice.category);
    text("name", slice.name);
    if (!slice.arguments.empty()) {
      const char* separator = ",\"args\":{";
      for (const Argument& argument : slice.arguments) {
        held_ += separator;
        quote(argument.name);
        held_ += ':';
        value(argument.value);
        separator = ",";
      }
      held_ += '}';
    }
    held_ += '}';
    for (const Flow& flow : slice.flows) {
      open(flow.part == Flow::Part::kStart ? "s" : flow.part == Flow::Part::kStep ? "t" : "f", place.pid, place.tid);
      time("ts", slice.start_ns - start_ns_);
      held_ += fmt::format(",\"id\":\"0x{:x}\",\"cat\":\"flow\",\"name\":\"flow\"{}}}", flow.id,
                           flow.part == Flow::Part::kEnd ? ",\"bp\":\"e\"" : "");
    }
  }

  void counter(TrackId track, int64_t at_ns, double value) override {
    const Place& place = places_[track];
    open("C", place.pid, 0);
    time("ts", at_ns - start_ns_);
    text("name", place.counter);
    held_ += fmt::format(",\"args\":{{\"value\":{}}}}}", value);
  }

  Status flush() override { return held_.size() < kHeldBytes ? Status{} : hand_on(); }
  Status finish() override {
    held_ += "\n]}\n";
    return hand_on();
  }

 private:
  struct Place {
    int32_t pid = 0, tid = 0;
    std::string counter;
  };

  void open(const char* phase, int32_t pid, int32_t tid) {
    fmt::format_to(std::back_inserter(held_), "{}\n{{\"ph\":\"{}\",\"pid\":{},\"tid\":{}", is_first_ ? "" : ",", phase,
                   pid, tid);
    is_first_ = false;
  }
  // Nanoseconds as microseconds, exactly.
  void time(const char* key, int64_t ns) {
    const auto size = static_cast<uint64_t>(ns < 0 ? -ns : ns);
    fmt::format_to(std::back_inserter(held_), ",\"{}\":{}{}.{:03}", key, ns < 0 ? "-" : "", size / 1000, size % 1000);
  }
  void text(const char* key, std::string_view content) {
    held_ += ",\"";
    held_ += key;
    held_ += "\":";
    quote(content);
  }
  void quote(std::string_view content) {
    held_ += '"';
    for (const char c : content) {
      if (c == '"' || c == '\\') held_ += '\\';
      if (static_cast<unsigned char>(c) >= 0x20) {
        held_ += c;
      } else {
        held_ += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      }
    }
    held_ += '"';
  }
  void value(const std::variant<int64_t, double, Hex, std::string_view>& value) {
    if (const auto* number = std::get_if<int64_t>(&value)) {
      // Readers keep numbers as doubles.
      const bool fits = *number > -(int64_t{1} << 53) && *number < int64_t{1} << 53;
      const char* mark = fits ? "" : "\"";
      fmt::format_to(std::back_inserter(held_), "{0}{1}{0}", mark, *number);
    } else if (const auto* real = std::get_if<double>(&value)) {
      fmt::format_to(std::back_inserter(held_), "{}", *real);
    } else if (const auto* hex = std::get_if<Hex>(&value)) {
      fmt::format_to(std::back_inserter(held_), "\"0x{:x}\"", hex->value);
    } else {
      quote(std::get<std::string_view>(value));
    }
  }
  void name_of(const char* what, int32_t pid, int32_t tid, const char* key, std::string_view name) {
    open("M", pid, tid);
    text("name", what);
    held_ += ",\"args\":{\"";
    held_ += key;
    held_ += "\":";
    quote(name);
    held_ += "}}";
  }
  Status hand_on() {
    Status status = sink_(held_);
    held_.clear();
    return status;
  }

  Sink sink_;
  int64_t start_ns_;
  std::string held_;
  bool is_first_ = true;
  int32_t made_up_ = kFirstMadeUp;
  std::map<TrackId, Place> places_;
};

}  // namespace

std::unique_ptr<TraceWriter> chrome_writer(Sink sink, int64_t start_ns) {
  return std::make_unique<ChromeWriter>(std::move(sink), start_ns);
}

}  // namespace ingero::serve::perfetto
