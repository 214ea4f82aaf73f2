// What explain and demo say of causes: planted ones, the published recordings, and a recording made live.
#include <nlohmann/json.hpp>

#include "agent/demo/demo_scenarios.h"
#include "agent/engine_feed.h"
#include "held_clock.h"
#include "report/chains.h"
#include "report/report.h"
#include "store/read/reader.h"
#include "temp_folder.h"
#include "unit/cli/recording_fixture.h"

namespace ingero::report {
namespace {

using cli::expect_refused;
using cli::Outcome;
using cli::Recording;
using cli::run_cli;
using cli::sample;

nlohmann::json json_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  auto json = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(json.is_discarded()) << outcome.out.substr(0, 500);
  return json;
}

TEST(Demo, EachScenariosTopCauseIsWhatItPlants) {
  for (const agent::DemoScenario& scenario : agent::demo_scenarios()) {
    const auto report = json_of(run_cli({"demo", std::string(scenario.name), "--speed", "0", "--json"}));
    ASSERT_FALSE(report["incidents"].empty()) << scenario.name;
    EXPECT_EQ(report["incidents"][0]["rule"], scenario.cause) << scenario.name << report["incidents"].dump(1);
    EXPECT_EQ(report["incidents"].size(), 1U) << scenario.name << report["incidents"].dump(1);
    for (const std::string_view alias : scenario.aliases) EXPECT_EQ(agent::find_demo(alias), &scenario);
  }
}

TEST(Demo, HasATableModeAndRefusesWhatItDoesNotKnow) {
  const Outcome text = run_cli({"demo", "--no-gpu", "incident", "--speed", "0"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_NE(text.out.find("Root cause: "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("backup-agent"), std::string::npos);
  expect_refused(run_cli({"demo", "nothing-like-it"}), cli::kExitUsage, "unknown scenario");
  EXPECT_NE(run_cli({"demo", "--gpu", "--no-gpu"}).status, 0);
}

// The demo's stored chains are the live engine's, its report's are replayed.
TEST(Demo, LiveAndReplayedChainsAreTheSame) {
  static const hal::CallTable calls(backends::all_backends());
  for (const agent::DemoScenario& scenario : agent::demo_scenarios()) {
    const agent::DemoTrace trace = agent::make_demo(scenario, calls, 3'600'000'000'000, 1'795'228'000'000'000'000);
    hal::LossLedger ledger;
    const TempFolder folder;
    store::WriterOptions options;
    options.path = folder.path() + "/run.db";
    options.session.node = "n";
    {
      auto writer = store::Writer::open(options, calls, ledger);
      ASSERT_TRUE(writer.ok()) << writer.error().text();
      agent::EngineFeed feed(calls, ledger);
      agent::EventBatch first;
      first.processes = trace.processes;
      for (const hal::Process& process : first.processes) (*writer)->add_process(process);
      feed.take(first);
      for (size_t at = 0; at < trace.events.size();) {
        agent::EventBatch batch;
        for (const size_t end = std::min(trace.events.size(), at + 37); at < end; ++at) {
          const hal::Event& event = trace.events[at];
          if (event.probe != 0) (*writer)->add_probe(event.probe, {event.call, "x", "", ""});
          batch.records.events.push_back(event);
        }
        ASSERT_TRUE((*writer)->write(batch.records.events).ok());
        feed.take(batch);
        feed.write(**writer);
      }
      feed.finish(**writer);
      const hal::Event& last = trace.events.back();
      (*writer)->set_watermark(last.end_mono_ns() + static_cast<uint64_t>(last.wall_offset_ns));
      ASSERT_TRUE((*writer)->close().ok());
    }
    auto replayed = json_of(run_cli({"explain", "--db", options.path, "--json"}))["incidents"];
    auto stored = json_of(run_cli({"explain", "--db", options.path, "--chains", "--json"}));
    ASSERT_FALSE(stored.empty()) << scenario.name;
    for (auto* list : {&replayed, &stored}) {
      std::sort(list->begin(), list->end(), [](const auto& a, const auto& b) { return a["id"] < b["id"]; });
      for (auto& chain : *list) {
        for (auto& step : chain["timeline"]) {
          if (step["op"] == "snapshot") step["detail"] = "";
        }
      }
    }
    EXPECT_EQ(replayed.dump(1), stored.dump(1)) << scenario.name;
  }
}

TEST(Incidents, TheStarvedRecordingsCauseIsFoundOnce) {
  INGERO_NEEDS_SAMPLE("pytorch-dataloader-starvation.db");
  const auto report = json_of(run_cli({"explain", "-d", sample("pytorch-dataloader-starvation.db"), "--json"}));
  ASSERT_EQ(report["incidents"].size(), 1U) << report["incidents"].dump(1);
  const auto& chain = report["incidents"][0];
  EXPECT_EQ(chain["rule"], "dataloader_starvation");
  EXPECT_EQ(chain["severity"], "HIGH");
  EXPECT_EQ(chain["grade"], "windowed");
  EXPECT_EQ(chain["pid"], 2233);
  EXPECT_NE(chain["root_cause"].get<std::string>().find("CPU contention"), std::string::npos);
  // Every chain it stored is spoken of; what is below the threshold is said to be.
  uint64_t times = 0;
  bool below = false;
  for (const auto& legacy : report["earlier_chains"]) {
    times += legacy["times"].get<uint64_t>();
    below = below || legacy["verdict"].get<std::string>().find("below the threshold") != std::string::npos;
    EXPECT_NE(legacy["verdict"].get<std::string>().find("found again"), std::string::npos) << legacy.dump();
  }
  EXPECT_EQ(
      times,
      json_of(run_cli({"explain", "-d", sample("pytorch-dataloader-starvation.db"), "--chains", "--json"})).size());
  EXPECT_TRUE(below);
}

TEST(Incidents, OfTheClustersNodesOneWaitedForItsDisk) {
  INGERO_NEEDS_SAMPLE("sample-cluster.db");
  const auto report = json_of(run_cli({"explain", "-d", sample("sample-cluster.db"), "--json"}));
  ASSERT_EQ(report["incidents"].size(), 1U) << report["incidents"].dump(1);
  EXPECT_EQ(report["incidents"][0]["rule"], "block_io");
  EXPECT_EQ(report["incidents"][0]["node"], "gpu-node-01");
  EXPECT_EQ(report["earlier_chains"].size(), 6U);
}

// Two sessions in one file, seconds apart; the hypervisor took the CPU during the first.
TEST(Incidents, WhatOneSessionSawIsNoEvidenceInTheNext) {
  constexpr uint64_t kSecond = 1'000'000'000, kFirst = 1'000 * kSecond, kNext = 1'003 * kSecond;
  static const hal::CallTable calls(backends::all_backends());
  const TempFolder folder;
  store::WriterOptions options;
  options.path = folder.path() + "/run.db";
  hal::LossLedger ledger;
  for (const uint64_t start_ns : {kFirst, kNext}) {
    HeldClock clock;
    clock.now_ns = start_ns;
    auto writer = store::Writer::open(options, calls, ledger, clock);
    ASSERT_TRUE(writer.ok()) << writer.error().text();
    hal::SystemSnapshot snapshot;
    snapshot.wall_ns = start_ns + kSecond;
    snapshot.steal_percent = start_ns == kFirst ? 60 : 0;
    (*writer)->add_snapshot(snapshot);
    hal::Event event;
    event.call = 0;
    event.kind = calls[0].kind;
    event.pid = event.tid = 100;
    event.probe = 1;
    event.set(hal::Has::kDuration);
    event.duration_ns = 1000;
    (*writer)->add_probe(1, {0, "x", "", ""});
    for (uint64_t at = 0; at < 2 * kSecond; at += kSecond / 100) {
      event.start_mono_ns = start_ns + at;
      ASSERT_TRUE((*writer)->write({&event, 1}).ok());
    }
    (*writer)->set_watermark(start_ns + 2 * kSecond);
    ASSERT_TRUE((*writer)->close().ok());
  }
  const auto found = json_of(run_cli({"explain", "--db", options.path, "--run", "all", "--json"}))["incidents"];
  ASSERT_EQ(found.size(), 1U) << found.dump(1);
  EXPECT_EQ(found[0]["rule"], "cpu_steal");
  EXPECT_LT(found[0]["end"].get<std::string>(), "1970-01-01T00:16:43") << found.dump(1);
}

TEST(Incidents, WhatTheySayOfAProcessIsSaidOfItsTime) {
  std::vector<ProcessTime> times(3);
  for (uint32_t i = 0; i < 3; ++i) times[i].budget.pid = 100 + i;
  times[0].budget.result.limit = correlate::Limit::kDeviceBound;
  std::vector<ReportedChain> chains(3);
  for (uint32_t i = 0; i < 3; ++i) chains[i].pid = 100 + i;
  chains[0].severity = chains[2].severity = "CRITICAL";
  chains[0].rule = "fatal_error";
  chains[2].rule = "collective_hang";
  chains[1].severity = "HIGH";
  chains[1].rule = "allocation_churn";
  chains[1].lost_ns = 4'000'000'000;
  chains[1].summary = "python3 allocated and freed device memory 5119 times";
  chains[1].recommendations = {"Reuse memory: a pool."};
  add_chains(chains, times);
  EXPECT_EQ(times[0].ended_so, "failed");
  EXPECT_EQ(times[1].ended_so, "");
  EXPECT_EQ(times[2].ended_so, "hung");
  EXPECT_EQ(times[1].because, std::vector<std::string>{chains[1].summary}) << "what limits it is not known";
  EXPECT_EQ(times[1].remedy, "reuse memory: a pool");
  EXPECT_TRUE(times[0].because.empty());
}

TEST(Incidents, ThoseThatCostNothingAreLeftOutAndCounted) {
  Report report;
  report.events = 1;
  const std::string counted = "Not shown: 2 chains that cost nothing (explain --chains";
  EXPECT_EQ(report_text(report, false, false).find("cost nothing"), std::string::npos);
  report.harmless_chains = 2;
  EXPECT_NE(report_text(report, false, false).find(counted), std::string::npos);
  report.diagnosis.chains.emplace_back();
  EXPECT_NE(report_text(report, false, false).find(counted), std::string::npos) << "with others";
  report.warm_up_chains = 1;
  const std::string warm_up = "Not shown: 1 chain of the warm-up, before the first step (explain --chains";
  EXPECT_NE(report_text(report, false, false).find(warm_up), std::string::npos);
}

// Steps of 20 ms: a launch, a wait for the device until 14 ms, host code. Another program has the CPU from `away_ns` of
// each on, for 5 ms.
void record_preempted(const std::string& path, uint64_t away_ns) {
  constexpr uint64_t kMs = 1'000'000, kBegin = 5000 * kSecond;
  static const hal::CallTable calls(backends::all_backends());
  store::WriterOptions options;
  options.path = path;
  hal::LossLedger ledger;
  HeldClock clock;
  clock.now_ns = kBegin;
  auto writer = store::Writer::open(options, calls, ledger, clock);
  ASSERT_TRUE(writer.ok()) << writer.error().text();
  hal::Process process;
  process.pid = 700;
  process.comm = "train";
  process.start_mono_ns = kBegin + kMs;
  (*writer)->add_process(process);
  const auto event_of = [&](std::string_view name, uint64_t from_ns, uint64_t to_ns) {
    hal::Event event;
    for (size_t id = 0; id < calls.size(); ++id) {
      if (calls[static_cast<hal::CallId>(id)].name == name) event.call = static_cast<hal::CallId>(id);
    }
    event.kind = calls[event.call].kind;
    event.pid = event.tid = 700;
    event.start_mono_ns = from_ns;
    event.duration_ns = to_ns - from_ns;
    for (const hal::Has one : {hal::Has::kDuration, hal::Has::kReturnCode, hal::Has::kOffCpu}) event.set(one);
    return event;
  };
  for (uint64_t at = kBegin; at < kBegin + 12 * kSecond; at += 20 * kMs) {
    const uint64_t out = at + away_ns, in = out + 5 * kMs;
    hal::Event away = event_of("sched_switch", out, in);
    away.off.preempted_ns = 5 * kMs;
    const hal::Event launch = event_of("cudaLaunchKernel", at, at + kMs / 100);
    hal::Event wait = event_of("cudaDeviceSynchronize", at + kMs, at + 14 * kMs);
    const bool is_inside = out < wait.end_mono_ns();
    if (is_inside) wait.off.preempted_ns = 5 * kMs;
    const hal::Event events[] = {launch, is_inside ? away : wait, is_inside ? wait : away};
    ASSERT_TRUE((*writer)->write(events).ok());
  }
  (*writer)->set_watermark(kBegin + 13 * kSecond);
  ASSERT_TRUE((*writer)->close().ok());
}

TEST(Incidents, WhatCostNothingIsLeftOutOfEveryAnswer) {
  for (const bool is_harmless : {true, false}) {
    const TempFolder folder;
    const std::string path = folder.path() + "/run.db";
    record_preempted(path, is_harmless ? 4'000'000 : 14'500'000);
    const size_t should = is_harmless ? 0 : 1;
    EXPECT_EQ(json_of(run_cli({"explain", "--db", path, "--json"}))["incidents"].size(), should);
    const auto asked = json_of(run_cli({"ask", "get_causal_chains", "--db", path}));
    EXPECT_EQ(asked["chains"].size(), should) << asked.dump(1);
    const auto compared = json_of(run_cli({"compare", path, path, "--json"}));
    EXPECT_EQ(compared["after"]["chains_total"], should) << compared["after"].dump(1);
  }
}

TEST(Incidents, TimeLostBeforeTheFirstStepIsOfTheWarmUpAndAFailureIsNot) {
  ProcessTime time;
  time.budget.pid = 7;
  time.budget.steps = 100;
  time.budget.usual_ns = kSecond / 10;
  time.budget.start_ns = time.budget.first_step_ns = 20 * kSecond;
  time.wall_offset_ns = 1000 * kSecond;
  ReportedChain chain;
  chain.pid = 7;
  chain.rule = "block_io";
  chain.end_wall_ns = 1015 * kSecond;
  EXPECT_TRUE(is_of_warm_up(chain, time));
  time.budget.first_step_ns = 5 * kSecond;  // others, before those that are evaluated
  EXPECT_FALSE(is_of_warm_up(chain, time));
  time.budget.first_step_ns = 20 * kSecond;
  chain.end_wall_ns = 1019 * kSecond + kSecond / 2;  // of steps that were not believed yet, maybe
  EXPECT_FALSE(is_of_warm_up(chain, time));
  chain.end_wall_ns = 1015 * kSecond;
  for (const char* rule : {"process_failed", "fatal_error", "device_out_of_memory"}) {
    chain.rule = rule;
    EXPECT_FALSE(is_of_warm_up(chain, time)) << rule;
  }
  chain.rule = "block_io";
  chain.pid = 8;
  EXPECT_FALSE(is_of_warm_up(chain, time));
  chain.pid = 7;
  time.budget.steps = 0;
  EXPECT_FALSE(is_of_warm_up(chain, time));
}

TEST(Incidents, ACpuThatCostLessThanAnotherCauseIsNotTheFirst) {
  ProcessTime time;
  time.budget.pid = 7;
  time.budget.steps = 100;
  time.budget.whole.of(correlate::TimeClass::kCpuWait).low = kSecond;
  ReportedChain chain;
  chain.pid = 7;
  chain.rule = "run_queue_wait";
  EXPECT_FALSE(is_lesser(chain, time));
  time.budget.whole.of(correlate::TimeClass::kAllocate).low = 2 * kSecond;
  EXPECT_TRUE(is_lesser(chain, time));
  time.budget.whole.of(correlate::TimeClass::kThrottled).low = 3 * kSecond;
  EXPECT_FALSE(is_lesser(chain, time));
  time.budget.whole.of(correlate::TimeClass::kThrottled).low = 0;
  chain.rule = "block_io";
  EXPECT_FALSE(is_lesser(chain, time));
}

TEST(Incidents, WhatDidNotFitTheEngineIsReported) {
  Report report;
  report.events = 1;
  report.diagnosis.replayed = true;
  EXPECT_EQ(report_text(report, false, false).find("did not fit"), std::string::npos);
  report.diagnosis.forgotten = 1234;
  const std::string text = report_text(report, false, false);
  EXPECT_NE(text.find(" 1,234 did not fit the tables."), std::string::npos) << text;
  EXPECT_EQ(report_document(report)["examined"]["forgotten"], 1234);
}

class IncidentsOfARecording : public Recording {};

TEST_F(IncidentsOfARecording, FailuresAreAnIncidentOnlyWhenThereAreMany) {
  const Outcome outcome = run_cli({"explain", "--db", database_});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("No causal chain found: 24 calls"), std::string::npos) << outcome.out.substr(0, 600);
}

TEST_F(IncidentsOfARecording, AHealthyOneSaysWhatWasExamined) {
  const auto report = json_of(run_cli({"explain", "--db", database_, "--json"}));
  EXPECT_TRUE(report["incidents"].empty()) << report["incidents"].dump(1);
  EXPECT_GT(report["examined"]["calls"], 20);
  EXPECT_EQ(report["examined"]["late"], 0);
}

}  // namespace
}  // namespace ingero::report
