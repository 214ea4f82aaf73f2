// A fabric's ports: what counters of each sense say, who was on the port, and events that devices delivered. Each rule
// is shown what a real run of soft-RoCE recorded (tests/kernels/jobs/), and what merely looks like it.
#include "engine_stream.h"

namespace ingero::correlate::testing {
namespace {

using hal::CounterSense;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr hal::CallId kMakeQueue = kPages + 1, kEndQueue = kPages + 2, kGetEvent = kPages + 3,
                      kGetCompletion = kPages + 4;
constexpr uint64_t kPortError = 10, kPortActive = 9;

class FabricRules : public ::testing::Test {
 protected:
  FabricRules() {
    EngineOptions options;
    options.event_of = [](uint32_t call, uint64_t code) {
      if (call != kGetEvent) return hal::AsyncEvent{};
      return code == kPortError    ? hal::AsyncEvent{"X_PORT_ERR", true, true}
             : code == kPortActive ? hal::AsyncEvent{"X_PORT_ACTIVE", false, true}
                                   : hal::AsyncEvent{"X_SOMETHING", false, false};
    };
    engine_ = std::make_unique<Engine>(std::move(options), ledger_);
    const auto set = [&](hal::CallId id, const char* name) {
      engine_->set_call(id, make_facts(name, name, "FABRIC", "x", hal::Kind::kFabric, false));
    };
    set(kMakeQueue, "x_create_qp");
    set(kEndQueue, "x_destroy_qp");
    set(kGetEvent, "x_get_async_event");
    set(kGetCompletion, "x_get_cq_event");
  }

  void process(uint32_t pid, const char* comm) {
    hal::Process process;
    process.pid = pid;
    process.start_mono_ns = kStart - kSecond;
    process.comm = comm;
    engine_->add_process(process);
  }
  Event call(hal::CallId id, uint32_t pid, uint64_t at_ns, uint64_t duration_ns = kMicro) {
    Event event;
    event.call = id;
    event.kind = hal::Kind::kFabric;
    event.pid = event.tid = pid;
    event.start_mono_ns = kStart + at_ns;
    event.duration_ns = duration_ns;
    event.set(Has::kDuration);
    return event;
  }
  void deliver(uint32_t pid, uint64_t code, uint64_t at_ns, uint32_t port = 1) {
    Event event = call(kGetEvent, pid, at_ns - kMilli, kMilli);
    event.flags = code;
    event.handle2 = port;
    event.set(Has::kFlags);
    event.set(Has::kHandle2);
    engine_->add(event);
  }
  struct Grown {
    const char* name;
    CounterSense sense;
    uint64_t delta;
  };
  void sampled(uint64_t at_ns, std::optional<uint32_t> state, std::vector<Grown> grown, const char* device = "fab0") {
    hal::FabricSample sample;
    sample.wall_ns = kStart + at_ns;
    sample.devices.emplace_back().name = device;
    hal::FabricPort& port = sample.devices[0].ports.emplace_back();
    port.number = 1;
    port.state = state;
    for (const Grown& one : grown) {
      hal::FabricCounter& counter = port.counters.emplace_back();
      counter.name = one.name;
      counter.delta = one.delta;
      counter.meaning = {one.sense, "What it counts."};
    }
    engine_->add_fabric_sample(sample, kStart + at_ns);
  }
  std::vector<hal::CausalChain> finish() {
    engine_->finish();
    return latest(engine_->take_changes());
  }

