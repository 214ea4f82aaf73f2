// Which files keep their probes: gives those of files that no process maps back, and distinguishes a file from a later
// one of the same number. kernelside/probe_numbers.h has the steps, and why each is needed.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "kernelside/proc.h"
#include "kernelside/tracer_impl.h"

namespace ingero::kernelside {
namespace {

constexpr uint64_t kKeptUnmappedNs = 300'000'000'000;  // a program of the same user may well come again
constexpr uint64_t kAskedNs = 2'000'000'000;           // a thread that works asks around each launch
constexpr unsigned kLooks = 2;                         // that find a file unmapped, before it leaves
constexpr size_t kFilesAtOnce = 64;
constexpr size_t kMaxDeferred = 4096;
constexpr size_t kMaxWaiting = 256;  // each holds a descriptor
constexpr size_t kMaxWaitingOfOne = 64;

bool has_ended(uint32_t pid, const std::string& proc_root) {
  return access(fmt::format("{}/{}", proc_root, pid).c_str(), F_OK) != 0;
}

}  // namespace

// With mutex_ held.
bool Tracer::is_leaving(const hal::FileId& id) const {
  const auto found = index_->seen.find(id);
  return found != index_->seen.end() && found->second.file != nullptr && found->second.file->is_leaving;
}

// A mapping of a file whose probes are being removed: it is looked at when they are gone.
bool Tracer::defer(uint32_t pid, const hal::Mapping& mapping, uint64_t mono_ns, uint64_t generation) {
  const std::scoped_lock lock(mutex_);
  if (!is_leaving(mapping.file)) return false;
  if (index_->deferred.size() >= kMaxDeferred) {
    note_unprobed(mapping.untrusted_path, pid);
    return true;
  }
  index_->deferred.push_back({pid, mapping, mono_ns, generation});
  return true;
}

// Does the mapping hold another file than the one of its number that is known? A file with probes is held by them.
bool Tracer::is_another_file(uint32_t pid, const hal::Mapping& mapping, uint64_t generation) {
  if (generation == kKnownGeneration) return false;
  bool is_nothing = false;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = index_->seen.find(mapping.file);
    if (found == index_->seen.end() || !found->second.is_over || found->second.born_ns == 0) return false;
    const Index::Seen& seen = found->second;
    if (seen.file != nullptr && seen.file->probes) return false;
    if (generation != 0 && seen.generation != 0) return generation != seen.generation;
    is_nothing = seen.file == nullptr;
  }
  const auto file = foreign_.find(pid, mapping);
  if (!file.ok()) {  // not known
    if (is_nothing && is_described(mapping.untrusted_path)) note_unprobed(mapping.untrusted_path, pid);
    return false;
  }
  const std::scoped_lock lock(mutex_);
  const auto found = index_->seen.find(mapping.file);
  if (found == index_->seen.end() || !found->second.is_over) return false;
  if (found->second.born_ns != file->born_ns) return true;
  found->second.generation = generation;
  return false;
}

// Likewise, of a file that is at hand.
void Tracer::forget_if_other(const hal::FileId& id, uint64_t born_ns) {
  const std::scoped_lock lock(mutex_);
  const auto found = index_->seen.find(id);
  if (found == index_->seen.end()) return;
  const Index::Seen& seen = found->second;
  const bool is_held = seen.file != nullptr && seen.file->probes;
  if (seen.is_over && !is_held && seen.born_ns != 0 && seen.born_ns != born_ns) index_->seen.erase(found);
}

// Whose share its probes count to: the real user of the process, or where that is gone, the owner of the file.
uint32_t Tracer::user_of(const Source& source, const ForeignFile& file) const {
  if (source.pid == 0) return 0;
  const auto status = read_file(fmt::format("{}/{}/status", options_.proc_root, source.pid), 16384);
  return (status.ok() ? uid_of(*status) : std::nullopt).value_or(file.owner);
}

