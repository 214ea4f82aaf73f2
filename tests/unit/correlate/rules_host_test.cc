// Rules that look beyond one process's calls: machine, devices, adapters, neighbours, workers, graphs. Each is shown
// the planted cause, and what merely looks like it.
#include "engine_stream.h"

namespace ingero::correlate::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The stream, and samples that are not events, given to `emit` before the last second is evaluated.
template <typename Emit>
std::vector<hal::CausalChain> run_with(const Stream& stream, const Emit& emit) {
  hal::LossLedger ledger;
  const auto engine = engine_for(stream, ledger);
  emit(*engine);
  for (const Event& event : sorted(stream.events)) engine->add(event);
  engine->finish();
  return latest(engine->take_changes());
}

hal::Device device_with(hal::ReadingId id, double value) {
  hal::Device device;
  device.uuid = "GPU-1234";
  device.name = "Big Device";
  device.add(id, value);
  return device;
}

TEST(HostRules, HeatThatHoldsTheClocksDownIsReportedAndAPowerLimitIsNot) {
  Stream stream;
  stream.train(0, 8);
  const auto sampled = [&](hal::ReadingId id, double value) {
    return run_with(stream, [&](Engine& engine) {
      hal::DeviceSample sample;
      sample.devices.push_back(device_with(id, value));
      engine.add_device_sample(sample, kStart + 4 * kSecond);
    });
  };
  const auto hot = sampled(hal::ReadingId::throttle_thermal_active, 1);
  EXPECT_ONLY(hot, RuleId::device_throttling);
  EXPECT_THAT(hot[0].root_cause + hot[0].summary, HasSubstr("because of heat"));
  EXPECT_THAT(sampled(hal::ReadingId::throttle_thermal_active, 0), IsEmpty());
  // A device at its power limit does what it was built for.
  EXPECT_THAT(sampled(hal::ReadingId::throttle_power_active, 1), IsEmpty());
}

TEST(HostRules, ADriversErrorIsReportedWithCodeAndDevice) {
  Stream stream;
  stream.train(0, 8);
  const auto chains = run_with(stream, [&](Engine& engine) {
    hal::DeviceError error;
    error.mono_ns = kStart + 4 * kSecond;
    error.kind = "Xid";
    error.code = 79;
    error.pci_address = "0000:3b:00.0";
    error.meaning = "the device has fallen off the bus";
    engine.add_device_error(error);
  });
  EXPECT_ONLY(chains, RuleId::device_error);
  EXPECT_EQ(chains[0].severity, "HIGH");
  EXPECT_THAT(chains[0].root_cause + chains[0].summary, HasSubstr("Xid 79 on device 0000:3b:00.0"));
}

TEST(HostRules, StolenAndInterruptedCpusAreOfTheMachine) {
  const auto sampled = [](double steal, double interrupts) {
    Stream stream;
    stream.train(0, 8);
    hal::SystemSnapshot snapshot;
    snapshot.steal_percent = steal;
    snapshot.interrupt_percent = interrupts;
    stream.snapshots.emplace_back(snapshot, kStart + 4 * kSecond);
    return run(stream);
  };
  EXPECT_ONLY(sampled(20, 1), RuleId::cpu_steal);
  EXPECT_ONLY(sampled(1, 40), RuleId::interrupt_load);
  EXPECT_THAT(sampled(4, 12), IsEmpty());
  EXPECT_THAT(sampled(-1, -1), IsEmpty()) << "unknown";
}

TEST(HostRules, ANeighbourIsOneOfAnotherContainer) {
  const auto contended = [](const char* container) {
    Stream stream;
    stream.processes[0].container_id = "aaa";
    hal::Process other;
    other.pid = 900;
    other.comm = "stress";
    other.container_id = container;
    other.cgroup_path = "/other";
    stream.processes.push_back(other);
    stream.train(0, 12);
    for (uint64_t i = 0; i < 100; ++i) stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, 900, "stress");
    return run(stream);
  };
  EXPECT_ONLY(contended("bbb"), RuleId::noisy_neighbour);
  EXPECT_ONLY(contended("aaa"), RuleId::cpu_preemption);
}