  hal::LossLedger ledger_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(FabricRules, HealthyTrafficAndCountersThatNobodyKnowsAccuseNobody) {
  for (uint64_t second = 0; second < 10; ++second) {
    sampled(second * kSecond, 4,
            {{"ack_deferred", CounterSense::kTraffic, 200},
             {"packets", CounterSense::kPackets, 2000},
             {"queues", CounterSense::kLevel, 7},
             {"some_error_of_another_driver", CounterSense::kUnknown, 90'000}});
  }
  EXPECT_THAT(finish(), IsEmpty());
}

TEST_F(FabricRules, AFewRetriesAmongManyPacketsAccuseNobody) {
  // As healthy ping-pongs on a slow machine have them: a timer runs out now and then.
  for (uint64_t second = 0; second < 10; ++second) {
    sampled(second * kSecond, 4,
            {{"retries", CounterSense::kLoss, 1},
             {"duplicates", CounterSense::kLoss, 1},
             {"packets", CounterSense::kPackets, 2500}});
  }
  sampled(10 * kSecond, 4, {{"retries", CounterSense::kLoss, 12}, {"packets", CounterSense::kPackets, 1'000'000}});
  EXPECT_THAT(finish(), IsEmpty());
}

TEST_F(FabricRules, LossIsNamedWithItsCountersAndTheProcessThatWasThere) {
  process(7, "early");
  process(8, "pingpong");
  process(9, "without");
  engine_->add(call(kMakeQueue, 7, 0));
  engine_->add(call(kEndQueue, 7, kSecond));
  sampled(2 * kSecond, 4, {{"packets", CounterSense::kPackets, 10}});
  engine_->add(call(kMakeQueue, 8, 3 * kSecond));
  engine_->add(call(kGetCompletion, 8, 3 * kSecond + kMilli, 700 * kMilli));
  engine_->add(call(kGetCompletion, 9, 3 * kSecond + kMilli));
  sampled(4 * kSecond, 4,
          {{"retries", CounterSense::kLoss, 31},
           {"seq", CounterSense::kLoss, 12},
           {"packets", CounterSense::kPackets, 210}});
  sampled(5 * kSecond, 4, {{"retries", CounterSense::kLoss, 26}, {"packets", CounterSense::kPackets, 190}});
  engine_->add(call(kEndQueue, 8, 5 * kSecond + 100 * kMilli));
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_loss);
  EXPECT_THAT(chains[0].summary, HasSubstr("fab0 port 1"));
  EXPECT_THAT(chains[0].summary, HasSubstr("retries 57, seq 12 of 400 packets"));
  EXPECT_THAT(chains[0].summary,
              HasSubstr("pingpong (pid 8), which waited 700ms for completions, had queue pairs on it"));
  EXPECT_THAT(chains[0].summary, Not(HasSubstr("early")));
  EXPECT_THAT(chains[0].summary, Not(HasSubstr("without")));
  EXPECT_EQ(chains[0].pid, 8U);
  EXPECT_THAT(chains[0].timeline[0].detail, HasSubstr("What it counts."));
}

TEST_F(FabricRules, AReceiverThatIsNotReadyIsNoLoss) {
  sampled(kSecond, 4, {{"rnr", CounterSense::kNotReady, 40}, {"packets", CounterSense::kPackets, 400}});
  EXPECT_ONLY(finish(), RuleId::fabric_not_ready);
}

TEST_F(FabricRules, AFewMarksAreHowCongestionControlWorks) {
  sampled(kSecond, 4, {{"marks", CounterSense::kCongestion, 900}, {"packets", CounterSense::kPackets, 1000}});
  EXPECT_THAT(finish(), IsEmpty());
}

TEST_F(FabricRules, ManyMarksAreCongestion) {
  sampled(kSecond, 4, {{"marks", CounterSense::kCongestion, 5000}, {"packets", CounterSense::kPackets, 100'000}});
  EXPECT_ONLY(finish(), RuleId::fabric_congestion);
}

TEST_F(FabricRules, BrokenConnectionsAndSpoiltBitsAreErrorsOnce) {
  sampled(kSecond, 4,
          {{"symbol_error", CounterSense::kLinkFault, 3},
           {"gave_up", CounterSense::kGaveUp, 1},
           {"lost", CounterSense::kLoss, 50}});
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_errors);
  EXPECT_THAT(chains[0].summary, HasSubstr("lost 50, symbol_error 3, gave_up 1"));
}

TEST_F(FabricRules, APortThatFallsIsNamedWithoutAnyCall) {
  sampled(0, 4, {});
  sampled(3 * kSecond, 1, {{"link_downed", CounterSense::kLinkDown, 1}});
  sampled(5 * kSecond, 4, {});
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_port_down);
  EXPECT_EQ(chains[0].severity, "HIGH");
  EXPECT_EQ(chains[0].summary, "fab0 port 1 went down, back after about 2s");
  EXPECT_THAT(chains[0].root_cause, HasSubstr("link_downed 1"));
  EXPECT_EQ(chains[0].onset_wall_ns, kStart + 3 * kSecond);  // no event says how far wall time is
  EXPECT_EQ(chains[0].lost_ns, 2 * kSecond);
  EXPECT_FALSE(chains[0].pid);
}

TEST_F(FabricRules, APortThatIsDownFromTheStartIsJustNotUsed) {
  for (uint64_t second = 0; second < 8; ++second) sampled(second * kSecond, 1, {});
  EXPECT_THAT(finish(), IsEmpty());
}

TEST_F(FabricRules, APortThatStaysDownIsOneIncident) {
  sampled(0, 4, {});
  for (uint64_t second = 3; second < 60; ++second) sampled(second * kSecond, 1, {});
  engine_->advance(kStart + 60 * kSecond);
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_port_down);
  EXPECT_EQ(chains[0].summary, "fab0 port 1 went down, and is down");
  EXPECT_FALSE(chains[0].resolved);
}

TEST_F(FabricRules, AnEventAndTheCounterAreOneIncidentWithTypeTimeAndProcess) {
  process(8, "asyncwatch");
  sampled(0, 4, {});
  deliver(8, kPortError, 2 * kSecond + 234 * kMilli);
  deliver(8, kPortActive, 4 * kSecond + 234 * kMilli);
  deliver(8, kPortActive, 4 * kSecond + 240 * kMilli);
  // Both fell between two samples.
  sampled(5 * kSecond, 4, {{"link_downed", CounterSense::kLinkDown, 1}});
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_port_down);
  EXPECT_THAT(chains[0].summary, HasSubstr("fab0 port 1 went down, back after 2s"));
  EXPECT_THAT(chains[0].summary, HasSubstr("X_PORT_ERR delivered to asyncwatch (pid 8) at 00:16:42.234"));
  EXPECT_EQ(chains[0].onset_wall_ns, kStart + 2 * kSecond + 234 * kMilli);
  EXPECT_EQ(chains[0].lost_ns, 2 * kSecond);
  EXPECT_EQ(chains[0].pid, 8U);
  ASSERT_THAT(chains[0].evidence, SizeIs(::testing::Ge(2)));
  EXPECT_EQ(chains[0].evidence[0].op, "X_PORT_ERR");
  EXPECT_EQ(chains[0].evidence[0].start_wall_ns, kStart + 2 * kSecond + 233 * kMilli);
}

TEST_F(FabricRules, WhoHadQueuePairsWhenThePortFellIsNamed) {
  process(7, "early");
  process(8, "train");
  process(9, "watcher");
  engine_->add(call(kMakeQueue, 7, 0));
  engine_->add(call(kMakeQueue, 8, 100 * kMilli));
  sampled(kSecond, 4, {{"packets", CounterSense::kPackets, 10}});
  engine_->add(call(kEndQueue, 7, kSecond + 500 * kMilli));
  deliver(9, kPortError, 2 * kSecond);
  sampled(2 * kSecond + 300 * kMilli, 1, {{"link_downed", CounterSense::kLinkDown, 1}});
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_port_down);
  EXPECT_THAT(chains[0].summary, HasSubstr("train (pid 8) had queue pairs on it"));
  EXPECT_THAT(chains[0].summary, Not(HasSubstr("early"))) << "it had ended when the event came";
}

TEST_F(FabricRules, AnEventWaitsForThePortThatFellWhereThereAreSeveral) {
  process(8, "train");
  sampled(0, 4, {});
  sampled(0, 4, {}, "fab1");
  deliver(8, kPortError, 2 * kSecond);
  sampled(4 * kSecond, 4, {});
  sampled(4 * kSecond, 1, {{"link_downed", CounterSense::kLinkDown, 1}}, "fab1");
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_port_down);
  EXPECT_THAT(chains[0].summary, HasSubstr("fab1 port 1 went down"));
  EXPECT_THAT(chains[0].summary, HasSubstr("X_PORT_ERR delivered to train (pid 8)"));
}

TEST_F(FabricRules, AnEventIsReportedWithoutSamplesToo) {
  process(8, "train");
  deliver(8, kPortError, 2 * kSecond, 2);
  engine_->advance(kStart + 30 * kSecond);
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_port_down);
  EXPECT_THAT(chains[0].summary, HasSubstr("port 2 of an adapter went down"));
}

TEST_F(FabricRules, LossBesideAFallenPortIsItsEffect) {
  sampled(0, 4, {});
  sampled(2 * kSecond, 1, {{"send_err", CounterSense::kLoss, 30}, {"link_downed", CounterSense::kLinkDown, 1}});
  sampled(3 * kSecond, 1, {{"retries", CounterSense::kLoss, 30}});
  sampled(4 * kSecond, 4, {{"gave_up", CounterSense::kGaveUp, 1}});
  const auto chains = finish();
  EXPECT_ONLY(chains, RuleId::fabric_port_down);
  EXPECT_THAT(chains[0].root_cause, HasSubstr("retries 30"));
}

TEST_F(FabricRules, ToWaitForEventsIsNeitherAHangNorALock) {
  process(8, "asyncwatch");
  Event waiting = call(kGetEvent, 8, 0, 100 * kMilli);
  waiting.outcome = hal::Outcome::kInFlight;
  engine_->add(waiting);
  for (uint64_t i = 0; i < 300; ++i) {
    Event completion = call(kGetCompletion, 8, i * 100 * kMilli, 90 * kMilli);
    completion.off.blocked_ns = i < 100 ? kMilli : 89 * kMilli;
    completion.set(Has::kOffCpu);
    completion.failed = i % 2 == 0;  // of a descriptor that does not block
    completion.return_code = i % 2 == 0 ? -1 : 0;
    completion.set(Has::kReturnCode);
    engine_->add(completion);
  }
  EXPECT_THAT(finish(), IsEmpty());
}

}  // namespace
}  // namespace ingero::correlate::testing
