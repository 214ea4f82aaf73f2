// Attaches and detaches probes: one link for many if the kernel supports it, else one by one.
#include "kernelside/file_probes.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/fd.h"
#include "base/log.h"
#include "base/threads.h"
#include "kernelside/privilege.h"

namespace ingero::kernelside {
namespace {

Result<Fd> link_all(const ProbePrograms& programs, MultiSpec& spec, std::span<const AttachPoint> probes) {
  std::vector<unsigned long> offsets;
  std::vector<uint64_t> cookies;
  offsets.reserve(probes.size());
  cookies.reserve(probes.size());
  for (const AttachPoint& probe : probes) {
    offsets.push_back(probe.file_offset);
    cookies.push_back(probe.id);
  }
  spec.offsets = offsets;
  spec.cookies = cookies;
  auto link = programs.link(spec);
  spec.offsets = {};
  spec.cookies = {};
  return link;
}

// `attach` attaches all of a batch, or none and says why: then each half by itself, until the refused ones are alone.
template <typename Attach>
void attach_in_batches(std::span<const AttachPoint> probes, const Attach& attach, std::vector<Refusal>& refusals) {
  const Status attached = attach(probes);
  if (attached.ok()) return;
  if (probes.size() == 1) {
    refusals.push_back({probes[0].id, attached.error().text()});
    return;
  }
  const size_t half = probes.size() / 2;
  attach_in_batches(probes.first(half), attach, refusals);
  attach_in_batches(probes.subspan(half), attach, refusals);
}

// Each close of a multi or session link takes one grace period, 20..60 ms; perf links are serial in the kernel anyway.
void close_side_by_side(std::vector<Fd> links) {
  constexpr size_t kThreads = 32;
  std::atomic<size_t> next{0};
  const auto work = [&] {
    for (size_t i = next++; i < links.size(); i = next++) links[i].reset();
  };
  auto threads = start_threads(links.empty() ? 0 : std::min(kThreads, links.size()) - 1, work);
  work();
  for (auto& thread : threads) thread.join();
}

// Returns when the kernel has removed the links: all other descriptors are closed, and the memory is freed first. The
// process that closes a link last is the one that waits, so wait for the other end of `parent` to close. Only system
// calls: any lock of this process may have been held when it was forked. `sorted`: the links, and `parent`.
[[noreturn]] void hold_links(std::span<const int> sorted, int parent) {
  setsid();
  unsigned next = 0;
  for (const int link : sorted) {
    const auto kept = static_cast<unsigned>(link);
    if (kept > next) close_range(next, kept - 1, 0);
    next = kept + 1;
  }
  close_range(next, ~0U, 0);
  char nothing = 0;
  while (read(parent, &nothing, 1) < 0 && errno == EINTR) {
  }
  _exit(0);
}

}  // namespace

struct FileProbes::Impl {
  // Best effort: a call whose name cannot be probed is still captured. Attached before the other probes: the newest
  // program of a probe runs first, and the name program needs the call that the capture program opens (names.bpf.c).
  void attach_names(const ProbePrograms& programs, const std::string& path, std::span<const AttachPoint> probes) {
    std::vector<AttachPoint> named;
    for (const AttachPoint& probe : probes) {
      if (probe.has_name) named.push_back(probe);
    }
    if (named.empty() || programs.name < 0) return;
    std::vector<Refusal> ignored;
    if (programs.mechanism != Mechanism::kPerf) {
      MultiSpec spec;
      spec.path = path;
      spec.program_fd = programs.name;
      attach_in_batches(
          named, [&](std::span<const AttachPoint> batch) { return attach_entries(programs, spec, batch); }, ignored);
      return;
    }
    for (const AttachPoint& probe : named) {
      auto link = link_one(programs, programs.name_handle, path, probe, false, ignored);
      if (link) perf_entries.push_back(std::move(link));
    }
  }

  Status attach_entries(const ProbePrograms& programs, MultiSpec& spec, std::span<const AttachPoint> probes) {
    auto link = link_all(programs, spec, probes);
    INGERO_TRY(link);
    entries.push_back(std::move(*link));
    return {};
  }

  // Returns first: a call that starts before its entry probe is there is then counted as unpaired, and none is left
  // open in the kernel because its return probe came too late. Where the entries are refused, the returns are removed
  // again: they would cost every call and find none open.
  Status attach_both(const ProbePrograms& programs, MultiSpec& spec, std::span<const AttachPoint> probes) {
    spec.at_return = true;
    spec.program_fd = programs.at_return;
    auto link = link_all(programs, spec, probes);
    INGERO_TRY(link);
    spec.at_return = false;
    spec.program_fd = programs.enter;
    INGERO_TRY(attach_entries(programs, spec, probes));
    returns.push_back(std::move(*link));
    return {};
  }

  // One by one, and the kernel serialises them with every other change of probes on the machine: while it is still
  // removing the probes of another trace, each takes 0.1 s.
  void attach_perf(const ProbePrograms& programs, const std::string& path, std::span<const AttachPoint> probes,
                   const std::function<void()>& working) {
    constexpr auto kLong = std::chrono::seconds(2);
    const auto begin = std::chrono::steady_clock::now();
    bool is_slow = false;
    for (const AttachPoint& probe : probes) {
      if (working) working();
      if (!is_slow && std::chrono::steady_clock::now() - begin > kLong) {
        is_slow = true;
        log_warning(
            "{} of {} probes are on after 2 s: the kernel is still removing those of another trace; the command "
            "waits for the rest",
            perf_entries.size(), probes.size());
      }
      auto at_return = link_one(programs, programs.return_handle, path, probe, true, refusals);
      if (!at_return) continue;
      auto at_entry = link_one(programs, programs.enter_handle, path, probe, false, refusals);
      if (!at_entry) continue;
      perf_entries.push_back(std::move(at_entry));
      perf_returns.push_back(std::move(at_return));
    }
  }

