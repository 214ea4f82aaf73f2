// What a call of each backend costs, as a ratio of a CUDA call of the same shape in the same run.
//
//   backends_bench [--rounds=1000] [--calls=100] [--manifests=DIR]
//
// Rows that make the kernel side do the same work (as many words, stack slots and reads before and after, a name or
// none) are of one shape; of each backend one row of each shape is measured, in turns with the others, on a copy of one
// function whose every argument can be read. A shape that no CUDA row has is held against the dearest CUDA row.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "backends/registry.h"
#include "base/fd.h"
#include "base/text.h"
#include "bench/drainer.h"
#include "bench/harness.h"
#include "bench/target_calls.h"
#include "bench/turns.h"
#include "hal/call_table.h"
#include "hal/elf.h"
#include "hal/lower.h"
#include "hal/resolve.h"
#include "kernelside/file_probes.h"

namespace {

using namespace ingero;

constexpr double kBound = 1.15;
constexpr uint64_t kWarmRounds = 20;
constexpr std::string_view kBaseline = "cuda";
constexpr hal::Row kTarget[] = {{.name = "benchAny", .kind = hal::Kind::kSync, .shape = {}}};
constexpr std::string_view kSonames[] = {"libbenchcalls.so"};
constexpr hal::Library kTargetLibrary = {
    .name = "libbenchcalls", .sonames = kSonames, .rows = kTarget, .layer = "BENCH"};

// A track's calls.
bench::Turns::Track calls_of(const std::string& path) {
  auto* any = bench::Copy(path).symbol<decltype(benchAny)>("benchAny");
  return [any](uint32_t, uint64_t count) {
    static const std::array<uint64_t, 512> memory{};
    static bench_stack stack;
    for (const void*& word : stack.words) word = memory.data();
    const void* p = memory.data();
    for (uint64_t i = 0; i < count; ++i) any(p, p, p, p, p, p, stack);
  };
}

// What the kernel side does for a call of a row.
struct Shape {
  int words = 0, slots = 0, reads = 0, reads_after = 0, sleepable = 0;
  auto operator<=>(const Shape&) const = default;
  std::string text() const {
    return fmt::format("{} words, {} from the stack, {} read before, {} after{}", words, slots, reads, reads_after,
                       sleepable == 0   ? ""
                       : sleepable == 1 ? ", a name"
                                        : ", a block");
  }
};

struct Candidate {
  const hal::Row* row;
  std::string backend;
  hal::Lowered lowered;
  Shape shape;
  std::vector<double> added = {};
};

std::vector<Candidate> candidates(std::span<const hal::Backend* const> backends) {
  std::map<std::pair<std::string, Shape>, Candidate> found;
  for (const hal::Backend* backend : backends) {
    for (const hal::Library& library : backend->libraries) {
      for (const hal::Row& row : library.rows) {
        const auto lowered = hal::lower(row, hal::kHostArch);
        if (!lowered.ok()) continue;
        const wire_recipe& recipe = lowered->recipe;
        const Shape shape{recipe.n_words, recipe.stack_slots, recipe.n_peeks - recipe.n_return_peeks,
                          recipe.n_return_peeks,
                          recipe.sleepable_word == 0    ? 0
                          : recipe.sleepable_bytes == 0 ? 1
                                                        : 2};
        found.try_emplace({std::string(backend->name), shape},
                          Candidate{&row, std::string(backend->name), *lowered, shape});
      }
    }
  }
  std::vector<Candidate> list;
  list.reserve(found.size());
  for (auto& [key, candidate] : found) list.push_back(std::move(candidate));
  return list;
}

std::unique_ptr<kernelside::FileProbes> attach(bench::Drainer& ours, const std::string& path, uint32_t probe,
                                               uint64_t offset, bool sleepable) {
  const kernelside::AttachPoint point{probe, offset, sleepable};
  auto probes = bench::must(kernelside::FileProbes::attach(ours.objects(), path, std::span(&point, 1)));
  for (const auto& refusal : probes->refusals()) bench::fail(refusal.reason);
  return probes;
}

uint64_t probe_offset(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  auto image = bench::must(hal::ElfImage::open(std::move(fd), path));
  for (const auto& resolved : hal::resolve(kTargetLibrary, image, hal::kHostArch)) {
    if (resolved.state != hal::RowState::kResolved) bench::fail(fmt::format("benchAny: {}", resolved.reason));
    if (resolved.point.single_stepped) bench::fail("benchAny: its probe is single-stepped: nothing to compare with");
    return resolved.file_offset;
  }
  bench::fail("benchAny: not found");
}

}  // namespace

