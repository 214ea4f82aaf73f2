// Finds library files in processes, resolves the function rows in each file, and attaches their probes.
#include "kernelside/tracer.h"

#include <elf.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include <dirent.h>

#include "base/log.h"
#include "base/text.h"
#include "hal/elf.h"
#include "hal/lower.h"
#include "kernelside/privilege.h"
#include "kernelside/proc.h"
#include "kernelside/tracer_impl.h"

namespace ingero::kernelside {
namespace {

// What only has a library's name (text, an archive) is none, and misses no call.
bool has_elf_magic(const Fd& file) {
  char magic[SELFMAG];
  return ::pread(file.get(), magic, SELFMAG, 0) == SELFMAG && std::memcmp(magic, ELFMAG, SELFMAG) == 0;
}

constexpr size_t kMaxPidsPerFile = 4096;
constexpr size_t kMaxSeen = 65536;                   // files without anything described: all that any process has run
constexpr uint64_t kUnreadForNs = 60'000'000'000;    // then a file that was not read may be tried again
constexpr std::chrono::seconds kExaminedWithin{25};  // a held command goes on after 30

// maps prints "path (deleted)" for unlinked files.
std::string_view mapped_name(std::string_view path) {
  if (path.ends_with(" (deleted)")) path.remove_suffix(10);
  return file_name(path);
}

std::vector<uint32_t> process_ids(const std::string& proc_root) {
  std::vector<uint32_t> pids;
  DIR* directory = opendir(proc_root.c_str());
  if (directory == nullptr) return pids;
  while (const dirent* entry = readdir(directory)) {
    if (const auto pid = parse_u64(entry->d_name); pid && *pid <= UINT32_MAX) {
      pids.push_back(static_cast<uint32_t>(*pid));
    }
  }
  closedir(directory);
  return pids;
}

// Those that have ended make room. False: too many are alive, and this one is not listed.
[[nodiscard]] bool add_process(std::set<uint32_t>& pids, uint32_t pid, const std::string& proc_root) {
  if (pids.size() >= kMaxPidsPerFile && !pids.contains(pid)) {
    std::erase_if(pids, [&](uint32_t one) { return access(fmt::format("{}/{}", proc_root, one).c_str(), F_OK) != 0; });
  }
  if (pids.size() >= kMaxPidsPerFile && !pids.contains(pid)) return false;
  pids.insert(pid);
  return true;
}

// Has the process ended? A program that mapped a library and is gone when the probes are there was not seen.
bool is_over_now(uint32_t pid, const std::string& proc_root) {
  return access(fmt::format("{}/{}", proc_root, pid).c_str(), F_OK) != 0;
}

// Which of a call's stacks are always kept: what the kernel side can see of it when it returns.
void say_when_to_keep_stacks(const hal::Row& row, const hal::Call& call, wire_recipe& recipe) {
  if ((row.flags & hal::kSynchronising) != 0 || row.kind == hal::Kind::kAlloc)
    recipe.stack_when |= WIRE_STACK_WHEN_DONE;
  if (row.returns == hal::Returns::kStatus) recipe.stack_when |= WIRE_STACK_WHEN_NONZERO;
  if (row.returns == hal::Returns::kPointer) recipe.stack_when |= WIRE_STACK_WHEN_NULL;
  // A program with a thousand kernels registers them before main(), each by a call of its own.
  if ((row.flags & hal::kRegistersName) != 0 && row.returns == hal::Returns::kVoid) {
    recipe.stack_when |= WIRE_STACK_NOT_SAMPLED;
  }
  if (call.owner == nullptr) return;
  for (size_t i = 0; i < std::min<size_t>(call.owner->not_failures.size(), WIRE_NOT_FAILURES); ++i) {
    recipe.not_failures[i] = static_cast<int32_t>(call.owner->not_failures[i]);
  }
}

// Once more, with its code: of a file that lies elsewhere only what has symbols is read at first.
Result<hal::ElfImage> with_code(Foreign& foreign, const ForeignFile& file, const std::string& path) {
  auto fd = foreign.open(file, {.code = true});
  INGERO_TRY(fd);
  return hal::ElfImage::open(std::move(*fd), path);
}

std::vector<uint64_t> probed_offsets(std::span<const FileReport> reports) {
  std::vector<uint64_t> offsets;
  for (const auto& report : reports) {
    for (const auto& row : report.rows) {
      if (row.state == hal::RowState::kResolved) offsets.push_back(row.file_offset);
    }
  }
  return offsets;
}

// The kernel reads a probe's page while it holds locks that every fork() needs; that user would control for how long.
Error served_by_a_user(const ForeignFile& file) {
  return {Errc::kNotSupported,
          file.mount.empty() ? "its file system is unknown"
                             : fmt::format("its file system belongs to an ordinary user ({})", file.mount),
          "if you trust that user, name the file with --library"};
}

}  // namespace

namespace {

std::optional<ProbeTarget> target_of(Objects* objects) {
  if (objects == nullptr) return std::nullopt;
  return ProbeTarget{
      [objects](uint32_t probe, const wire_recipe& recipe) { return objects->set_recipe(probe, recipe); },
      [objects](std::span<const uint32_t> probes) { objects->end_recipes(probes); },
      [objects](const std::string& path, std::span<const AttachPoint> probes, const std::function<void()>& working) {
        return FileProbes::attach(*objects, path, probes, working);
      },
      objects->mechanism() == Mechanism::kPerf};
}

// Two libraries may go by one file name, of which this file holds one: nothing is missing of the other.
void drop_names_only(std::vector<FileReport>& reports) {
  const auto is_absent = [](const FileReport& report) {
    return report.note.empty() &&
           std::ranges::all_of(report.rows, [](const RowReport& row) { return row.state == hal::RowState::kAbsent; });
  };
  if (!std::ranges::all_of(reports, is_absent)) std::erase_if(reports, is_absent);
}

}  // namespace

Tracer::Tracer(TracerOptions options, std::span<const hal::Backend* const> backends, const hal::CallTable& calls,
               Objects* objects, Foreign& foreign, hal::LossLedger& ledger, const Clock& clock)
    : Tracer(std::move(options), backends, calls, target_of(objects), foreign, ledger, clock) {}

Tracer::Tracer(TracerOptions options, std::span<const hal::Backend* const> backends, const hal::CallTable& calls,
               std::optional<ProbeTarget> target, Foreign& foreign, hal::LossLedger& ledger, const Clock& clock)
    : options_(std::move(options)),
      foreign_(foreign),
      backends_(backends),
      calls_(calls),
      target_(std::move(target)),
      ledger_(ledger),
      clock_(clock),
      index_(std::make_unique<Index>(options_.uses)) {
  for (const auto* backend : backends_) {
    for (const auto& library : backend->libraries) {
      for (const auto& row : library.rows) {
        // The conformance suite proves that every compiled-in row lowers.
        for (const hal::Arch arch : hal::kTracedArchs) {
          if (auto lowered = hal::lower(row, arch); lowered.ok()) lowered_[{&row, arch}] = *lowered;
        }
      }
    }
  }
}

Tracer::~Tracer() { stop_examining(); }

Status Tracer::scan() {
  const auto pids = process_ids(options_.proc_root);
  if (pids.empty()) return errno_error(fmt::format("list processes in {}", options_.proc_root));
  struct Found {
    uint32_t pid;
    hal::Mapping mapping;
  };
  std::vector<Found> named;
  std::vector<Found> others;
  std::set<hal::FileId> queued;
  for (const uint32_t pid : pids) {
    const auto maps = foreign_.text(pid, "maps", 64 << 20);
    if (!maps.ok()) continue;  // ended, or not ours to see: check reports the privilege
    if (!is_followed(pid)) {
      note_others(*maps);
      continue;
    }
    for (auto& mapping : hal::executable_mappings(*maps)) {
      const bool matches = is_described(mapping.untrusted_path);
      // A described file notes every process that maps it; the rest are looked at once.
      if (matches) {
        named.push_back({pid, std::move(mapping)});
      } else if (queued.insert(mapping.file).second) {
        others.push_back({pid, std::move(mapping)});
      }
    }
  }
  for (const auto& found : named) consider(found.pid, found.mapping, 0);
  for (const auto& found : others) consider(found.pid, found.mapping, 0);
  return {};
}

bool Tracer::is_described(std::string_view path) const {
  for (const auto* backend : backends_) {
    for (const auto& library : backend->libraries) {
      if (hal::soname_matches(library, mapped_name(path))) return true;
    }
  }
  return false;
}

// Files are not examined for processes that are not followed, but who pays for probes on them is worth a word.
void Tracer::note_others(std::string_view maps) {
  std::set<hal::FileId> files;
  for (const auto& mapping : hal::executable_mappings(maps)) {
    if (is_described(mapping.untrusted_path)) files.insert(mapping.file);
  }
  const std::scoped_lock lock(mutex_);
  for (const hal::FileId& file : files) {
    if (index_->others.size() < kMaxSeen) ++index_->others[file];
  }
}

void Tracer::follow(uint32_t pid) {
  const uint64_t now_ns = clock_.mono_ns();
  const auto maps = foreign_.text(pid, "maps", 64 << 20);
  if (!maps.ok()) return;  // it has ended; what it had mapped was its parent's, or held until probed
  for (const auto& mapping : hal::executable_mappings(*maps)) consider(pid, mapping, now_ns, kKnownGeneration);
}

bool Tracer::consider(uint32_t pid, const hal::Mapping& mapping, uint64_t mono_ns, uint64_t generation) {
  if (mapping.file.inode == 0 || mapping.untrusted_path.empty() || mapping.untrusted_path[0] != '/') return false;
  if (!is_followed(pid)) return false;
  if (defer(pid, mapping, mono_ns, generation)) return true;
  if (is_another_file(pid, mapping, generation)) {
    const std::scoped_lock lock(mutex_);
    index_->seen.erase(mapping.file);
  }
  Source source;
  source.pid = pid;
  source.mono_ns = mono_ns;
  source.untrusted_path = mapping.untrusted_path;
  source.deleted = mapping.deleted;
  source.generation = generation == kKnownGeneration ? 0 : generation;
  if (const auto known = known_answer(mapping.file, source)) return *known;
  auto file = foreign_.find(pid, mapping);
  // Its process is gone already. Most often its path leads to the same file for us; else another process that maps it
  // will bring it back.
  if (!file.ok() && is_described(mapping.untrusted_path)) {
    if (auto by_path = foreign_.find(mapping.untrusted_path, 0); by_path.ok() && by_path->id == mapping.file) {
      file = std::move(by_path);
    } else if (mono_ns != 0) {
      note_unprobed(mapping.untrusted_path, pid);
    }
  }
  if (!file.ok()) {
    set_seen(mapping.file, std::nullopt);
    return false;
  }
  return examine_here_or_later(mapping.file, std::move(source), std::move(*file));
}

bool Tracer::prepare(uint32_t pid, const std::string& open_path, const std::string& untrusted_path) {
  auto file = foreign_.find(open_path, pid);
  if (!file.ok()) return false;
  Source source;
  source.pid = pid;  // mono_ns stays 0: the process waits for the probes, so no attach window exists
  source.untrusted_path = untrusted_path;
  source.held = true;
  const hal::FileId id = file->id;
  forget_if_other(id, file->born_ns);
  if (const auto known = known_answer(id, source)) return *known;
  return examine_here_or_later(id, std::move(source), std::move(*file));
}

Status Tracer::add_library(const std::string& path) {
  auto file = foreign_.find(path, 0);
  if (!file.ok()) {
    return Error(file.error().code(), fmt::format("library {}: {}", path, file.error().message()), "check the path");
  }
  Source source;
  source.untrusted_path = path;
  source.chosen = true;
  const hal::FileId id = file->id;
  forget_if_other(id, file->born_ns);
  const auto known = known_answer(id, source);
  if (known ? !*known : !examine_here_or_later(id, std::move(source), std::move(*file))) {
    return Error(Errc::kNotFound, fmt::format("library {}: holds no described library's symbols", path),
                 "'ingero check --rows' lists the described ones; --backend adds to them");
  }
  return {};
}

void Tracer::add_installed(const std::string& path) {
  auto file = foreign_.find(path, 0);
  if (!file.ok()) return;
  Source source;
  source.untrusted_path = path;
  const hal::FileId id = file->id;
  if (!known_answer(id, source)) (void)examine_here_or_later(id, std::move(source), std::move(*file));
}

// A program that had mapped a described library, and is over before its probes were there: nothing of it was seen.
void Tracer::note_unprobed(const std::string& path, uint32_t pid) {
  ledger_.add(hal::Loss::process_unprobed);
  ledger_.name(hal::Loss::process_unprobed, fmt::format("process {} with {}", pid, printable(path, 200)));
}

// With mutex_ held. One that has ended was not seen at all; of the others the recorder knows when they end.
void Tracer::note_late(const std::string& path, uint32_t pid) {
  if (is_over_now(pid, options_.proc_root) || late_.size() >= kMaxPidsPerFile) {
    note_unprobed(path, pid);
  } else {
    late_.emplace(pid, path);
  }
}

std::map<uint32_t, std::string> Tracer::take_late() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(late_, {});
}

