// An event and what stands with it in its batch: the exchange of ranks that it was part of.
#include "agent/view/event_lines.h"

#include "base/text.h"
#include "report/event_json.h"
#include "report/frame_text.h"

namespace ingero::agent {
namespace {

std::string collective_json(const hal::Event& event, const hal::Exchange* exchange, const Recorder& recorder,
                            const hal::CallTable& calls) {
  if (exchange == nullptr) return {};
  const auto on = exchange->communicator_id ? recorder.communicator(*exchange->communicator_id) : std::nullopt;
  return report::exchange_json(*exchange, calls[event.call], on ? &*on : nullptr);
}

}  // namespace

std::string render_events(const EventBatch& batch, const Recorder& recorder, const hal::CallTable& calls, bool json) {
  std::string text;
  auto next = batch.records.exchanges.begin();
  for (size_t i = 0; i < batch.records.events.size(); ++i) {
    const hal::Event& event = batch.records.events[i];
    const hal::Exchange* exchange = nullptr;
    if (next != batch.records.exchanges.end() && next->first == i) exchange = &(next++)->second;
    const std::string name = recorder.process_name(event.pid);
    if (json) {
      text += report::event_json(
          event, calls, name, recorder.library_of(event.probe), recorder.device(event.device_ref),
          collective_json(event, exchange, recorder, calls),
          event.has(hal::Has::kStack) ? symbols::shown_frames(recorder.frames_of(event.stack_id)) : "");
    } else {
      text += fmt::format("{} {}[{}/{}] {} {}{}", format_wall(event.start_wall_ns()), printable(name, 16), event.pid,
                          event.tid, calls[event.call].name,
                          event.has(hal::Has::kDuration) ? format_duration(event.duration_ns) : "in flight",
                          event.failed ? fmt::format(" error {}", event.return_code) : "");
    }
    text += '\n';
  }
  return text;
}

std::string render_hang(const LiveCall& call, const Recorder& recorder, const hal::CallTable& calls) {
  const hal::Event& event = call.event;
  const auto frames = call.stack_id ? recorder.frames_of(*call.stack_id) : std::vector<symbols::StackFrame>();
  const symbols::StackFrame* line = symbols::line_of(frames);
  return fmt::format("{} has not returned for {}: process {}, thread {}{}", calls[event.call].name,
                     format_duration(call.elapsed_ns), event.pid, event.tid,
                     line == nullptr ? "" : ", from " + report::line_text(*line));
}

}  // namespace ingero::agent
