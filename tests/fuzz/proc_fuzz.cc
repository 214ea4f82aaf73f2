// Any text as files of /proc, cgroups and the kernel log: read from a folder as from the real ones. What is taken is
// printable, keeps its bounds, and is not made up; a file that is none is an error, or leaves its value out.
//
// The first byte says which files; their texts stand behind one another, each ended by byte 0x1e.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nlohmann/json.hpp>

#include "agent/wait_watch.h"
#include "base/secrets.h"
#include "fuzzed_files.h"
#include "hal/mounts.h"
#include "held_clock.h"
#include "kernelside/cgroup.h"
#include "kernelside/kernel_log.h"
#include "kernelside/memory_limit_reader.h"
#include "kernelside/proc.h"
#include "kernelside/snapshot_reader.h"
#include "kernelside/throttle_reader.h"

using namespace ingero;
using fuzz::require;

namespace {

void check_text(const std::string& text) {
  require(!nlohmann::json(text).dump().empty());
  for (const char c : text) require(static_cast<unsigned char>(c) >= ' ');
}

bool is_digits(std::string_view text) { return text.find_first_not_of("0123456789") == std::string_view::npos; }

void check(const hal::Process& process) {
  for (const std::string* text : {&process.comm, &process.command_line, &process.cgroup_path, &process.settings}) {
    check_text(*text);
  }
  require(process.container_id.empty() || process.container_id.size() == 64);
  require(process.pod_uid.empty() || process.pod_uid.size() == 32 || process.pod_uid.size() == 36);
  require(process.slurm_job.size() <= 20 && is_digits(process.slurm_job));
  require(process.rank >= -1 && process.local_rank >= -1 && process.world_size >= -1);
  require(process.world_size < 0 || process.rank < process.world_size);
}

// Twice: as `trace` reads it by default, and with secrets kept.
void process(std::string_view texts) {
  static fuzz::Files files({"proc/7/stat", "proc/7/status", "proc/7/cmdline", "proc/7/environ", "proc/7/cgroup"});
  files.write(texts);
  for (const bool keeps_secrets : {false, true}) {
    kernelside::ProcRoots roots;
    roots.proc = files.root() + "/proc";
    roots.cgroup = files.root() + "/cgroup";
    roots.suspended_ns = [] { return uint64_t{1'000'000}; };
    roots.keeps_secrets = keeps_secrets;
    const kernelside::ProcFs proc(roots);
    const auto found = proc.process(7);
    if (!found.ok()) {
      check_text(found.error().text());
      continue;
    }
    require(found->pid == 7);
    check(*found);
    require(proc.owner(7).ok() && proc.parent(7).ok() && proc.start_mono_ns(7).ok());
  }
}

// What stands in no file of a process as such: the parsers by themselves.
void texts(std::string_view text) {
  const auto names = kernelside::parse_cgroup(text);
  require(names.path.size() <= 4096 && names.v2_path.size() <= 4096);
  const auto job = kernelside::parse_environ(text);
  require(job.slurm_job.size() <= 20 && job.settings.size() <= text.size());
  (void)kernelside::uid_of(text);
  const std::string shown = without_secrets(text);
  require(shown.size() <= (text.size() + 1) * kRedacted.size());
  kernelside::KernelMessage message;
  if (kernelside::parse_kernel_message(text, message)) require(message.text.size() < text.size());
}

void mounts(std::string_view all) {
  const std::string_view own_text = fuzz::take_part(all);
  const std::string_view path = fuzz::take_part(all);
  const hal::Mounts own(own_text), theirs(all);
  require(own.size() <= own_text.size() && theirs.size() <= all.size());
  for (const hal::Mounts* one : {&own, &theirs}) {
    const hal::Mount* mount = one->holding(path);
    if (mount == nullptr || !path.starts_with('/')) continue;
    require(path.starts_with(mount->untrusted_point) && one->by_id(mount->id) != nullptr &&
            one->by_device(mount->device) != nullptr);
    for (const bool is_ours : {false, true}) {
      const hal::Reach reach = hal::reach_of(*mount, own, is_ours);
      require(!hal::is_local_type(mount->type) || reach == hal::Reach::kLocal);
      require(!mount->is_of_a_user || mount->untrusted_layers.empty());
    }
  }
}

void check_share(double share) { require(share == -1 || (share >= 0 && share <= 100)); }

void snapshot(std::string_view all) {
  static fuzz::Files files({"stat", "meminfo", "loadavg", "pressure/cpu", "pressure/io", "pressure/memory", "vmstat"});
  HeldClock clock;
  kernelside::SnapshotReader reader(clock, files.root());
  for (const std::string_view half : {all.substr(0, all.size() / 2), all.substr(all.size() / 2), all}) {
    files.write(half);
    const hal::SystemSnapshot now = reader.read();
    for (const double share :
         {now.cpu_percent, now.mem_percent, now.steal_percent, now.interrupt_percent, now.psi_cpu_some, now.psi_io_some,
          now.psi_io_full, now.psi_mem_some, now.psi_mem_full}) {
      check_share(share);
    }
    require(std::isfinite(now.load1) && now.load1 >= -1 && now.mem_available_mb >= -1 && now.swap_used_mb >= -1 &&
            now.major_faults >= -1);
    clock.now_ns += 1'000'000'000;
  }
}

void throttling(std::string_view all) {
  static fuzz::Files files(
      {"7/cgroup", "8/cgroup", "cpu.stat", "job/cpu.stat", "job/step/cpu.stat", "cpu/job/cpu.stat"});
  kernelside::ThrottleReader reader(files.root(), files.root());
  constexpr kernelside::CgroupMember kMembers[] = {{7, 0}, {8, 1}, {9, 1}};
  for (const std::string_view half : {all.substr(0, all.size() / 2), all.substr(all.size() / 2), all}) {
    files.write(half);
    for (const hal::Throttling& one : reader.read(kMembers, 5)) require(one.periods > 0 && one.path.starts_with('/'));
  }
}

void memory_limits(std::string_view all) {
  static fuzz::Files files({"7/cgroup", "8/cgroup", "job/memory.max", "job/memory.high", "job/memory.current",
                            "job/memory.stat", "job/memory.events", "job/memory.pressure",
                            "memory/job/memory.limit_in_bytes", "memory/job/memory.usage_in_bytes",
                            "memory/job/memory.stat", "memory/job/memory.failcnt"});
  kernelside::MemoryLimitReader reader(files.root(), files.root());
  constexpr kernelside::CgroupMember kMembers[] = {{7, 0}, {8, 1}, {9, 1}};
  for (const std::string_view half : {all.substr(0, all.size() / 2), all.substr(all.size() / 2), all}) {
    files.write(half);
    for (const hal::MemoryLimit& one : reader.read(kMembers, 5)) {
      require(one.path.starts_with('/') && one.limit_bytes > 0 && !one.limit_name.empty());
    }
  }
}

// Tables of sockets and of one descriptor, as a wait asks for them.
void waits(std::string_view all) {
  const std::string table(fuzz::take_part(all)), info(all);
  agent::WaitWatch watch(
      {.watch_wakers = {}, .sample_cpus = {}, .totals = [] { return Result<std::vector<wire_totals>>({}); }},
      {.root = "/nonexistent", .text = [&](uint32_t, std::string_view name, size_t) -> Result<std::string> {
         return name.starts_with("net/") ? table : info;
       }});
  agent::EventBatch batch;
  for (const uint16_t port : {uint16_t{80}, uint16_t{0x1f90}}) {
    hal::Event& event = batch.records.events.emplace_back();
    event.kind = hal::Kind::kHost;
    event.pid = event.tid = 7;
    hal::Wait wait;
    wait.kind = port == 80 ? hal::WaitKind::kSocket : hal::WaitKind::kFile;
    wait.object = 1234;
    wait.file_system = 8U << 20 | 17;
    wait.descriptor = 3;
    wait.peer.emplace().local_port = port;
    batch.records.waits.emplace_back(batch.records.events.size() - 1, wait);
  }
  hal::Event& event = batch.records.events.emplace_back();
  event.kind = hal::Kind::kHost;
  event.pid = event.tid = 7;
  hal::Wait poll;
  poll.kind = hal::WaitKind::kPoll;
  poll.descriptor = 4;
  batch.records.waits.emplace_back(batch.records.events.size() - 1, poll);
  watch.take(batch, 1);
  watch.every_second(batch, 2'000'000'000);
  for (const hal::WaitObject& object : batch.objects) check_text(object.name);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const unsigned what = data[0] == 'M' ? 6 : data[0] % 6;
  if (what == 0) process(bytes);
  if (what == 1) texts(bytes);
  if (what == 2) mounts(bytes);
  if (what == 3) snapshot(bytes);
  if (what == 4) throttling(bytes);
  if (what == 5) waits(bytes);
  if (what == 6) memory_limits(bytes);
  return 0;
}
