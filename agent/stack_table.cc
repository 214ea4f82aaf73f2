// Unwinds stacks on the capture thread and names their frames on another, because symbol tables take long to read.
#include "agent/stack_table.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <ctime>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "agent/python_watch.h"
#include "base/hash.h"
#include "base/text.h"
#include "hal/bounded.h"
#include "symbols/python_merge.h"
#include "symbols/symboliser.h"
#include "symbols/unwind.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxSpaces = 4096;
constexpr size_t kMaxMapsBytes = 64 << 20;
constexpr size_t kMaxStacks = 1 << 16;      // distinct ones: beyond it those that come again are named again
constexpr size_t kMaxRemembered = 1 << 12;  // for who asks live: a few kilobytes each
constexpr size_t kMaxUnnamed = 1 << 14;
// The debug information of a usual program takes half a second to read. Names that take more give way to the program:
// no call waits for one. Not before, or on a machine that is busy the end of a trace waits for them.
constexpr int kNamesPriority = 10;
constexpr uint64_t kPoliteAfterNs = 1'000'000'000;
constexpr size_t kMaxWaiting = 1 << 16;  // stacks whose calls have not come yet
constexpr size_t kMaxHung = 4096;
// Calls from one sampled stack to the next are two hundred at most. Two CPUs that count at one call site at once can
// make it nonsense: then a stack stands for its own call alone.
constexpr uint64_t kMaxWeight = 1024;
constexpr size_t kStacksKept = 128;     // capacity kept in a batch
constexpr size_t kMaxParts = 32;        // of stacks in one batch: as many as the ring holds
constexpr size_t kMaxRecent = 1 << 12;  // mappings: those of some hundred programs that have just started
constexpr std::chrono::seconds kKeptIdle{5};
constexpr std::chrono::seconds kKeptBusy{30};  // where new stacks come all the time
constexpr unsigned kRoundsWaited = 64;
constexpr unsigned kRoundsPerRelease = 100;
constexpr std::chrono::seconds kFilesKept{30};  // that no process has mapped any more; deleted ones take up their disk

using CallKey = std::pair<uint32_t, uint64_t>;  // tid, start
struct KeyHash {
  size_t operator()(const CallKey& key) const { return key.second * 0x9e3779b97f4a7c15 ^ key.first; }
};

// A stack before it has names.
struct Unnamed {
  uint64_t id = 0;
  StackTable::ProbeName call;
  symbols::NativeStack native;
  std::vector<wire_python_frame> python;
  std::vector<symbols::PythonFrame> python_names;
  wire_python_outcome python_outcome = WIRE_PYTHON_NONE;
  std::optional<hal::FileId> interpreter;
};

// A launched function that has no name yet.
struct UnnamedFunction {
  uint32_t pid = 0;
  uint64_t handle = 0;
  symbols::Code code;
};

void add_python(const symbols::PythonFrame& python, std::vector<symbols::StackFrame>& frames) {
  symbols::StackFrame frame;
  frame.python_file = python.untrusted_file.empty() ? "?" : python.untrusted_file;
  frame.python_function = python.untrusted_function.empty() ? "?" : python.untrusted_function;
  if (python.line && *python.line > 0) frame.python_line = static_cast<uint32_t>(*python.line);
  frames.push_back(std::move(frame));
}

void add_native(const symbols::NativeFrame& native, symbols::Symboliser& symboliser,
                std::vector<symbols::StackFrame>& frames) {
  if (!native.code.file) {
    symbols::StackFrame unknown;
    unknown.symbol = "[unknown]";
    frames.push_back(std::move(unknown));
    return;
  }
  for (symbols::Named& name : symboliser.name(*native.code.file, native.lookup_address())) {
    symbols::StackFrame frame;
    frame.file = native.code.file->path();
    frame.source = std::move(name.source);
    frame.line = name.line;
    frame.is_inlined = name.is_inlined;
    if (name.function.empty()) {
      frame.ip = native.code.address;
    } else if (name.is_inlined || name.offset == 0) {
      frame.symbol = std::move(name.function);
    } else {
      // Where it goes on, as debuggers count: behind the call.
      frame.symbol = fmt::format("{}+{:#x}", name.function, name.offset + (native.is_return_address ? 1 : 0));
    }
    frames.push_back(std::move(frame));
  }
}