// What is known of a file; nothing: the caller must now examine it, and report that with set_seen().
std::optional<bool> Tracer::known_answer(const hal::FileId& id, const Source& source) {
  std::unique_lock lock(mutex_);
  // Its probes are being removed: what maps it now gets new ones behind that.
  if (is_leaving(id)) examined_.wait_for(lock, kExaminedWithin, [&] { return stopped_ || !is_leaving(id); });
  if (stopped_) return false;             // a command's new library, while the trace ends
  if (index_->seen.size() >= kMaxSeen) {  // they are looked at again when they are mapped again
    std::erase_if(index_->seen, [](const auto& entry) { return entry.second.is_over && entry.second.file == nullptr; });
  }
  if (index_->seen.try_emplace(id).second) return std::nullopt;
  const auto is_over = [&] {
    const auto found = index_->seen.find(id);  // anew: what nothing is in may have been let go meanwhile
    return found == index_->seen.end() || found->second.is_over || stopped_;
  };
  // Another thread is at it, and this one's caller waits for the probes.
  if (!is_over() && (source.held || source.chosen)) examined_.wait_for(lock, kExaminedWithin, is_over);
  const auto found = index_->seen.find(id);
  if (found == index_->seen.end()) return false;
  Index::Seen& seen = found->second;
  if (!seen.is_over) {
    if (source.pid != 0 && !add_process(seen.pids, source.pid, options_.proc_root)) {
      ledger_.add(hal::Loss::process_unlisted);
    }
    return false;
  }
  if (seen.until_ns != 0 && clock_.mono_ns() >= seen.until_ns) {
    seen = {};
    return std::nullopt;
  }
  if (seen.file == nullptr) return false;
  seen.file->unmapped_looks = 0;  // who is held maps it only now
  if (source.pid == 0) return true;
  bool is_late = false;
  bool is_listed = true;  // with every library in the file, or else counted once
  for (auto& report : seen.file->reports) {
    is_listed = add_process(report.pids, source.pid, options_.proc_root) && is_listed;
    if (source.mono_ns != 0 && source.mono_ns < report.attached_mono_ns) {
      windows_[source.pid] = std::max(windows_[source.pid], report.attached_mono_ns);
      is_late = true;
    }
  }
  if (is_late) note_late(source.untrusted_path, source.pid);
  if (!is_listed) ledger_.add(hal::Loss::process_unlisted);
  return true;
}

