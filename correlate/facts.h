// The engine's input besides events: what a call is, and what was sampled. Plain data, built the same way from a live
// call table and from a recording's dictionaries, so that both give the same chains.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hal/call_table.h"
#include "hal/status_meaning.h"
#include "hal/vocabulary.h"

namespace ingero::correlate {

inline constexpr uint64_t kEnoughForUsual = 5;  // calls; of fewer none is the usual one

enum class GraphStep : uint8_t { kNone, kBegin, kEnd, kInstantiate, kLaunch, kOther };

struct CallFacts {
  std::string name, op, layer, vendor;
  hal::Kind kind = hal::Kind::kHost;
  bool synchronising = false;
  bool async = false;          // of a copy or a fill: returns before the work is done
  bool frees = false;          // gives memory back at once: waits until the device has done what it was given before
  bool polled = false;         // queries a state: its error codes are answers
  bool awaits_events = false;  // returns when something happened: time in it is not work, and its errors are answers
  bool makes_queue = false, ends_queue = false;  // of a fabric adapter
  bool prompt = false;                           // submits work and never waits for it: a long call is not a wait
  std::optional<hal::HostOp> host;
  GraphStep graph = GraphStep::kNone;
  bool marks_stream = false;           // a marker after everything put on a stream before
  bool awaits_mark = false;            // what is put on a stream from here on waits for a marker
  bool begins_list = false;            // of a list of work: what is put on it runs when the list is given to a queue
  bool stream_begins_or_ends = false;  // a stream's handle is given out, or taken back
  bool below_runtime = false;          // of a library whose calls a runtime makes (hal::Library)
  hal::Memory memory = hal::Memory::kDevice;  // of an allocation, or its release
};
CallFacts make_facts(std::string_view name, std::string_view op, std::string_view layer, std::string_view vendor,
                     hal::Kind kind, bool synchronising, bool below_runtime = false, bool asynchronous = false,
                     hal::Memory memory = hal::Memory::kDevice);
CallFacts make_facts(const hal::Call& call);

// Does the call give the device something to do?
inline bool is_work(const CallFacts& facts) {
  using hal::Kind;
  return facts.kind == Kind::kLaunch || facts.kind == Kind::kMemcpy || facts.kind == Kind::kMemset ||
         facts.kind == Kind::kCollective || facts.kind == Kind::kP2p || facts.graph == GraphStep::kLaunch;
}

// The vendor's name of a return code, or empty.
using StatusOf = std::function<std::string(uint32_t call, int64_t code)>;
// What a return code of that name means for the program; null: nothing is known of it. Outlives the engine.
using MeaningOf = std::function<const hal::StatusMeaning*(std::string_view status)>;
// The event of a device that a call brought, by its number; an empty name: none.
using EventOf = std::function<hal::AsyncEvent(uint32_t call, uint64_t code)>;

}  // namespace ingero::correlate