std::vector<symbols::StackFrame> named(const Unnamed& stack, symbols::Symboliser& symboliser) {
  std::vector<symbols::StackFrame> frames;
  if (!stack.call.symbol.empty()) {
    symbols::StackFrame call;
    call.symbol = stack.call.symbol;
    call.file = stack.call.library;
    frames.push_back(std::move(call));
  }
  // The Python frames replace the frame of the interpreter's C function that ran them.
  const size_t n_native = stack.native.frames.size();
  const auto is_eval = std::make_unique<bool[]>(n_native);
  for (size_t i = 0; i < n_native; ++i) {
    const symbols::NativeFrame& native = stack.native.frames[i];
    is_eval[i] = stack.interpreter && native.code.file && native.code.file->id() == *stack.interpreter &&
                 symbols::is_python_eval(symboliser.symbol(*native.code.file, native.lookup_address()));
  }
  const auto merged =
      symbols::merge_python({is_eval.get(), n_native}, stack.python, stack.native.is_whole, stack.python_outcome);
  for (const symbols::StackSlot& slot : merged.frames) {
    if (slot.is_python) {
      add_python(stack.python_names[slot.index], frames);
    } else {
      add_native(stack.native.frames[slot.index], symboliser, frames);
    }
  }
  if (!stack.native.is_whole) {
    symbols::StackFrame rest;
    rest.symbol = "[more]";
    frames.push_back(std::move(rest));
  }
  return frames;
}

uint64_t own_cpu_ns() {
  timespec ran{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ran) != 0) return 0;
  return static_cast<uint64_t>(ran.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(ran.tv_nsec);
}

}  // namespace

struct StackTable::Impl {
  NameOfProbe name_of_probe;
  bool remembers;
  hal::LossLedger& ledger;

  // The capture thread's own.
  PythonWatch python;
  symbols::CodeFiles files;
  symbols::Unwinder unwinder;
  std::unordered_map<uint32_t, symbols::AddressSpace> spaces;
  struct Waiting {
    uint64_t id;
    uint32_t weight;
    unsigned round;
    bool is_asleep;  // of a thread outside calls: what it is of comes when the thread wakes
  };
  std::unordered_map<CallKey, Waiting, KeyHash> waiting;
  std::unordered_map<uint32_t, std::pair<uint64_t, Waiting>>
      asleep;                         // by tid, with the start: the last of each, for long
  kernelside::Drain::Position begun;  // what was in the rings in round `begun_round`
  unsigned begun_round = 0;
  // Stacks of calls that hung: such a call keeps the stack of its hang, not that of its return.
  std::unordered_map<CallKey, uint64_t, KeyHash> hung;
  std::unordered_set<uint64_t> reported;  // ids given to the naming thread
  unsigned round = 0;
  std::chrono::steady_clock::time_point forget_files_at{};

  // Kept for processes that are not known yet, too: a short one may become known only after its maps are gone.
  std::deque<std::pair<uint32_t, hal::Mapping>> recent;
  std::mutex mapped_mutex;
  std::deque<std::pair<uint32_t, hal::Mapping>> mapped;  // guarded by mapped_mutex

  std::mutex mutex;  // of what follows
  std::condition_variable wake, idle;
  std::deque<Unnamed> unnamed;
  std::deque<UnnamedFunction> unnamed_functions;
  std::vector<FunctionName> named_functions;
  bool is_naming = false, stop = false;
  std::vector<NamedStack> named_stacks;
  std::unordered_map<uint64_t, Unnamed> remembered;  // for frames_of()
  std::deque<uint64_t> remembered_order;             // the oldest first

  std::mutex symboliser_mutex;  // taken before `mutex`
  symbols::Symboliser symboliser;
  std::thread thread;