// Which file of its number an examination is of.
void Tracer::note_file(const hal::FileId& id, const Source& source, const ForeignFile& file) {
  const std::scoped_lock lock(mutex_);
  Index::Seen& seen = index_->seen[id];
  seen.generation = source.generation;
  seen.born_ns = file.born_ns;
}

// The end of an examination: the file, null, or nothing: it was not there to be looked at, and may come again.
void Tracer::set_seen(const hal::FileId& id, std::optional<File*> file, uint64_t until_ns) {
  const std::scoped_lock lock(mutex_);
  set_seen_locked(id, file, until_ns);
}

void Tracer::set_seen_locked(const hal::FileId& id, std::optional<File*> file, uint64_t until_ns) {
  Index::Seen& seen = index_->seen[id];
  seen.is_over = true;
  seen.until_ns = file ? until_ns : 1;
  seen.file = file.value_or(nullptr);
  if (seen.file != nullptr) {
    seen.file->is_noted = true;
    for (const uint32_t pid : seen.pids) {
      bool is_listed = true;
      for (auto& report : seen.file->reports) {
        is_listed = add_process(report.pids, pid, options_.proc_root) && is_listed;
        if (seen.file->probes) windows_[pid] = std::max(windows_[pid], report.attached_mono_ns);
      }
      if (!is_listed) ledger_.add(hal::Loss::process_unlisted);
      if (seen.file->probes) note_late(seen.file->reports[0].path, pid);
    }
  }
  seen.pids.clear();
  examined_.notify_all();
}

