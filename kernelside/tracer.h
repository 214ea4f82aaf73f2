// Discovery and attach, live: every distinct file of a described library that any process maps gets its probes, once.
//
// Files are identified by (device, inode), and opened through /proc/PID/map_files (deleted files, containers) or
// /proc/PID/root, never by a name alone. Blind to vendors: backends come as tables. Nothing is executed.
//
// Files that may not answer are examined on the thread of Foreign::later(), everything else on the caller's.
//
// Probes are given back when no process maps their file any more (sweep(); kernelside/probe_numbers.h says how). A file
// is its numbers and when it was made: the number of a deleted file that goes to another one is looked at anew.
//
// Threads: scan(), consider(), prepare() and sweep() may be called from different threads; the rest from any, without a
// wait. Failure: what cannot be read or attached is in reports() and the ledger; a Status is of /proc as a whole.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "hal/call_table.h"
#include "hal/elf.h"
#include "hal/event.h"
#include "hal/live_communicator.h"
#include "hal/loss.h"
#include "hal/maps.h"
#include "hal/resolve.h"
#include "kernelside/file_probes.h"
#include "kernelside/file_watch.h"
#include "kernelside/foreign.h"
#include "kernelside/normalise.h"
#include "kernelside/objects.h"

namespace ingero::kernelside {

// A row in a file: probed, or why not.
struct RowReport {
  const hal::Row* row = nullptr;
  hal::RowState state = hal::RowState::kAbsent;
  std::string symbol;
  std::string reason;
  std::string remedy;        // empty: nothing needs doing
  uint64_t file_offset = 0;  // kResolved
  bool single_stepped = false;
  std::string instruction;  // at the probe
};

// A described library in one file.
struct FileReport {
  std::string backend;
  std::string library;
  std::string path;     // as the process that mapped it sees it (untrusted, made printable)
  std::string version;  // empty: unknown
  std::string note;     // "statically linked", "deleted", or why it cannot be traced
  hal::FileId file;
  std::vector<RowReport> rows;
  hal::Arch arch = hal::kHostArch;      // of its code
  std::optional<hal::LiveLayout> live;  // where it keeps what a communicator is
  std::set<uint32_t> pids;              // processes seen mapping it
  uint32_t first_pid = 0;               // the one whose mapping made it known
  uint64_t mapped_mono_ns = 0;          // 0: before the trace began
  uint64_t attached_mono_ns = 0;        // 0: not attached
  bool held = false;                    // its first process waited until it was attached: no call fell in between
  size_t probes = 0;
  size_t others = 0;  // processes that had it mapped at the start and are not followed: their calls hit the probes too
};

struct NamedProbe {
  uint32_t index = 0;
  hal::Probe probe;
};

struct TracerOptions {
  std::string proc_root = "/proc";
  std::vector<std::string> libraries;         // paths of described files to attach to, whichever process maps them
  std::vector<const hal::Backend*> unprobed;  // which were not asked for: their libraries in use are reported
  // Whose libraries get probes; empty: everybody's. A process that it does not know yet comes later, by follow().
  std::function<bool(uint32_t pid)> is_followed;
  std::function<void()> working;  // called while probes are attached one by one, to extend a wait for them
  UseLookup uses = kernel_uses();
};

// Where recipes and probes go: the loaded objects, unless a test says otherwise.
struct ProbeTarget {
  std::function<Status(uint32_t probe, const wire_recipe& recipe)> set_recipe;
  std::function<void(std::span<const uint32_t> probes)> end_recipes;
  std::function<Result<std::unique_ptr<FileProbes>>(const std::string& path, std::span<const AttachPoint> probes,
                                                    const std::function<void()>& working)>
      attach;
  bool removes_slowly = false;  // a tenth of a second each, and nothing is attached meanwhile: only when they are short
};

class Tracer {
 public:
  // The arguments must outlive this; `objects` null: resolve and report only (`check`).
  Tracer(TracerOptions options, std::span<const hal::Backend* const> backends, const hal::CallTable& calls,
         Objects* objects, Foreign& foreign, hal::LossLedger& ledger, const Clock& clock = system_clock());
  Tracer(TracerOptions options, std::span<const hal::Backend* const> backends, const hal::CallTable& calls,
         std::optional<ProbeTarget> target, Foreign& foreign, hal::LossLedger& ledger,
         const Clock& clock = system_clock());
  ~Tracer();

