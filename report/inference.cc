// Reads a recording's workloads, their slow steps and the model servers' own metrics for the report.
#include "report/inference.h"

#include "base/json.h"
#include "base/text.h"
#include "report/table.h"
#include "store/read/selection_sql.h"

namespace ingero::report {
namespace {

using store::Bound;
using store::Value;

constexpr size_t kMaxWorkloads = 16, kMaxSteps = 10, kMaxMetrics = 64;

std::string amount(const std::optional<double>& value, const std::string& unit) {
  if (!value) return "-";
  if (unit == "s" && *value >= 0 && *value < 1e9) return format_duration(static_cast<uint64_t>(*value * 1e9));
  return fmt::format("{:.6g}", *value);
}

// "12.3", of each step.
std::string per_step(uint64_t sum, uint64_t steps) {
  return steps == 0 ? "-" : fmt::format("{:.4g}", static_cast<double>(sum) / static_cast<double>(steps));
}

}  // namespace

Result<InferenceReport> gather_inference(const store::Reader& reader, const store::Selection& selection,
                                         uint64_t time_ns) {
  InferenceReport report;
  if (!reader.holds().inference) return report;
  store::QueryLimits limits;
  limits.time_ns = time_ns;
  const auto each = [&](const std::string& sql, const std::vector<Bound>& bound, const auto& take) -> Status {
    const auto outcome = reader.query(
        sql, limits,
        [&](std::span<const Value> row) {
          take(row);
          return true;
        },
        {}, bound);
    return outcome.ok() ? Status{} : Status{outcome.error()};
  };
  store::Conditions of_process;
  of_process.add_pid(selection, "pid");
  INGERO_TRY(each(
      "SELECT pid, comm, phase, engine, model, stream, mean_ns, p95_ns, steps, slow_1_5x, slow_2x, slow_3x, "
      "max_ns, idle_ns, relearned, launches, graph_launches, copied_bytes FROM inference_workloads" +
          of_process.where() +
          fmt::format(" ORDER BY slow_1_5x + slow_2x + slow_3x DESC, steps DESC, id LIMIT {}", kMaxWorkloads),
      of_process.bound(), [&](std::span<const Value> row) {
        report.workloads.push_back({row[0].integer, row[1].as_text(), row[2].as_text(), row[3].as_text(),
                                    row[4].as_text(), row[5].as_uint64(), row[6].as_uint64(), row[7].as_uint64(),
                                    static_cast<uint64_t>(row[8].integer), static_cast<uint64_t>(row[9].integer),
                                    static_cast<uint64_t>(row[10].integer), static_cast<uint64_t>(row[11].integer),
                                    static_cast<uint64_t>(row[12].integer), static_cast<uint64_t>(row[13].integer),
                                    static_cast<uint64_t>(row[14].integer), static_cast<uint64_t>(row[15].integer),
                                    static_cast<uint64_t>(row[16].integer), static_cast<uint64_t>(row[17].integer)});
      }));
  if (!report.workloads.empty()) {
    store::Conditions conditions;
    conditions.add("slow IS NOT NULL");
    conditions.add_range(selection, "timestamp", "end");
    conditions.add_pid(selection, "pid");
    INGERO_TRY(each(
        "SELECT id, pid, tid, timestamp, duration_ns, wait_ns, launches, graph_launches, phase, slow, "
        "incident, baseline_p95_ns FROM inference_steps" +
            conditions.where() +
            fmt::format(" ORDER BY duration_ns * 1.0 / baseline_p95_ns DESC, id LIMIT {}", kMaxSteps),
        conditions.bound(), [&](std::span<const Value> row) {
          report.slow_steps.push_back({row[0].integer, row[1].integer, row[2].integer,
                                       static_cast<uint64_t>(row[3].integer), static_cast<uint64_t>(row[4].integer),
                                       static_cast<uint64_t>(row[5].integer), static_cast<uint64_t>(row[6].integer),
                                       static_cast<uint64_t>(row[7].integer), row[8].as_text(), row[9].as_text(),
                                       row[10].as_text(), row[11].as_uint64()});
        }));
  }
  INGERO_TRY(each(fmt::format("SELECT engine, model, name, unit, engine_pid, coalesce(value, count), interval_mean, "
                              "interval_p95 FROM gen_ai_metrics m WHERE timestamp = (SELECT max(timestamp) FROM "
                              "inference_engine_metrics WHERE engine = m.engine_id) ORDER BY engine_id, name LIMIT {}",
                              kMaxMetrics),
                  {}, [&](std::span<const Value> row) {
                    report.servers.push_back({row[0].as_text(), row[1].as_text(), row[2].as_text(), row[3].as_text(),
                                              row[4].integer, row[5].as_real(), row[6].as_real(), row[7].as_real()});
                  }));
  return report;
}

std::string inference_text(const InferenceReport& report, bool colour) {
  std::string out;
  Table workloads({{"PID"},
                   {"PROCESS", Align::kLeft},
                   {"PHASE", Align::kLeft},
                   {"STREAM"},
                   {"STEPS"},
                   {"MEAN"},
                   {"P95"},
                   {"MAX"},
                   {"1.5x"},
                   {"2x"},
                   {"3x"},
                   {"LAUNCHES"},
                   {"GRAPHS"},
                   {"SERVER", Align::kLeft}});
  for (const WorkloadReport& one : report.workloads) {
    workloads.add_row({fmt::format("{}", one.pid), printable(one.process, 16), printable(one.phase, 16),
                       one.stream ? fmt::format("{:#x}", *one.stream) : "several", fmt::format("{}", one.steps),
                       one.mean_ns ? format_duration(*one.mean_ns) : "-",
                       one.p95_ns ? format_duration(*one.p95_ns) : "-", format_duration(one.max_ns),
                       fmt::format("{}", one.slow_1_5x), fmt::format("{}", one.slow_2x), fmt::format("{}", one.slow_3x),
                       per_step(one.launches, one.steps), per_step(one.graph_launches, one.steps),
                       one.server.empty() ? "-" : printable(one.server + " " + one.model, 40)});
  }
  if (!report.workloads.empty()) out += workloads.render(colour, 2);
  for (const SlowStep& step : report.slow_steps) {
    const uint64_t launches = step.launches + step.graph_launches;
    out +=
        fmt::format("  {} {} step {} of pid {}: {}, usual is up to {}; {} of it waiting, {}{}\n",
                    format_wall(step.start_wall_ns), step.phase, step.id, step.pid, format_duration(step.duration_ns),
                    step.p95_ns ? format_duration(*step.p95_ns) : "-", format_duration(step.wait_ns),
                    launches == 1 ? std::string("1 launch") : fmt::format("{} launches", launches),
                    step.incident.empty() ? "" : ", at the time of " + printable(step.incident, 64));
  }
  if (report.servers.empty()) return out;
  Table servers({{"SERVER", Align::kLeft},
                 {"MODEL", Align::kLeft},
                 {"METRIC", Align::kLeft},
                 {"VALUE"},
                 {"LAST MEAN"},
                 {"LAST P95"}});
  for (const ModelServerMetricReport& one : report.servers) {
    // Of a histogram the value is a number of observations, in no unit.
    const bool is_count = one.mean || one.p95 || (one.unit == "s" && !one.name.ends_with(".total"));
    servers.add_row({printable(one.server, 16), printable(one.model, 32), printable(one.name, 64),
                     amount(one.value, is_count ? "" : one.unit), amount(one.mean, one.unit),
                     amount(one.p95, one.unit)});
  }
  return out + servers.render(colour, 2);
}

Json inference_json(const InferenceReport& report) {
  if (report.empty()) return nullptr;
  Json workloads = Json::array(), steps = Json::array(), servers = Json::array();
  for (const WorkloadReport& one : report.workloads) {
    workloads.push_back({{"pid", one.pid},
                         {"process", json_or_null(one.process)},
                         {"phase", one.phase},
                         {"stream", json_or_null(one.stream)},
                         {"engine", json_or_null(one.server)},
                         {"model", json_or_null(one.model)},
                         {"steps", one.steps},
                         {"slow_1_5x", one.slow_1_5x},
                         {"slow_2x", one.slow_2x},
                         {"slow_3x", one.slow_3x},
                         {"mean_ns", json_or_null(one.mean_ns)},
                         {"p95_ns", json_or_null(one.p95_ns)},
                         {"max_ns", one.max_ns},
                         {"idle_ns", one.idle_ns},
                         {"launches", one.launches},
                         {"graph_launches", one.graph_launches},
                         {"copied_bytes", one.copied_bytes},
                         {"relearned", one.relearned}});
  }
  for (const SlowStep& one : report.slow_steps) {
    steps.push_back({{"id", one.id},
                     {"start_wall_ns", one.start_wall_ns},
                     {"pid", one.pid},
                     {"tid", one.tid},
                     {"phase", one.phase},
                     {"slow", one.slow},
                     {"duration_ns", one.duration_ns},
                     {"baseline_p95_ns", json_or_null(one.p95_ns)},
                     {"wait_ns", one.wait_ns},
                     {"launches", one.launches},
                     {"graph_launches", one.graph_launches},
                     {"incident", json_or_null(one.incident)}});
  }
  for (const ModelServerMetricReport& one : report.servers) {
    servers.push_back({{"engine", one.server},
                       {"pid", one.pid},
                       {"model", json_or_null(one.model)},
                       {"name", one.name},
                       {"unit", one.unit},
                       {"value", json_or_null(one.value)},
                       {"interval_mean", json_or_null(one.mean)},
                       {"interval_p95", json_or_null(one.p95)}});
  }
  return {{"workloads", std::move(workloads)}, {"slow_steps", std::move(steps)}, {"engines", std::move(servers)}};
}

}  // namespace ingero::report
