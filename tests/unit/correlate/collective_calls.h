// Calls of a made-up collective library, as correlate/ is fed them.
#pragma once

#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "correlate/communicators.h"

namespace ingero::correlate::testing {

using hal::Event;
using hal::Exchange;
using hal::Has;
using hal::Kind;
using hal::Outcome;
using hal::Role;

inline constexpr hal::Param kSelect[] = {{.abi = hal::Abi::kI32, .into = hal::Field::kDevice, .is_signed = true}};
inline constexpr hal::Peek kNewStream[] = {{hal::Field::kStream, 0, 8, hal::When::kReturn}};
inline constexpr hal::Param kMakeStream[] = {{hal::Abi::kPtr, hal::Field::kNone, kNewStream}};
inline constexpr hal::Row kRows[] = {
    {.name = "collect", .kind = Kind::kCollective, .shape = {}},
    {.name = "collect_uncounted", .kind = Kind::kCollective, .shape = {}},
    {.name = "send", .kind = Kind::kP2p, .shape = {}},
    {.name = "manage", .kind = Kind::kCommunicator, .shape = {}},
    {.name = "synchronise", .kind = Kind::kSync, .shape = {}},
    {.name = "mark", .kind = Kind::kEvent, .shape = {}, .flags = hal::kMarksStream},
    {.name = "await", .kind = Kind::kEvent, .shape = {}, .flags = hal::kAwaitsMark},
    {.name = "begin", .kind = Kind::kGraph, .shape = {}, .flags = hal::kBeginsCapture},
    {.name = "end", .kind = Kind::kGraph, .shape = {}, .flags = hal::kEndsCapture},
    {.name = "make_stream", .kind = Kind::kStream, .shape = kMakeStream},
    {.name = "query_stream", .kind = Kind::kStream, .shape = {}},
    {.name = "select", .kind = Kind::kDevice, .shape = kSelect, .flags = hal::kChoosesDevice},
};
inline constexpr std::string_view kCounted[] = {"collect"};
inline constexpr hal::CommunicatorAccessors kAccessors = {
    .rank = {}, .nranks = {}, .layout = nullptr, .counted = kCounted};
inline constexpr hal::Library kLibraries[] = {
    {.name = "lib", .sonames = {}, .rows = kRows, .layer = "LIB", .communicators = &kAccessors}};
inline constexpr hal::Backend kBackend = {.name = "b", .vendor = "v", .libraries = kLibraries};

inline const hal::CallTable& calls() {
  static const hal::Backend* const backends[] = {&kBackend};
  static const hal::CallTable table(backends);
  return table;
}

inline hal::CallId call_named(std::string_view name) {
  for (hal::CallId id = 0; id < calls().size(); ++id) {
    if (calls()[id].name == name) return id;
  }
  ADD_FAILURE() << name;
  return hal::kNoCall;
}

// A call that returned success, one microsecond long, `at` its start.
inline Event event_of(std::string_view call, uint32_t pid, uint64_t at, uint32_t tid = 0) {
  Event event;
  event.call = call_named(call);
  event.kind = calls()[event.call].kind;
  event.pid = pid;
  event.tid = tid == 0 ? pid : tid;
  event.start_mono_ns = at;
  event.duration_ns = 1000;
  event.set(Has::kDuration);
  event.set(Has::kReturnCode);
  return event;
}

// Feeds calls and keeps time: each call starts 10 us after the one before.
class Feeder {
 public:
  explicit Feeder(Communicators::ReadWords read = {}, Communicators::ReadLive live = {})
      : communicators(calls(), ledger, std::move(read), std::move(live)) {}

  Exchange feed(Event event, Exchange exchange) {
    communicators.take(event, exchange);
    last = event;
    return exchange;
  }
  Exchange manage(uint32_t pid, Exchange exchange, bool failed = false) {
    Event event = event_of("manage", pid, now += 10'000);
    event.failed = failed;
    if (failed) event.return_code = 4;
    return feed(event, std::move(exchange));
  }
  Exchange init(uint32_t pid, uint64_t handle, int32_t rank, int32_t nranks, std::optional<uint64_t> id = 77) {
    Exchange exchange;
    exchange.role = Role::kInit;
    exchange.new_communicator = handle;
    exchange.rank = rank;
    exchange.nranks = nranks;
    exchange.id_hash = id;
    return manage(pid, exchange);
  }
  Exchange on(uint32_t pid, uint64_t handle, Role role) {
    Exchange exchange;
    exchange.role = role;
    exchange.communicator = handle;
    return manage(pid, exchange);
  }
  Exchange split(uint32_t pid, uint64_t handle, int32_t color, int32_t key, uint64_t child, bool failed = false) {
    Exchange exchange;
    exchange.role = Role::kSplit;
    exchange.communicator = handle;
    exchange.color = color;
    exchange.key = key;
    exchange.new_communicator = child;
    return manage(pid, exchange, failed);
  }
  Exchange collect(uint32_t pid, uint64_t handle) { return collect(event_of("collect", pid, now += 10'000), handle); }
  Exchange collect(const Event& event, uint64_t handle) {
    Exchange exchange;
    exchange.communicator = handle;
    return feed(event, exchange);
  }
  // What is known of the communicator that a call was made on.
  hal::Communicator of(const Exchange& exchange) {
    const hal::Communicator* found = exchange.communicator_id ? communicators.find(*exchange.communicator_id) : nullptr;
    return found != nullptr ? *found : hal::Communicator{};
  }
  hal::Communicator at(uint32_t pid, uint64_t handle) { return of(collect(pid, handle)); }

  hal::LossLedger ledger;
  Communicators communicators;
  uint64_t now = 1'000'000;
  Event last;
};

}  // namespace ingero::correlate::testing
