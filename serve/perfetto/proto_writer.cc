// Perfetto's protobuf. Field numbers are those of perfetto/trace/trace_packet.proto and what it includes; all packets
// are of one sequence, whose names are interned.
#include <unordered_map>

#include <protozero/pbf_writer.hpp>

#include "serve/perfetto/trace_writer.h"

namespace ingero::serve::perfetto {
namespace {

using protozero::pbf_writer;

enum TraceField : uint32_t { kPacket = 1 };
enum PacketField : uint32_t {
  kClockSnapshot = 6,
  kTimestamp = 8,
  kSequenceId = 10,
  kTrackEvent = 11,
  kInternedData = 12,
  kSequenceFlags = 13,
  kTrackDescriptor = 60,
};
enum EventField : uint32_t {
  kCategoryIds = 3,
  kDebugAnnotations = 4,
  kType = 9,
  kNameId = 10,
  kTrackUuid = 11,
  kFlowIdsOld = 36,
  kTerminatingFlowIdsOld = 42,
  kDoubleCounterValue = 44,
  kFlowIds = 47,
  kTerminatingFlowIds = 48,
};
enum EventType : uint32_t { kSliceBegin = 1, kSliceEnd = 2, kInstant = 3, kCounter = 4 };
enum DescriptorField : uint32_t { kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParentUuid = 5, kCounterOf = 8 };
enum InternedField : uint32_t { kEventCategories = 1, kEventNames = 2, kAnnotationNames = 3 };

constexpr uint32_t kSequence = 1, kStateCleared = 1, kNeedsState = 2;
constexpr uint32_t kRealtime = 1, kBoottime = 6;  // BuiltinClock

class ProtoWriter final : public TraceWriter {
 public:
  ProtoWriter(Sink sink, int64_t start_ns) : sink_(std::move(sink)) {
    // Events are on the trace's default clock; saying that it equals real time makes viewers show dates.
    std::string clocks;
    pbf_writer snapshot(clocks);
    for (const uint32_t clock : {kRealtime, kBoottime}) {
      std::string one;
      pbf_writer of(one);
      of.add_uint32(1, clock);
      of.add_uint64(2, static_cast<uint64_t>(start_ns));
      snapshot.add_message(1, one);
    }
    begin_packet(start_ns);
    pbf_writer(packet_).add_message(kClockSnapshot, clocks);
    pbf_writer(packet_).add_uint32(kSequenceFlags, kStateCleared);
    end_packet();
  }

  void process(TrackId track, int32_t pid, std::string_view name, std::string_view label) override {
    std::string one;
    pbf_writer of(one);
    of.add_int32(1, pid);
    of.add_string(6, name.data(), name.size());
    if (!label.empty()) of.add_string(8, label.data(), label.size());
    pids_[track] = pid;
    descriptor(track, 0, {}, [&](pbf_writer& to) { to.add_message(kProcess, one); });
  }
  void thread(TrackId track, TrackId process, int32_t tid, std::string_view name) override {
    std::string one;
    pbf_writer of(one);
    of.add_int32(1, pids_[process]);
    of.add_int32(2, tid);
    of.add_string(5, name.data(), name.size());
    descriptor(track, process, {}, [&](pbf_writer& to) { to.add_message(kThread, one); });
  }
  void group(TrackId track, std::string_view name) override {
    descriptor(track, 0, name, [](pbf_writer&) {});
  }
  void track(TrackId track, TrackId parent, std::string_view name) override {
    descriptor(track, parent, name, [](pbf_writer&) {});
  }
  void counter_track(TrackId track, TrackId parent, std::string_view name, Unit unit) override {
    std::string one;
    pbf_writer of(one);
    if (unit == Unit::kBytes) of.add_enum(3, 3);
    if (unit == Unit::kPercent) of.add_string(6, "%");
    descriptor(track, parent, name, [&](pbf_writer& to) { to.add_message(kCounterOf, one); });
  }