// There are no probes for it: it gets them when some have come back, if its process still runs.
void Tracer::wait_for_numbers(const hal::FileId& id, const Source& source, const ForeignFile& file, size_t wanted) {
  const uint32_t uid = user_of(source, file);
  if (!source.is_again) {
    ledger_.add(hal::Loss::probe_quota);
    ledger_.name(hal::Loss::probe_quota,
                 fmt::format("{} in process {} of user {}", printable(source.untrusted_path, 200), source.pid, uid));
  }
  const std::scoped_lock lock(mutex_);
  set_seen_locked(id, std::nullopt);
  const auto of_user = std::ranges::count(index_->waiting, uid, &Index::Waiting::uid);
  if (index_->waiting.size() >= kMaxWaiting || static_cast<size_t>(of_user) >= kMaxWaitingOfOne) return;
  Index::Waiting waiting{id, source, {}, uid, wanted};
  waiting.source.is_again = true;
  waiting.source.held = false;
  waiting.file.path.reset(fcntl(file.path.get(), F_DUPFD_CLOEXEC, 0));
  if (!waiting.file.path.valid()) return;
  waiting.file.id = file.id;
  waiting.file.born_ns = file.born_ns;
  waiting.file.owner = file.owner;
  waiting.file.reach = file.reach;
  waiting.file.mount_device = file.mount_device;
  waiting.file.untrusted_name = file.untrusted_name;
  waiting.file.mount = file.mount;
  index_->waiting.push_back(std::move(waiting));
}

void Tracer::retry_waiting() {
  std::vector<Index::Waiting> ready;
  {
    const std::scoped_lock lock(mutex_);
    auto& waiting = index_->waiting;
    std::erase_if(waiting, [&](const Index::Waiting& one) {
      return one.source.pid != 0 && has_ended(one.source.pid, options_.proc_root);
    });
    if (stopped_ || index_->returns == index_->numbers.returns()) return;
    index_->returns = index_->numbers.returns();
    const auto enough = [&](const Index::Waiting& one) { return !index_->numbers.has(one.uid, one.wanted); };
    const auto first = std::stable_partition(waiting.begin(), waiting.end(), enough);
    std::move(first, waiting.end(), std::back_inserter(ready));
    waiting.erase(first, waiting.end());
  }
  for (const Index::Waiting& one : ready) {
    {
      const std::scoped_lock lock(mutex_);
      Index::Seen& seen = index_->seen[one.id];
      if (seen.file != nullptr || !seen.is_over) continue;  // another process has brought it back
      seen = {};
    }
    (void)examine(one.id, one.source, one.file);
  }
}

void Tracer::watch(File& file, const ForeignFile& foreign) {
  const auto opened = foreign_.open(foreign, {});
  if (!opened.ok()) return;
  const std::scoped_lock lock(index_->watch_mutex);
  file.mark = index_->watch.add(opened->get());
}

// With mutex_ held. No process maps the file: is it to lose its probes?
bool Tracer::is_due(const File& file, bool is_deleted, uint64_t now_ns) const {
  // Others' new libraries wait while probes are removed: then no user's copies are worth it, whom his share bounds.
  if (target_->removes_slowly) return index_->numbers.is_short(0) && (is_deleted || !file.is_kept);
  const bool is_short = index_->numbers.is_short(file.uid);
  if (is_deleted) return true;
  if (file.is_kept) return false;
  return is_short || (file.uid != 0 && now_ns - file.unmapped_mono_ns >= kKeptUnmappedNs);
}

// Looks at all; those that are to lose their probes are marked as leaving.
std::vector<Tracer::File*> Tracer::unmapped() {
  std::unique_lock turn(index_->watch_mutex);
  const auto uses = index_->watch.look();
  turn.unlock();
  std::vector<File*> leaving;
  const std::scoped_lock lock(mutex_);
  if (!uses.ok()) {
    if (!std::exchange(cannot_watch_, true)) {
      log_warning("probes of libraries that no process uses any more stay attached: {}", uses.error().text());
    }
    return leaving;
  }
  const uint64_t now = clock_.mono_ns();
  for (const auto& file : files_) {
    if (stopped_ || leaving.size() >= (target_->removes_slowly ? 1 : kFilesAtOnce)) break;
    const auto use = uses->find(file->mark);
    if (use == uses->end() || !file->is_noted || !file->probes) continue;
    if (use->second.is_mapped) {
      file->unmapped_looks = 0;
      continue;
    }
    if (file->unmapped_looks++ == 0) file->unmapped_mono_ns = now;
    if (file->unmapped_looks < kLooks || !is_due(*file, use->second.is_deleted, now)) continue;
    file->is_leaving = true;
    leaving.push_back(file.get());
  }
  return leaving;
}

