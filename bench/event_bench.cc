// The user side's work for one record of the ring: normalising, by record size. (Google Benchmark; the kernel side, the
// store and the whole agent have drivers of their own.)
#include <cstring>

#include <benchmark/benchmark.h>

#include "hal/call_table.h"
#include "hal/lower.h"
#include "hal/shapes.h"
#include "kernelside/normalise.h"

namespace {

using namespace ingero;

constexpr hal::Row kRows[] = {
    {.name = "benchNothing", .kind = hal::Kind::kSync, .shape = hal::shape::kNothing},
    {.name = "benchFour", .kind = hal::Kind::kMemcpy, .shape = hal::shape::kCopyAsync},
    {.name = "benchLaunch", .kind = hal::Kind::kLaunch, .shape = hal::shape::kLaunch},
};
constexpr hal::Library kLibraries[] = {{.name = "libbench", .sonames = {}, .rows = kRows, .layer = "BENCH"}};
constexpr hal::Backend kBackend = {.name = "bench", .vendor = "bench", .libraries = kLibraries};

void normalise(benchmark::State& state) {
  const hal::Backend* const backends[] = {&kBackend};
  const hal::CallTable calls(backends);
  const auto& row = kRows[state.range(0)];
  const auto lowered = hal::lower(row, hal::kHostArch);
  hal::LossLedger ledger;
  kernelside::ProbeTable probes;
  probes.append({calls.id_of(row), &*lowered});
  kernelside::Normaliser normaliser(calls, probes, ledger);
  wire_call_record record{};
  record.call.type = WIRE_CALL;
  record.call.n_words = lowered->recipe.n_words;
  record.call.valid = 0xffff;
  record.call.pid = record.call.tid = 42;
  const size_t size = sizeof(wire_call) + record.call.n_words * sizeof(uint64_t);
  uint64_t now = 1'000'000'000;
  for (auto _ : state) {
    record.call.start_ns = now += 1000;
    record.call.end_ns = now + 700;
    hal::Event event;
    hal::Exchange exchange;
    const bool understood = normaliser.call({reinterpret_cast<const std::byte*>(&record), size}, event, exchange);
    benchmark::DoNotOptimize(understood);
    benchmark::DoNotOptimize(event);
  }
  state.SetLabel(std::string(row.name));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(normalise)->DenseRange(0, 2);

}  // namespace

BENCHMARK_MAIN();