// What may not answer is waited for elsewhere: calls of others are captured meanwhile. Those whose caller waits for the
// probes anyway, and `check`, wait here; all within the limits of helpers.h.
bool Tracer::examine_here_or_later(const hal::FileId& id, Source source, ForeignFile file) {
  if (file.reach == hal::Reach::kLocal || source.held || source.chosen || !target_) {
    return examine(id, source, file);
  }
  const auto later = std::make_shared<std::pair<Source, ForeignFile>>(std::move(source), std::move(file));
  if (!foreign_.later([this, id, later] { (void)examine(id, later->first, later->second); })) {
    set_seen(id, std::nullopt);
  }
  return false;
}

// The report of a described library that is not traced, with the reason.
void Tracer::report_unread(const hal::FileId& id, const Source& source, const ForeignFile& file, const Error& reason) {
  if (foreign_.is_cancelled()) return set_seen(id, std::nullopt);  // the trace ends: it was not waited for
  foreign_.give_up(file, reason);
  keep_unread(id, source, "not traced: " + reason.text());
  set_seen(id, nullptr, clock_.mono_ns() + kUnreadForNs);
}

// A described library of this machine that the system did not let us read: its calls will not be seen.
void Tracer::note_unreadable(const Source& source, const ForeignFile& file, const Error& reason) {
  const bool is_a_failure = reason.code() == Errc::kIo || reason.code() == Errc::kFull;
  if (is_a_failure && source.pid != 0 && is_described(source.untrusted_path)) foreign_.give_up(file, reason);
}

// A file that can be read and holds no code that can be probed. True: it is a described library's.
bool Tracer::report_unsupported(const hal::FileId& id, const Source& source, const Error& reason) {
  if (reason.code() != Errc::kNotSupported || !is_described(source.untrusted_path)) return false;
  keep_unread(id, source, "not traced: " + reason.text());
  if (source.pid == 0) return true;  // installed, and not in use
  ledger_.add(hal::Loss::library_unsupported);
  ledger_.name(hal::Loss::library_unsupported,
               fmt::format("{} in process {}", printable(source.untrusted_path, 200), source.pid));
  return true;
}