TEST(HostRules, AProcessIsNotAccusedOfWhatItsOwnThreadsDo) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 100; ++i) stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, kPid, "pool-7");
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::oversubscription);
  const std::string own = "other threads of " + stream.processes[0].comm;
  EXPECT_THAT(chains[0].root_cause, HasSubstr(own));
  EXPECT_THAT(chains[0].summary, HasSubstr("its other threads"));
  for (const std::string& text : {chains[0].summary, chains[0].root_cause}) {
    EXPECT_THAT(text, Not(HasSubstr("lost"))) << "to nobody else";
    EXPECT_THAT(text, Not(HasSubstr("pool-7"))) << "a thread's name is not who else ran";
  }
  for (const std::string& fix : chains[0].recommendations) EXPECT_THAT(fix, Not(HasSubstr("renice")));
}

// Ranks of one job are not strangers to each other: to take the priority of one harms all.
TEST(HostRules, ARankDoesNotAccuseAnotherOfItsJob) {
  const auto contended = [](auto make_kin) {
    Stream stream;
    stream.train(0, 12);
    hal::Process other = stream.processes[0];
    other.pid = 900;
    other.start_mono_ns += kMilli;
    make_kin(stream.processes[0], other);
    stream.processes.push_back(other);
    for (uint64_t i = 0; i < 12; ++i) {
      stream.add(kLaunchCall, hal::Kind::kLaunch, i * kSecond + kMilli, kMicro, 900);
    }
    for (uint64_t i = 0; i < 100; ++i) stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, 900, "train");
    return run(stream);
  };
  const auto of_a_launcher = [](hal::Process& own, hal::Process& other) {
    own.rank = 0;
    other.rank = 1;
    own.launcher_job = other.launcher_job = "job-7";
  };
  const auto of_a_parent = [](hal::Process& own, hal::Process& other) { own.parent_pid = other.parent_pid = 50; };
  for (const auto& chains : {contended(of_a_launcher), contended(of_a_parent)}) {
    EXPECT_ONLY(chains, RuleId::oversubscription);
    EXPECT_THAT(chains[0].summary, HasSubstr("2 ranks share 4 CPUs"));
    EXPECT_THAT(chains[0].summary, Not(HasSubstr("lost")));
    for (const std::string& fix : chains[0].recommendations) {
      EXPECT_THAT(fix, Not(HasSubstr("renice")));
      EXPECT_THAT(fix, Not(HasSubstr("900")));
    }
  }
  const auto strangers = contended([](hal::Process& own, hal::Process& other) {
    own.parent_pid = 50;
    other.parent_pid = 51;
  });
  EXPECT_ONLY(strangers, RuleId::cpu_preemption);
}

// Two of its threads on a CPU with three other programs: each of the others had less of it than the other thread, and
// all of them together had most.
TEST(HostRules, WhatManyOthersTakeIsNotTheProcessesOwn) {
  const auto squeezed = [](uint64_t own_ms, uint64_t others_ms) {
    Stream stream;
    stream.train(0, 12);
    for (uint64_t i = 0; i < 100; ++i) {
      const uint64_t at = (5000 + i * 30) * kMilli;
      stream.preempt(at, own_ms * kMilli, kPid, "pool-7");
      stream.preempt(at + 10 * kMilli, others_ms * kMilli, 997 + i % 3, "stress");
    }
    return run(stream);
  };
  const auto chains = squeezed(7, 15);
  EXPECT_ONLY(chains, RuleId::cpu_preemption);
  EXPECT_THAT(chains[0].summary, HasSubstr("to stress"));
  EXPECT_ONLY(squeezed(10, 5), RuleId::oversubscription);
}