  // Looks at every process's mappings. Files with a described library's name come first.
  Status scan();
  // For a mapping that a child has from its parent, whose file is known.
  static constexpr uint64_t kKnownGeneration = UINT64_MAX;
  // One mapping, just made (`mono_ns`) or found (0). `generation`: of the file, as the notice has it (mapping_watch.h).
  // True: it is a described library's.
  bool consider(uint32_t pid, const hal::Mapping& mapping, uint64_t mono_ns, uint64_t generation = 0);
  // A file about to be mapped by `pid`, reachable at `open_path` (its maker is held until this returns). True: it is a
  // described library's.
  bool prepare(uint32_t pid, const std::string& open_path, const std::string& untrusted_path);
  // A process that is_followed knows from now on: looks at what it has mapped.
  void follow(uint32_t pid);
  // A file named by the user.
  Status add_library(const std::string& path);
  // A file that is installed, before any process maps it: its first program may be over before its probes are there.
  void add_installed(const std::string& path);

  const ProbeTable& probe_table() const { return probe_table_; }
  // Probes made since the last call, in order.
  std::vector<NamedProbe> take_new_probes();
  // The library file of a probe, as its first process sees it.
  std::string library_of(uint32_t probe) const;
  // The symbol it probes, or empty. Any thread.
  std::string symbol_of(uint32_t probe) const;
  // Where the library of a probe keeps what a communicator is; none: not known. Any thread.
  std::optional<hal::LiveLayout> live_layout_of(uint32_t probe) const;
  std::vector<FileReport> reports() const;
  // Processes that mapped a described library before its probes were there, since the last call, and when those were:
  // some of the calls before may have been missed.
  std::map<uint32_t, uint64_t> take_windows();
  // Processes that had mapped a described library when its probes came, since the last call, with the library: they may
  // have made all their calls before.
  std::map<uint32_t, std::string> take_late();
  // Of those, one that ended without a call that was seen.
  void note_unprobed(const std::string& path, uint32_t pid);
  // Once a second: removes the probes of files that no process maps any more, which may take a second and more, and
  // places those that have waited for probes. The thread that calls it is to end before detach().
  void sweep();
  // Loads what sweep() asks the kernel with, which the first one does otherwise: while a program runs that has the CPU.
  void prepare_sweep();
  // The numbers of probes that have been removed, since the last call: no call that begins now has them, but open
  // calls, records and batches may.
  std::vector<uint32_t> take_retired();
  // Of those, the ones that nothing has any more.
  void give_back(std::span<const uint32_t> probes);
  // Ends a sweep(), now and from now on.
  void stop_examining();
  // No call begins any more. Those that are open may still return, until detach().
  void stop_entries();
  // Removes every probe. Waits for the kernel's readers: tens of milliseconds.
  void detach();