  void slice(const Slice& slice) override {
    event_.clear();
    interned_.clear();
    pbf_writer of(event_);
    of.add_enum(kType, slice.duration_ns ? kSliceBegin : kInstant);
    of.add_uint64(kTrackUuid, slice.track);
    of.add_uint64(kNameId, name_id(names_, kEventNames, slice.name));
    of.add_uint64(kCategoryIds, name_id(categories_, kEventCategories, slice.category));
    for (const Argument& argument : slice.arguments) {
      annotation_.clear();
      pbf_writer to(annotation_);
      to.add_uint64(1, name_id(argument_names_, kAnnotationNames, argument.name));
      if (const auto* number = std::get_if<int64_t>(&argument.value)) {
        to.add_int64(4, *number);
      } else if (const auto* real = std::get_if<double>(&argument.value)) {
        to.add_double(5, *real);
      } else if (const auto* hex = std::get_if<Hex>(&argument.value)) {
        to.add_uint64(7, hex->value);
      } else {
        const auto& text = std::get<std::string_view>(argument.value);
        to.add_string(6, text.data(), text.size());
      }
      of.add_message(kDebugAnnotations, annotation_);
    }
    for (const Flow& flow : slice.flows) {
      // Readers before 2022 know the old fields only; later ones look at those only where the new are not there.
      const bool is_end = flow.part == Flow::Part::kEnd;
      of.add_fixed64(is_end ? kTerminatingFlowIds : kFlowIds, flow.id);
      of.add_uint64(is_end ? kTerminatingFlowIdsOld : kFlowIdsOld, flow.id);
    }
    event_packet(slice.start_ns);
    if (!slice.duration_ns) return;
    event_.clear();
    interned_.clear();
    pbf_writer end(event_);
    end.add_enum(kType, kSliceEnd);
    end.add_uint64(kTrackUuid, slice.track);
    event_packet(slice.start_ns + static_cast<int64_t>(*slice.duration_ns));
  }

  void counter(TrackId track, int64_t at_ns, double value) override {
    event_.clear();
    interned_.clear();
    pbf_writer of(event_);
    of.add_enum(kType, kCounter);
    of.add_uint64(kTrackUuid, track);
    of.add_double(kDoubleCounterValue, value);
    event_packet(at_ns);
  }

  Status flush() override { return held_.size() < kHeldBytes ? Status{} : hand_on(); }
  Status finish() override { return hand_on(); }

 private:
  using Names = std::unordered_map<std::string, uint64_t>;

  // The name's interned id; a new name is written to this packet's interned data.
  uint64_t name_id(Names& names, uint32_t field, std::string_view name) {
    key_.assign(name);
    const auto [found, is_new] = names.try_emplace(key_, names.size() + 1);
    if (is_new) {
      std::string one;
      pbf_writer of(one);
      of.add_uint64(1, found->second);
      of.add_string(2, key_);
      pbf_writer(interned_).add_message(field, one);
    }
    return found->second;
  }

  template <typename Fill>
  void descriptor(TrackId track, TrackId parent, std::string_view name, const Fill& fill) {
    std::string one;
    pbf_writer of(one);
    of.add_uint64(kUuid, track);
    if (parent != 0) of.add_uint64(kParentUuid, parent);
    if (!name.empty()) of.add_string(kName, name.data(), name.size());
    fill(of);
    begin_packet(std::nullopt);
    pbf_writer(packet_).add_message(kTrackDescriptor, one);
    end_packet();
  }

  void event_packet(int64_t at_ns) {
    begin_packet(at_ns);
    pbf_writer to(packet_);
    to.add_uint32(kSequenceFlags, kNeedsState);
    if (!interned_.empty()) to.add_message(kInternedData, interned_);
    to.add_message(kTrackEvent, event_);
    end_packet();
  }
  void begin_packet(std::optional<int64_t> at_ns) {
    packet_.clear();
    pbf_writer to(packet_);
    if (at_ns) to.add_uint64(kTimestamp, static_cast<uint64_t>(*at_ns));
    to.add_uint32(kSequenceId, kSequence);
  }
  void end_packet() { pbf_writer(held_).add_message(kPacket, packet_); }

  Status hand_on() {
    Status status = sink_(held_);
    held_.clear();
    return status;
  }

  Sink sink_;
  std::string held_, packet_, event_, interned_, annotation_, key_;
  Names names_, categories_, argument_names_;
  std::unordered_map<TrackId, int32_t> pids_;
};

}  // namespace

std::unique_ptr<TraceWriter> proto_writer(Sink sink, int64_t start_ns) {
  return std::make_unique<ProtoWriter>(std::move(sink), start_ns);
}

}  // namespace ingero::serve::perfetto