TEST(HostRules, OfWhatManyTookThePartOfItsOwnThreadsIsReported) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 100; ++i) {
    const uint64_t at = (5000 + i * 30) * kMilli;
    stream.preempt(at, 7 * kMilli, kPid, "pool-7");
    stream.preempt(at + 10 * kMilli, 10 * kMilli, 997 + i % 3, i % 2 == 0 ? "stress" : "backup");
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cpu_preemption);
  EXPECT_THAT(chains[0].summary, HasSubstr("to other programs and, at least 700ms of it, to threads of its own"));
  EXPECT_THAT(chains[0].recommendations, ::testing::Contains(HasSubstr("Start no more threads")));
}

// Waits for a CPU after sleeps, of which it is known who had the CPU for a part.
std::vector<hal::CausalChain> queued(uint64_t known_ms, uint32_t other = 997) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 100; ++i) {
    Event& away = stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, other == kPid ? kPid : other + i % 2, "backup");
    away.off = {};
    away.off.runqueue_ns = 15 * kMilli;
    away.preempted_by_ns = known_ms * kMilli;
  }
  return run(stream);
}

TEST(HostRules, WhoHadTheCpuAfterAWakeUpIsNamedForMostOfTheWaitAlone) {
  const auto most = queued(10), part = queued(3), sliver = queued(1);
  EXPECT_ONLY(most, RuleId::cpu_preemption);
  EXPECT_THAT(most[0].summary, HasSubstr("to backup"));
  EXPECT_ONLY(part, RuleId::run_queue_wait);
  EXPECT_THAT(part[0].summary, Not(HasSubstr("backup")));
  EXPECT_THAT(part[0].root_cause, HasSubstr("who had it in the rest is not known"));
  EXPECT_ONLY(sliver, RuleId::run_queue_wait);
  EXPECT_THAT(sliver[0].root_cause, Not(HasSubstr("backup")));
}

TEST(HostRules, WhereMostOfWhatIsKnownAreItsOwnThreadsTheyAreTooMany) {
  const auto chains = queued(4, kPid);
  EXPECT_ONLY(chains, RuleId::run_queue_wait);
  EXPECT_THAT(chains[0].summary, HasSubstr("threads of its own had it for 400ms of the 400ms of which that is known"));
  ASSERT_FALSE(chains[0].recommendations.empty());
  EXPECT_THAT(chains[0].recommendations[0], HasSubstr("Start no more threads"));
}

// A priority counts neither between sessions with groups of their own nor against a real-time thread.
TEST(HostRules, TheRemedyForALostCpuIsNoPriority) {
  for (const auto& chains : {queued(10), queued(1)}) {
    std::string fixes;
    for (const std::string& fix : chains[0].recommendations) fixes += fix;
    EXPECT_THAT(fixes, Not(HasSubstr("renice")));
    EXPECT_THAT(fixes, Not(HasSubstr("chrt")));
    EXPECT_THAT(fixes, HasSubstr("taskset"));
  }
}

TEST(HostRules, NobodyIsNamedWhereEachHadLittleOfWhatWasLost) {
  Stream stream;
  stream.train(0, 12);
  for (uint64_t i = 0; i < 100; ++i) {
    stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, 900 + i % 4, fmt::format("job-{}", i % 4));
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cpu_preemption);
  EXPECT_THAT(chains[0].summary, HasSubstr("to other programs"));
}

TEST(HostRules, AProcessWhoseNameWasNeverReadIsCalledWhatItsEventsSay) {
  Stream stream;
  stream.train(0, 12);
  stream.processes.clear();
  for (uint64_t i = 0; i < 100; ++i) {
    Event& away = stream.preempt((5000 + i * 30) * kMilli, 15 * kMilli, 900, "stress");
    std::copy_n("shortlived", 10, away.comm.begin());
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cpu_preemption);
  EXPECT_THAT(chains[0].summary, HasSubstr("shortlived (pid"));
  EXPECT_EQ(chains[0].process, "shortlived");
}

