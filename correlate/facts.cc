// What a call's name says that its kind does not: its part in a graph, a wait for events, markers and streams.
#include "correlate/facts.h"

namespace ingero::correlate {
namespace {

GraphStep graph_step(std::string_view name) {
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("BeginCapture") || has("BeginGraphCapture")) return GraphStep::kBegin;
  if (has("EndCapture") || has("EndGraphCapture")) return GraphStep::kEnd;
  if (has("GraphInstantiate")) return GraphStep::kInstantiate;
  if (has("GraphLaunch") || has("AppendGraph")) return GraphStep::kLaunch;
  if (has("ExecuteCommandLists") || has("AppendCommandLists")) return GraphStep::kLaunch;  // of lists made before
  return GraphStep::kOther;
}

// Memory that the device may be using. Of address ranges and of other interfaces' memory nothing says that they wait.
bool frees_at_once(std::string_view name, bool below_runtime) {
  if (name.ends_with("MemFree")) return below_runtime;
  if (name.ends_with("AddressFree")) return false;
  return name.ends_with("Free") || name.ends_with("FreeHost") || name.ends_with("HostUnregister");
}

}  // namespace

CallFacts make_facts(std::string_view name, std::string_view op, std::string_view layer, std::string_view vendor,
                     hal::Kind kind, bool synchronising, bool below_runtime, bool asynchronous, hal::Memory memory) {
  CallFacts facts;
  facts.name = name;
  facts.op = op;
  facts.layer = layer;
  facts.vendor = vendor;
  facts.kind = kind;
  facts.synchronising = synchronising;
  facts.below_runtime = below_runtime;
  facts.memory = memory;
  if (kind == hal::Kind::kGraph) facts.graph = graph_step(name);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  const bool moves = kind == hal::Kind::kMemcpy || kind == hal::Kind::kMemset;
  facts.async = (asynchronous && moves) || has("Async") || name.ends_with(hal::kNonBlockingSuffix);
  facts.frees = kind == hal::Kind::kFree && !asynchronous && frees_at_once(name, below_runtime);
  facts.awaits_events = kind == hal::Kind::kFabric && has("_get_") && has("_event");
  facts.makes_queue = kind == hal::Kind::kFabric && has("create_qp");
  facts.ends_queue = kind == hal::Kind::kFabric && has("destroy_qp");
  facts.polled = has("Query") || facts.awaits_events;
  facts.marks_stream = kind == hal::Kind::kEvent && has("EventRecord");
  facts.awaits_mark = kind == hal::Kind::kEvent && has("WaitEvent");
  facts.stream_begins_or_ends = kind == hal::Kind::kStream && (has("Create") || has("Destroy"));
  // One that runs at once is neither closed nor reset.
  facts.begins_list = kind == hal::Kind::kStream && !has("Immediate") &&
                      (has("CommandListCreate") || has("CommandListClose") || has("CommandListReset"));
  facts.prompt = kind == hal::Kind::kLaunch || facts.graph == GraphStep::kLaunch;
  if (kind == hal::Kind::kHost) facts.host = hal::host_op_named(name);
  return facts;
}

CallFacts make_facts(const hal::Call& call) {
  return make_facts(call.name, call.op_name, call.layer, call.vendor, call.kind,
                    (call.flags & hal::kSynchronising) != 0, call.library != nullptr && call.library->below_runtime,
                    (call.flags & hal::kAsync) != 0, hal::memory_of(call));
}

}  // namespace ingero::correlate