// Who mapped such a file before the mark had its answer by these probes: then they stay.
void Tracer::confirm_unmapped(std::vector<File*>& leaving) {
  std::unique_lock turn(index_->watch_mutex);
  const auto uses = index_->watch.look();
  turn.unlock();
  const std::scoped_lock lock(mutex_);
  std::erase_if(leaving, [&](File* file) {
    if (uses.ok()) {
      if (const auto use = uses->find(file->mark); use != uses->end() && !use->second.is_mapped) return false;
    }
    file->is_leaving = false;
    file->unmapped_looks = 0;
    return true;
  });
}

// Their links are gone: so are they, but for their numbers, which records may still have.
void Tracer::forget_files(std::vector<File*>& gone) {
  std::vector<std::unique_ptr<File>> ending;
  {
    const std::scoped_lock lock(mutex_);
    const auto is_gone = [&](const File* file) { return std::ranges::find(gone, file) != gone.end(); };
    std::erase_if(index_->seen, [&](const auto& entry) { return is_gone(entry.second.file); });
    for (auto& file : files_) {
      if (is_gone(file.get())) ending.push_back(std::move(file));
    }
    std::erase(files_, nullptr);
    for (const auto& file : ending) {
      index_->retired.insert(index_->retired.end(), file->numbers.begin(), file->numbers.end());
    }
  }
  for (const auto& file : ending) {
    log_info("{}: {} probes removed: no process uses the file", file->reports[0].path, file->numbers.size());
    if (file->mark == 0) continue;
    const std::scoped_lock lock(index_->watch_mutex);
    index_->watch.remove(file->mark);
  }
}

// Files without probes are only reported, for as long as a process that has mapped them runs.
void Tracer::drop_unprobed() {
  std::vector<File*> gone;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& file : files_) {
      if (file->probes || !file->is_noted || file->reports.empty()) continue;
      const auto& pids = file->reports[0].pids;
      if (!pids.empty() &&
          std::ranges::all_of(pids, [&](uint32_t pid) { return has_ended(pid, options_.proc_root); })) {
        gone.push_back(file.get());
      }
    }
  }
  if (!gone.empty()) forget_files(gone);
}

// The threads have asked for their devices. A call that one of these probes has open is not seen to return: its record
// is dropped (kernelside/normalise.cc).
void Tracer::end_passing() {
  std::vector<std::unique_ptr<FileProbes>> ending;
  {
    const std::scoped_lock lock(mutex_);
    const uint64_t now = clock_.mono_ns();
    for (const auto& file : files_) {
      const bool is_over = !file->reports.empty() && now - file->reports[0].attached_mono_ns >= kAskedNs;
      if (file->passing && is_over && !stopped_) ending.push_back(std::move(file->passing));
    }
  }
  std::vector<FileProbes*> probes;
  for (const auto& one : ending) probes.push_back(one.get());
  FileProbes::stop(probes);
}

void Tracer::prepare_sweep() {
  if (!target_) return;
  const std::scoped_lock lock(index_->watch_mutex);
  (void)index_->watch.prepare().ok();  // said by sweep(), once there is something to sweep
}

void Tracer::sweep() {
  if (!target_) return;
  end_passing();
  drop_unprobed();
  auto leaving = unmapped();
  if (!leaving.empty()) confirm_unmapped(leaving);
  std::vector<FileProbes*> probes;
  for (const File* file : leaving) {
    probes.push_back(file->probes.get());
    if (file->passing) probes.push_back(file->passing.get());
  }
  const auto goes_on = [&] {
    const std::scoped_lock lock(mutex_);
    return !stopped_;
  };
  if (FileProbes::remove(probes, goes_on)) {
    forget_files(leaving);
  } else {  // the trace ends, and removes the rest
    const std::scoped_lock lock(mutex_);
    for (File* file : leaving) file->is_leaving = false;
  }
  examined_.notify_all();
  std::vector<Index::Deferred> deferred;
  {
    const std::scoped_lock lock(mutex_);
    deferred.swap(index_->deferred);
  }
  for (const auto& one : deferred) (void)consider(one.pid, one.mapping, one.mono_ns, one.generation);
  retry_waiting();
}

std::vector<uint32_t> Tracer::take_retired() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(index_->retired, {});
}

void Tracer::give_back(std::span<const uint32_t> probes) {
  const std::scoped_lock lock(mutex_);
  index_->numbers.give_back(probes);
  for (const uint32_t probe : probes) {
    if (probe >= places_.size()) continue;
    Place nothing;
    std::swap(places_[probe], nothing);  // assigning an empty one would keep its memory
  }
}

}  // namespace ingero::kernelside