// A library that is in use, and whose backend was not asked for.
void Tracer::report_unprobed(const hal::FileId& id, const Source& source) {
  if (source.pid == 0) return;
  for (const hal::Backend* backend : options_.unprobed) {
    const std::string note = fmt::format("not traced: its calls are recorded with {}", backend->opt_in);
    if (!keep_unread(id, source, note, {&backend, 1})) continue;
    ledger_.add(hal::Loss::library_off);
    ledger_.name(hal::Loss::library_off,
                 fmt::format("{} in process {} (recorded with {})", printable(source.untrusted_path, 200), source.pid,
                             backend->opt_in));
  }
}

void Tracer::keep_unread(const hal::FileId& id, const Source& source, const std::string& note) {
  (void)keep_unread(id, source, note, backends_);
}

// True: the file is a library of one of these.
bool Tracer::keep_unread(const hal::FileId& id, const Source& source, const std::string& note,
                         std::span<const hal::Backend* const> backends) {
  auto unread = std::make_unique<File>();
  unread->is_noted = true;
  for (const auto* backend : backends) {
    for (const auto& library : backend->libraries) {
      if (!hal::soname_matches(library, mapped_name(source.untrusted_path))) continue;
      FileReport report;
      report.backend = backend->name;
      report.library = library.name;
      report.path = printable(source.untrusted_path, 4096);
      report.note = note;
      report.file = id;
      report.first_pid = source.pid;
      if (source.pid != 0) report.pids.insert(source.pid);
      unread->reports.push_back(std::move(report));
    }
  }
  const std::scoped_lock lock(mutex_);
  drop_report(id);
  if (unread->reports.empty()) return false;
  files_.push_back(std::move(unread));
  return true;
}

// The described libraries in a file.
Result<std::vector<Tracer::Held>> Tracer::held_by(const hal::ElfOutline& file, std::string_view name) const {
  const auto is_named = [&](const hal::Library& library) {
    return hal::soname_matches(library, name) || hal::soname_matches(library, file.soname());
  };
  // A described library that repeats another one's symbols is itself, not a host of the other's copy.
  const bool is_library = std::any_of(backends_.begin(), backends_.end(), [&](const hal::Backend* backend) {
    return std::any_of(backend->libraries.begin(), backend->libraries.end(), is_named);
  });
  // Of all at once: to read the symbols of a large library takes a tenth of a second, and nearly none holds a copy.
  std::vector<std::string_view> anchors;
  for (const auto* backend : backends_) {
    for (const auto& library : backend->libraries) {
      anchors.insert(anchors.end(), library.anchors.begin(), library.anchors.end());
    }
  }
  const Result<bool> holds_any = is_library ? false : file.defines_any(anchors);
  INGERO_TRY(holds_any);
  std::vector<Held> found;
  for (const auto* backend : backends_) {
    for (const auto& library : backend->libraries) {
      const bool named = is_named(library);
      const Result<bool> linked_in = *holds_any ? hal::holds_static_copy(library, file) : false;
      INGERO_TRY(linked_in);
      const bool hidden = !is_library && !*linked_in && hal::hides_static_copy(library, file);
      if (named || *linked_in || hidden) found.push_back({backend, &library, named, *linked_in, hidden});
    }
  }
  return found;
}

FileReport Tracer::report_of(const Held& held, const hal::ElfImage& image, const hal::FileId& id,
                             const Source& source) {
  FileReport report;
  report.backend = held.backend->name;
  report.library = held.library->name;
  report.path = printable(source.untrusted_path, 4096);
  report.version = held.named ? hal::library_version(mapped_name(source.untrusted_path), image.outline().soname()) : "";
  report.note = held.linked_in   ? "statically linked"
                : held.hidden    ? "statically linked and stripped: its calls cannot be traced, those of the "
                                   "libraries below it are"
                : source.deleted ? "deleted"
                                 : "";
  report.file = id;
  report.arch = hal::arch_of(image, hal::kHostArch);
  report.first_pid = source.pid;
  report.mapped_mono_ns = source.mono_ns;
  report.held = source.held;
  if (source.pid != 0) report.pids.insert(source.pid);
  if (held.library->communicators != nullptr) {
    report.live = hal::live_layout(*held.library->communicators, image, report.arch);
  }
  for (const auto& resolved : hal::resolve(*held.library, image, report.arch)) {
    RowReport row;
    row.row = resolved.row;
    row.state = resolved.state;
    row.symbol = resolved.symbol;
    row.reason = resolved.reason;
    row.remedy = resolved.remedy;
    row.single_stepped = resolved.state == hal::RowState::kResolved && resolved.point.single_stepped;
    row.instruction = resolved.point.instruction;
    row.file_offset = resolved.file_offset;
    report.rows.push_back(std::move(row));
  }
  return report;
}

// Other numbers of the same file, or each of its calls would count twice: under a layered file system those of the file
// below; else those that stat has, where /proc has others (subvolumes, layers that are not ours to look below).
std::optional<hal::FileId> Tracer::file_below(const Fd& fd, const hal::FileId& id, const Source& source,
                                              const ForeignFile& file) {
  const auto by_stat = file.id == id ? std::nullopt : std::optional(file.id);
  if (!target_ || file.reach != hal::Reach::kLocal || !RealFiles::layered(fd.get())) return by_stat;
  const Raised raised;
  const auto real = index_->real_files.find(fd.get());
  if (!real.ok()) {
    log_info("{}: {}", printable(source.untrusted_path, 4096), real.error().text());
    return by_stat;
  }
  return *real == id ? std::nullopt : std::optional(*real);
}

