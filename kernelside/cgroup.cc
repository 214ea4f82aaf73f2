// Cgroup paths and environments, searched for the few names that say which container, pod, job and rank a process
// belongs to.
#include "kernelside/cgroup.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "hal/slow_settings.h"

namespace ingero::kernelside {
namespace {

constexpr size_t kMaxPath = 4096;
constexpr size_t kMaxFolders = 64;  // of a process, with those above
constexpr size_t kContainerIdLength = 64;
constexpr size_t kUuidLength = 36;
constexpr size_t kMirrorPodLength = 32;  // static pods: a hash without dashes

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

size_t hex_run(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_hex) - text.begin());
}

// A component that is an id, or ends in one: "ID", "docker-ID.scope", "cri-containerd-ID.scope", "libpod-ID",
// "...slice:cri-containerd:ID". A "conmon" scope holds the container's monitor, not the container.
std::string container_of(std::string_view component) {
  if (component.ends_with(".scope")) component.remove_suffix(6);
  if (component.size() < kContainerIdLength) return {};
  const std::string_view id = component.substr(component.size() - kContainerIdLength);
  const std::string_view before = component.substr(0, component.size() - kContainerIdLength);
  if (hex_run(id) != kContainerIdLength) return {};
  if (!before.empty() && before.back() != '-' && before.back() != ':') return {};
  if (before.find("conmon") != std::string_view::npos) return {};
  return std::string(id);
}

// "pod" and a UUID: "podUID", "kubepods-burstable-podUID_WITH_UNDERSCORES.slice".
std::string pod_of(std::string_view component) {
  for (size_t at = component.find("pod"); at != std::string_view::npos; at = component.find("pod", at + 1)) {
    if (at > 0 && component[at - 1] != '-') continue;
    const std::string_view rest = component.substr(at + 3);
    const size_t hex = hex_run(rest);
    const auto ends = [&](size_t length) {
      return rest.size() == length || rest[length] == '.' || rest[length] == ':';
    };
    if (hex == kMirrorPodLength && ends(kMirrorPodLength)) return std::string(rest.substr(0, kMirrorPodLength));
    if (hex != 8 || rest.size() < kUuidLength || !ends(kUuidLength)) continue;
    std::string uuid(rest.substr(0, kUuidLength));
    std::replace(uuid.begin(), uuid.end(), '_', '-');
    bool valid = true;
    for (size_t i = 0; i < uuid.size(); ++i) {
      const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
      valid = valid && (dash ? uuid[i] == '-' : is_hex(uuid[i]));
    }
    if (valid) return uuid;
  }
  return {};
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 20 && std::all_of(text.begin(), text.end(), is_digit);
}

void name_path(std::string_view path, CgroupNames& names) {
  bool slurm = false;
  for (const std::string_view component : split(path, '/')) {
    if (component.empty()) continue;
    // The innermost of nested containers wins.
    if (auto id = container_of(component); !id.empty()) names.container_id = std::move(id);
    if (auto uid = pod_of(component); !uid.empty()) names.pod_uid = std::move(uid);
    slurm = slurm || component.find("slurm") != std::string_view::npos;
    if (slurm && component.starts_with("job_") && is_number(component.substr(4))) {
      names.slurm_job = std::string(component.substr(4));
    }
  }
}

