// Parses the machine-wide files of /proc (CPU, memory, load, pressure) into one snapshot.
#include "kernelside/snapshot_reader.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace ingero::kernelside {
namespace {

// Of all CPUs: of fewer no shares are computed, one that fell into an interrupt would be a tenth of the time and more.
constexpr uint64_t kFewestTicks = 20;
constexpr size_t kMaxFile = 1 << 20;  // /proc/stat has a word per interrupt

// The words of the line that starts with `name`, without it.
std::vector<std::string_view> words_after(std::string_view text, std::string_view name) {
  std::vector<std::string_view> words;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with(name) || line.size() == name.size() || line[name.size()] != ' ') continue;
    for (const std::string_view word : split(line.substr(name.size() + 1), ' ')) {
      if (!word.empty()) words.push_back(word);
    }
    break;
  }
  return words;
}

std::optional<uint64_t> number_after(std::string_view text, std::string_view name) {
  const auto words = words_after(text, name);
  return words.empty() ? std::nullopt : parse_u64(words[0]);
}

std::optional<double> decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0) {
    return std::nullopt;
  }
  return value;
}

// "some avg10=0.12 avg60=... total=1234": microseconds.
std::optional<uint64_t> stalled_us(std::string_view text, std::string_view kind) {
  for (const std::string_view word : words_after(text, kind)) {
    if (word.starts_with("total=")) return parse_u64(word.substr(6));
  }
  return std::nullopt;
}

constexpr uint64_t kStallPeriodNs = 2'000'000'000;

}  // namespace

double SnapshotReader::share_of(Stall& stall, std::optional<uint64_t> total_us, uint64_t mono_ns) {
  const bool has_both = total_us && stall.total_us && *total_us >= *stall.total_us && mono_ns > stall.moved_mono_ns;
  if (!has_both) {
    stall = {total_us, mono_ns, -1};
    return -1;
  }
  const uint64_t since = mono_ns - stall.moved_mono_ns;
  if (*total_us > *stall.total_us) {
    // However long nothing happened before: this was in the kernel's last period.
    const double stalled_ns = 1000.0 * static_cast<double>(*total_us - *stall.total_us);
    stall.percent = std::min(100.0, 100.0 * stalled_ns / static_cast<double>(std::min(since, kStallPeriodNs)));
    stall.total_us = total_us;
    stall.moved_mono_ns = mono_ns;
  } else if (since > kStallPeriodNs + kStallPeriodNs / 4) {
    stall.percent = 0;
  }
  return stall.percent;
}

hal::SystemSnapshot SnapshotReader::read() {
  hal::SystemSnapshot snapshot;
  snapshot.wall_ns = clock_.wall_ns();

  // user nice system idle iowait irq softirq steal; guest time is already in user's.
  const std::string stat = text_of_file(root_ + "/stat", kMaxFile);
  const auto times = words_after(stat, "cpu");
  if (times.size() >= 5) {
    Cpu now;
    bool valid = true;
    for (size_t i = 0; i < times.size() && i < 8; ++i) {
      const auto ticks = parse_u64(times[i]);
      valid = valid && ticks.has_value();
      now.total += ticks.value_or(0);
      if (i != 3 && i != 4) now.busy += ticks.value_or(0);
      if (i == 5 || i == 6) now.interrupts += ticks.value_or(0);
      if (i == 7) now.steal += ticks.value_or(0);
    }
    // Too few count with the next ones.
    if (cpu_ && now.total >= cpu_->total && now.total - cpu_->total < kFewestTicks) valid = false;
    // Idle and iowait may run backwards; then this second has no answer.
    if (valid && cpu_ && now.total > cpu_->total && now.busy >= cpu_->busy &&
        now.busy - cpu_->busy <= now.total - cpu_->total) {
      const uint64_t passed = now.total - cpu_->total;
      const auto share = [&](uint64_t from, uint64_t to) {
        return to < from || to - from > passed ? -1
                                               : 100.0 * static_cast<double>(to - from) / static_cast<double>(passed);
      };
      snapshot.cpu_percent = share(cpu_->busy, now.busy);
      snapshot.steal_percent = share(cpu_->steal, now.steal);
      snapshot.interrupt_percent = share(cpu_->interrupts, now.interrupts);
    }
    if (valid) cpu_ = now;
  }

  const std::string memory = text_of_file(root_ + "/meminfo", kMaxFile);
  const auto total_kb = number_after(memory, "MemTotal:");
  const auto available_kb = number_after(memory, "MemAvailable:");
  if (total_kb && available_kb && *total_kb > 0 && *available_kb <= *total_kb) {
    snapshot.mem_percent = 100.0 * static_cast<double>(*total_kb - *available_kb) / static_cast<double>(*total_kb);
    snapshot.mem_available_mb = static_cast<int64_t>(*available_kb / 1024);
  }
  const auto swap_total_kb = number_after(memory, "SwapTotal:");
  const auto swap_free_kb = number_after(memory, "SwapFree:");
  if (swap_total_kb && swap_free_kb && *swap_free_kb <= *swap_total_kb) {
    snapshot.swap_used_mb = static_cast<int64_t>((*swap_total_kb - *swap_free_kb) / 1024);
  }

  const std::string load = text_of_file(root_ + "/loadavg", kMaxFile);
  snapshot.load1 = decimal(std::string_view(load).substr(0, load.find(' '))).value_or(-1);

  const std::string cpu_pressure = text_of_file(root_ + "/pressure/cpu", kMaxFile);
  const std::string io_pressure = text_of_file(root_ + "/pressure/io", kMaxFile);
  const std::string memory_pressure = text_of_file(root_ + "/pressure/memory", kMaxFile);
  const uint64_t mono_ns = clock_.mono_ns();
  snapshot.psi_cpu_some = share_of(cpu_some_, stalled_us(cpu_pressure, "some"), mono_ns);
  snapshot.psi_io_some = share_of(io_some_, stalled_us(io_pressure, "some"), mono_ns);
  snapshot.psi_io_full = share_of(io_full_, stalled_us(io_pressure, "full"), mono_ns);
  snapshot.psi_mem_some = share_of(mem_some_, stalled_us(memory_pressure, "some"), mono_ns);
  snapshot.psi_mem_full = share_of(mem_full_, stalled_us(memory_pressure, "full"), mono_ns);

  const auto faults = number_after(text_of_file(root_ + "/vmstat", kMaxFile), "pgmajfault");
  if (faults && major_faults_ && *faults >= *major_faults_) {
    snapshot.major_faults = static_cast<int64_t>(*faults - *major_faults_);
  }
  if (faults) major_faults_ = faults;
  return snapshot;
}

}  // namespace ingero::kernelside