// With mutex_ held: what an earlier attempt said of the file.
void Tracer::drop_report(const hal::FileId& id) {
  std::erase_if(files_, [&](const auto& known) {
    if (known->probes || known->reports[0].file != id) return false;
    std::erase_if(index_->seen, [&](const auto& entry) { return entry.second.file == known.get(); });
    return true;
  });
}

// In place of the report of an earlier attempt. Null: too late, and its probes went with it.
Tracer::File* Tracer::keep(std::unique_ptr<File> made) {
  const std::scoped_lock lock(mutex_);
  if (stopped_) return nullptr;
  const hal::FileId id = made->reports[0].file;
  drop_report(id);
  files_.push_back(std::move(made));
  return files_.back().get();
}

// What is known of the file below, of which this is another view; nothing: it is to be examined.
std::optional<bool> Tracer::known_below(const hal::FileId& id, const hal::FileId& below, const Source& source,
                                        const ForeignFile& file) {
  Source same = source;
  same.held = same.chosen = false;  // this thread would wait for itself
  forget_if_other(below, file.born_ns);
  while (const auto known = known_answer(below, same)) {
    const std::scoped_lock lock(mutex_);
    const auto found = index_->seen.find(below);
    if (!stopped_ && (found == index_->seen.end() || is_leaving(below))) continue;  // it is known no more
    set_seen_locked(id, found == index_->seen.end() ? nullptr : found->second.file);
    return known;
  }
  note_file(below, source, file);
  return std::nullopt;
}

// A library whose functions are in another file: a stripped static copy.
void Tracer::note_hidden(const std::string& library, const Source& source) {
  ledger_.add(hal::Loss::library_unsupported);
  ledger_.name(hal::Loss::library_unsupported,
               fmt::format("the {} in process {} ({})", library, source.pid, printable(source.untrusted_path, 200)));
}

// Of a 32-bit library's calls some arguments stay unknown, which the recording says.
void Tracer::note_narrow(File& file) {
  bool is_new = true;
  for (FileReport& report : file.reports) {
    if (report.arch != hal::Arch::kX86_32) continue;
    report.note += report.note.empty() ? "32-bit" : ", 32-bit";
    if (report.first_pid == 0 || !std::exchange(is_new, false)) continue;  // installed, and not in use
    ledger_.add(hal::Loss::library_32bit);
    ledger_.name(hal::Loss::library_32bit, fmt::format("{} in process {}", report.path, report.first_pid));
  }
}

// True: it is a described library's. Opens, reads and attaches, with mutex_ free; ends with set_seen().
bool Tracer::examine(const hal::FileId& id, const Source& source, const ForeignFile& file) {
  const bool is_local = file.reach == hal::Reach::kLocal;
  // Files of this machine one after the other; one that does not answer must not hold them up.
  std::unique_lock turn(examine_mutex_, std::defer_lock);
  if (is_local) turn.lock();
  note_file(id, source, file);
  const std::string path = printable(source.untrusted_path, 4096);
  if (file.reach == hal::Reach::kUser && !source.chosen) {
    report_unread(id, source, file, served_by_a_user(file));
    return false;
  }
  auto fd = foreign_.open(file, {});
  if (!fd.ok()) {
    if (is_local) {
      note_unreadable(source, file, fd.error());
      set_seen(id, std::nullopt);
    } else {
      report_unread(id, source, file, fd.error());
    }
    return false;
  }
  const auto below = file_below(*fd, id, source, file);
  if (below) {
    if (const auto known = known_below(id, *below, source, file)) return *known;
  }
  const auto is_over = [&](File* found) {
    const std::scoped_lock lock(mutex_);
    if (below) set_seen_locked(*below, found);
    set_seen_locked(id, found);
    return found != nullptr;
  };
  const auto is_unread = [&](const Error& reason) {
    report_unread(id, source, file, reason);
    if (below) set_seen(*below, nullptr, clock_.mono_ns() + kUnreadForNs);
    return false;
  };
  const bool is_elf = has_elf_magic(*fd);
  const auto cannot_read = [&](const Error& reason) {
    note_unreadable(source, file, reason);
    if (is_elf) (void)report_unsupported(id, source, reason);  // of another kind of processor
    return is_over(nullptr);
  };
  auto outline = hal::ElfOutline::open(std::move(*fd), path);
  if (!outline.ok()) return cannot_read(outline.error());
  const auto held = held_by(*outline, mapped_name(source.untrusted_path));
  if (!held.ok()) return cannot_read(held.error());
  if (held->empty()) {
    report_unprobed(id, source);
    return is_over(nullptr);
  }
  auto image = is_local ? hal::ElfImage::open(*std::move(outline)) : with_code(foreign_, file, path);
  if (!image.ok()) return is_local ? cannot_read(image.error()) : is_unread(image.error());
  auto made = std::make_unique<File>();
  for (const Held& one : *held) made->reports.push_back(report_of(one, *image, id, source));
  if (source.pid != 0 && std::ranges::any_of(*held, &Held::hidden)) note_hidden(made->reports[0].library, source);
  drop_names_only(made->reports);
  note_narrow(*made);
  if (target_) {
    made->uid = user_of(source, file);
    made->is_kept = source.pid == 0;
    if (const Status readable = attach(*made, file); !readable.ok()) return is_unread(readable.error());
    if (is_local && made->probes) watch(*made, file);
  }
  const size_t refused = made->refused;
  made->is_noted = refused > 0;
  File* const kept = keep(std::move(made));
  if (kept == nullptr) return is_over(nullptr);
  if (refused > 0) {
    if (below) set_seen(*below, std::nullopt);
    wait_for_numbers(id, source, file, refused);
    return true;
  }
  return is_over(kept);
}

