// Which columns a listing has in each style, and how a stored row becomes them.
#include "report/event_listing.h"

#include <algorithm>

#include "base/text.h"
#include "report/report.h"

namespace ingero::report {
namespace {

enum Listed {
  kTime,
  kPid,
  kTid,
  kComm,
  kSource,
  kOp,
  kDuration,
  kGpu,
  kArgs,
  kReturn,
  kCgroup,
  kStack,
  kNode,
  kFlags,
  kHandle2
};

store::Value text_value(const std::string& content) {
  store::Value value;
  value.type = store::Value::Type::kText;
  value.text = content;
  return value;
}

// The event of a device that this call brought, with its port where it is of one: "PORT_ERR, port 1". Empty: none.
std::string device_event(const VendorNames& names, std::span<const store::Value> row) {
  if (row[kFlags].is_null() || row[kReturn].integer != 0) return {};
  const hal::AsyncEvent event = names.event(row[kOp].text, static_cast<uint64_t>(row[kFlags].integer));
  if (event.name.empty() || !event.is_of_port || row[kHandle2].is_null()) return std::string(event.name);
  return fmt::format("{}, port {}", event.name, static_cast<uint32_t>(row[kHandle2].integer));
}

// As JSON for JSON and CSV, in words for a table.
std::string labels_of_row(const store::Labels& labels, std::span<const store::Value> row, RowStyle style) {
  std::vector<std::pair<std::string, std::string>> held;
  for (const auto& [key, value] : labels.at(row[kNode].text, static_cast<uint32_t>(row[kPid].integer),
                                            static_cast<uint64_t>(std::max<int64_t>(0, row[kTime].integer)))) {
    held.emplace_back(key, value);
  }
  return style == RowStyle::kTable ? labels_text(held) : labels_json(held).dump();
}

}  // namespace

const char* const kEventListing =
    "SELECT e.timestamp, e.pid, e.tid, e.comm, lower(e.layer) AS source, e.op_name AS op, e.duration, e.gpu_id, "
    "json_array(e.arg0, e.arg1) AS args, e.ret_code AS return_code, e.cgroup_id, "
    "(SELECT st.frames FROM stack_traces st WHERE st.hash = e.stack_hash) AS stack, e.node, "
    "CASE WHEN e.kind = 'fabric' THEN e.flags END AS flags, CASE WHEN e.kind = 'fabric' THEN e.handle2 END AS handle2 "
    "FROM events e";

std::vector<std::string_view> EventListing::names(RowStyle style) const {
  if (style == RowStyle::kTable) {
    std::vector<std::string_view> names = {"TIMESTAMP", "PID", "TID", "PROCESS", "SOURCE", "OP", "DURATION"};
    names.push_back(labels_ != nullptr ? "LABELS" : "RETURN");
    if (labels_ == nullptr && with_details_) names.push_back("DETAIL");
    return names;
  }
  if (labels_ != nullptr) {
    return {"timestamp", "pid", "tid", "comm", "source", "op", "duration_ns", "duration", "labels"};
  }
  return {"timestamp", "pid",    "tid",  "comm",        "source",    "op",    "duration_ns",
          "duration",  "gpu_id", "args", "return_code", "cgroup_id", "stack", "detail"};
}

std::span<const store::Value> EventListing::row(std::span<const store::Value> in, RowStyle style) {
  time_ = in[kTime].is_null() ? "" : format_wall(static_cast<uint64_t>(in[kTime].integer));
  const bool timed = !in[kDuration].is_null();
  duration_ = timed ? format_duration(static_cast<uint64_t>(std::max<int64_t>(0, in[kDuration].integer))) : "";
  values_ = {text_value(time_), in[kPid], in[kTid], in[kComm], in[kSource], in[kOp]};
  if (style != RowStyle::kTable) values_.push_back(in[kDuration]);
  values_.push_back(timed ? text_value(duration_) : store::Value{});
  if (labels_ != nullptr) {
    shown_labels_ = labels_of_row(*labels_, in, style);
    values_.push_back(text_value(shown_labels_));
    return values_;
  }
  if (style == RowStyle::kTable) {
    values_.push_back(in[kReturn]);
    if (!with_details_) return values_;
  } else {
    for (const Listed column : {kGpu, kArgs, kReturn, kCgroup, kStack}) values_.push_back(in[column]);
  }
  detail_ = device_event(names_, in);
  values_.push_back(detail_.empty() ? store::Value{} : text_value(detail_));
  return values_;
}

}  // namespace ingero::report