 private:
  struct File;
  struct Source;
  // A described library in an image: under its own name, or linked in, or hidden by being stripped.
  struct Held {
    const hal::Backend* backend;
    const hal::Library* library;
    bool named, linked_in, hidden;
  };
  std::optional<bool> known_answer(const hal::FileId& id, const Source& source);
  void set_seen(const hal::FileId& id, std::optional<File*> file, uint64_t until_ns = 0);
  void set_seen_locked(const hal::FileId& id, std::optional<File*> file, uint64_t until_ns = 0);
  void note_file(const hal::FileId& id, const Source& source, const ForeignFile& file);
  bool examine_here_or_later(const hal::FileId& id, Source source, ForeignFile file);
  bool examine(const hal::FileId& id, const Source& source, const ForeignFile& file);
  bool is_followed(uint32_t pid) const { return !options_.is_followed || options_.is_followed(pid); }
  void report_unread(const hal::FileId& id, const Source& source, const ForeignFile& file, const Error& reason);
  void note_unreadable(const Source& source, const ForeignFile& file, const Error& reason);
  void note_narrow(File& file);
  void note_hidden(const std::string& library, const Source& source);
  bool report_unsupported(const hal::FileId& id, const Source& source, const Error& reason);
  void keep_unread(const hal::FileId& id, const Source& source, const std::string& note);
  bool keep_unread(const hal::FileId& id, const Source& source, const std::string& note,
                   std::span<const hal::Backend* const> backends);
  void report_unprobed(const hal::FileId& id, const Source& source);
  void note_late(const std::string& path, uint32_t pid);
  bool is_described(std::string_view path) const;
  void note_others(std::string_view maps);
  Result<std::vector<Held>> held_by(const hal::ElfOutline& file, std::string_view name) const;
  static FileReport report_of(const Held& held, const hal::ElfImage& image, const hal::FileId& id,
                              const Source& source);
  std::optional<hal::FileId> file_below(const Fd& fd, const hal::FileId& id, const Source& source,
                                        const ForeignFile& file);
  void drop_report(const hal::FileId& id);
  File* keep(std::unique_ptr<File> made);
  std::optional<bool> known_below(const hal::FileId& id, const hal::FileId& below, const Source& source,
                                  const ForeignFile& file);
  struct Points {
    std::vector<AttachPoint> lasting, passing;
  };
  bool asks_device(const FileReport& report) const;
  Points make_probes(File& file, std::map<uint32_t, RowReport*>& by_probe);
  Status attach(File& file, const ForeignFile& foreign);
  void end_passing();
  void refuse(File& file, size_t wanted);
  std::vector<FileProbes*> probes() const;
  uint32_t user_of(const Source& source, const ForeignFile& file) const;
  bool is_another_file(uint32_t pid, const hal::Mapping& mapping, uint64_t generation);
  void forget_if_other(const hal::FileId& id, uint64_t born_ns);
  bool is_leaving(const hal::FileId& id) const;
  bool defer(uint32_t pid, const hal::Mapping& mapping, uint64_t mono_ns, uint64_t generation);
  void wait_for_numbers(const hal::FileId& id, const Source& source, const ForeignFile& file, size_t wanted);
  void watch(File& file, const ForeignFile& foreign);
  bool is_due(const File& file, bool is_deleted, uint64_t now_ns) const;
  std::vector<File*> unmapped();
  void confirm_unmapped(std::vector<File*>& leaving);
  void forget_files(std::vector<File*>& gone);
  void drop_unprobed();
  void retry_waiting();

  TracerOptions options_;
  Foreign& foreign_;
  std::span<const hal::Backend* const> backends_;
  const hal::CallTable& calls_;
  const std::optional<ProbeTarget> target_;  // none: nothing is attached
  hal::LossLedger& ledger_;
  const Clock& clock_;
  // Rows of one call can differ in prototype (by library version): lowered each by itself. Constant after construction.
  std::map<std::pair<const hal::Row*, hal::Arch>, hal::Lowered> lowered_;
  ProbeTable probe_table_;
  std::mutex examine_mutex_;  // held while a file of this machine is examined; taken before mutex_
  mutable std::mutex mutex_;  // never held while anything is opened, read or attached
  std::condition_variable examined_;
  // Guarded by mutex_:
  std::vector<std::unique_ptr<File>> files_;
  bool stopped_ = false;
  bool cannot_watch_ = false;  // it has been said
  std::vector<NamedProbe> new_probes_;
  struct Place {
    std::string library, symbol;
    std::optional<hal::LiveLayout> live;
  };
  std::vector<Place> places_;             // by probe
  std::map<uint32_t, uint64_t> windows_;  // processes that had one since take_windows(): its end
  std::map<uint32_t, std::string> late_;  // since take_late()
  struct Index;
  std::unique_ptr<Index> index_;
};

}  // namespace ingero::kernelside