// Its processes have chosen their devices before the trace began, so what their threads ask is worth a probe for a
// while. Not with links that the kernel takes long to remove.
bool Tracer::asks_device(const FileReport& report) const {
  return report.first_pid != 0 && report.mapped_mono_ns == 0 && !report.held && !target_->removes_slowly;
}

// A probe for each offset that gets a probe, with its recipe. All of the file's, or none.
Tracer::Points Tracer::make_probes(File& file, std::map<uint32_t, RowReport*>& by_probe) {
  struct Wanted {
    FileReport* report;
    RowReport* row;
    const hal::Lowered* lowered;
  };
  std::vector<Wanted> wanted;
  std::set<uint64_t> taken;
  const std::scoped_lock lock(mutex_);
  for (auto& report : file.reports) {
    for (auto& row : report.rows) {
      if (row.state != hal::RowState::kResolved || !taken.insert(row.file_offset).second) continue;
      if ((row.row->flags & hal::kAsksDevice) != 0 && !asks_device(report)) {
        row.state = hal::RowState::kRefused;
        row.reason = "called around every launch: probed only in processes that run before the trace";
        row.file_offset = 0;
        continue;
      }
      const auto lowered = lowered_.find({row.row, report.arch});
      if (lowered == lowered_.end()) {
        row.state = hal::RowState::kRefused;
        row.reason = "its prototype cannot be lowered on this architecture";
        ledger_.add(hal::Loss::attach_refused);
        continue;
      }
      wanted.push_back({&report, &row, &lowered->second});
    }
  }
  const auto numbers = index_->numbers.take(file.uid, wanted.size());
  if (!numbers) {
    refuse(file, wanted.size());
    return {};
  }
  Points points;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const auto& [report, row, lowered] = wanted[i];
    const uint32_t probe = (*numbers)[i];
    const hal::CallId call = calls_.id_of(*row->row);
    wire_recipe recipe = lowered->recipe;
    say_when_to_keep_stacks(*row->row, calls_[call], recipe);
    file.numbers.push_back(probe);
    probe_table_.put(probe, {call, lowered, calls_.non_blocking(call), clock_.mono_ns()});
    if (const Status set = target_->set_recipe(probe, recipe); !set.ok()) {
      row->state = hal::RowState::kRefused;
      row->reason = set.error().text();
      ledger_.add(hal::Loss::attach_refused);
      continue;
    }
    if (probe >= places_.size()) places_.resize(probe + size_t{1});
    places_[probe] = {report->path, row->symbol, report->live};
    new_probes_.push_back({probe, {call, row->symbol, report->path, report->version, row->single_stepped}});
    if (row->single_stepped) ledger_.add(hal::Loss::single_stepped);
    by_probe[probe] = row;
    auto& which = (row->row->flags & hal::kAsksDevice) != 0 ? points.passing : points.lasting;
    which.push_back({probe, row->file_offset, recipe.sleepable_word != 0});
  }
  return points;
}

// With mutex_ held: there are not enough probes for this user.
void Tracer::refuse(File& file, size_t wanted) {
  file.refused = wanted;
  const ProbeNumbers& numbers = index_->numbers;
  for (auto& report : file.reports) {
    report.note = fmt::format(
        "not traced yet: it needs {} probes; {} of {} are free, and user {} has {} (share: {}). It gets them when "
        "libraries that no process uses have given theirs back",
        wanted, numbers.free(), ProbeNumbers::kAll, file.uid, numbers.used(file.uid), ProbeNumbers::kShare);
    for (auto& row : report.rows) {
      if (row.state == hal::RowState::kResolved) row.state = hal::RowState::kRefused;
    }
  }
}

