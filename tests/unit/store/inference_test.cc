// Steps, workloads and engines of several runs, and what the views join to them.
#include <gmock/gmock.h>

#include "recording.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;

class InferenceTest : public RecordingTest {
 protected:
  std::vector<std::string> ask(const std::string& sql) { return rows(*read(), sql); }
  static InferenceWorkload workload(uint64_t id, std::optional<uint64_t> server = {}) {
    InferenceWorkload one;
    one.id = id;
    one.pid = 100;
    one.phase = "decode";
    one.stream = 0xffff'8000'0000'0010;
    one.server = server;
    one.steps = 40;
    one.slow_3x = 1;
    one.p95_ns = 5'000'000;
    return one;
  }
  static InferenceStep step(uint64_t of, uint64_t at_ns, const std::string& slow = "") {
    InferenceStep one;
    one.workload = of;
    one.tid = 101;
    one.start_wall_ns = kWall + at_ns;
    one.start_mono_ns = kMono + at_ns;
    one.end_mono_ns = kMono + at_ns + 20'000'000;
    one.duration_ns = 20'000'000;
    one.slow = slow;
    if (!slow.empty()) one.baseline_p95_ns = 5'000'000;
    return one;
  }
  static hal::CausalChain chain(const std::string& id, uint32_t pid, uint64_t from_ns, uint64_t to_ns,
                                uint64_t lost_ns) {
    hal::CausalChain one;
    one.id = id;
    one.rule = "cpu_preemption";
    one.pid = pid;
    one.onset_wall_ns = kWall + from_ns;
    one.end_wall_ns = kWall + to_ns;
    one.lost_ns = lost_ns;
    return one;
  }
  static ModelServerMetric metric(uint64_t at_ns, double value) {
    ModelServerMetric one;
    one.server = 1;
    one.wall_ns = kWall + at_ns;
    one.name = "gen_ai.server.queue.size";
    one.source_name = "tgi_queue_size";
    one.unit = "{request}";
    one.kind = "gauge";
    one.value = value;
    return one;
  }
};

TEST_F(InferenceTest, ASlowStepStandsBesideTheChainOfItsProcessAndTime) {
  open();
  writer->add_workload(workload(1));
  for (const uint64_t at : {0, 1, 2}) writer->add_step(step(1, at * 1'000'000'000, at == 1 ? "3x" : ""));
  writer->add_chain(chain("other-process", 999, 0, 3'000'000'000, 90));
  writer->add_chain(chain("too-early", 100, 0, 999'999'999, 80));
  writer->add_chain(chain("small", 100, 0, 3'000'000'000, 10));
  writer->add_chain(chain("it", 100, 1'015'000'000, 1'500'000'000, 20));
  close();
  EXPECT_THAT(
      ask("SELECT slow, duration_ns, baseline_p95_ns, phase, pid, tid, stream, substr(incident, instr(incident, "
          "':') + 1) FROM inference_steps ORDER BY timestamp"),
      ElementsAre("NULL|20000000|NULL|decode|100|101|-140737488355312|NULL",
                  "3x|20000000|5000000|decode|100|101|-140737488355312|it",
                  "NULL|20000000|NULL|decode|100|101|-140737488355312|NULL"));
}

TEST_F(InferenceTest, NumbersOfALaterRunFollowThoseThatAreThere) {
  for (int run = 0; run < 2; ++run) {
    open();
    InferenceModelServer server;
    server.id = 1;
    server.pid = 50 + static_cast<uint32_t>(run);
    server.name = "tgi";
    server.model = "big/code";
    server.url = "http://127.0.0.1:8080/metrics";
    writer->add_model_server(server);
    writer->add_workload(workload(1));
    writer->add_step(step(1, 1'000'000'000));
    ASSERT_TRUE(writer->flush().ok());
    writer->add_workload(workload(1, 1));  // more became known
    writer->add_workload(workload(2, 1));
    for (const uint64_t second : {0, 2, 4}) {
      writer->add_model_server_metric(metric(second * 1'000'000'000, static_cast<double>(second)));
    }
    close();
  }
  EXPECT_THAT(ask("SELECT id, session, engine, model, engine_pid, steps FROM inference_workloads ORDER BY id"),
              ElementsAre("1|1|tgi|big/code|50|40", "2|1|tgi|big/code|50|40", "3|2|tgi|big/code|51|40",
                          "4|2|tgi|big/code|51|40"));
  EXPECT_THAT(ask("SELECT id, workload, session FROM inference_steps ORDER BY id"), ElementsAre("1|1|1", "2|3|2"));
  EXPECT_THAT(ask("SELECT engine_id, count(*), max(value), min(model) FROM gen_ai_metrics GROUP BY 1"),
              ElementsAre("1|3|4|big/code", "2|3|4|big/code"));
  // The first reading after the step's end.
  EXPECT_THAT(ask("SELECT step, engine, name, value FROM inference_step_metrics ORDER BY step"),
              ElementsAre("1|tgi|gen_ai.server.queue.size|2", "2|tgi|gen_ai.server.queue.size|2"));
}

}  // namespace
}  // namespace ingero::store::testing