  Impl(NameOfProbe names, kernelside::Objects& objects, kernelside::Foreign& foreign, hal::LossLedger& losses,
       bool remember)
      : name_of_probe(std::move(names)),
        remembers(remember),
        ledger(losses),
        python(objects, foreign, losses),
        files([&foreign](uint32_t pid, const hal::Mapping& mapping) { return foreign.open_soon(pid, mapping); },
              [&foreign](uint32_t pid) { return foreign.text(pid, "maps", kMaxMapsBytes); }, foreign.proc_root()),
        symboliser([&foreign](const std::string& path) { return foreign.open_named(path); }) {}
  ~Impl() {
    {
      const std::scoped_lock lock(mutex);
      stop = true;
    }
    wake.notify_all();
    if (thread.joinable()) thread.join();
  }

  symbols::AddressSpace& space_of(uint32_t pid) {
    const auto found = spaces.find(pid);
    if (found != spaces.end()) return found->second;
    if (spaces.size() >= kMaxSpaces) spaces.clear();
    auto& space = spaces.emplace(pid, symbols::AddressSpace(files, pid)).first->second;
    if (space.load()) return space;
    for (const auto& [owner, mapping] : recent) {
      if (owner == pid) space.add(mapping);
    }
    return space;
  }

  void name_all();
  void forget_symbols(std::unique_lock<std::mutex>& lock);
  void release_memory();
  void hand_out(EventBatch& batch);
  bool learn_code(EventBatch& batch);
  void take_stacks(kernelside::Drain& drain, EventBatch& batch);
  uint64_t keep(const kernelside::StackRecord& record);
  std::optional<Waiting> stack_of(const CallKey& key);
  void forget_waiting(const kernelside::Drain& drain);
  void remember(const Unnamed& stack);
};

// A program soon makes its calls from places known before: tables and debug information are not kept for nothing.
void StackTable::Impl::forget_symbols(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  {
    const std::scoped_lock symbols_lock(symboliser_mutex);
    symboliser.forget();
  }
  lock.lock();
}

void StackTable::Impl::name_all() {
  pthread_setname_np(pthread_self(), "ingero-names");
  bool is_polite = false;
  std::unique_lock lock(mutex);
  auto forget_at = std::chrono::steady_clock::now() + kKeptBusy;
  while (true) {
    const auto has_work = [&] { return stop || !unnamed.empty() || !unnamed_functions.empty(); };
    if (!has_work() && std::chrono::steady_clock::now() >= forget_at) {
      forget_symbols(lock);
      forget_at = std::chrono::steady_clock::now() + kKeptBusy;
    } else if (!wake.wait_for(lock, kKeptIdle, has_work)) {
      forget_symbols(lock);
      wake.wait(lock, has_work);
      forget_at = std::chrono::steady_clock::now() + kKeptBusy;
    }
    if (!has_work()) continue;
    const auto next = [&](auto& queue, const auto& name_of) {
      const auto item = std::move(queue.front());
      queue.pop_front();
      is_naming = true;
      lock.unlock();
      std::string name;
      {
        const std::scoped_lock symbols_lock(symboliser_mutex);
        name = name_of(item);
      }
      if (!is_polite && own_cpu_ns() >= kPoliteAfterNs) {
        is_polite = true;
        (void)::setpriority(PRIO_PROCESS, 0, kNamesPriority);
      }
      lock.lock();
      is_naming = false;
      if (unnamed.empty() && unnamed_functions.empty()) idle.notify_all();
      return std::pair(std::move(item), std::move(name));
    };
    if (!unnamed_functions.empty()) {
      auto [function, name] = next(unnamed_functions, [&](const UnnamedFunction& it) {
        return symboliser.function_at(*it.code.file, it.code.address);
      });
      if (!name.empty()) named_functions.push_back({function.pid, function.handle, std::move(name)});
    } else if (!unnamed.empty()) {
      auto [stack, frames] =
          next(unnamed, [&](const Unnamed& it) { return symbols::stored_frames(named(it, symboliser)); });
      named_stacks.push_back({stack.id, std::move(frames)});
    } else {
      break;
    }
  }
}

