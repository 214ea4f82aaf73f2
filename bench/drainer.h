// The agent's side of a benchmark: a thread that drains the rings and normalises what it finds, as the recorder does.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>

#include "bench/harness.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "kernelside/drain.h"
#include "kernelside/objects.h"

namespace ingero::bench {

class Drainer {
 public:
  // Loads the programs, this process being the agent, and attaches those of the scheduler, but no probe; `calls` must
  // outlive this. Ends the program where the kernel refuses.
  explicit Drainer(const hal::CallTable& calls, std::optional<kernelside::Mechanism> mechanism = {},
                   wire_stack_mode stacks = WIRE_STACKS_OFF)
      : calls_table_(calls),
        normaliser_(calls, probes_, ledger_),
        objects_(must(kernelside::Objects::load(options_of(mechanism, stacks)))),
        drain_(must(kernelside::Drain::open(*objects_, calls, normaliser_, ledger_))) {
    attach();
  }
  ~Drainer() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
  }
  Drainer(const Drainer&) = delete;
  Drainer& operator=(const Drainer&) = delete;

  kernelside::Objects& objects() { return *objects_; }
  // The programs of the scheduler, again after they were detached.
  void attach() {
    for (const auto& status : objects_->attach_thread_programs()) {
      if (!status.attached) fail(status.name + ": " + status.reason);
    }
  }
  // Probes are numbered from 0 in this order; before start(). `lowered` must outlive this.
  void add_probe(const hal::Row& row, const hal::Lowered& lowered) {
    wire_recipe recipe = lowered.recipe;
    recipe.use = WIRE_RECIPE_LIVE;
    recipe.stack_when = WIRE_STACK_WHEN_NONZERO;
    must(objects_->set_recipe(n_probes_++, recipe));
    probes_.append({calls_table_.id_of(row), &lowered});
  }
  void start() {
    thread_ = std::thread([this] { run(); });
  }
  uint64_t calls() const { return calls_; }
  uint64_t host_events() const { return host_events_; }
  // Waits, some seconds at most, for the events of `expected` calls that have all returned.
  void settle(uint64_t expected) const {
    for (int i = 0; i < 40 && calls_ < expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }

 private:
  static kernelside::ObjectOptions options_of(std::optional<kernelside::Mechanism> mechanism, wire_stack_mode stacks) {
    kernelside::ObjectOptions options;
    options.mechanism = mechanism;
    options.stacks = stacks;
    options.own_pid = static_cast<uint32_t>(getpid());
    return options;
  }
  void run() {
    kernelside::RingRecords batch;
    bool more = false;
    while (!stop_) {
      batch.clear();
      more = must(drain_->poll(more ? 0 : 100, 8192, batch));
      uint64_t of_host = 0;
      for (const hal::Event& event : batch.events) of_host += event.kind == hal::Kind::kHost ? 1 : 0;
      host_events_ += of_host;
      calls_ += batch.events.size() - of_host;
    }
  }

  const hal::CallTable& calls_table_;
  uint32_t n_probes_ = 0;
  kernelside::ProbeTable probes_;
  hal::LossLedger ledger_;
  kernelside::Normaliser normaliser_;
  std::unique_ptr<kernelside::Objects> objects_;
  std::unique_ptr<kernelside::Drain> drain_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> calls_{0};
  std::atomic<uint64_t> host_events_{0};
  std::thread thread_;
};

}  // namespace ingero::bench
