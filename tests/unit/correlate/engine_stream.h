// A made-up vendor's calls and a stream of events for the engine: what a rule needs to be shown, in a few lines.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "correlate/engine.h"
#include "numbers.h"

namespace ingero::correlate::testing {

using hal::Event;
using hal::Has;

enum Call : hal::CallId {
  kLaunchCall = 0,
  kSyncCall,
  kCopyCall,
  kCopyAsyncCall,
  kAllocCall,
  kFreeCall,
  kCollectCall,
  kGraphLaunchCall,
  kInstantiateCall,
  kEndCaptureCall,
  kDriverAllocCall,
  kPinCall,
  kReserveCall,
  kSwitch,
  kRead,
  kFork,
  kExit,
  kOom,
  kRetransmit,
  kPages,
};

inline constexpr uint64_t kMilli = 1'000'000, kMicro = 1000;
inline constexpr uint64_t kStart = 1000 * kSecond;
inline constexpr uint64_t kWallOffset = 5 * kMilli;
inline constexpr uint32_t kTid = 101;

struct Stream {
  std::vector<Event> events;
  std::vector<std::pair<hal::SystemSnapshot, uint64_t>> snapshots;
  std::vector<hal::Throttling> throttling;
  std::vector<hal::Affinity> affinities;
  std::vector<hal::Process> processes;
  bool windowed = false;