// Adds what has been named since the last batch.
void StackTable::Impl::hand_out(EventBatch& batch) {
  std::move(named_stacks.begin(), named_stacks.end(), std::back_inserter(batch.stacks));
  named_stacks.clear();
  std::move(named_functions.begin(), named_functions.end(), std::back_inserter(batch.names));
  named_functions.clear();
}

// Unwinds one stack; its id.
uint64_t StackTable::Impl::keep(const kernelside::StackRecord& record) {
  Unnamed stack;
  stack.native = unwinder.unwind(record.head, record.bytes, space_of(record.head.pid));
  if (record.head.probe != WIRE_NO_PROBE) stack.call = name_of_probe(record.head.probe);
  Fnv1a hash;
  const auto add_text = [&](std::string_view text) { hash.add(text).end_text(); };
  add_text(stack.call.symbol);
  add_text(file_name(stack.call.library));
  for (const symbols::NativeFrame& frame : stack.native.frames) {
    hash.add(frame.code.file ? frame.code.file->identity() : uint64_t{0});
    hash.add(frame.code.file ? frame.lookup_address() : uint64_t{0});
  }
  hash.add(uint64_t{stack.native.is_whole});
  stack.python_outcome = static_cast<wire_python_outcome>(record.head.python_outcome);
  stack.interpreter = python.interpreter_of(record.head.pid);
  for (size_t i = 0; i < record.head.n_python; ++i) {
    const wire_python_frame& frame = record.head.python[i];
    stack.python.push_back(frame);
    const auto& name =
        stack.python_names.emplace_back(python.name(record.head.pid, frame).value_or(symbols::PythonFrame{}));
    add_text(name.untrusted_file);
    add_text(name.untrusted_function);
    hash.add(static_cast<uint64_t>(name.line.value_or(-1)) << 1 | ((frame.place & WIRE_PYTHON_ENTRY) != 0 ? 1 : 0));
  }
  stack.id = hash.value();
  if (reported.size() >= kMaxStacks) reported.clear();
  if (reported.insert(stack.id).second) {
    const std::scoped_lock lock(mutex);
    if (hal::has_room(unnamed, kMaxUnnamed, hal::Loss::stack_unnamed, ledger)) {
      if (remembers || record.head.reason == WIRE_STACK_WAITING) remember(stack);
      unnamed.push_back(std::move(stack));
      wake.notify_one();
    } else {
      reported.erase(stack.id);  // named when it comes again
    }
  }
  return hash.value();
}

void StackTable::Impl::remember(const Unnamed& stack) {
  if (!remembered.insert_or_assign(stack.id, stack).second) return;
  remembered_order.push_back(stack.id);
  if (remembered_order.size() <= kMaxRemembered) return;
  remembered.erase(remembered_order.front());
  remembered_order.pop_front();
}

StackTable::StackTable(NameOfProbe name_of_probe, kernelside::Objects& objects, kernelside::Foreign& foreign,
                       hal::LossLedger& ledger, bool remembers)
    : impl_(std::make_unique<Impl>(std::move(name_of_probe), objects, foreign, ledger, remembers)) {}
StackTable::~StackTable() = default;

void StackTable::start() {
  impl_->thread = std::thread([raw = impl_.get()] { raw->name_all(); });
}

void StackTable::add_process(uint32_t pid) {
  impl_->spaces.erase(pid);
  impl_->python.add_process(pid, [this, pid] { return impl_->space_of(pid).mappings(); });
}

void StackTable::prepare(uint32_t pid) {
  impl_->python.add_process(pid, [this, pid] {
    symbols::AddressSpace space(impl_->files, pid);
    (void)space.load();
    return space.mappings();
  });
}

void StackTable::process_ended(uint32_t pid) {
  impl_->spaces.erase(pid);
  impl_->python.process_ended(pid);
}

void StackTable::mapped(uint32_t pid, const hal::Mapping& mapping) {
  impl_->python.mapped(pid, mapping);
  const std::scoped_lock lock(impl_->mapped_mutex);
  if (!hal::has_room(impl_->mapped, kMaxRecent, hal::Loss::stack_mapping_lost, impl_->ledger)) return;
  impl_->mapped.emplace_back(pid, mapping);
}