TEST(HostRules, WorkersThatFightForTheCpusStarveTheirProcess) {
  Stream stream;
  stream.train(0, 8);
  for (uint32_t worker = 0; worker < 4; ++worker) {
    hal::Process process;
    process.pid = 500 + worker;
    process.parent_pid = kPid;
    process.comm = "worker";
    stream.processes.push_back(process);
    for (uint64_t i = 0; i < 160; ++i) {
      Event& away = stream.add(kSwitch, hal::Kind::kHost, 8 * kSecond + i * 50 * kMilli, 30 * kMilli, process.pid);
      away.off.preempted_ns = 30 * kMilli;
      away.set(Has::kOffCpu);
    }
  }
  // Meanwhile the thread that makes the calls sleeps, and makes one now and then.
  const auto sleeping = [&](uint64_t queued_ns) {
    Stream whole = stream;
    for (uint64_t i = 0; i < 16; ++i) {
      whole.launch(8 * kSecond + i * 500 * kMilli);
      Event& away = whole.add(kSwitch, hal::Kind::kHost, 8 * kSecond + i * 500 * kMilli + kMilli, 490 * kMilli);
      away.off.blocked_ns = 490 * kMilli - queued_ns;
      away.off.runqueue_ns = queued_ns;
      away.set(Has::kOffCpu);
    }
    return run(whole);
  };
  EXPECT_EQ(find(sleeping(5 * kMilli), RuleId::dataloader_starvation), nullptr) << "it did not wait for a CPU itself";
  const auto chains = sleeping(100 * kMilli);
  ASSERT_FALSE(chains.empty());
  const hal::CausalChain* starved = find(chains, RuleId::dataloader_starvation);
  ASSERT_NE(starved, nullptr) << text_of(chains);
  EXPECT_THAT(starved->root_cause + starved->summary, HasSubstr("4 worker processes"));
  EXPECT_EQ(find(chains, RuleId::rate_drop), nullptr) << "a symptom of it:\n" << text_of(chains);
}

TEST(HostRules, GigabytesOfHostPagesEverySecondAreAStorm) {
  const auto taking = [](uint64_t bytes_a_second, uint64_t seconds, uint64_t page_bytes = 2 << 20) {
    Stream stream;
    stream.train(0, 12);
    for (uint64_t i = 0; i < seconds * 10; ++i) {
      Event& pages = stream.add(kPages, hal::Kind::kHost, 4 * kSecond + i * 100 * kMilli, 0);
      pages.bytes = bytes_a_second / 10;
      pages.arg0 = pages.bytes / page_bytes;
      pages.set(Has::kBytes);
    }
    return run(stream);
  };
  EXPECT_ONLY(taking(uint64_t{3} << 30, 5), RuleId::page_allocation_storm);
  EXPECT_THAT(taking(uint64_t{1} << 30, 5), IsEmpty());
  EXPECT_ONLY(taking(uint64_t{3} << 29, 5, 4096), RuleId::page_allocation_storm);  // no huge pages were free
  EXPECT_THAT(taking(uint64_t{1} << 29, 5, 4096), IsEmpty());
  EXPECT_THAT(taking(uint64_t{3} << 30, 1), IsEmpty()) << "a buffer taken once";
}

TEST(HostRules, ADeviceSharedWithALateComerIsContended) {
  const auto sharing = [](std::optional<Call> shared, hal::Kind kind = hal::Kind::kLaunch) {
    Stream stream;
    stream.train(0, 10);
    for (uint64_t i = 0; i < 500; ++i) {
      stream.launch(10 * kSecond + i * 20 * kMilli);
      stream.sync(10 * kSecond + i * 20 * kMilli + 100 * kMicro, 15 * kMilli);
      if (shared) stream.add(*shared, kind, 10 * kSecond + i * 20 * kMilli, 5 * kMicro, 800);
    }
    return run(stream);
  };
  const auto chains = sharing(kLaunchCall);
  const hal::CausalChain* contended = find(chains, RuleId::device_contention);
  ASSERT_NE(contended, nullptr) << text_of(chains);
  EXPECT_THAT(contended->root_cause + contended->summary, HasSubstr("pid 800"));
  EXPECT_EQ(find(sharing(std::nullopt), RuleId::device_contention), nullptr) << "its own kernels take longer";
  EXPECT_EQ(find(sharing(kSyncCall, hal::Kind::kSync), RuleId::device_contention), nullptr) << "it only asks";
}

