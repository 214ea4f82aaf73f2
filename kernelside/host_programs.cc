// Loads the host object: leaves out what BTF lacks, then what the verifier refuses, and attaches the rest.
#include "kernelside/host_programs.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <variant>

#include "host.skel.h"
#include "kernelside/libbpf_log.h"
#include "kernelside/privilege.h"
#include "kernelside/program_account.h"
#include "kernelside/skeleton.h"
#include "kernelside/tracepoint_types.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kLogBytes = 16 << 10;  // of one program's verifier log; the reason of a refusal is at its end

struct TracepointRow {
  const char* tracepoint;
  HostFeature feature;
  const char* program;
  const char* second_best;          // tried when `program` is refused
  const char* shortcoming;          // of the second best
  bool idle_in_interrupts = false;  // ignores what an interrupt does, so a run that is skipped there is not a loss
};

// Attached in this order and detached in the opposite one: an end before its beginning, so that nothing is seen to
// begin whose end finds no program. Of two rows of one tracepoint the second takes what the first is skipped for.
constexpr TracepointRow kTracepoints[] = {
    {"mark_victim", HostFeature::kProcesses, "on_oom_kill", nullptr, nullptr},
    {"sched_process_exit", HostFeature::kProcesses, "on_process_exit", nullptr, nullptr},
    {"sched_process_exit", HostFeature::kProcesses, "on_process_exit_again", nullptr, nullptr},
    {"sched_process_exec", HostFeature::kProcesses, "on_process_exec", nullptr, nullptr},
    {"sched_process_fork", HostFeature::kProcesses, "on_process_fork", nullptr, nullptr},
    {"sched_process_fork", HostFeature::kProcesses, "on_process_fork_again", nullptr, nullptr},
    {"signal_generate", HostFeature::kProcesses, "on_signal", nullptr, nullptr},
    {"mm_page_alloc", HostFeature::kMemory, "on_page_alloc", "on_page_alloc_own",
     "atomic allocations are not counted: this kernel does not report whether an interrupt made them", true},
    {"block_rq_complete", HostFeature::kBlock, "on_block_complete", nullptr, nullptr},
    {"block_rq_requeue", HostFeature::kBlock, "on_block_requeue", nullptr, nullptr},
    {"block_rq_issue", HostFeature::kBlock, "on_block_issue", nullptr, nullptr},
    {"block_bio_frontmerge", HostFeature::kBlock, "on_block_frontmerge", nullptr, nullptr},
    {"block_getrq", HostFeature::kBlock, "on_block_getrq", nullptr, nullptr},
    {"tcp_retransmit_skb", HostFeature::kTcp, "on_tcp_retransmit", nullptr, nullptr},
    {"inet_sock_set_state", HostFeature::kTcp, "on_socket_state", nullptr, nullptr, true},
    {"sock_send_length", HostFeature::kSockets, "on_socket_send", nullptr, nullptr},
    {"sock_recv_length", HostFeature::kSockets, "on_socket_receive", nullptr, nullptr},
};
constexpr size_t kRowCount = std::size(kTracepoints);

// What is to be loaded for each row; null: nothing.
using Choice = std::array<const char*, kRowCount>;

bool wanted(HostFeature feature, const HostOptions& options) {
  switch (feature) {
    case HostFeature::kProcesses:
    case HostFeature::kMemory:
      return options.processes;
    case HostFeature::kBlock:
      return options.block;
    case HostFeature::kTcp:
      return options.tcp;
    case HostFeature::kSockets:
      return options.sockets;
  }
  return false;
}

struct Drift {
  bool exit_has_group_dead = false;
  bool victim_is_task = false;
};

Drift drift_of(const TracepointTypes& types) {
  Drift drift;
  drift.exit_has_group_dead = types.arguments("sched_process_exit").value_or(0) >= 2;
  drift.victim_is_task = types.is_pointer("mark_victim", 0);
  return drift;
}

bool is_used(const Choice& choice, std::string_view program) {
  return std::any_of(choice.begin(), choice.end(),
                     [&](const char* name) { return name != nullptr && program == name; });
}

// The line of a verifier's log that says why: the one before its statistics.
std::string result(std::string_view log, const std::string& otherwise) {
  const auto end = log.rfind("\nprocessed ");
  if (end == std::string_view::npos) return otherwise;
  const auto start = log.rfind('\n', end - 1);
  return std::string(log.substr(start == std::string_view::npos ? 0 : start + 1,
                                start == std::string_view::npos ? end : end - start - 1));
}

