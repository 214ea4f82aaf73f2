// The report of `ingero explain` as JSON: the same figures, absent ones as null.
#include <cmath>

#include "base/json.h"
#include "base/text.h"
#include "report/legacy/stored_chains.h"
#include "report/report.h"
#include "symbols/frame.h"

namespace ingero::report {
namespace {

Json stats_json(const store::CallStats& call, bool has_off_cpu) {
  const bool timed = call.timed > 0;
  const auto time = [&](uint64_t ns) { return timed ? Json(ns) : Json(nullptr); };
  Json json;
  if (call.pid) {
    json["pid"] = *call.pid;
    json["process"] = json_or_null(call.process);
    json["node"] = json_or_null(call.node);
  }
  json["op"] = call.op;
  json["call"] = call.call;
  json["layer"] = call.layer;
  json["vendor"] = call.vendor;
  json["kind"] = call.kind;
  json["count"] = call.count;
  json["errors"] = call.errors;
  json["unfinished"] = call.unfinished;
  json["avg_ns"] = timed ? Json(static_cast<uint64_t>(std::llround(call.avg_ns()))) : Json(nullptr);
  json["min_ns"] = time(call.min_ns);
  json["p50_ns"] = time(call.p50_ns);
  json["p95_ns"] = time(call.p95_ns);
  json["p99_ns"] = time(call.p99_ns);
  json["max_ns"] = time(call.max_ns);
  json["total_ns"] = time(call.total_ns);
  json["percentiles_exact"] = call.percentiles_exact;
  if (call.single_stepped) json["single_step_ns"] = json_or_null(call.single_step_ns);
  json["bytes"] = json_or_null(call.bytes);
  if (!has_off_cpu || is_host(call)) {
    json["off_cpu"] = nullptr;
  } else {
    json["off_cpu"] = {{"preempted_ns", call.preempted_ns},
                       {"runqueue_ns", call.runqueue_ns},
                       {"blocked_ns", call.blocked_ns},
                       {"io_ns", call.io_ns}};
  }
  return json;
}

Json instance_json(const store::CallInstance& call) {
  Json json;
  json["id"] = call.id;
  json["op"] = call.op;
  json["call"] = call.call;
  json["layer"] = call.layer;
  json["outcome"] = json_or_null(call.outcome);
  json["start"] = format_wall(call.start_wall_ns);
  json["start_ns"] = call.start_wall_ns;
  json["duration_ns"] = json_or_null(call.duration_ns);
  json["pid"] = call.pid;
  json["tid"] = call.tid;
  json["process"] = json_or_null(call.process);
  json["node"] = json_or_null(call.node);
  json["library"] = json_or_null(call.library);
  json["kernel"] = json_or_null(call.kernel);
  json["return_code"] = json_or_null(call.return_code);
  json["failed"] = call.failed;
  json["bytes"] = json_or_null(call.bytes);
  json["direction"] = json_or_null(call.direction);
  json["stream"] = json_or_null(call.stream);
  json["address"] = json_or_null(call.address);
  json["args"] = {json_or_null(call.arg0), json_or_null(call.arg1)};
  json["off_cpu"] = call.preempted_ns || call.runqueue_ns || call.blocked_ns || call.io_ns
                        ? Json{{"preempted_ns", json_or_null(call.preempted_ns)},
                               {"runqueue_ns", json_or_null(call.runqueue_ns)},
                               {"blocked_ns", json_or_null(call.blocked_ns)},
                               {"io_ns", json_or_null(call.io_ns)}}
                        : Json(nullptr);
  json["culprit"] = call.preempted_by_pid || !call.preempted_by.empty()
                        ? Json{{"pid", json_or_null(call.preempted_by_pid)},
                               {"comm", json_or_null(call.preempted_by)},
                               {"ns", json_or_null(call.preempted_by_ns)}}
                        : Json(nullptr);
  json["gpu_id"] = json_or_null(call.gpu_id);
  json["gpu_uuid"] = json_or_null(call.gpu_uuid);
  json["parent_call"] = json_or_null(call.parent_call);
  json["stack"] = call.frames_json.empty()
                      ? Json(nullptr)
                      : Json::parse(symbols::shown_frames(symbols::parse_frames(call.frames_json)), nullptr, false);
  if (!call.labels.empty()) json["labels"] = labels_json(call.labels);
  return json;
}

Json device_json(const store::DeviceTotals& device) {
  return {{"vendor", device.vendor},
          {"gpu_id", json_or_null(device.gpu_id)},
          {"uuid", json_or_null(device.uuid)},
          {"pci_address", json_or_null(device.pci_address)},
          {"calls", device.calls},
          {"errors", device.errors},
          {"total_ns", device.total_ns},
          {"processes", device.processes}};
}

template <typename Range, typename Make>
Json array_of(const Range& range, const Make& make) {
  Json array = Json::array();
  for (const auto& item : range) array.push_back(make(item));
  return array;
}

Json communicator_json(const CommunicatorReport& report) {
  Json json;
  json["comm_id_hash"] = json_or_null(report.comm_id_hash);
  json["nranks"] = json_or_null(report.nranks);
  json["ranks_seen"] = report.ranks_seen;
  json["ops"] = array_of(report.ops, [](const CollectiveOp& op) {
    return Json{{"call", op.call},
                {"calls", op.calls},
                {"bytes", json_or_null(op.bytes)},
                {"waited", op.waited},
                {"average_wait_ns", json_or_null(op.average_wait_ns)},
                {"max_wait_ns", json_or_null(op.max_wait_ns)}};
  });
  json["rounds"] = report.rounds;
  json["max_skew_ns"] = json_or_null(report.max_skew_ns);
  json["last"] = array_of(report.last, [](const LastArriver& last) {
    return Json{{"rank", json_or_null(last.rank)},
                {"pid", json_or_null(last.pid)},
                {"times", last.times},
                {"max_skew_ns", last.max_skew_ns},
                {"late_ns", last.late_ns},
                {"call", last.call},
                {"number", last.number}};
  });
  json["hangs"] = array_of(report.hangs, [](const StoredHang& hang) {
    return Json{{"number", hang.number},   {"call", hang.call},           {"present", hang.present},
                {"missing", hang.missing}, {"waited_ns", hang.waited_ns}, {"is_over", hang.is_over}};
  });
  return json;
}

}  // namespace

std::string report_json(const Report& report, bool per_process) {
  const auto stats = [&](const store::CallStats& call) { return stats_json(call, report.holds.off_cpu); };
  // An array, one object per process and call.
  return dump_indented(per_process ? array_of(report.per_process, stats) : report_document(report));
}

Json report_document(const Report& report) {
  const auto stats = [&](const store::CallStats& call) { return stats_json(call, report.holds.off_cpu); };
  Json json;
  json["recording"] = {
      {"path", report.path},
      {"schema", report.version},
      {"earlier_agent", !report.notes.made_by.empty()},
      {"live", report.live},
      {"runs", report.run_count},
      {"not_ended", json_or_null(store::ending_sentence(report.ending, report.path))},
      {"whole", report.whole},
      {"nodes", report.nodes},
      {"first", report.span ? Json(format_wall(report.span->first_wall_ns)) : Json(nullptr)},
      {"last", report.span ? Json(format_wall(report.span->last_wall_ns)) : Json(nullptr)},
      {"events", report.events},
      {"rows_pruned", report.rows_pruned},
      {"causal_chains", report.chains},
  };
  // Of one node there is nothing to put in order.
  if (report.clocks.are_several()) json["recording"]["clocks"] = store::clocks_json(report.clocks);
  const Diagnosis& found = report.diagnosis;
  json["time"] = report.time_known ? time_json(report.time) : Json(nullptr);
  json["incidents"] = array_of(found.chains, chain_json);
  if (report.clocks.are_several()) json["order"] = store::order_json(order_of(found.chains, report.clocks));
  json["examined"] = found.replayed
                         ? Json{{"events", found.events},       {"calls", found.calls}, {"seconds", found.windows},
                                {"processes", found.processes}, {"late", found.late},   {"forgotten", found.forgotten}}
                         : Json(nullptr);
  json["earlier_chains"] = evaluated_json(report);
  json["calls"] = array_of(report.calls, stats);
  json["host"] = array_of(report.host, stats);
  json["processes"] = array_of(report.processes, [](const ProcessTotals& process) {
    return Json{{"pid", process.pid},
                {"process", json_or_null(process.name)},
                {"node", json_or_null(process.node)},
                {"calls", process.calls},
                {"errors", process.errors},
                {"unfinished", process.unfinished},
                {"max_ns", process.max_ns},
                {"host_events", process.host_events}};
  });
  json["failures"] = report.failures_known ? array_of(report.failures,
                                                      [](const FailureCount& failure) {
                                                        return Json{{"op", failure.op},
                                                                    {"return_code", json_or_null(failure.return_code)},
                                                                    {"status", json_or_null(failure.status)},
                                                                    {"count", failure.count}};
                                                      })
                                           : Json(nullptr);
  json["collectives"] = report.collectives_known ? array_of(report.collectives, communicator_json) : Json(nullptr);
  json["kernels"] = report.kernels_known ? kernels_json(report.kernels) : Json(nullptr);
  json["inference"] = inference_json(report.inference);
  json["devices"] = array_of(report.devices, device_json);
  json["slowest"] = array_of(report.slowest, instance_json);
  json["unfinished"] = report.holds.unfinished ? array_of(report.unfinished, instance_json) : Json(nullptr);
  const bool is_known =
      report.holds.losses && report.ending != store::Ending::kMissing && report.ending != store::Ending::kLogIsLost;
  const Json losses = array_of(report.losses, [](const store::LossCount& loss) {
    return Json{{"name", loss.name}, {"severity", loss.severity}, {"count", loss.count}, {"sentence", loss.sentence}};
  });
  json["losses"] = is_known ? losses : Json(nullptr);
  const Json lost_calls = array_of(report.lost_calls, [](const store::LostOfProcess& one) {
    return Json{{"pid", one.pid ? Json(*one.pid) : Json(nullptr)},
                {"process", one.name.empty() ? Json(nullptr) : Json(one.name)},
                {"calls", one.calls},
                {"first", format_wall(one.first_wall_ns)},
                {"last", format_wall(one.last_wall_ns)}};
  });
  json["lost_calls"] = report.holds.losses ? lost_calls : Json(nullptr);
  json["losses_at_least"] = report.holds.losses ? losses : Json(nullptr);
  return json;
}

}  // namespace ingero::report