// Another began on a device of its own; on the same one, long before the waits grew; and twice on the same one.
TEST(HostRules, ADeviceIsContendedWhereAndWhenTheOtherCame) {
  const auto wait = [](Stream& stream, uint64_t from_s, uint64_t to_s, uint64_t ns) {
    for (uint64_t i = from_s * 50; i < to_s * 50; ++i) {
      stream.launch(i * 20 * kMilli).device_ref = 1;
      stream.sync(i * 20 * kMilli + 100 * kMicro, ns);
    }
  };
  const auto other = [](Stream& stream, uint64_t from_s, uint64_t to_s, uint32_t device_ref) {
    for (uint64_t i = from_s * 50; i < to_s * 50; ++i) {
      stream.add(kLaunchCall, hal::Kind::kLaunch, i * 20 * kMilli, 5 * kMicro, 800).device_ref = device_ref;
    }
  };
  const auto running = [&](uint32_t device_ref, uint64_t comes_s) {
    Stream stream;
    wait(stream, 0, 50, 5 * kMilli);
    wait(stream, 50, 70, 15 * kMilli);
    other(stream, comes_s, 70, device_ref);
    return run(stream);
  };
  EXPECT_NE(find(running(1, 50), RuleId::device_contention), nullptr);
  EXPECT_NE(find(running(0, 50), RuleId::device_contention), nullptr) << "its device is not known";
  EXPECT_EQ(find(running(2, 50), RuleId::device_contention), nullptr) << "it has a device of its own";
  EXPECT_EQ(find(running(1, 15), RuleId::device_contention), nullptr) << "the waits grew of something else";
  Stream twice;
  wait(twice, 0, 20, 5 * kMilli);
  wait(twice, 20, 30, 15 * kMilli);
  wait(twice, 30, 45, 5 * kMilli);
  wait(twice, 45, 60, 15 * kMilli);
  other(twice, 20, 60, 1);
  std::set<std::string> ids;
  for (const hal::CausalChain& chain : run(twice)) {
    if (chain.rule == rule(RuleId::device_contention).name) ids.insert(chain.id);
  }
  EXPECT_THAT(ids, ::testing::SizeIs(2));
}

// Each of eight threads was kept from its CPU for an eighth of the time, by another program, and once by
// the recorder.
TEST(HostRules, WhatTheRecorderTookIsNotTheOthers) {
  const auto losing = [](bool by_recorder) {
    Stream stream;
    for (uint32_t thread = 0; thread < 8; ++thread) {
      for (uint64_t i = 0; i < 120; ++i) {
        const bool is_recorder = by_recorder && i == 50 && thread == 0;
        stream.add(kLaunchCall, hal::Kind::kLaunch, i * 100 * kMilli, 5 * kMicro, kPid, kTid + thread);
        stream
            .preempt(i * 100 * kMilli + kMilli, 13 * kMilli, is_recorder ? 998 : 999,
                     is_recorder ? "ingero" : "stress-ng")
            .tid = kTid + thread;
      }
    }
    return run(stream);
  };
  const auto chains = losing(false);
  EXPECT_ONLY(chains, RuleId::cpu_preemption);
  EXPECT_EQ(chains[0].severity, "MEDIUM");
  EXPECT_THAT(chains[0].summary, HasSubstr("(13% of the time)"));
  const auto less = losing(true);
  EXPECT_ONLY(less, RuleId::cpu_preemption);
  EXPECT_EQ(*chains[0].lost_ns - *less[0].lost_ns, 13 * kMilli);
}