// libbpf takes any map for any other; the programs would be refused one by one, or worse, accepted.
Status reuse(bpf_map* own, const SharedMap& shared) {
  bpf_map_info info{};
  uint32_t size = sizeof(info);
  if (bpf_obj_get_info_by_fd(shared.fd, &info, &size) != 0) {
    return errno_error(fmt::format("query shared map {}", shared.name));
  }
  if (info.type != bpf_map__type(own) || info.key_size != bpf_map__key_size(own) ||
      info.value_size != bpf_map__value_size(own)) {
    return Error(Errc::kInvalid,
                 fmt::format("shared map {}: type or size differs from what the host programs declare", shared.name));
  }
  if (const int error = bpf_map__reuse_fd(own, shared.fd); error != 0) {
    return errno_error(fmt::format("share map {}", shared.name), -error);
  }
  return {};
}

struct Refused {
  std::optional<size_t> row;  // whose program was refused; none: the object as a whole
  Error why;
};

// Opens and loads the object with the chosen programs; on failure says which one was refused.
std::variant<Owned<host>, Refused> load_chosen(const Choice& choice, const Drift& drift,
                                               std::span<const SharedMap> shared) {
  LibbpfLog words;
  Owned<host> skeleton(host::open());
  if (!skeleton) return Refused{std::nullopt, errno_error("open BPF object host")};
  skeleton->rodata->page_bytes = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  skeleton->rodata->exit_has_group_dead = drift.exit_has_group_dead ? 1 : 0;
  skeleton->rodata->victim_is_task = drift.victim_is_task ? 1 : 0;

  for (const SharedMap& map : shared) {
    bpf_map* own = bpf_object__find_map_by_name(skeleton->obj, map.name.c_str());
    if (own == nullptr) continue;
    if (auto shared_now = reuse(own, map); !shared_now) return Refused{std::nullopt, shared_now.error()};
  }
  // Maps that no host program touches are only declared here.
  for (bpf_map* map : {skeleton->maps.recipes, skeleton->maps.probe_losses, skeleton->maps.process_losses,
                       skeleton->maps.stray_threads, skeleton->maps.stray_count, skeleton->maps.watched_threads,
                       skeleton->maps.watched_count, skeleton->maps.wanted_cgroups, skeleton->maps.stacks,
                       skeleton->maps.ring_shares}) {
    if (bpf_map__fd(map) < 0) bpf_map__set_autocreate(map, false);
  }

  std::array<std::unique_ptr<std::array<char, kLogBytes>>, kRowCount> logs;
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, skeleton->obj) {
    bpf_program__set_autoload(program, is_used(choice, bpf_program__name(program)));
  }
  for (size_t i = 0; i < kRowCount; ++i) {
    if (choice[i] == nullptr) continue;
    logs[i] = std::make_unique<std::array<char, kLogBytes>>();
    bpf_program__set_log_buf(bpf_object__find_program_by_name(skeleton->obj, choice[i]), logs[i]->data(), kLogBytes);
  }
  const int error = host::load(skeleton.get());
  if (error == 0) {
    bpf_object__for_each_program(program, skeleton->obj) bpf_program__set_log_buf(program, nullptr, 0);
    return skeleton;
  }
  const Error why = errno_error("load BPF object host", -error);
  for (size_t i = 0; i < kRowCount; ++i) {
    if (choice[i] == nullptr || logs[i]->front() == '\0') continue;
    logs[i]->back() = '\0';
    return Refused{i, Error(why.code(), result(logs[i]->data(), why.message()))};
  }
  return Refused{std::nullopt,
                 Error(why.code(), fmt::format("load BPF object host: {}", words.reason(why.message())),
                       why.code() == Errc::kPermission ? "run as root, or with CAP_BPF and CAP_PERFMON" : "")};
}

}  // namespace

std::string_view name_of(HostFeature feature) {
  switch (feature) {
    case HostFeature::kProcesses:
      return "processes";
    case HostFeature::kMemory:
      return "memory";
    case HostFeature::kBlock:
      return "block";
    case HostFeature::kTcp:
      return "tcp";
    case HostFeature::kSockets:
      return "sockets";
  }
  return "unknown";
}

struct HostPrograms::Impl {
  Owned<host> skeleton;
  std::vector<Link> links;
  // By tracepoint: programs whose skipped runs are a loss, where each of them was skipped.
  std::map<std::string_view, std::vector<int>> reporting_fds;
  std::vector<HostProgramStatus> status;
};

