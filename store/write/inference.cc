// Writes steps, workloads and model servers into their tables.
#include "store/write/inference.h"

#include "store/db/bind.h"

namespace ingero::store {

Status Inference::load(Database& database, int64_t session) {
  session_ = session;
  INGERO_TRY(database.integer_into("SELECT max(id) FROM inference_workload_rows", workloads_before_));
  return database.integer_into("SELECT max(id) FROM inference_engines", servers_before_);
}

void Inference::add(const InferenceStep& step, hal::LossLedger& losses) {
  if (steps_.size() < kMaxRows) {
    steps_.push_back(step);
  } else {
    losses.add(hal::Loss::store_failed);
  }
}

void Inference::add(ModelServerMetric metric, hal::LossLedger& losses) {
  if (metrics_.size() < kMaxRows) {
    metrics_.push_back(std::move(metric));
  } else {
    losses.add(hal::Loss::store_failed);
  }
}

Status Inference::write(Database& database) {
  INGERO_TRY(write_model_servers(database));
  INGERO_TRY(write_workloads(database));
  return write_steps(database);
}

Status Inference::write_steps(Database& database) {
  return database.run_each(
      "INSERT INTO inference_step_rows (workload, tid, timestamp, start_mono_ns, end_mono_ns, duration_ns, idle_ns, "
      "wait_ns, launches, graph_launches, copies, copied_bytes, sets, collectives, mean_gap_ns, slow, "
      "baseline_mean_ns, baseline_p95_ns, weight) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, "
      "?14, ?15, ?16, ?17, ?18, ?19)",
      steps_, [&](Statement& s, const InferenceStep& step) {
        s.bind(1, workloads_before_ + signed_of(step.workload)).bind(2, int64_t{step.tid});
        int index = 3;
        for (const uint64_t value :
             {step.start_wall_ns, step.start_mono_ns, step.end_mono_ns, step.duration_ns, step.idle_ns, step.wait_ns,
              step.launches, step.graph_launches, step.copies, step.copied_bytes, step.sets, step.collectives}) {
          s.bind(index++, signed_of(value));
        }
        bind_known(s, 15, step.mean_gap_ns);
        bind_text(s, 16, step.slow);
        bind_known(s, 17, step.baseline_mean_ns);
        bind_known(s, 18, step.baseline_p95_ns);
        s.bind(19, int64_t{step.weight});
      });
}

Status Inference::write_workloads(Database& database) {
  return database.run_each(
      "INSERT OR REPLACE INTO inference_workload_rows VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
      "?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26)",
      workloads_, [&](Statement& s, const auto& item) {
        const auto& [one, process] = item;
        s.bind(1, workloads_before_ + signed_of(one.id)).bind(2, session_).bind(3, process);
        bind_known(s, 4, one.cgroup_id);
        bind_known(s, 5, one.stream);
        s.bind(6, std::string_view(one.phase));
        bind_known(s, 7, one.functions);
        s.bind_if(8, one.server.has_value(), servers_before_ + signed_of(one.server.value_or(0)));
        int index = 9;
        for (const uint64_t value : {one.first_wall_ns, one.last_wall_ns, one.steps, one.total_ns, one.min_ns,
                                     one.max_ns, one.idle_ns, one.launches, one.graph_launches, one.copied_bytes,
                                     one.slow_1_5x, one.slow_2x, one.slow_3x, one.relearned, one.healthy}) {
          s.bind(index++, signed_of(value));
        }
        bind_known(s, 24, one.mean_ns);
        bind_known(s, 25, one.p95_ns);
        s.bind_blob(26, one.histogram);
      });
}

Status Inference::write_model_servers(Database& database) {
  INGERO_TRY(database.run_each("INSERT OR REPLACE INTO inference_engines VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                               servers_, [&](Statement& s, const auto& item) {
                                 const auto& [one, process] = item;
                                 s.bind(1, servers_before_ + signed_of(one.id)).bind(2, session_).bind(3, process);
                                 s.bind(4, std::string_view(one.name));
                                 bind_text(s, 5, one.model);
                                 s.bind(6, std::string_view(one.url)).bind(7, signed_of(one.found_wall_ns));
                                 s.bind(8, int64_t{one.pid});
                               }));
  return database.run_each(
      "INSERT OR REPLACE INTO inference_engine_metrics VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
      metrics_, [&](Statement& s, const ModelServerMetric& one) {
        s.bind(1, servers_before_ + signed_of(one.server)).bind(2, signed_of(one.wall_ns));
        int index = 3;
        for (const std::string* text : {&one.name, &one.source_name, &one.model, &one.unit, &one.kind}) {
          s.bind(index++, std::string_view(*text));
        }
        bind_known(s, 8, one.value);
        bind_known(s, 9, one.count);
        bind_known(s, 10, one.sum);
        bind_known(s, 11, one.interval_mean);
        bind_known(s, 12, one.interval_p95);
      });
}

void Inference::committed() {
  steps_.clear();
  workloads_.clear();
  servers_.clear();
  metrics_.clear();
}

}  // namespace ingero::store
