// Finding interpreters, and keeping both sides' idea of their code objects the same.
#include "agent/python_watch.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "agent/process_access.h"
#include "base/log.h"

namespace ingero::agent {
namespace {

constexpr size_t kMaxPythonProcesses = 4096;
constexpr size_t kMaxReasons = 16;
constexpr unsigned kMaxAttempts = 600;  // a minute of rounds: an interpreter starts within milliseconds

// 0: nowhere
uint64_t place_of(const std::vector<hal::Mapping>& mappings, const hal::FileId& file) {
  const auto found = std::ranges::find_if(mappings, [&](const hal::Mapping& one) { return one.file == file; });
  return found == mappings.end() ? 0 : found->start;
}

}  // namespace

PythonWatch::PythonWatch(kernelside::Objects& objects, kernelside::Foreign& foreign, hal::LossLedger& ledger)
    : objects_(objects), foreign_(foreign), ledger_(ledger) {}

void PythonWatch::add_process(uint32_t pid, const ReadMappings& read) {
  const std::scoped_lock lock(mutex_);
  auto mappings = read();
  if (mappings.empty()) return;  // it has ended: the names of its stacks are still asked for
  const auto known = processes_.find(pid);
  if (known != processes_.end() && still_holds(pid, known->second, mappings)) return;
  forget(pid);
  if (processes_.size() >= kMaxPythonProcesses) make_room();
  if (processes_.size() >= kMaxPythonProcesses) return;
  Process& process = processes_[pid];
  process.mappings = std::move(mappings);
  look(pid, process);
}

// The kernel side forgets a traced process that runs another program. One that is not traced yet may have done so
// unseen, or another have its number.
bool PythonWatch::still_holds(uint32_t pid, const Process& process, const std::vector<hal::Mapping>& mappings) const {
  return process.interpreter && objects_.python_generation(pid) == process.generation &&
         place_of(mappings, *process.interpreter) == process.place;
}

// Removes processes that ended before they were traced: no event reports their end.
void PythonWatch::make_room() {
  std::vector<uint32_t> gone;
  for (const auto& [pid, process] : processes_) {
    if (!std::filesystem::exists(fmt::format("{}/{}", foreign_.proc_root(), pid))) gone.push_back(pid);
  }
  for (const uint32_t pid : gone) forget(pid);
}

void PythonWatch::mapped(uint32_t pid, const hal::Mapping& mapping) {
  const std::scoped_lock lock(mutex_);
  const auto found = processes_.find(pid);
  if (found == processes_.end() || found->second.interpreter) return;
  Process& process = found->second;
  if (symbols::may_be_python(mapping.untrusted_path)) {
    process.mappings.push_back(mapping);
    process.is_settled = false;
    process.attempts = 0;
    process.debug = {};
  }
  if (!process.is_settled) look(pid, process);
}

void PythonWatch::look_again() {
  const std::scoped_lock lock(mutex_);
  for (auto& [pid, process] : processes_) {
    if (!process.is_settled) look(pid, process);
  }
}

void PythonWatch::look(uint32_t pid, Process& process) {
  ProcessAccess access(foreign_, pid);
  const auto found = symbols::find_python(access.view(process.mappings), generation_ + 1, process.debug);
  if (found.ok()) {
    ++generation_;
    if (const Status set = objects_.set_python(pid, found->layout); set.ok()) {
      process.interpreter = found->file;
      process.generation = generation_;
      process.runtime_address = found->runtime_address;
      process.runtime_bytes = found->runtime_bytes;
      process.place = place_of(process.mappings, found->file);
    } else {
      notify(set.error().text());
    }
  } else if (found.error().code() == Errc::kBusy && ++process.attempts < kMaxAttempts) {
    return;
  } else if (found.error().code() == Errc::kNotSupported || found.error().code() == Errc::kBusy ||
             found.error().code() == Errc::kCorrupt) {
    notify(found.error().text());
  }
  process.is_settled = true;
  process.mappings = std::vector<hal::Mapping>();  // a Python that comes later brings its own
}

void PythonWatch::process_ended(uint32_t pid) {
  const std::scoped_lock lock(mutex_);
  forget(pid);
}

void PythonWatch::forget(uint32_t pid) {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return;
  if (found->second.interpreter) objects_.forget_python(pid);
  names_.forget(pid);
  processes_.erase(found);
}

void PythonWatch::add(std::span<const std::byte> record) {
  const std::scoped_lock lock(mutex_);
  if (!names_.add(record)) ledger_.add(hal::Loss::record_malformed);
  for (const symbols::PythonCodeKey& key : names_.take_forgotten()) {
    ledger_.add(hal::Loss::code_forgotten);
    objects_.forget_code({key.code, key.pid, key.generation});
  }
}

std::optional<symbols::PythonFrame> PythonWatch::name(uint32_t pid, const wire_python_frame& frame) const {
  const std::scoped_lock lock(mutex_);
  return names_.name(pid, frame);
}

bool PythonWatch::knows(uint32_t pid, const wire_python_frame& frame) const {
  const std::scoped_lock lock(mutex_);
  return names_.knows(pid, frame);
}

std::optional<hal::FileId> PythonWatch::interpreter_of(uint32_t pid) const {
  const std::scoped_lock lock(mutex_);
  const auto found = processes_.find(pid);
  return found == processes_.end() ? std::nullopt : found->second.interpreter;
}

bool PythonWatch::is_interpreter_lock(uint32_t pid, uint64_t address) const {
  const std::scoped_lock lock(mutex_);
  const auto found = processes_.find(pid);
  if (found == processes_.end() || !found->second.interpreter) return false;
  const Process& process = found->second;
  return address >= process.runtime_address && address - process.runtime_address < process.runtime_bytes;
}

void PythonWatch::notify(const std::string& reason) {
  if (reasons_.size() < kMaxReasons && reasons_.insert(reason).second) {
    log_warning("Python frames are not read: {}", reason);
  }
}

}  // namespace ingero::agent