HostPrograms::HostPrograms(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HostPrograms::~HostPrograms() { detach(); }

Result<std::unique_ptr<HostPrograms>> HostPrograms::attach(const HostOptions& options,
                                                           std::span<const SharedMap> shared) {
  LibbpfLog words;
  auto types = TracepointTypes::of_this_kernel();
  INGERO_TRY(types);
  const Drift drift = drift_of(*types);
  auto impl = std::make_unique<Impl>();
  Choice choice{};
  for (size_t i = 0; i < kRowCount; ++i) {
    const TracepointRow& row = kTracepoints[i];
    HostProgramStatus status{row.program, row.tracepoint, row.feature, wanted(row.feature, options), false, {}};
    if (!status.wanted) {
      status.reason = "switched off";
    } else if (!types->arguments(row.tracepoint)) {
      status.reason = fmt::format("this kernel has no tracepoint {}", row.tracepoint);
    } else {
      choice[i] = row.program;
    }
    impl->status.push_back(std::move(status));
  }

  // Each refusal takes one program out, so this ends.
  while (true) {
    auto loaded = load_chosen(choice, drift, shared);
    if (auto* skeleton = std::get_if<Owned<host>>(&loaded)) {
      impl->skeleton = std::move(*skeleton);
      break;
    }
    const Refused& refusal = std::get<Refused>(loaded);
    if (!refusal.row) return refusal.why;
    const size_t i = *refusal.row;
    const bool has_second =
        kTracepoints[i].second_best != nullptr && std::string_view(choice[i]) == kTracepoints[i].program;
    choice[i] = has_second ? kTracepoints[i].second_best : nullptr;
    impl->status[i].reason =
        has_second ? kTracepoints[i].shortcoming : fmt::format("refused by the kernel: {}", refusal.why.message());
    if (has_second) impl->status[i].program = kTracepoints[i].second_best;
  }

  for (size_t i = 0; i < kRowCount; ++i) {
    if (choice[i] == nullptr) continue;
    bpf_program* program = bpf_object__find_program_by_name(impl->skeleton->obj, choice[i]);
    LibbpfLog attach_words;
    Link link(bpf_program__attach(program));
    if (!link) {
      const Error why = errno_error("attach");
      impl->status[i].reason = attach_words.reason(why.message());
      continue;
    }
    impl->status[i].attached = true;
    impl->links.push_back(std::move(link));
    if (kTracepoints[i].idle_in_interrupts) continue;
    impl->reporting_fds[kTracepoints[i].tracepoint].push_back(bpf_program__fd(program));
  }
  return std::unique_ptr<HostPrograms>(new HostPrograms(std::move(impl)));
}

const std::vector<HostProgramStatus>& HostPrograms::status() const { return impl_->status; }

int HostPrograms::map_fd(std::string_view name) const {
  const bpf_map* map = bpf_object__find_map_by_name(impl_->skeleton->obj, std::string(name).c_str());
  return map != nullptr ? bpf_map__fd(map) : -1;
}

namespace {

// The entries of a hash map, at most `most`, by one system call (Linux 5.6).
template <typename Key, typename Value>
std::vector<std::pair<Key, Value>> entries_of(int fd, uint32_t most) {
  const Raised raised;
  std::vector<Key> keys(most);
  std::vector<Value> values(most);
  uint32_t position = 0, count = most;
  // It fails behind the last one, with what there was before it.
  const int status = bpf_map_lookup_batch(fd, nullptr, &position, keys.data(), values.data(), &count, nullptr);
  std::vector<std::pair<Key, Value>> found;
  if (status != 0 && errno != ENOENT) return found;
  for (uint32_t i = 0; i < std::min(count, most); ++i) found.emplace_back(keys[i], values[i]);
  return found;
}

}  // namespace

std::vector<std::pair<uint32_t, wire_device_io>> HostPrograms::disk_io() const {
  return entries_of<uint32_t, wire_device_io>(map_fd("device_io"), 256);
}

std::vector<std::pair<wire_disk_user_key, wire_disk_user>> HostPrograms::disk_users() const {
  return entries_of<wire_disk_user_key, wire_disk_user>(map_fd("disk_users"), 1024);
}

uint64_t HostPrograms::skipped_runs() const {
  const Raised raised;
  uint64_t skipped = 0;
  for (const auto& [tracepoint, fds] : impl_->reporting_fds) {
    std::optional<uint64_t> by_all;
    for (const int fd : fds) {
      if (const auto account = account_of(fd)) by_all = std::min(by_all.value_or(account->skipped), account->skipped);
    }
    skipped += by_all.value_or(0);
  }
  return skipped;
}

void HostPrograms::detach() {
  while (!impl_->links.empty()) impl_->links.pop_back();
}

}  // namespace ingero::kernelside
