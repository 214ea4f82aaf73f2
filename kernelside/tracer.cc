// Which files, which rows, which sites.
#include "kernelside/tracer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <optional>

#include <dirent.h>

#include "base/log.h"
#include "base/text.h"
#include "hal/elf.h"
#include "hal/lower.h"
#include "kernelside/real_file.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxPidsPerFile = 4096;

std::string_view base_name(std::string_view path) {
  // maps prints "path (deleted)" for unlinked files.
  if (path.ends_with(" (deleted)")) path.remove_suffix(10);
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
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

// Which of a call's stacks are always kept: what the kernel side can see of it when it returns.
void say_when_to_keep_stacks(const hal::Row& row, const hal::Call& call, wire_recipe& recipe) {
  if ((row.flags & hal::kSynchronising) != 0) recipe.stack_when |= WIRE_STACK_WHEN_DONE;
  if (row.returns == hal::Returns::kStatus) recipe.stack_when |= WIRE_STACK_WHEN_NONZERO;
  if (row.returns == hal::Returns::kPointer) recipe.stack_when |= WIRE_STACK_WHEN_NULL;
  if (call.owner == nullptr) return;
  for (size_t i = 0; i < std::min<size_t>(call.owner->not_failures.size(), WIRE_NOT_FAILURES); ++i) {
    recipe.not_failures[i] = static_cast<int32_t>(call.owner->not_failures[i]);
  }
}

}  // namespace

// Where a file can be opened, and who mapped it.
struct Tracer::Source {
  uint32_t pid = 0;
  uint64_t mono_ns = 0;
  std::string untrusted_path;
  bool deleted = false;
  std::vector<std::string> open_paths;  // tried in order
  bool inode_known = true;
  bool held = false;  // whoever maps it waits until its probes are on
};

// One file with a described library in it.
struct Tracer::File {
  std::vector<FileReport> reports;  // one per library found in it
  std::unique_ptr<FileProbes> probes;
};

struct Tracer::Index {
  std::map<hal::FileId, File*> seen;  // null: looked at, nothing described inside
  RealFiles real_files;
};

Tracer::Tracer(TracerOptions options, std::span<const hal::Backend* const> backends, const hal::CallTable& calls,
               Objects* objects, hal::LossLedger& ledger, const Clock& clock)
    : options_(std::move(options)),
      backends_(backends),
      calls_(calls),
      objects_(objects),
      ledger_(ledger),
      clock_(clock),
      index_(std::make_unique<Index>()) {
  for (const auto* backend : backends_) {
    for (const auto& library : backend->libraries) {
      for (const auto& row : library.rows) {
        // The conformance suite proves that every compiled-in row lowers.
        if (auto lowered = hal::lower(row, hal::kHostArch); lowered.ok()) lowered_[&row] = *lowered;
      }
    }
  }
}

