// What else a device worked for: other processes, copies, and which of several devices the figures are of.
#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "base/wrapping.h"
#include "correlate/median.h"
#include "report/time_part.h"

namespace ingero::report {
namespace {

using correlate::Limit;
using store::Conditions;

constexpr double kMuchCopied = 3;       // bytes a nanosecond: a tenth of what PCI Express 4.0 x16 carries
constexpr size_t kEnoughOfEither = 12;  // steps
constexpr uint64_t kSlowerPercent = 25;
constexpr int64_t kEnoughRefused = 8;

// When both submitted to one device; empty: never.
std::pair<uint64_t, uint64_t> together_of(const ProcessTime& other, const ProcessTime& time) {
  const uint64_t begin_ns = other.first_submission_ns == 0 ? other.budget.start_ns : other.first_submission_ns;
  const uint64_t from_ns = std::max(begin_ns, time.budget.start_ns);
  return {from_ns, std::max(from_ns, std::min(other.budget.end_ns, time.budget.end_ns))};
}

// For half of the time of one of them or more.
bool shares_long(const ProcessTime& other, const ProcessTime& time) {
  const auto [from_ns, to_ns] = together_of(other, time);
  const auto length_of = [](const ProcessTime& one) { return one.budget.end_ns - one.budget.start_ns; };
  return to_ns > from_ns && (to_ns - from_ns) * 2 >= std::min(length_of(other), length_of(time));
}

// "trainer (pid 4000)", and where it is known how long its device had work for it: ", for at least 92% of the time".
std::string neighbour_text(const ProcessTime& other, bool with_share) {
  const correlate::TimeSums& sums = other.budget.evaluated.sums;
  const uint64_t total = sums.total_ns(), busy = total - std::min(total, sums.idle_high);
  const std::string name = fmt::format("{} (pid {})", printable(other.name, 32), other.budget.pid);
  if (!with_share || busy * 100 < total || total == 0) return name;
  return fmt::format("{}, at least {}% of the time", name, busy * 100 / total);
}

struct Step {
  uint64_t start_ns = 0, length_ns = 0;
  int64_t content = 0;
};

std::vector<Step> steps_of(const Part& part, const ProcessTime& time) {
  std::vector<Step> steps;
  if (time.budget.steps == 0) return steps;
  Conditions conditions = Part::of_process(time, "r", "s");
  conditions.add("r.tid = ?", int64_t{time.budget.tid});
  conditions.add("r.start_mono_ns >= ?", static_cast<int64_t>(time.budget.start_ns));
  conditions.add("r.start_mono_ns < ?", static_cast<int64_t>(time.budget.end_ns));
  part.ask(
      "SELECT r.start_mono_ns, r.duration_ns, r.content FROM steps r JOIN sessions s ON s.id = r.session WHERE {} "
      "LIMIT 100000",
      conditions, [&](std::span<const store::Value> row) {
        steps.push_back({static_cast<uint64_t>(row[0].integer),
                         static_cast<uint64_t>(std::max<int64_t>(0, row[1].integer)), row[2].integer});
      });
  return steps;
}

// How long its steps of the commonest content were while the other used the device, and otherwise; only where that is
// longer.
std::optional<std::string> slower_text(const std::vector<Step>& steps, const ProcessTime& other,
                                       const ProcessTime& time, bool is_same_device) {
  struct Lengths {
    std::vector<uint64_t> with, without;
  };
  std::map<int64_t, Lengths> of_content;
  const auto [from_ns, to_ns] = together_of(other, time);
  for (const Step& one : steps) {
    Lengths& its = of_content[one.content];
    (one.start_ns >= from_ns && one.start_ns < to_ns ? its.with : its.without).push_back(one.length_ns);
  }
  const auto most = std::ranges::max_element(
      of_content, {}, [](const auto& one) { return std::min(one.second.with.size(), one.second.without.size()); });
  if (most == of_content.end()) return std::nullopt;
  const Lengths& lengths = most->second;
  if (std::min(lengths.with.size(), lengths.without.size()) < kEnoughOfEither) return std::nullopt;
  const uint64_t with_ns = correlate::median(lengths.with), without_ns = correlate::median(lengths.without);
  if (with_ns * 100 < without_ns * (100 + kSlowerPercent)) return std::nullopt;
  return fmt::format("{} a step while {} used {}, {} otherwise", format_duration(with_ns), neighbour_text(other, false),
                     is_same_device ? "the same device" : "a device, too (whether the same one is not recorded)",
                     format_duration(without_ns));
}

}  // namespace

// Other processes that give its device work for half of its time or more: not those of its own job, which are ranks.
void add_neighbours(const Part& part, const std::vector<ProcessTime>& times, ProcessTime& time) {
  std::set<int64_t> ranks;
  Conditions of_job;
  of_job.add("c.process IS NOT NULL");
  if (!time.node.empty()) of_job.add("s.node = ?", store::Bound::of(time.node));
  if (time.session) of_job.add("s.id = ?", *time.session);
  part.ask(
      "SELECT DISTINCT p.pid FROM communicators c JOIN processes p ON p.id = c.process JOIN sessions s ON s.id = "
      "p.session WHERE {} LIMIT 1000",
      of_job, [&](std::span<const store::Value> row) { ranks.insert(row[0].integer); });
  std::map<int64_t, std::string> found;
  const bool is_bound = time.budget.result.limit == Limit::kDeviceBound;
  std::optional<std::vector<Step>> steps;  // read once, where another may have slowed them
  for (const ProcessTime& other : times) {
    const int64_t pid = other.budget.pid;
    if (pid == int64_t{time.budget.pid} || other.node != time.node || other.session != time.session) continue;
    const bool is_same_device =
        std::ranges::any_of(other.devices, [&](uint32_t one) { return time.devices.contains(one); });
    const bool may_be_same = is_same_device || time.devices.empty() || other.devices.empty();
    if (ranks.contains(pid) || !may_be_same || !shares_long(other, time)) continue;
    if (is_same_device) found[pid] = neighbour_text(other, !is_bound);
    if (!is_bound) continue;
    if (!steps) steps = steps_of(part, time);
    if (const auto slower = slower_text(*steps, other, time, is_same_device)) {
      time.slowed_by = neighbour_text(other, false);
      time.because.push_back("It took " + *slower);
      time.remedy = fmt::format("run {} at another time or on another device, or give each a part of it (MIG, MPS)",
                                *time.slowed_by);
    }
  }
  if (found.empty()) return;  // that is known
  std::vector<std::string> names;
  for (auto& [pid, name] : found) names.push_back(std::move(name));
  time.shares_its_device = true;
  const size_t more = names.size() > kMaxNamed ? names.size() - kMaxNamed : 0;
  names.resize(names.size() - more);
  const std::string others =
      fmt::format("{}{}", fmt::join(names, ", "), more == 0 ? "" : fmt::format(" and {} more", more));
  time.because.push_back(
      is_bound ? fmt::format("Its device also works for {}: part of what it waits for is theirs", others)
               : fmt::format("Its device also works for {}: it may be busy while it has nothing to do for this one",
                             others));
}

// Work that was refused takes no time: figures of a device that got none say nothing.
void add_refused(const Part& part, ProcessTime& time) {
  int64_t launches = 0, failed = 0;
  std::string call, code;
  Conditions conditions = Part::of_process(time, "e", "e");
  conditions.add("e.kind = 'launch'");
  conditions.add_rows(part.selection, "e.seq");
  conditions.add_range(part.selection, "e.timestamp", "e.timestamp");
  part.ask(
      "SELECT e.call, CASE WHEN e.failed THEN e.ret_code END, sum(e.weight), e.failed FROM events e WHERE {} GROUP BY "
      "1, 2, 4 ORDER BY 3 DESC LIMIT 1000",
      conditions, [&](std::span<const store::Value> row) {
        launches = wrapping_sum(launches, row[2].integer);
        if (row[3].integer == 0) return;
        failed = wrapping_sum(failed, row[2].integer);
        if (!call.empty()) return;
        call = printable(row[0].as_text(), 60);
        code = fmt::format("{}", row[1].integer);
      });
  if (failed < kEnoughRefused || failed < launches - launches / 10) return;
  time.refused = fmt::format("{} of {} launches returned an error ({} {})", failed, launches, call, code);
  time.remedy = "see what the first failure says (Causal chains): a later one may be its consequence";
}

// Copies that the thread does not wait for are within its waits for the device, as kernels are.
void add_copied(const Part& part, ProcessTime& time) {
  const correlate::ProcessBudget& budget = time.budget;
  if (budget.result.limit != Limit::kDeviceBound || budget.steps == 0) return;
  std::map<std::string, int64_t> bytes;  // by direction
  part.ask(
      "SELECT e.direction, sum(e.bytes * e.weight) FROM events e WHERE {} AND e.kind = 'memcpy' AND e.failed = 0 AND "
      "e.direction IN ('h2d', 'd2h') GROUP BY 1",
      part.events_of_thread(time),
      [&](std::span<const store::Value> row) { bytes[std::string(row[0].as_text())] = row[1].integer; });
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& one) { return one.second; });
  if (most == bytes.end() || budget.end_ns <= budget.start_ns) return;
  const double rate = static_cast<double>(most->second) / static_cast<double>(budget.end_ns - budget.start_ns);
  if (rate < kMuchCopied) return;
  time.copies_much = true;
  const bool is_upload = most->first == "h2d";
  time.because.push_back(fmt::format(
      "{} a step are copied {} the device ({:.1f} GB/s): how much of its time these take, and how much its kernels, is "
      "not recorded",
      format_bytes(static_cast<uint64_t>(most->second) / budget.steps), is_upload ? "to" : "from", rate));
  time.remedy =
      "see whether copies take the device's time: the step without them, or with them on a second stream, is "
      "faster then; copy less, or smaller types";
}

// A thread is measured by the one that it gives work; where it gives several some, by all of them together.
void add_devices(ProcessTime& time) {
  if (time.devices.size() < 2) return;
  if (time.has_own_device) {
    time.because.push_back(fmt::format("It uses {} devices, and the figures are of the one that this thread gives work",
                                       time.devices.size()));
    return;
  }
  time.because.push_back(
      fmt::format("It uses {} devices, and the figures are of all of them together: one may have nothing to do while "
                  "another works",
                  time.devices.size()));
}

}  // namespace ingero::report