  // Null: refused, with the reason in `refused`.
  static std::unique_ptr<PerfLink> link_one(const ProbePrograms& programs, bpf_program* program,
                                            const std::string& path, const AttachPoint& probe, bool at_return,
                                            std::vector<Refusal>& refused) {
    auto link = programs.link_one({program, at_return, path, probe.file_offset, probe.id});
    if (link.ok()) return std::move(*link);
    refused.push_back({probe.id, link.error().text()});
    return nullptr;
  }

  std::vector<Fd> entries;  // session links, or multi entry links
  std::vector<Fd> returns;
  std::vector<std::unique_ptr<PerfLink>> perf_entries;
  std::vector<std::unique_ptr<PerfLink>> perf_returns;
  std::vector<Refusal> refusals;
  size_t attached = 0;
};

FileProbes::FileProbes(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
FileProbes::~FileProbes() {
  if (!impl_) return;
  FileProbes* const self[] = {this};
  stop(self);
}

size_t FileProbes::attached() const { return impl_->attached; }
const std::vector<Refusal>& FileProbes::refusals() const { return impl_->refusals; }

// The kernel takes 0.1 s to remove a perf probe, one after the other, and the process that closes them cannot be ended
// meanwhile: a child holds them while this one closes its own descriptors.
void FileProbes::leave_perf_links(std::span<FileProbes* const> files) {
  constexpr size_t kFew = 8;
  std::vector<int> links;
  for (const FileProbes* file : files) {
    for (const auto& link : file->impl_->perf_entries) links.push_back(link->fd());
    for (const auto& link : file->impl_->perf_returns) links.push_back(link->fd());
  }
  if (links.size() <= kFew) return;
  int ends[2] = {-1, -1};
  const bool has_pipe = pipe2(ends, O_CLOEXEC) == 0;
  const Fd from(ends[0]);
  const Fd to(ends[1]);
  links.push_back(from.get());
  std::sort(links.begin(), links.end());
  const pid_t child = has_pipe ? fork() : -1;
  if (child == 0) hold_links(links, from.get());
  if (child < 0) {
    log_warning(
        "cannot start the process that removes {} probes, so the trace ends when the kernel has removed them: {}",
        links.size() - 1, errno_error("fork").text());
  } else {
    log_warning("the kernel removes {} probes one by one, for about {} s more; process {} waits for it",
                links.size() - 1, links.size() / 10 + 1, child);
    for (FileProbes* file : files) {
      file->impl_->perf_entries.clear();
      file->impl_->perf_returns.clear();
    }
  }
}

void FileProbes::stop(std::span<FileProbes* const> files) {
  leave_perf_links(files);
  std::vector<Fd> links;
  for (FileProbes* file : files) {
    for (auto* some : {&file->impl_->entries, &file->impl_->returns}) {
      std::ranges::move(*some, std::back_inserter(links));
      some->clear();
    }
    file->impl_->perf_entries.clear();
    file->impl_->perf_returns.clear();
  }
  close_side_by_side(std::move(links));
}

bool FileProbes::remove(std::span<FileProbes* const> files, const std::function<bool()>& goes_on) {
  for (FileProbes* file : files) {
    for (auto* links : {&file->impl_->perf_entries, &file->impl_->perf_returns}) {
      for (; !links->empty(); links->pop_back()) {
        if (!goes_on()) return false;
      }
    }
  }
  stop(files);
  return true;
}

ProbePrograms programs_of(const Objects& objects) {
  ProbePrograms programs;
  programs.mechanism = objects.mechanism();
  programs.session = objects.session_program();
  programs.enter = objects.enter_program();
  programs.at_return = objects.return_program();
  programs.name = objects.name_program();
  programs.enter_handle = objects.enter_handle();
  programs.return_handle = objects.return_handle();
  programs.name_handle = objects.name_handle();
  return programs;
}

Result<std::unique_ptr<FileProbes>> FileProbes::attach(const Objects& objects, const std::string& path,
                                                       std::span<const AttachPoint> probes,
                                                       const std::function<void()>& working) {
  return attach(programs_of(objects), path, probes, working);
}

Result<std::unique_ptr<FileProbes>> FileProbes::attach(const ProbePrograms& programs, const std::string& path,
                                                       std::span<const AttachPoint> probes,
                                                       const std::function<void()>& working) {
  const Raised raised;
  auto impl = std::make_unique<Impl>();
  if (probes.empty()) return std::unique_ptr<FileProbes>(new FileProbes(std::move(impl)));

  impl->attach_names(programs, path, probes);
  MultiSpec spec;
  spec.path = path;
  switch (programs.mechanism) {
    case Mechanism::kSession:
      spec.kind = MultiKind::kSession;
      spec.program_fd = programs.session;
      attach_in_batches(
          probes, [&](std::span<const AttachPoint> batch) { return impl->attach_entries(programs, spec, batch); },
          impl->refusals);
      break;
    case Mechanism::kMulti:
      attach_in_batches(
          probes, [&](std::span<const AttachPoint> batch) { return impl->attach_both(programs, spec, batch); },
          impl->refusals);
      break;
    case Mechanism::kPerf:
      impl->attach_perf(programs, path, probes, working);
      break;
  }
  impl->attached = probes.size() - impl->refusals.size();
  return std::unique_ptr<FileProbes>(new FileProbes(std::move(impl)));
}

}  // namespace ingero::kernelside
