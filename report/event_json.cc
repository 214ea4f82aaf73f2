// Formats one event as a JSON line in the documented order of keys, escaping text from the traced process.
#include "report/event_json.h"

#include "base/json.h"
#include "base/text.h"

namespace ingero::report {
namespace {

// `arg0` and `arg1` of docs/formats/store.md, by what the call is.
Json args_of(const hal::Event& event) {
  using hal::Has;
  Json first(nullptr);
  Json second(nullptr);
  const auto given = [&](Has has, uint64_t value) { return event.has(has) ? Json(value) : Json(nullptr); };
  switch (event.kind) {
    case hal::Kind::kLaunch:
      first = given(Has::kFunction, event.function);
      second = given(Has::kStream, event.stream);
      break;
    case hal::Kind::kMemcpy:
      first = given(Has::kBytes, event.bytes);
      if (event.has(Has::kDirection)) second = hal::name_of(event.direction);
      break;
    case hal::Kind::kAlloc:
      first = given(Has::kBytes, event.bytes);
      second = given(Has::kAddress, event.address);
      break;
    case hal::Kind::kFree:
      first = given(Has::kAddress, event.address);
      second = given(Has::kBytes, event.bytes);
      break;
    case hal::Kind::kHost:
      first = given(Has::kArg0, event.arg0);
      second = given(Has::kArg1, event.arg1);
      break;
    default:
      first = given(Has::kStream, event.stream);
      second = given(Has::kHandle, event.handle);
      break;
  }
  return Json::array({first, second});
}

}  // namespace

std::string exchange_json(const hal::Exchange& exchange, const hal::Call& call, const hal::Communicator* on) {
  Json out;
  const auto given = [](const auto& value) { return value ? Json(*value) : Json(nullptr); };
  // Signed, as the recording has it.
  const auto hash = on != nullptr ? on->comm_id_hash : exchange.id_hash;
  out["comm_id_hash"] = hash ? Json(static_cast<int64_t>(*hash)) : Json(nullptr);
  out["rank"] = given(on != nullptr && on->rank ? on->rank : exchange.rank);
  out["nranks"] = given(on != nullptr && on->nranks ? on->nranks : exchange.nranks);
  out["seq"] = given(exchange.number);
  out["count"] = given(exchange.count);
  const auto name = [&](std::optional<uint32_t> code, auto names, auto text) {
    if (!code) return Json(nullptr);
    return *code < names.size() ? Json(text(names[*code])) : Json(std::to_string(*code));
  };
  if (call.owner != nullptr) {
    out["datatype"] =
        name(exchange.datatype, call.owner->datatypes, [](const hal::DataType& type) { return type.name; });
    out["reduce_op"] = name(exchange.reduce_op, call.owner->reductions, [](std::string_view op) { return op; });
  }
  out["root"] = given(exchange.root);
  out["peer"] = given(exchange.peer);
  out["communicator"] = given(exchange.communicator);
  out["new_communicator"] = given(exchange.new_communicator);
  out["group_mono_ns"] = given(exchange.group);
  out["is_part"] = exchange.is_part;
  return dump(out);
}

std::string event_json(const hal::Event& event, const hal::CallTable& calls, std::string_view process_name,
                       std::string_view library, const hal::EventDevice& device, std::string_view collective_json,
                       std::string_view stack_json) {
  using hal::Has;
  const hal::Call& call = calls[event.call];
  Json out;
  out["timestamp"] = format_wall(event.start_wall_ns());
  out["pid"] = event.pid;
  out["tid"] = event.tid;
  out["process_name"] = process_name.empty() ? fixed_text(event.comm) : process_name;
  out["source"] = hal::source_name(call);
  out["op"] = call.op_name;
  if (event.has(Has::kDuration)) {
    out["duration_ns"] = event.duration_ns;
    out["duration"] = format_duration(event.duration_ns);
  } else {
    out["duration_ns"] = nullptr;
    out["duration"] = nullptr;
  }
  out["gpu_id"] = device.gpu_id ? Json(*device.gpu_id) : Json(nullptr);
  out["args"] = args_of(event);
  out["return_code"] = event.has(Has::kReturnCode) ? Json(event.return_code) : Json(nullptr);
  out["cgroup_id"] = event.cgroup_id != 0 ? Json(event.cgroup_id) : Json(nullptr);
  out["kind"] = hal::name_of(event.kind);
  out["vendor"] = call.vendor;
  out["call"] = call.name;
  // Host events belong to no library; their probe means nothing.
  if (!library.empty() && event.kind != hal::Kind::kHost) out["library"] = library;
  out["failed"] = event.failed;
  if (!device.uuid.empty()) out["gpu_uuid"] = device.uuid;
  if (!device.pci_address.empty()) out["gpu_pci_address"] = device.pci_address;
  if (event.has(Has::kDevice)) out["device_ordinal"] = event.device;
  if (event.outcome != hal::Outcome::kReturned) out["outcome"] = hal::name_of(event.outcome);
  if (event.has(Has::kStream)) out["stream"] = event.stream;
  if (event.has(Has::kBytes)) out["bytes"] = event.bytes;
  if (event.has(Has::kAddress)) out["address"] = event.address;
  if (event.has(Has::kDirection)) out["direction"] = hal::name_of(event.direction);
  if (event.has(Has::kFunction)) out["function"] = event.function;
  if (event.has(Has::kHandle)) out["handle"] = event.handle;
  if (event.has(Has::kGrid)) out["grid"] = event.grid;
  if (event.has(Has::kBlock)) out["block"] = event.block;
  if (event.has(Has::kSharedBytes)) out["shared_bytes"] = event.shared_bytes;
  if (call.owner != nullptr && call.owner->event_of != nullptr && call.name == call.owner->event_call &&
      !event.failed && event.has(Has::kFlags)) {
    const hal::AsyncEvent brought = call.owner->event_of(event.flags);
    if (!brought.name.empty()) out["async_event"] = brought.name;
    if (brought.is_of_port && event.has(Has::kHandle2)) out["port"] = static_cast<uint32_t>(event.handle2);
  }
  if (event.has(Has::kParent) && event.parent_call != hal::kNoCall) out["parent_call"] = calls[event.parent_call].name;
  if (event.has(Has::kOffCpu)) {
    out["preempted_ns"] = event.off.preempted_ns;
    out["runqueue_ns"] = event.off.runqueue_ns;
    out["blocked_ns"] = event.off.blocked_ns;
    out["io_ns"] = event.off.io_ns;
  }
  if (event.has(Has::kPreemptedBy)) {
    out["culprit_pid"] = event.preempted_by_pid;
    out["culprit"] = fixed_text(event.preempted_by_comm);
    out["culprit_ns"] = event.preempted_by_ns;
  }
  if (event.has(Has::kSender)) {
    out["culprit_pid"] = event.sender_pid;
    out["culprit"] = fixed_text(event.sender_comm);
  }
  std::string line = dump(out);
  line.pop_back();
  if (!collective_json.empty()) line += ",\"collective\":" + std::string(collective_json);
  return line + ",\"stack\":" + std::string(stack_json.empty() ? "null" : stack_json) + "}";
}

}  // namespace ingero::report