int main(int argc, char** argv) {
  bench::need_root("backends_bench");
  uint64_t rounds = 1000, calls_a_turn = 100;
  std::string manifests = INGERO_MANIFESTS;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = parse_u64(word.substr(word.find('=') + 1));
    if (word.starts_with("--rounds=") && value && *value > 0) {
      rounds = *value;
    } else if (word.starts_with("--calls=") && value && *value > 0) {
      calls_a_turn = *value;
    } else if (word.starts_with("--manifests=")) {
      manifests = word.substr(12);
    } else {
      bench::fail(word + ": no such option");
    }
  }
  backends::Registry registry;
  for (const auto& error : registry.add_folder(manifests)) bench::fail(error.text());
  const hal::CallTable calls(registry.all());
  std::vector<Candidate> rows = candidates(registry.all());
  const size_t untraced = rows.size();  // the track behind theirs
  bench::Turns turns(rows.size() + 1, std::max(rounds, kWarmRounds));
  turns.set_calls(calls_a_turn);
  bench::Target target([&] {
    std::vector<bench::Turns::Track> tracks;
    for (size_t track = 0; track <= untraced; ++track) tracks.push_back(calls_of(turns.path(track)));
    return turns.work(std::move(tracks));
  });
  bench::pin(bench::kAgentCore);
  bench::print_conditions("a call of each backend, of a CUDA call of the same shape");
  bench::Drainer ours(calls, kernelside::Mechanism::kSession);
  for (const Candidate& row : rows) ours.add_probe(*row.row, row.lowered);
  ours.start();
  const uint64_t offset = probe_offset(turns.path(0));
  std::vector<std::unique_ptr<kernelside::FileProbes>> probes;
  for (uint32_t i = 0; i < rows.size(); ++i) {
    probes.push_back(attach(ours, turns.path(i), i, offset, rows[i].shape.sleepable != 0));
  }
  target.run(0, kWarmRounds);
  target.run(0, rounds);
  for (uint64_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < rows.size(); ++i)
      rows[i].added.push_back(turns.took(round, i) - turns.took(round, untraced));
  }
  std::map<Shape, const Candidate*> baseline;
  const Candidate* dearest = nullptr;
  for (const Candidate& row : rows) {
    if (row.backend != kBaseline) continue;
    baseline[row.shape] = &row;
    if (dearest == nullptr || bench::median(row.added) > bench::median(dearest->added)) dearest = &row;
  }
  if (dearest == nullptr) bench::fail("no CUDA rows");
  std::printf("dearest CUDA row: %s (%s), adds %s ns\n", std::string(dearest->row->name).c_str(),
              dearest->shape.text().c_str(), bench::spread(dearest->added).c_str());
  std::map<std::string, std::pair<double, std::string>> worst;
  for (const Candidate& row : rows) {
    if (row.backend == kBaseline) continue;
    const auto same = baseline.find(row.shape);
    const Candidate& against = same == baseline.end() ? *dearest : *same->second;
    std::vector<double> ratios;
    for (size_t i = 0; i < row.added.size(); ++i) ratios.push_back(row.added[i] / against.added[i]);
    const double ratio = bench::median(ratios);
    std::printf("  %-10s %-34s %s: adds %s ns, %.3f of %s%s\n", row.backend.c_str(), std::string(row.row->name).c_str(),
                row.shape.text().c_str(), bench::spread(row.added).c_str(), ratio,
                std::string(against.row->name).c_str(), same == baseline.end() ? " (no CUDA row of this shape)" : "");
    auto& of = worst[row.backend];
    if (ratio > of.first) of = {ratio, std::string(row.row->name)};
  }
  for (const auto& [backend, of] : worst) {
    bench::print_goal(fmt::format("{}: its dearest row ({}), of the CUDA row", backend, of.second), of.first, kBound,
                      "x");
  }
  const uint64_t made = (kWarmRounds + rounds) * calls_a_turn * rows.size();
  ours.settle(made);
  std::printf("events received %lu of %lu calls\n", ours.calls(), made);
  return 0;
}