TEST(HostRules, TinyLaunchesAreABoundOnlyWhereTheDeviceIsNeverBehind) {
  static constexpr hal::SlowSetting kBlocking[] = {{"ACME_BLOCKING", hal::TimeClass::kDeviceWait, "", {}, false, true}};
  const std::span<const hal::SlowSetting> tables[] = {kBlocking};
  hal::publish_slow_settings(tables);
  const auto launching = [](uint64_t sync_ns, const char* settings = "") {
    Stream stream;
    hal::Process& process = stream.processes.emplace_back();
    process.pid = kPid;
    process.settings = settings;
    for (uint64_t i = 0; i < 50'000; ++i) stream.launch(i * 200 * kMicro, 150 * kMicro);
    for (uint64_t i = 0; i < 100; ++i) stream.sync(i * 100 * kMilli + 160 * kMicro, sync_ns);
    return run(stream);
  };
  EXPECT_ONLY(launching(10 * kMicro), RuleId::launch_bound);
  EXPECT_THAT(launching(30 * kMilli), IsEmpty());
  EXPECT_THAT(launching(10 * kMicro, "ACME_BLOCKING=1"), IsEmpty()) << "they wait for their work";
}

// Behind much work a launch waits for room in its queue; one that waits for its own work has none before it.
TEST(HostRules, LaunchesThatSleepWaitForALockUnlessTheirQueueIsFull) {
  static constexpr hal::SlowSetting kBlocking[] = {{"ACME_BLOCKING", hal::TimeClass::kDeviceWait, "", {}, false, true}};
  const std::span<const hal::SlowSetting> tables[] = {kBlocking};
  hal::publish_slow_settings(tables);
  const auto sleeping = [](uint64_t launches_of_step, const char* settings = "") {
    Stream stream;
    hal::Process& process = stream.processes.emplace_back();
    process.pid = kPid;
    process.settings = settings;
    for (uint64_t i = 0; i < 8000; ++i) {
      stream.launch(i * 2 * kMilli, kMilli).off.blocked_ns = kMilli * 9 / 10;
      if (i % launches_of_step == 0) stream.sync(i * 2 * kMilli + kMilli, 20 * kMicro);
    }
    const auto chains = run(stream);
    return find(chains, RuleId::lock_wait) != nullptr;
  };
  EXPECT_TRUE(sleeping(50));
  EXPECT_FALSE(sleeping(8000));
  EXPECT_TRUE(sleeping(8000, "ACME_BLOCKING=1"));
}

TEST(HostRules, ThreadsThatWaitForEachOthersWorkOnTheDefaultStreamShareIt) {
  const auto running = [](uint64_t stream_of_second, uint32_t device_of_second, bool second_waits) {
    Stream stream;
    for (uint64_t i = 0; i < 600; ++i) {
      for (const uint32_t thread : {0U, 1U}) {
        const auto of_thread = [&](Event& event) {
          event.tid += thread;
          event.stream = thread == 1 ? stream_of_second : 0;
          event.device_ref = thread == 1 ? device_of_second : 1;
          event.set(Has::kStream);
        };
        const uint64_t waits = thread == 1 && !second_waits ? kMicro : 8 * kMilli;
        of_thread(stream.launch(i * 10 * kMilli + thread * kMicro));
        of_thread(stream.sync(i * 10 * kMilli + 100 * kMicro + thread * kMicro, waits));
      }
    }
    return run(stream);
  };
  const auto chains = running(0, 1, true);
  EXPECT_ONLY(chains, RuleId::shared_default_stream);
  EXPECT_THAT(chains[0].summary, HasSubstr("2 threads"));
  EXPECT_THAT(running(0x500, 1, true), IsEmpty()) << "a stream of its own";
  EXPECT_THAT(running(0, 2, true), IsEmpty()) << "another device's";
  EXPECT_THAT(running(0, 1, false), IsEmpty()) << "one waits for both, as with a thread for the backward pass";
}

class GraphRules : public ::testing::Test {
 protected:
  Event& graph(Call call, uint64_t at_ns, uint64_t duration_ns, uint64_t handle) {
    Event& event = stream.add(call, hal::Kind::kGraph, at_ns, duration_ns);
    event.handle = handle;
    event.set(Has::kHandle);
    return event;
  }
  // `rate` launches a second.
  void launches(uint64_t from_s, uint64_t until_s, uint64_t rate, uint64_t handle) {
    for (uint64_t i = 0; i < (until_s - from_s) * rate; ++i) {
      graph(kGraphLaunchCall, from_s * kSecond + i * kSecond / rate + kMicro, 20 * kMicro, handle);
    }
  }
  Stream stream;
};

TEST_F(GraphRules, CapturingAgainAndAgainIsReported) {
  launches(0, 10, 100, 7);
  for (uint64_t i = 0; i < 60; ++i) graph(kInstantiateCall, 3 * kSecond + i * 100 * kMilli, 40 * kMilli, 1000 + i);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::graph_recapture);
}