std::optional<int32_t> small_number(std::string_view text) {
  int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

constexpr std::string_view kSlurmJob = "SLURM_JOB_ID";
constexpr std::string_view kSlurmJobOld = "SLURM_JOBID";  // what it was called first

bool is_plain(std::string_view value, size_t max_bytes, std::string_view others) {
  return !value.empty() && value.size() <= max_bytes && std::ranges::all_of(value, [&](unsigned char c) {
    return std::isalnum(c) != 0 || others.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

bool is_setting(std::string_view value) { return is_plain(value, 32, "_,:-."); }

// Best first. Each is the same on all ranks of a job; an address of this machine is that of other jobs on others.
constexpr std::string_view kRunId = "TORCHELASTIC_RUN_ID", kMasterAddress = "MASTER_ADDR", kMasterPort = "MASTER_PORT";
constexpr std::array<std::string_view, 5> kJobNames = {kRunId, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
                                                       kMasterAddress, kMasterPort};

std::string launcher_job_of(const std::array<std::string_view, kJobNames.size()>& untrusted_values) {
  constexpr size_t kMaxName = 64;
  constexpr std::string_view kNoRunId = "none";  // what torchrun sets where it is given none
  for (size_t i = 0; i + 2 < kJobNames.size(); ++i) {
    const std::string_view value = untrusted_values[i];
    if (is_plain(value, kMaxName, "_,:-.@/") && value != kNoRunId) return std::string(value);
  }
  const std::string_view address = untrusted_values[kJobNames.size() - 2], port = untrusted_values.back();
  if (!is_plain(address, kMaxName - 6, "_:-.") || !is_number(port) || port.size() > 5) return {};
  const bool is_own = address == "localhost" || address == "::1" || address.starts_with("127.");
  return is_own ? fmt::format("{}{}", kThisMachine, port) : fmt::format("{}:{}", address, port);
}

struct Launcher {
  std::string_view rank, local_rank, world_size;
};

// Best first: what the training script itself was given, then what started it.
constexpr std::array kLaunchers = {
    Launcher{"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    Launcher{"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    Launcher{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_LOCAL_RANK", "MV2_COMM_WORLD_SIZE"},
    Launcher{"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
};

// Of the second field of a line: "cpu,cpuacct".
bool has_controller(std::string_view field, std::string_view controller) {
  const auto controllers = split(field, ',');
  return std::find(controllers.begin(), controllers.end(), controller) != controllers.end();
}

}  // namespace

std::vector<std::string> cgroup_folders(std::string_view untrusted_lines, std::string_view controller) {
  std::vector<std::string> folders;
  const auto add = [&](const std::string& mount, std::string path) {
    for (; path.size() > 1 && folders.size() < kMaxFolders; path.resize(path.rfind('/')))
      folders.push_back(mount + path);
  };
  for (const std::string_view line : split(untrusted_lines, '\n')) {
    const auto parts = split(line, ':');
    if (parts.size() < 3) continue;
    const std::string_view path = line.substr(parts[0].size() + parts[1].size() + 2);
    if (path.size() < 2 || path.front() != '/' || path.find("/..") != std::string_view::npos) continue;
    if (parts[1].empty()) {
      add("", std::string(path));
    } else if (has_controller(parts[1], controller)) {
      add(fmt::format("/{}", controller), std::string(path));
    }
  }
  return folders;
}

// It has the controller where a process has a line for it.
bool has_controller_apart(std::string_view untrusted_lines, std::string_view controller) {
  return std::ranges::any_of(split(untrusted_lines, '\n'), [&](std::string_view line) {
    const auto parts = split(line, ':');
    return parts.size() >= 3 && has_controller(parts[1], controller);
  });
}

CgroupNames parse_cgroup(std::string_view untrusted_text) {
  CgroupNames names;
  std::string_view longest;
  std::vector<std::string_view> paths;
  for (const std::string_view line : split(untrusted_text, '\n')) {
    const size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view path = line.substr(second + 1, kMaxPath);
    if (!path.starts_with('/')) continue;
    if (line.starts_with("0::")) names.v2_path = std::string(path);
    if (path.size() > longest.size()) longest = path;
    paths.push_back(path);
  }
  // On hybrid hosts the v2 hierarchy is often bare while the v1 controllers hold the names.
  names.path = names.v2_path.size() > 1 ? names.v2_path : std::string(longest);
  for (const std::string_view path : paths) {
    CgroupNames found;
    name_path(path, found);
    if (names.container_id.empty()) names.container_id = std::move(found.container_id);
    if (names.pod_uid.empty()) names.pod_uid = std::move(found.pod_uid);
    if (names.slurm_job.empty()) names.slurm_job = std::move(found.slurm_job);
  }
  return names;
}

const std::vector<std::string_view>& job_variables() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> all = {kSlurmJob, kSlurmJobOld};
    all.insert(all.end(), kJobNames.begin(), kJobNames.end());
    for (const hal::SlowSetting& one : hal::slow_settings()) all.push_back(one.name);
    for (const Launcher& one : kLaunchers) all.insert(all.end(), {one.rank, one.local_rank, one.world_size});
    return all;
  }();
  return names;
}

JobNames parse_environ(std::string_view untrusted_text) {
  JobNames names;
  struct Values {
    std::optional<int32_t> rank, local_rank, world_size;
  };
  std::array<Values, kLaunchers.size()> values;
  std::array<std::string_view, kJobNames.size()> jobs;
  // Without its final zero the text was cut, and its last entry may be half a value.
  const size_t end = untrusted_text.rfind('\0');
  if (end == std::string_view::npos) return names;
  for (const std::string_view entry : split(untrusted_text.substr(0, end), '\0')) {
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view key = entry.substr(0, equals);
    const std::string_view value = entry.substr(equals + 1);
    if ((key == kSlurmJob || (key == kSlurmJobOld && names.slurm_job.empty())) && is_number(value)) {
      names.slurm_job = std::string(value);
    }
    if (const auto job = std::ranges::find(kJobNames, key); job != kJobNames.end()) {
      jobs[static_cast<size_t>(job - kJobNames.begin())] = value;
    }
    if (hal::find_slow_setting(key) != nullptr && is_setting(value)) {
      names.settings += fmt::format("{}{}={}", names.settings.empty() ? "" : " ", key, value);
    }
    for (size_t i = 0; i < kLaunchers.size(); ++i) {
      if (key == kLaunchers[i].rank) values[i].rank = small_number(value);
      if (key == kLaunchers[i].local_rank) values[i].local_rank = small_number(value);
      if (key == kLaunchers[i].world_size) values[i].world_size = small_number(value);
    }
  }
  names.launcher_job = launcher_job_of(jobs);
  for (const Values& launcher : values) {
    if (!launcher.rank) continue;
    // A rank its world has no place for is a leftover of something else.
    if (launcher.world_size && *launcher.rank >= *launcher.world_size) continue;
    names.rank = *launcher.rank;
    names.world_size = launcher.world_size.value_or(-1);
    const bool local_fits = !launcher.world_size || launcher.local_rank.value_or(0) < *launcher.world_size;
    names.local_rank = local_fits ? launcher.local_rank.value_or(-1) : -1;
    break;
  }
  return names;
}

}  // namespace ingero::kernelside