  Stream() {
    hal::Process process;
    process.pid = kPid;
    process.start_mono_ns = kStart - kSecond;
    process.comm = "train";
    process.cgroup_path = "/job";
    processes.push_back(process);
  }
  Event& add(Call call, hal::Kind kind, uint64_t at_ns, uint64_t duration_ns, uint32_t pid = kPid, uint32_t tid = 0) {
    Event event;
    event.call = call;
    event.kind = kind;
    event.pid = pid;
    event.tid = tid != 0 ? tid : pid == kPid ? kTid : pid;
    event.start_mono_ns = kStart + at_ns;
    event.wall_offset_ns = kWallOffset;
    event.duration_ns = duration_ns;
    event.set(Has::kDuration);
    if (kind != hal::Kind::kHost) {
      event.return_code = 0;
      event.set(Has::kReturnCode);
    }
    if (!windowed && kind != hal::Kind::kHost) event.set(Has::kOffCpu);
    events.push_back(event);
    return events.back();
  }
  Event& launch(uint64_t at_ns, uint64_t duration_ns = 5 * kMicro) {
    return add(kLaunchCall, hal::Kind::kLaunch, at_ns, duration_ns);
  }
  Event& sync(uint64_t at_ns, uint64_t duration_ns) {
    Event& event = add(kSyncCall, hal::Kind::kSync, at_ns, duration_ns);
    event.off.blocked_ns = duration_ns * 9 / 10;
    return event;
  }
  Event& copy(Call call, uint64_t at_ns, uint64_t duration_ns, hal::Direction direction, uint64_t bytes) {
    Event& event = add(call, hal::Kind::kMemcpy, at_ns, duration_ns);
    event.direction = direction;
    event.bytes = bytes;
    event.set(Has::kDirection);
    event.set(Has::kBytes);
    return event;
  }
  Event& alloc(uint64_t at_ns, uint64_t address, uint64_t bytes, uint64_t duration_ns = 10 * kMicro) {
    Event& event = add(kAllocCall, hal::Kind::kAlloc, at_ns, duration_ns);
    event.address = address;
    event.bytes = bytes;
    event.set(Has::kAddress);
    event.set(Has::kBytes);
    return event;
  }
  Event& release(uint64_t at_ns, uint64_t address, uint64_t duration_ns = 5 * kMicro) {
    Event& event = add(kFreeCall, hal::Kind::kFree, at_ns, duration_ns);
    event.address = address;
    event.set(Has::kAddress);
    return event;
  }
  // It may run on `cpus` of 0-3, as was seen when that many of its threads waited for one.
  void allow(uint64_t at_ns, uint32_t pid, const char* cpus, uint32_t threads) {
    hal::Affinity one;
    one.mono_ns = kStart + at_ns;
    one.pid = pid;
    one.threads = threads;
    one.cpus = *hal::CpuList::parse(cpus);
    one.online = *hal::CpuList::parse("0-3");
    affinities.push_back(std::move(one));
  }
  void busy(double percent) {
    hal::SystemSnapshot snapshot;
    snapshot.cpu_percent = percent;
    snapshots.emplace_back(snapshot, kStart + 4 * kSecond);
  }
  // `culprit` had the CPU of the thread for `ns`.
  Event& preempt(uint64_t at_ns, uint64_t ns, uint32_t preempted_by, std::string_view name, uint32_t pid = kPid) {
    Event& event = add(kSwitch, hal::Kind::kHost, at_ns, ns, pid);
    event.off.preempted_ns = ns;
    event.set(Has::kOffCpu);
    blame(event, preempted_by, ns, name);
    return event;
  }
  static void blame(Event& event, uint32_t preempted_by, uint64_t ns, std::string_view name) {
    event.preempted_by_pid = preempted_by;
    event.preempted_by_ns = ns;
    std::copy_n(name.begin(), std::min<size_t>(15, name.size()), event.preempted_by_comm.begin());
    event.set(Has::kPreemptedBy);
  }
  // A second of training: 100 steps of a launch and a synchronisation of 5 ms.
  void train(uint64_t from_ns, uint64_t seconds) {
    for (uint64_t i = 0; i < seconds * 100; ++i) {
      launch(from_ns + i * 10 * kMilli, (5 + i % 3) * kMicro);
      sync(from_ns + i * 10 * kMilli + 100 * kMicro, 5 * kMilli + i % 7 * 10 * kMicro);
    }
  }
};

inline CallFacts call_facts(Call call) {
  using hal::Kind;
  switch (call) {
    case kLaunchCall:
      return make_facts("xLaunch", "xLaunch", "X", "x", Kind::kLaunch, false);
    case kSyncCall:
      return make_facts("xStreamSynchronize", "xStreamSync", "X", "x", Kind::kSync, true);
    case kCopyCall:
      return make_facts("xMemcpy", "xMemcpy", "X", "x", Kind::kMemcpy, true);
    case kCopyAsyncCall:
      return make_facts("xMemcpyAsync", "xMemcpyAsync", "X", "x", Kind::kMemcpy, false);
    case kAllocCall:
      return make_facts("xMalloc", "xMalloc", "X", "x", Kind::kAlloc, false);
    case kFreeCall:
      return make_facts("xFree", "xFree", "X", "x", Kind::kFree, false);
    case kCollectCall:
      return make_facts("xAllReduce", "xAllReduce", "XC", "x", Kind::kCollective, false);
    case kGraphLaunchCall:
      return make_facts("xGraphLaunch", "graphLaunch", "X", "x", Kind::kGraph, false);
    case kInstantiateCall:
      return make_facts("xGraphInstantiate", "graphInstantiate", "X", "x", Kind::kGraph, false);
    case kEndCaptureCall:
      return make_facts("xStreamEndCapture", "graphEndCapture", "X", "x", Kind::kGraph, false);
    case kDriverAllocCall:
      return make_facts("xdMalloc", "xdMalloc", "XD", "x", Kind::kAlloc, false, true);
    case kPinCall:
      return make_facts("xHostAlloc", "xHostAlloc", "X", "x", Kind::kAlloc, false, false, false, hal::Memory::kHost);
    case kReserveCall:
      return make_facts("xReserve", "xReserve", "X", "x", Kind::kAlloc, false, false, false,
                        hal::Memory::kAddressSpace);
    case kSwitch:
      return make_facts("sched_switch", "sched_switch", "HOST", "host", Kind::kHost, false);
    case kRead:
      return make_facts("block_read", "block_read", "IO", "host", Kind::kHost, false);
    case kFork:
      return make_facts("process_fork", "process_fork", "HOST", "host", Kind::kHost, false);
    case kExit:
      return make_facts("process_exit", "process_exit", "HOST", "host", Kind::kHost, false);
    case kOom:
      return make_facts("oom_kill", "oom_kill", "HOST", "host", Kind::kHost, false);
    case kRetransmit:
      return make_facts("tcp_retransmit", "tcp_retransmit", "TCP", "host", Kind::kHost, false);
    case kPages:
      return make_facts("mm_page_alloc_summary", "mm_page_alloc_summary", "HOST", "host", Kind::kHost, false);
  }
  return {};
}

inline std::unique_ptr<Engine> engine_for(const Stream& stream, hal::LossLedger& ledger) {
  EngineOptions options;
  options.windowed = stream.windowed;
  options.cpus = 4;
  options.status_of = [](uint32_t, int64_t code) {
    return std::string(code == 1     ? "invalid"
                       : code == 2   ? "outOfMemory"
                       : code == 6   ? "remoteError"
                       : code == 712 ? "hostMemoryAlreadyRegistered"
                       : code == 700 ? "illegalAddress"
                                     : "");
  };
  static constexpr hal::StatusMeaning kMeanings[] = {
      {"invalid", hal::StatusEffect::kOrdinary, "A parameter is wrong.", "Check it."},
      {"remoteError", hal::StatusEffect::kFatal, "Another rank failed.", "Look for it."},
      {"outOfMemory", hal::StatusEffect::kOutOfDeviceMemory, "The device has no room.", "Free some."},
      {"illegalAddress", hal::StatusEffect::kFatalLater, "A kernel went astray.", "Restart the process."},
  };
  options.meaning_of = [](std::string_view status) {
    const auto found = std::ranges::find(kMeanings, status, &hal::StatusMeaning::status);
    return found == std::end(kMeanings) ? nullptr : &*found;
  };
  auto engine = std::make_unique<Engine>(std::move(options), ledger);
  for (int call = 0; call <= kPages; ++call) {
    engine->set_call(static_cast<hal::CallId>(call), call_facts(static_cast<Call>(call)));
  }
  for (const hal::Process& process : stream.processes) engine->add_process(process);
  for (const auto& [snapshot, at] : stream.snapshots) engine->add_snapshot(snapshot, at);
  for (const hal::Throttling& one : stream.throttling) engine->add_throttling(one);
  for (const hal::Affinity& one : stream.affinities) engine->add_affinity(one);
  return engine;
}

// In the order of their ends, as a recording holds them.
inline std::vector<Event> sorted(std::vector<Event> events) {
  std::stable_sort(events.begin(), events.end(),
                   [](const Event& a, const Event& b) { return a.end_mono_ns() < b.end_mono_ns(); });
  return events;
}

// The last word on each chain, by id.
inline std::vector<hal::CausalChain> latest(const std::vector<hal::CausalChain>& changes) {
  std::vector<hal::CausalChain> chains;
  for (const hal::CausalChain& chain : changes) {
    auto known =
        std::find_if(chains.begin(), chains.end(), [&](const hal::CausalChain& one) { return one.id == chain.id; });
    if (known == chains.end()) {
      chains.push_back(chain);
    } else {
      *known = chain;
    }
  }
  return chains;
}

inline std::vector<hal::CausalChain> run(const Stream& stream) {
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  for (const Event& event : sorted(stream.events)) engine->add(event);
  engine->finish();
  return latest(engine->take_changes());
}

inline const hal::CausalChain* find(const std::vector<hal::CausalChain>& chains, RuleId rule) {
  const auto found = std::find_if(chains.begin(), chains.end(), [&](const hal::CausalChain& chain) {
    return chain.rule == correlate::rule(rule).name;
  });
  return found == chains.end() ? nullptr : &*found;
}

inline std::string text_of(const std::vector<hal::CausalChain>& chains) {
  std::string text;
  for (const hal::CausalChain& chain : chains) {
    text += chain.id + "|" + chain.severity + "|" + chain.summary + "|" + chain.root_cause + "|" +
            std::to_string(chain.onset_wall_ns.value_or(0)) + "|" + std::to_string(chain.end_wall_ns.value_or(0)) +
            "|" + std::to_string(chain.lost_ns.value_or(0)) + (chain.resolved ? "|resolved" : "|open");
    for (const hal::ChainStep& step : chain.timeline) text += "|" + step.layer + step.op + step.detail;
    for (const std::string& symptom : chain.symptoms) text += "|" + symptom;
    text += "\n";
  }
  return text;
}

inline void expect_only(const std::vector<hal::CausalChain>& chains, RuleId rule) {
  ASSERT_THAT(chains, ::testing::SizeIs(1)) << text_of(chains);
  EXPECT_EQ(chains[0].rule, correlate::rule(rule).name) << text_of(chains);
}

#define EXPECT_ONLY(chains, rule) \
  expect_only(chains, rule);      \
  if (HasFatalFailure()) return

}  // namespace ingero::correlate::testing