TEST_F(GraphRules, CapturingOnceIsNot) {
  for (uint64_t i = 0; i < 8; ++i) graph(kInstantiateCall, i * 50 * kMilli, 40 * kMilli, 7 + i);
  for (uint64_t i = 0; i < 8; ++i) launches(1, 10, 20, 7 + i);
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

TEST_F(GraphRules, AGraphLaunchedFarLessOftenCollapsed) {
  launches(0, 10, 200, 7);
  launches(10, 18, 20, 7);
  const auto chains = run(stream);
  ASSERT_FALSE(chains.empty());
  EXPECT_TRUE(find(chains, RuleId::graph_rate_collapse) != nullptr || find(chains, RuleId::rate_drop) != nullptr)
      << text_of(chains);
  ASSERT_THAT(chains, SizeIs(1)) << "one cause, one chain:\n" << text_of(chains);
}

TEST_F(GraphRules, AGraphThatGaveWayToAnotherDidNot) {
  launches(0, 10, 200, 7);
  launches(10, 18, 200, 8);
  EXPECT_THAT(run(stream), IsEmpty()) << text_of(run(stream));
}

TEST_F(GraphRules, LaunchesThatLoseTheirCpuAreContendedUnderThePreemption) {
  launches(0, 6, 100, 7);
  for (uint64_t i = 0; i < 600; ++i) {
    Event& launch = graph(kGraphLaunchCall, 6 * kSecond + i * 10 * kMilli, 4 * kMilli, 7);
    launch.off.preempted_ns = 3900 * kMicro;
    Stream::blame(launch, 900, 3900 * kMicro, "stress");
    stream.preempt(6 * kSecond + i * 10 * kMilli + 50 * kMicro, 3900 * kMicro, 900, "stress");
  }
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::cpu_preemption);
  ASSERT_FALSE(chains[0].symptoms.empty()) << text_of(chains);
  EXPECT_THAT(chains[0].symptoms, ::testing::Contains(HasSubstr("raph")));
}

TEST_F(GraphRules, AGraphNeverLaunchedIsReportedAfterHalfAMinuteAndALaunchedOneIsNot) {
  stream.train(0, 40);
  graph(kInstantiateCall, kSecond, kMilli, 7);
  graph(kInstantiateCall, kSecond + 2 * kMilli, kMilli, 8);
  launches(2, 3, 10, 8);
  const auto chains = run(stream);
  EXPECT_ONLY(chains, RuleId::graph_never_launched);
  EXPECT_THAT(chains[0].root_cause + chains[0].summary, HasSubstr("0x7"));
}

}  // namespace
}  // namespace ingero::correlate::testing
