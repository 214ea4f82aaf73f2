// Tracks the device that each thread selected, and the objects created on it.
#include "correlate/device_choice.h"

#include <algorithm>

namespace ingero::correlate {
namespace {

using hal::Field;
using hal::Has;
using hal::Kind;

constexpr uint64_t kLeastHandle = 4096;  // below: a runtime's own names for its default streams

bool gives(const hal::Row& row, Field field) {
  if (row.result == field) return true;
  return std::any_of(row.shape.begin(), row.shape.end(), [field](const hal::Param& param) {
    return std::any_of(param.peeks.begin(), param.peeks.end(), [field](const hal::Peek& peek) {
      return peek.into == field && peek.when == hal::When::kReturn;
    });
  });
}

// Calls that put work on a device or touch its memory: after one, the thread's device is known, not a default.
bool uses_device(Kind kind) {
  return kind == Kind::kLaunch || kind == Kind::kMemcpy || kind == Kind::kMemset || kind == Kind::kAlloc ||
         kind == Kind::kFree || kind == Kind::kSync || kind == Kind::kEvent || kind == Kind::kStream;
}

bool is_about_a_device(const hal::Event& event) {
  switch (event.kind) {
    case Kind::kHost:
    case Kind::kFabric:
    case Kind::kModule:
      return false;
    case Kind::kGraph:
      return event.has(Has::kStream);
    case Kind::kDevice:
      return event.has(Has::kDevice) || event.has(Has::kHandle);
    default:
      return true;
  }
}

}  // namespace

const hal::Backend* DeviceChoice::numbering_of(const Process* process, const hal::Event& event) const {
  const hal::Backend* owner = calls_[event.call].owner;
  if (owner != nullptr && owner->device_naming != nullptr) return owner;
  // A collective library runs on the devices of the runtime below it.
  if (!hal::has_exchange(event.kind) || process == nullptr || process->several) return nullptr;
  return process->numbering;
}

bool DeviceChoice::starts_on_first(const hal::Event& event) const {
  const auto is_runtime = [this](hal::CallId id) {
    if (id >= calls_.size()) return false;
    const hal::Library* library = calls_[id].library;
    return library != nullptr && library->starts_on_first_device;
  };
  return is_runtime(event.call) || (event.has(Has::kParent) && is_runtime(event.parent_call)) ||
         hal::has_exchange(event.kind);
}

std::optional<int32_t> DeviceChoice::current(const Process& process, const hal::Event& event) const {
  const auto thread = process.threads.find(event.tid);
  if (thread != process.threads.end()) return thread->second.back();
  return process.from_start && starts_on_first(event) ? std::optional<int32_t>(0) : std::nullopt;
}

std::optional<int32_t> DeviceChoice::made_on(const Process& process, Sort sort, uint64_t value) const {
  const auto found = process.made_on.find({sort, value});
  return found == process.made_on.end() ? std::nullopt : found->second;
}

std::optional<int32_t> DeviceChoice::device_of(const Process& process, const hal::Event& event,
                                               const hal::Exchange* exchange) const {
  if (event.has(Has::kDevice)) {
    // One that was named in vain may not even be there.
    const bool is_named = !event.failed && event.outcome == hal::Outcome::kReturned && event.device >= 0;
    return is_named ? std::optional(event.device) : std::nullopt;
  }
  const hal::Row* row = calls_[event.call].row;
  const bool on_stream = event.has(Has::kStream) && event.stream >= kLeastHandle;
  const auto of_stream = [&]() { return made_on(process, Sort::kStream, event.stream); };
  switch (event.kind) {
    case Kind::kLaunch: {  // a stream of another device would be refused
      const auto device = on_stream ? of_stream() : std::nullopt;
      return device ? device : current(process, event);
    }
    case Kind::kAlloc: {
      const auto device = on_stream ? of_stream() : std::nullopt;
      return device || on_stream ? device : current(process, event);
    }
    case Kind::kFree:
      if (event.has(Has::kAddress) && event.address != 0) {
        const auto device = made_on(process, Sort::kAddress, event.address);
        return device || !on_stream ? device : of_stream();
      }
      return current(process, event);
    case Kind::kStream:
      if (row != nullptr && gives(*row, Field::kStream)) return current(process, event);
      return on_stream ? of_stream() : current(process, event);
    case Kind::kEvent:
    case Kind::kSync:
      if (on_stream) return of_stream();
      if (event.has(Has::kStream)) return current(process, event);
      if (row != nullptr && gives(*row, Field::kHandle)) return current(process, event);
      if (event.has(Has::kHandle)) return made_on(process, Sort::kHandle, event.handle);
      return current(process, event);
    case Kind::kDevice:
      return event.has(Has::kHandle) ? made_on(process, Sort::kHandle, event.handle) : std::nullopt;
    case Kind::kCollective:
    case Kind::kP2p:
      if (on_stream) {
        if (const auto device = of_stream()) return device;
      }
      return exchange != nullptr && exchange->communicator
                 ? made_on(process, Sort::kCommunicator, *exchange->communicator)
                 : std::nullopt;
    case Kind::kCommunicator:
      if (exchange != nullptr && exchange->role == hal::Role::kInit) return current(process, event);
      return exchange != nullptr && exchange->communicator
                 ? made_on(process, Sort::kCommunicator, *exchange->communicator)
                 : std::nullopt;
    default:
      return on_stream ? of_stream() : current(process, event);
  }
}

void DeviceChoice::note(Process& process, Sort sort, uint64_t value, std::optional<int32_t> ordinal) {
  if (process.made_on.size() >= kMaxThings && !process.made_on.contains({sort, value})) {
    ledger_.add(hal::Loss::device_forgotten, process.made_on.size());
    process.made_on.clear();
  }
  process.made_on[{sort, value}] = ordinal;
}

void DeviceChoice::learn(Process& process, const hal::Event& event, const hal::Exchange* exchange,
                         std::optional<int32_t> ordinal) {
  const hal::Call& call = calls_[event.call];
  if (call.row == nullptr) return;
  const bool chooses = (call.flags & hal::kChoosesDevice) != 0, pushes = (call.flags & hal::kPushesDevice) != 0;
  const auto thread = process.threads.find(event.tid);
  const bool drops = (call.flags & hal::kPopsDevice) != 0 ||
                     (chooses && !event.has(Has::kDevice) && event.has(Has::kHandle) && event.handle == 0);
  if (drops) {
    if (thread == process.threads.end()) return;
    thread->second.pop_back();
    if (thread->second.empty()) process.threads.erase(thread);
    return;
  }
  if (event.kind == Kind::kDevice && event.has(Has::kHandle) && event.has(Has::kDevice)) {
    note(process, Sort::kHandle, event.handle, ordinal);
  }
  const bool settles =
      thread == process.threads.end() && uses_device(event.kind) && ordinal && ordinal == current(process, event);
  if (chooses || pushes || settles) {
    if (process.threads.size() >= kMaxThreads && thread == process.threads.end()) {
      ledger_.add(hal::Loss::device_forgotten, process.threads.size());
      process.threads.clear();
      process.from_start = false;
    }
    Contexts& contexts = process.threads[event.tid];
    if (contexts.size() >= kMaxDepth) contexts.erase(contexts.begin());
    if (contexts.empty() || pushes) contexts.emplace_back();
    contexts.back() = ordinal;
  }
  if (event.kind == Kind::kStream && event.has(Has::kStream) && gives(*call.row, Field::kStream)) {
    note(process, Sort::kStream, event.stream, ordinal);
  } else if (event.kind == Kind::kEvent && event.has(Has::kHandle) && gives(*call.row, Field::kHandle)) {
    note(process, Sort::kHandle, event.handle, ordinal);
  } else if (event.kind == Kind::kAlloc && event.has(Has::kAddress)) {
    note(process, Sort::kAddress, event.address, ordinal);
  } else if (event.kind == Kind::kFree && event.has(Has::kAddress)) {
    process.made_on.erase({Sort::kAddress, event.address});
  } else if (exchange != nullptr && exchange->new_communicator) {
    note(process, Sort::kCommunicator, *exchange->new_communicator, ordinal);
  }
}

DeviceChoice::Answer DeviceChoice::look(const hal::Event& event, const hal::Exchange* exchange) {
  if (!is_about_a_device(event)) return {};
  const auto found = processes_.find(event.pid);
  static const Process nothing_known;
  const Process& process = found == processes_.end() ? nothing_known : found->second;
  const hal::Backend* backend = numbering_of(&process, event);
  if (backend == nullptr) return {};
  return {backend, device_of(process, event, exchange)};
}

DeviceChoice::Answer DeviceChoice::take(const hal::Event& event, const hal::Exchange* exchange) {
  const hal::Call& call = calls_[event.call];
  const bool numbers = call.owner != nullptr && call.owner->device_naming != nullptr;
  if (!numbers && !hal::has_exchange(event.kind)) return {};
  Process* process = nullptr;
  if (const auto found = processes_.find(event.pid); found != processes_.end()) {
    process = &found->second;
  } else {
    process = &processes_[event.pid];
    const auto watched = from_start_.find(event.pid);
    process->from_start = watched != from_start_.end();
  }
  if (numbers && process->numbering != call.owner) {
    process->several = process->numbering != nullptr;
    process->numbering = call.owner;
  }
  Answer answer;
  if (is_about_a_device(event)) {
    answer.backend = numbering_of(process, event);
    if (answer.backend != nullptr) answer.ordinal = device_of(*process, event, exchange);
  }
  if (event.outcome == hal::Outcome::kReturned && !event.failed && (answer.backend != nullptr || numbers)) {
    learn(*process, event, exchange, answer.ordinal);
  }
  return answer;
}

void DeviceChoice::watched_from_start(uint32_t pid) {
  if (from_start_.size() >= kMaxThreads) from_start_.clear();
  from_start_.insert(pid);
  processes_.erase(pid);
}

void DeviceChoice::missed(uint32_t pid) {
  from_start_.erase(pid);
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  found->second.from_start = false;
  found->second.threads.clear();
}

void DeviceChoice::process_ended(uint32_t pid) {
  processes_.erase(pid);
  from_start_.erase(pid);
}

void DeviceChoice::lost() {
  processes_.clear();
  from_start_.clear();
}

}  // namespace ingero::correlate
