// The tools over a recording of today's layout: what they say is what was written, and fits what they declare.
#include <functional>

#include "base/json.h"
#include "cli/backend_flags.h"
#include "cli/commands.h"
#include "serve/tools/query_service.h"
#include "unit/cli/recording_fixture.h"

namespace ingero::cli {
namespace {

class Tools : public Recording {
 protected:
  void SetUp() override {
    Recording::SetUp();
    context_.environment.variable = [](const char*) -> std::optional<std::string> { return std::nullopt; };
    serve::tools::QueryServiceOptions options;
    options.database = database_;
    options.machine = {check_document,
                       [this](const std::string& scenario) { return demo_document(scenario, *context_.clock); }};
    service_ = std::make_unique<serve::tools::QueryService>(options, vendor_names(), *context_.clock);
  }

  // Besides the fixture's calls: memory obtained twice and given back once, and a graph launched five times.
  void record() override {
    const auto memory = [&](const char* call, uint64_t at, uint64_t address, uint64_t bytes) {
      hal::Event made = event(call, at, 1000);
      made.address = address;
      made.set(hal::Has::kAddress);
      if (bytes > 0) {
        made.bytes = bytes;
        made.set(hal::Has::kBytes);
      }
      write(made);
    };
    memory("cudaMalloc", 100, 0x1000, 4096);
    memory("cudaMalloc", 5000, 0x2000, 8192);
    memory("cudaFree", 10'000, 0x1000, 0);
    memory("cudaFree", 12'000, 0x9000, 0);
    const auto graph = [&](const char* call, uint64_t at, uint64_t handle) {
      hal::Event made = event(call, at, 1000);
      made.handle = handle;
      made.set(hal::Has::kHandle);
      write(made);
    };
    graph("cudaStreamEndCapture", 20'000, 0xf000000000000001);
    graph("cudaGraphInstantiate", 22'000, 0xf000000000000002);
    for (uint64_t i = 0; i < 5; ++i) graph("cudaGraphLaunch", 30'000 + i * 1'000'000, 0xf000000000000002);
    Recording::record();
  }

  Json ask(const char* tool, Json input = Json::object()) {
    const auto answer = service_->ask(tool, input);
    if (!answer.ok()) {
      ADD_FAILURE() << tool << ": " << answer.error().text();
      return {};
    }
    const Status fits = serve::tools::check_schema(serve::tools::find_tool(tool)->output, *answer);
    EXPECT_TRUE(fits.ok()) << tool << ": " << (fits.ok() ? "" : fits.error().text());
    return *answer;
  }

  // Another run, of a node of this name.
  void record_again(const std::string& node, const std::function<void()>& run) {
    hal::LossLedger losses;
    store::WriterOptions options;
    options.path = database_;
    options.session.node = node;
    auto writer = store::Writer::open(options, *calls_, losses);
    ASSERT_TRUE(writer.ok()) << writer.error().text();
    writer_ = std::move(*writer);
    probes_.clear();
    run();
    ASSERT_TRUE(writer_->close().ok());
    writer_.reset();
  }

  std::ostringstream out_, err_;
  Context context_{out_, err_};
  std::unique_ptr<serve::tools::QueryService> service_;
};

// Each schema within `schema` is one that is checked: of a word that is not known check_schema() makes an end.
void use_each(const Json& schema) {
  EXPECT_FALSE(serve::tools::check_schema(schema, nullptr).ok()) << schema.dump();
  if (schema.contains("items")) use_each(schema["items"]);
  if (!schema.contains("properties")) return;
  for (const auto& [name, property] : schema["properties"].items()) use_each(property);
}

TEST_F(Tools, EveryInputOfEveryToolCanBeChecked) {
  for (const serve::tools::Tool& tool : serve::tools::all_tools()) use_each(tool.input);
  EXPECT_EQ(ask("get_trace_stats", {{"run", "1"}})["ops"], ask("get_trace_stats", {{"run", "all"}})["ops"]);
  for (const char* wrong : {"0", "2", "one", "99999999999999999999"}) {
    const auto answer = service_->ask("get_trace_stats", {{"run", wrong}});
    ASSERT_FALSE(answer.ok()) << wrong;
    EXPECT_NE(answer.error().text().find("the recording holds 1 run"), std::string::npos) << answer.error().text();
  }
}

TEST_F(Tools, EveryAnswerFitsItsSchemaAndNamesWhatWasLost) {
  for (const serve::tools::Tool& tool : serve::tools::all_tools()) {
    if (!tool.needs_recording || tool.name == "get_chain_evidence") continue;
    Json input = Json::object();
    if (tool.name == "run_sql") input = {{"query", "SELECT 1"}};
    if (tool.name == "compare") input = {{"before", Json::object()}, {"after", Json::object()}};
    if (tool.input["properties"].contains("pid") && tool.name.starts_with("graph_")) input["pid"] = kPid;
    const Json answer = ask(std::string(tool.name).c_str(), input);
    ASSERT_TRUE(answer["lost"].is_array()) << tool.name;
    EXPECT_EQ(answer["lost"].size(), 2U) << tool.name;
    EXPECT_EQ(answer["recording"]["file"], "run.db");
    EXPECT_EQ(answer["recording"]["live"], false);
  }
}

TEST_F(Tools, SlowAndHangingCallsComeWithTheirPreemptors) {
  const Json slowest = ask("get_slowest_calls", {{"limit", 2}, {"op", "CUDALAUNCHKERNEL"}});
  ASSERT_EQ(slowest["calls"].size(), 2U);
  EXPECT_EQ(slowest["calls"][0]["off_cpu"]["preempted_ns"], 4'000'000);
  EXPECT_EQ(slowest["calls"][0]["culprit"]["comm"], "stress-ng");
  EXPECT_EQ(slowest["calls"][0]["process"], "train?[31m");  // the program's own choice of a name
  const Json hanging = ask("get_calls_in_flight");
  EXPECT_EQ(hanging["known"], true);
  ASSERT_EQ(hanging["calls"].size(), 1U);
  EXPECT_EQ(hanging["calls"][0]["op"], "cudaStreamSync");
  EXPECT_TRUE(ask("get_calls_in_flight", {{"pid", 1}})["calls"].empty());
}

// An answer without rows would not say why there are none.
TEST_F(Tools, ACallOrSourceThatIsNotThereIsNamedInTheCuts) {
  const auto cut_of = [&](const char* tool, Json input) { return ask(tool, std::move(input))["cut"].dump(); };
  EXPECT_NE(cut_of("get_slowest_calls", {{"op", "cudaLaunchKernl"}})
                .find("no call of the recording is named \\\"cudaLaunchKernl\\\", did you mean cudaLaunchKernel?"),
            std::string::npos);
  EXPECT_NE(cut_of("get_stacks", {{"source", "CUDDA"}}).find("no source of the recording is named"), std::string::npos);
  EXPECT_EQ(cut_of("get_stacks", {{"source", "cuda"}, {"op", "cuda_memcpy_v2"}}), "[]");
}

TEST_F(Tools, MemoryIsFollowedByItsAddress) {
  const Json memory = ask("get_memory");
  EXPECT_EQ(memory["totals"]["held_bytes"], 8192);
  EXPECT_EQ(memory["totals"]["peak_bytes"], 12288);
  EXPECT_EQ(memory["totals"]["held_allocations"], 1);
  EXPECT_EQ(memory["totals"]["frees_of_unseen"], 1);
  ASSERT_EQ(memory["sites"].size(), 1U);
  EXPECT_EQ(memory["sites"][0]["calls"], 2);
  EXPECT_EQ(memory["sites"][0]["bytes"], 12288);
  EXPECT_EQ(memory["sites"][0]["freed_bytes"], 4096);
}

TEST_F(Tools, AProcessThatEndsGivesBackWhatItHeld) {
  record_again("node-7", [&] {
    hal::Event exit = event("process_exit", 900'000'000, 0);
    exit.tid = kPid;  // a thread that ends is not the end of its process
    write(exit);
  });
  const Json memory = ask("get_memory", {{"run", "all"}});
  EXPECT_EQ(memory["totals"]["held_bytes"], 0);
  EXPECT_EQ(memory["totals"]["held_allocations"], 0);
  EXPECT_EQ(memory["totals"]["peak_bytes"], 12288);
  EXPECT_EQ(memory["sites"][0]["freed_bytes"], 12288);
}

TEST_F(Tools, MemoryOfTheHostAndAddressesAloneAreNotHeldOnTheDevice) {
  record_again("node-7", [&] {
    for (const char* call : {"cudaHostAlloc", "cuMemAddressReserve", "cudaHostRegister"}) {
      hal::Event made = event(call, 900'000'000, 1000);
      made.address = 0x700000;
      made.bytes = 1 << 30;
      made.set(hal::Has::kAddress);
      made.set(hal::Has::kBytes);
      write(made);
    }
  });
  const Json memory = ask("get_memory", {{"run", "all"}});
  EXPECT_EQ(memory["totals"]["held_bytes"], 8192);
  EXPECT_EQ(memory["sites"].size(), 1U);
}

TEST_F(Tools, AGraphsLaunchByTheRuntimeAndByItsDriverAreOne) {
  const Json before = ask("graph_lifecycle", {{"pid", kPid}, {"run", "all"}});
  record_again("node-7", [&] {
    write(event("cudaGraphLaunch", 900'000'000, 5000));
    hal::Event inner = event("cuGraphLaunch", 900'001'000, 1000);
    inner.depth = 1;
    inner.parent_call = event("cudaGraphLaunch", 0, 0).call;
    inner.set(hal::Has::kParent);
    write(inner);
  });
  const Json after = ask("graph_lifecycle", {{"pid", kPid}, {"run", "all"}});
  EXPECT_EQ(after["events"].size(), before["events"].size() + 1);
}

TEST_F(Tools, WhatWasHeldOverTimeIsReported) {
  EXPECT_TRUE(ask("get_memory")["over_time"].is_null());
  // 4096 bytes, 8192 more, less the first 4096: at 1.1, 6 and 11 us after the first call began.
  const Json over = ask("get_memory", {{"bins", 10}, {"to", "2026-11-21T02:26:40.000020000Z"}})["over_time"];
  EXPECT_EQ(over["from"], "2026-11-21T02:26:40.000000100Z");
  EXPECT_EQ(over["bin_ns"], 1991);
  EXPECT_EQ(over["total_bytes"].dump(), "[4096,4096,12288,12288,12288,12288,8192,8192,8192,8192]");
}

TEST_F(Tools, DistributionsCountEveryCallOnce) {
  const Json whole = ask("get_distributions", {{"op", "cudaLaunchKernel"}});
  ASSERT_EQ(whole["calls"].size(), 1U);
  EXPECT_EQ(whole["calls"][0]["from_ns"].dump(), "[8192,4194304]");  // 10 us and 5 ms, four buckets an octave
  EXPECT_EQ(whole["calls"][0]["counts"].dump(), "[20,1]");
  const Json part = ask("get_distributions", {{"op", "cudaLaunchKernel"}, {"to", "2026-11-21T02:26:40.010Z"}});
  EXPECT_EQ(part["calls"][0]["count"], 10);
  EXPECT_FALSE(service_->ask("get_distributions", {{"per_octave", 3}}).ok());
}

TEST_F(Tools, TheTimelineNamesTracksAndCalls) {
  const Json whole = ask("get_timeline");
  EXPECT_EQ(whole["is_whole"], true);
  ASSERT_FALSE(whole["lanes"].empty());
  EXPECT_EQ(whole["lanes"][0]["group"], "thread");
  EXPECT_EQ(whole["lanes"][0]["process"], "train?[31m");
  const Json& calls = whole["views"][0];
  ASSERT_EQ(calls["start_ns"].size(), calls["op"].size());
  EXPECT_EQ(calls["start_ns"][0], 0);
  EXPECT_EQ(whole["ops"][calls["op"][0].get<size_t>()]["call"], "cudaMalloc");
  EXPECT_EQ(calls["failed"].size(), 3U);
  const Json none = ask("get_timeline", {{"lanes", {"none"}}});
  EXPECT_TRUE(none["views"].empty());
  EXPECT_FALSE(service_->ask("get_timeline", {{"lanes", {1}}}).ok());
}

TEST_F(Tools, GraphsAreReportedByStepAndHandle) {
  const Json life = ask("graph_lifecycle", {{"pid", kPid}});
  ASSERT_EQ(life["events"].size(), 7U);
  EXPECT_EQ(life["events"][0]["step"], "end_capture");
  EXPECT_EQ(life["events"][0]["handle"], "0xf000000000000001");
  EXPECT_EQ(life["replays_per_capture"], 5.0);
  const Json often = ask("graph_frequency", {{"pid", kPid}});
  ASSERT_EQ(often["graphs"].size(), 1U);
  EXPECT_EQ(often["graphs"][0]["executable"], "0xf000000000000002");
  EXPECT_EQ(often["graphs"][0]["launches"], 5);
  EXPECT_EQ(often["graphs"][0]["per_second"], 1000.0);
  EXPECT_EQ(often["graphs"][0]["class"], "hot");
  EXPECT_TRUE(ask("graph_lifecycle", {{"pid", 1}})["events"].empty());
}

TEST_F(Tools, AnAnswerChangesWithTheRecording) {
  EXPECT_EQ(ask("get_causal_chains"), ask("get_causal_chains"));  // the second one is kept
  const Json before = ask("get_trace_stats");
  hal::LossLedger losses;
  store::WriterOptions options;
  options.path = database_;
  auto writer = store::Writer::open(options, *calls_, losses);
  ASSERT_TRUE(writer.ok()) << writer.error().text();
  writer_ = std::move(*writer);
  probes_.clear();
  write(event("cudaLaunchKernel", 900'000'000, 10'000));
  ASSERT_TRUE(writer_->flush().ok());
  const Json live = ask("get_trace_stats");
  EXPECT_EQ(live["recording"]["live"], true);
  EXPECT_EQ(live["events"].get<uint64_t>(), before["events"].get<uint64_t>() + 1);
  ASSERT_TRUE(writer_->close().ok());
  writer_.reset();
  EXPECT_EQ(ask("get_trace_stats")["recording"]["live"], false);
}

// A run that came and went between two questions, and took its log with it.
TEST_F(Tools, ARunThatCameAndWentIsInTheNextAnswer) {
  const Json before = ask("get_trace_stats");
  constexpr uint64_t kMore = 5000;
  record_again("node-7", [&] {
    for (uint64_t i = 0; i < kMore; ++i) write(event("cudaLaunchKernel", 900'000'000 + i * 20'000, 10'000));
  });
  const Json after = ask("get_trace_stats", {{"run", "all"}});
  ASSERT_TRUE(after.contains("events")) << after;
  EXPECT_EQ(after["events"].get<uint64_t>(), before["events"].get<uint64_t>() + kMore);
}

// With what is sampled, and two ranks of one communicator.
class SampledTools : public Tools {
 protected:
  void sample(uint64_t second) {
    hal::FabricCounter counter;
    counter.name = "port_rcv_errors";
    counter.value = 5 * second;
    counter.change = second == 1 ? hal::CounterChange::kFirst : hal::CounterChange::kGrew;
    if (second == 2) counter.delta = 5;
    hal::FabricPort port;
    port.number = 1;
    port.link_layer = "InfiniBand";
    port.counters.push_back(counter);
    hal::FabricDevice adapter;
    adapter.name = "fab0";
    adapter.ports.push_back(port);
    hal::FabricSample fabric;
    fabric.wall_ns = kWall + second;
    fabric.devices.push_back(adapter);
    writer_->add_sample(fabric);
    hal::Device device;
    device.vendor = "acme";
    device.uuid = "GPU-1";
    device.add(hal::ReadingId::power_watts, 300.0 - 100.0 * static_cast<double>(second));
    device.processes = {{kPid, 1 << 20}};
    hal::DeviceSample devices;
    devices.wall_ns = kWall + second;
    devices.devices.push_back(device);
    writer_->add_sample(devices);
  }
  void collect(int32_t rank) {
    hal::Communicator made;
    made.id = static_cast<uint64_t>(rank) + 1;
    made.pid = kPid;
    made.handle = 0x1000;
    made.comm_id_hash = 0x8000'0000'0000'0001;
    made.rank = rank;
    made.nranks = 2;
    writer_->add_communicator(made);
    hal::Exchange exchange;
    exchange.exchange_id = made.id;
    exchange.communicator = made.handle;
    exchange.communicator_id = made.id;
    exchange.number = 1;
    ASSERT_TRUE(writer_->write_exchange(event("ncclAllReduce", 100'000'000 + 1000 * made.id, 100), exchange).ok());
    writer_->add_wait({made.id, 700 * made.id});
  }
  void record() override {
    Tools::record();
    sample(1);
    sample(2);
    hal::DeviceError error;
    error.wall_ns = kWall + 3;
    error.vendor = "acme";
    error.kind = "Xid";
    error.code = 79;
    error.message = "it fell off\x1b";
    writer_->add_device_error(error);
    collect(0);
    collect(1);
    ASSERT_TRUE(writer_->flush().ok());
  }
};

TEST_F(SampledTools, FabricDevicesAndRanksAreReported) {
  const Json fabric = ask("get_fabric");
  EXPECT_EQ(fabric["known"], true);
  ASSERT_EQ(fabric["counters"].size(), 1U);
  EXPECT_EQ(fabric["counters"][0]["grew_by"], 5);
  EXPECT_EQ(fabric["counters"][0]["value"], 10);
  EXPECT_EQ(fabric["links"][0]["device"], "fab0");
  const Json devices = ask("get_devices");
  ASSERT_EQ(devices["readings"].size(), 1U);
  EXPECT_EQ(devices["readings"][0]["max"], 200.0);
  EXPECT_EQ(devices["readings"][0]["avg"], 150.0);
  EXPECT_EQ(devices["readings"][0]["last"], 100.0);
  EXPECT_EQ(devices["processes"][0]["pid"], kPid);
  EXPECT_EQ(devices["errors"][0]["message"], "it fell off?");
  const Json collectives = ask("get_collectives");
  ASSERT_EQ(collectives["ranks"].size(), 2U);
  EXPECT_EQ(collectives["ranks"][1]["rank"], 1);
  EXPECT_EQ(collectives["ranks"][1]["average_wait_ns"], 1400);
  EXPECT_EQ(collectives["ranks"][1]["last_number"], 1);
  ASSERT_EQ(collectives["communicators"].size(), 1U);
  EXPECT_EQ(collectives["communicators"][0]["comm_id_hash"], collectives["ranks"][0]["comm_id_hash"]);
  EXPECT_EQ(collectives["communicators"][0]["ranks_seen"], 2);
}

TEST_F(SampledTools, AdaptersOfTwoNodesAreNotOne) {
  record_again("another", [&] {
    sample(1);
    sample(2);
  });
  const Json fabric = ask("get_fabric", {{"run", "all"}});
  ASSERT_EQ(fabric["links"].size(), 2U);
  EXPECT_EQ(fabric["links"][0]["node"], "another");
  for (const Json& link : fabric["links"]) EXPECT_EQ(link["changes"], 0);
  ASSERT_EQ(fabric["counters"].size(), 2U);
  for (const Json& counter : fabric["counters"]) EXPECT_EQ(counter["grew_by"], 5);
}

TEST_F(Tools, FailuresAreClassified) {
  const auto fault = [&](const char* tool, Json input) {
    const auto answer = service_->ask(tool, input);
    return answer.ok() ? "none" : std::string(serve::tools::fault_name(answer.error().code()));
  };
  EXPECT_EQ(fault("none", Json::object()), "not_found");
  EXPECT_EQ(fault("get_trace_stats", Json::array()), "bad_input");
  EXPECT_EQ(fault("get_trace_stats", {{"from", "yesterday"}}), "bad_input");
  EXPECT_EQ(fault("run_sql", {{"query", "DROP TABLE events"}}), "bad_input");
  const std::atomic<bool> cancelled{true};
  for (const char* tool : {"get_causal_chains", "get_slowest_calls", "get_memory", "get_stacks"}) {
    const auto answer = service_->ask(tool, {{"since", "9h"}}, &cancelled);
    // A recording this small may be read between two looks at the flag; what is cancelled says so.
    if (!answer.ok()) {
      EXPECT_EQ(serve::tools::fault_name(answer.error().code()), "timed_out") << tool;
    }
  }
  std::filesystem::remove(database_);
  EXPECT_EQ(fault("get_trace_stats", {{"since", "1h"}}), "not_found");
}

}  // namespace
}  // namespace ingero::cli