// Takes the batch's code objects. False: one of its stacks names a code object that is not known yet, because its
// record comes after the stack's in the ring, perhaps a moment later.
bool StackTable::Impl::learn_code(EventBatch& batch) {
  for (const auto& record : batch.records.codes) python.add(record);
  batch.records.codes.clear();
  return std::all_of(batch.records.stacks.begin(), batch.records.stacks.end(), [&](const auto& stack) {
    const auto frames = std::span(stack.head.python).first(stack.head.n_python);
    return std::all_of(frames.begin(), frames.end(),
                       [&](const wire_python_frame& frame) { return python.knows(stack.head.pid, frame); });
  });
}

void StackTable::Impl::take_stacks(kernelside::Drain& drain, EventBatch& batch) {
  if (!learn_code(batch)) {
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    drain.take_stacks(batch.records);
    (void)learn_code(batch);
  }
  for (const kernelside::StackRecord& record : batch.records.stacks) {
    const CallKey key{record.head.tid, record.head.start_ns};
    const bool in_kernel = record.head.reason == WIRE_STACK_IN_KERNEL;
    if (in_kernel && record.bytes.empty()) {
      batch.records.samples.push_back(
          {record.head.start_ns, record.head.weight, record.head.pid, record.head.tid, 0, true});
      continue;
    }
    const uint64_t id = keep(record);
    if (in_kernel || record.head.reason == WIRE_STACK_ON_CPU) {
      batch.records.samples.push_back(
          {record.head.start_ns, record.head.weight, record.head.pid, record.head.tid, id, in_kernel});
      continue;
    }
    if (record.head.reason != WIRE_STACK_WAITING) {
      const auto weight = static_cast<uint32_t>(record.head.weight - 1 < kMaxWeight ? record.head.weight : 1);
      if (waiting.size() < kMaxWaiting || waiting.contains(key)) {
        waiting[key] = {id, weight, round, record.head.reason == WIRE_STACK_ASLEEP};
      }
    } else if (hung.contains(key) || hal::has_room(hung, kMaxHung, hal::Loss::hang_stack_lost, ledger)) {
      hung[key] = id;
    }
  }
  // Releases memory after a burst: a kilobyte per stack, in every recycled batch.
  if (batch.records.stacks.capacity() > kStacksKept) batch.records.stacks = std::vector<kernelside::StackRecord>();
  batch.records.stacks.clear();
}

// The stack that waits for this call or interval, which is the last to ask for it.
std::optional<StackTable::Impl::Waiting> StackTable::Impl::stack_of(const CallKey& key) {
  if (const auto found = waiting.extract(key)) return found.mapped();
  const auto found = asleep.find(key.first);
  if (found == asleep.end() || found->second.first != key.second) return std::nullopt;
  return asleep.extract(found).mapped().second;
}

// A stack whose call was lost waits in vain: by now all has been read that was in the rings a while after it. A thread
// that sleeps outside calls may do so for hours.
void StackTable::Impl::forget_waiting(const kernelside::Drain& drain) {
  std::erase_if(waiting, [this](const auto& entry) {
    const auto& [key, stack] = entry;
    if (stack.round > begun_round) return false;
    if (stack.is_asleep) {
      if (asleep.size() >= kMaxWaiting) asleep.clear();  // most are of threads that have ended
      auto& last = asleep[key.first];
      if (last.first < key.second) last = {key.second, stack};
    }
    return true;
  });
  begun = drain.position();
  begun_round = round;
}

// Files and what was read of them: containers have files of their own, of which each start brings some fifty.
void StackTable::Impl::release_memory() {
  files.release_memory();
  ledger.add(hal::Loss::code_file_lost, files.take_refused());
  const auto now = std::chrono::steady_clock::now();
  if (now < forget_files_at) return;
  forget_files_at = now + kFilesKept;
  if (files.size() >= symbols::CodeFiles::kMax) spaces.clear();  // of untraced processes no end is reported
  unwinder.forget();
  files.forget_unused();
}