// Fails where the code cannot be kept in memory. What the kernel refuses the reports say.
Status Tracer::attach(File& file, const ForeignFile& foreign) {
  // The very file that was examined is the one that gets the probes.
  const std::string open_path = fmt::format("/proc/self/fd/{}", foreign.path.get());
  std::map<uint32_t, RowReport*> by_probe;
  const Points points = make_probes(file, by_probe);
  if (file.refused > 0) return {};
  const auto pinned = foreign_.pin(foreign, probed_offsets(file.reports));
  if (!pinned.ok()) {
    const std::scoped_lock lock(mutex_);
    index_->numbers.give_back(std::exchange(file.numbers, {}));  // no call ever had them
    return pinned.error();
  }
  auto attached = target_->attach(open_path, points.lasting, options_.working);
  auto passing = attached.ok() && !points.passing.empty() ? target_->attach(open_path, points.passing, options_.working)
                                                          : std::unique_ptr<FileProbes>();
  const uint64_t now = clock_.mono_ns();
  const std::scoped_lock lock(mutex_);
  for (auto& report : file.reports) {
    if (!attached.ok()) {
      report.note = attached.error().text();
      continue;
    }
    report.attached_mono_ns = now;
    if (const auto others = index_->others.find(report.file); others != index_->others.end()) {
      report.others = others->second;
    }
    if (report.mapped_mono_ns != 0 && !report.held) {
      ledger_.add(hal::Loss::attach_window);
      ledger_.name(hal::Loss::attach_window, fmt::format("{} in process {} for {}", report.path, report.first_pid,
                                                         format_duration(now - report.mapped_mono_ns)));
      note_late(report.path, report.first_pid);
    }
    if (!report.held) {
      for (const uint32_t pid : report.pids) windows_[pid] = now;
    }
  }
  if (!attached.ok()) {
    index_->numbers.give_back(std::exchange(file.numbers, {}));  // no call ever had them
    foreign_.unpin(*pinned);
    return {};
  }
  const auto refuse_row = [&](uint32_t probe, const std::string& reason) {
    by_probe[probe]->state = hal::RowState::kRefused;
    by_probe[probe]->reason = reason;
    ledger_.add(hal::Loss::attach_refused);
  };
  const auto note_refusals = [&](const FileProbes& probes) {
    for (const auto& refusal : probes.refusals()) refuse_row(refusal.probe, refusal.reason);
  };
  note_refusals(**attached);
  file.probes = std::move(*attached);
  if (passing.ok() && *passing) {
    note_refusals(**passing);
    file.passing = std::move(*passing);
  } else if (!passing.ok()) {
    for (const AttachPoint& point : points.passing) refuse_row(point.id, passing.error().text());
  }
  for (auto& report : file.reports) {
    report.probes = static_cast<size_t>(std::ranges::count(report.rows, hal::RowState::kResolved, &RowReport::state));
    log_info("{}: {} probes attached{}", report.path, report.probes,
             report.held || report.mapped_mono_ns == 0
                 ? ""
                 : fmt::format(" {} after process {} mapped it", format_duration(now - report.mapped_mono_ns),
                               report.first_pid));
  }
  return {};
}

std::vector<NamedProbe> Tracer::take_new_probes() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(new_probes_, {});
}

std::map<uint32_t, uint64_t> Tracer::take_windows() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(windows_, {});
}

std::string Tracer::library_of(uint32_t probe) const {
  const std::scoped_lock lock(mutex_);
  return probe < places_.size() ? places_[probe].library : "";
}

std::string Tracer::symbol_of(uint32_t probe) const {
  const std::scoped_lock lock(mutex_);
  return probe < places_.size() ? places_[probe].symbol : "";
}

std::optional<hal::LiveLayout> Tracer::live_layout_of(uint32_t probe) const {
  const std::scoped_lock lock(mutex_);
  return probe < places_.size() ? places_[probe].live : std::nullopt;
}

std::vector<FileReport> Tracer::reports() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FileReport> all;
  for (const auto& file : files_) all.insert(all.end(), file->reports.begin(), file->reports.end());
  return all;
}

std::vector<FileProbes*> Tracer::probes() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FileProbes*> all;
  for (const auto& file : files_) {
    if (file->probes) all.push_back(file->probes.get());
    if (file->passing) all.push_back(file->passing.get());
  }
  return all;
}

void Tracer::stop_examining() {
  {
    const std::scoped_lock lock(mutex_);
    stopped_ = true;
  }
  examined_.notify_all();
  foreign_.stop();
}

void Tracer::stop_entries() {
  stop_examining();
  const std::scoped_lock turn(examine_mutex_);
  const std::scoped_lock lock(mutex_);
  if (!target_) return;
  for (const auto& file : files_) target_->end_recipes(file->numbers);
}

void Tracer::detach() {
  stop_examining();
  const std::scoped_lock turn(examine_mutex_);
  FileProbes::stop(probes());
  const std::scoped_lock lock(mutex_);
  for (const auto& file : files_) {
    file->probes.reset();
    file->passing.reset();
  }
}

}  // namespace ingero::kernelside