Tracer::~Tracer() = default;

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
    const auto maps = read_file(fmt::format("{}/{}/maps", options_.proc_root, pid), 64 << 20);
    if (!maps.ok()) continue;  // ended, or not ours to see: check reports the privilege
    for (auto& mapping : hal::executable_mappings(*maps)) {
      bool matches = false;
      for (const auto* backend : backends_) {
        for (const auto& library : backend->libraries) {
          matches = matches || hal::soname_matches(library, base_name(mapping.untrusted_path));
        }
      }
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

bool Tracer::consider(uint32_t pid, const hal::Mapping& mapping, uint64_t mono_ns) {
  if (mapping.file.inode == 0 || mapping.untrusted_path.empty() || mapping.untrusted_path[0] != '/') return false;
  Source source;
  source.pid = pid;
  source.mono_ns = mono_ns;
  source.untrusted_path = mapping.untrusted_path;
  source.deleted = mapping.deleted;
  source.open_paths = {
      fmt::format("{}/{}/map_files/{:x}-{:x}", options_.proc_root, pid, mapping.start, mapping.end),
      fmt::format("{}/{}/root{}", options_.proc_root, pid, mapping.untrusted_path),
  };
  const std::scoped_lock lock(mutex_);
  return examine(mapping.file, source);
}

bool Tracer::prepare(uint32_t pid, const std::string& open_path, const std::string& untrusted_path) {
  struct stat status {};
  if (stat(open_path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  Source source;
  source.pid = pid;  // mono_ns stays 0: whoever maps it waits for the probes, there is no window
  source.untrusted_path = untrusted_path;
  source.open_paths = {open_path};
  source.inode_known = false;
  source.held = true;
  const std::scoped_lock lock(mutex_);
  return examine({status.st_dev, status.st_ino}, source);
}

Status Tracer::add_library(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return errno_error(fmt::format("library {}", path));
  Source source;
  source.untrusted_path = path;
  source.open_paths = {path};
  const std::scoped_lock lock(mutex_);
  if (!examine({status.st_dev, status.st_ino}, source)) {
    return Error(Errc::kNotFound, fmt::format("library {}: holds no described library's symbols", path));
  }
  return {};
}

bool Tracer::examine(const hal::FileId& id, const Source& source) {
  if (stopped_) return false;  // a command's new library, while the trace ends
  if (const auto seen = index_->seen.find(id); seen != index_->seen.end()) {
    if (seen->second != nullptr && source.pid != 0) {
      for (auto& report : seen->second->reports) {
        if (report.pids.size() < kMaxPidsPerFile) report.pids.insert(source.pid);
        if (source.mono_ns != 0 && source.mono_ns < report.attached_mono_ns) windows_.insert(source.pid);
      }
    }
    return seen->second != nullptr;
  }
  Fd fd;
  for (const auto& path : source.open_paths) {
    Fd candidate(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    struct stat status {};
    if (!candidate.valid() || fstat(candidate.get(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    // A name may have been replaced since it was mapped; map_files cannot. (Devices differ under overlay file systems.)
    if (source.inode_known && status.st_ino != id.inode && path.find("/map_files/") == std::string::npos) continue;
    fd = std::move(candidate);
    break;
  }
  if (!fd.valid()) return false;  // gone already; another process that maps it will bring it back
  std::optional<hal::FileId> below;
  if (objects_ != nullptr && RealFiles::layered(fd.get())) {
    if (const auto real = index_->real_files.find(fd.get()); real.ok()) {
      below = *real;
    } else {
      log_info("{}: {}", printable(source.untrusted_path, 4096), real.error().text());
    }
  }
  if (below && !(*below == id)) {
    if (const auto seen = index_->seen.find(*below); seen != index_->seen.end()) {
      index_->seen[id] = seen->second;  // another view of a file that is known
      if (seen->second != nullptr && source.pid != 0) {
        for (auto& report : seen->second->reports) report.pids.insert(source.pid);
      }
      return seen->second != nullptr;
    }
    index_->seen[*below] = nullptr;
  }
  index_->seen[id] = nullptr;
  const Fd held(dup(fd.get()));  // the very file that was examined is the one that gets the probes
  auto image = hal::ElfImage::open(std::move(fd), printable(source.untrusted_path, 4096));
  if (!image.ok()) return false;  // not an ELF file

  auto file = std::make_unique<File>();
  const std::string_view name = base_name(source.untrusted_path);
  const auto is_named = [&](const hal::Library& library) {
    return hal::soname_matches(library, name) || hal::soname_matches(library, image->soname());
  };
  // A described library that repeats another one's symbols is itself, not a host of the other's copy.
  const bool is_library = std::any_of(backends_.begin(), backends_.end(), [&](const hal::Backend* backend) {
    return std::any_of(backend->libraries.begin(), backend->libraries.end(), is_named);
  });
  for (const auto* backend : backends_) {
    for (const auto& library : backend->libraries) {
      const bool named = is_named(library);
      const bool linked_in = !is_library && hal::holds_static_copy(library, *image);
      const bool hidden = !is_library && !linked_in && hal::hides_static_copy(library, *image);
      if (!named && !linked_in && !hidden) continue;
      FileReport report;
      report.backend = backend->name;
      report.library = library.name;
      report.path = printable(source.untrusted_path, 4096);
      report.version = named ? hal::library_version(name, image->soname()) : "";
      report.note = linked_in        ? "statically linked"
                    : hidden         ? "statically linked and stripped: its calls cannot be traced, those of the "
                                       "libraries below it are"
                    : source.deleted ? "deleted"
                                     : "";
      report.file = id;
      report.first_pid = source.pid;
      report.mapped_mono_ns = source.mono_ns;
      report.held = source.held;
      if (source.pid != 0) report.pids.insert(source.pid);
      for (const auto& resolved : hal::resolve(library, *image, hal::kHostArch)) {
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
      file->reports.push_back(std::move(report));
    }
  }
  if (file->reports.empty()) return false;
  index_->seen[id] = file.get();
  if (below) index_->seen[*below] = file.get();
  if (objects_ != nullptr) attach(*file, fmt::format("/proc/self/fd/{}", held.get()));
  files_.push_back(std::move(file));
  return true;
}

void Tracer::attach(File& file, const std::string& open_path) {
  std::vector<Probe> probes;
  std::map<uint32_t, RowReport*> by_site;
  std::set<uint64_t> taken;
  for (auto& report : file.reports) {
    for (auto& row : report.rows) {
      if (row.state != hal::RowState::kResolved || !taken.insert(row.file_offset).second) continue;
      const hal::CallId call = calls_.id_of(*row.row);
      const uint32_t site = sites_.size();
      const auto lowered = lowered_.find(row.row);
      if (lowered == lowered_.end()) {
        row.state = hal::RowState::kRefused;
        row.reason = "its prototype cannot be lowered on this architecture";
        ledger_.add(hal::Loss::attach_refused);
        continue;
      }
      wire_recipe recipe = lowered->second.recipe;
      recipe.used = 1;
      say_when_to_keep_stacks(*row.row, calls_[call], recipe);
      if (const Status set = objects_->set_recipe(site, recipe);
          !set.ok() || !sites_.append({call, &lowered->second})) {
        row.state = hal::RowState::kRefused;
        row.reason =
            set.ok() ? fmt::format("more than {} probes", static_cast<int>(WIRE_MAX_SITES)) : set.error().text();
        ledger_.add(hal::Loss::attach_refused);
        continue;
      }
      site_libraries_.push_back(report.path);
      site_symbols_.push_back(row.symbol);
      new_sites_.push_back({site, {call, row.symbol, report.path, report.version}});
      if (row.single_stepped) ledger_.add(hal::Loss::single_stepped);
      by_site[site] = &row;
      probes.push_back({site, row.file_offset, recipe.aside_word != 0});
    }
  }
  auto attached = FileProbes::attach(*objects_, open_path, probes, options_.working);
  const uint64_t now = clock_.mono_ns();
  for (auto& report : file.reports) {
    if (!attached.ok()) {
      report.note = attached.error().text();
      continue;
    }
    report.attached_mono_ns = now;
    report.probes = (*attached)->attached();
    if (report.mapped_mono_ns != 0 && !report.held) ledger_.add(hal::Loss::attach_window);
    if (!report.held) windows_.insert(report.pids.begin(), report.pids.end());
  }
  if (!attached.ok()) return;
  for (const auto& refusal : (*attached)->refusals()) {
    by_site[refusal.site]->state = hal::RowState::kRefused;
    by_site[refusal.site]->reason = refusal.reason;
    ledger_.add(hal::Loss::attach_refused);
  }
  file.probes = std::move(*attached);
  for (const auto& report : file.reports) {
    log_info("{}: {} probes attached{}", report.path, report.probes,
             report.held || report.mapped_mono_ns == 0
                 ? ""
                 : fmt::format(" {} after process {} mapped it", format_duration(now - report.mapped_mono_ns),
                               report.first_pid));
  }
}

std::vector<NamedSite> Tracer::take_sites() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(new_sites_, {});
}

std::set<uint32_t> Tracer::take_windows() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(windows_, {});
}

std::string Tracer::library_of(uint32_t site) const {
  const std::scoped_lock lock(mutex_);
  return site < site_libraries_.size() ? site_libraries_[site] : "";
}

std::string Tracer::symbol_of(uint32_t site) const {
  const std::scoped_lock lock(mutex_);
  return site < site_symbols_.size() ? site_symbols_[site] : "";
}

std::vector<FileReport> Tracer::reports() const {
  const std::scoped_lock lock(mutex_);
  std::vector<FileReport> all;
  for (const auto& file : files_) all.insert(all.end(), file->reports.begin(), file->reports.end());
  return all;
}

std::vector<FileProbes*> Tracer::probes() const {
  std::vector<FileProbes*> all;
  for (const auto& file : files_) {
    if (file->probes) all.push_back(file->probes.get());
  }
  return all;
}

void Tracer::stop_entries() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  FileProbes::stop_entries(probes());
}

void Tracer::detach() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  FileProbes::stop(probes());
  for (const auto& file : files_) file->probes.reset();
}

}  // namespace ingero::kernelside