void StackTable::take(kernelside::Drain& drain, EventBatch& batch) {
  Impl& table = *impl_;
  {
    const std::scoped_lock lock(table.mapped_mutex);
    for (auto& [pid, mapping] : table.mapped) {
      if (const auto found = table.spaces.find(pid); found != table.spaces.end()) found->second.add(mapping);
      table.recent.emplace_back(pid, std::move(mapping));
    }
    table.mapped.clear();
  }
  while (table.recent.size() > kMaxRecent) table.recent.pop_front();
  ++table.round;
  table.python.look_again();
  // Also those that the batch had no room for.
  for (size_t part = 1;; ++part) {
    table.take_stacks(drain, batch);
    if (part == kMaxParts || drain.take_stacks(batch.records)) break;
  }
  table.take_stacks(drain, batch);
  for (hal::Event& event : batch.records.events) {
    if (!table.hung.empty()) {
      if (const auto hung = table.hung.find({event.tid, event.start_mono_ns}); hung != table.hung.end()) {
        event.stack_id = hung->second;
        event.set(hal::Has::kStack);
        table.waiting.erase(hung->first);
        if (event.outcome < hal::Outcome::kInFlight) table.hung.erase(hung);
        continue;
      }
    }
    if (!event.has(hal::Has::kStack) || event.stack_id != 0) continue;  // none is taken, or it was found before
    const auto stack = table.stack_of({event.tid, event.start_mono_ns});
    if (!stack) {
      event.clear(hal::Has::kStack);
      table.ledger.add(hal::Loss::stack_unjoined);
      continue;
    }
    event.stack_id = stack->id;
    event.stack_weight = stack->weight;
  }
  if (table.round % kRoundsWaited == 0 && kernelside::Drain::is_past(table.begun)) table.forget_waiting(drain);
  if (table.round % kRoundsPerRelease == 0) table.release_memory();
  const std::scoped_lock lock(table.mutex);
  table.hand_out(batch);
}

void StackTable::name_function(uint32_t pid, uint64_t address) {
  const symbols::Code code = impl_->space_of(pid).find(address);
  if (!code.file) return;
  const std::scoped_lock lock(impl_->mutex);
  if (!hal::has_room(impl_->unnamed_functions, kMaxUnnamed, hal::Loss::function_unnamed, impl_->ledger)) return;
  impl_->unnamed_functions.push_back({pid, address, code});
  impl_->wake.notify_one();
}

bool StackTable::is_interpreter_lock(uint32_t pid, uint64_t address) const {
  return impl_->python.is_interpreter_lock(pid, address);
}

std::optional<uint64_t> StackTable::hung_at(uint32_t tid, uint64_t start_ns) const {
  const auto found = impl_->hung.find({tid, start_ns});
  return found == impl_->hung.end() ? std::nullopt : std::optional(found->second);
}

std::optional<StackTable::Asleep> StackTable::asleep_at(uint32_t tid) const {
  std::optional<Asleep> last;
  const auto note = [&](uint64_t since_ns, const Impl::Waiting& stack) {
    if (stack.is_asleep && (!last || since_ns > last->since_ns)) last = {since_ns, stack.id};
  };
  if (const auto found = impl_->asleep.find(tid); found != impl_->asleep.end()) {
    note(found->second.first, found->second.second);
  }
  for (const auto& [key, stack] : impl_->waiting) {
    if (key.first == tid) note(key.second, stack);
  }
  return last;
}

std::vector<symbols::StackFrame> StackTable::frames_of(uint64_t stack_id) {
  const std::scoped_lock symbols_lock(impl_->symboliser_mutex);
  Unnamed stack;
  {
    const std::scoped_lock lock(impl_->mutex);
    const auto found = impl_->remembered.find(stack_id);
    if (found == impl_->remembered.end()) return {};
    stack = found->second;
  }
  return named(stack, impl_->symboliser);
}

void StackTable::finish(EventBatch& batch) {
  std::unique_lock lock(impl_->mutex);
  impl_->idle.wait(lock,
                   [&] { return impl_->unnamed.empty() && impl_->unnamed_functions.empty() && !impl_->is_naming; });
  impl_->hand_out(batch);
}

}  // namespace ingero::agent
