// What one probed call costs, as a ratio of an empty session in the same run: untraced, empty session, our programs and
// the peer's count and histogram take turns on the same function of the same process.
//
//   capture_bench [mechanism ...] [--rounds=15] [--calls=20000] [--peer-rounds=3] [--row=NAME]
//
// Ours is the whole capture: scheduler programs attached (off-CPU shares), calls in flight kept, the rings drained and
// normalised on the other core as the recorder does it. Every call made must come out as an event.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/fd.h"
#include "base/text.h"
#include "bench/harness.h"
#include "bench/target_calls.h"
#include "hal/call_table.h"
#include "hal/elf.h"
#include "hal/resolve.h"
#include "hal/shapes.h"
#include "kernelside/attach.h"
#include "kernelside/drain.h"
#include "kernelside/link.h"
#include "kernelside/objects.h"

namespace {

using namespace ingero;

constexpr hal::Peek kEntryPeeks[] = {{hal::Field::kBytes, 0, 8, hal::When::kEntry},
                                     {hal::Field::kAddress, 8, 8, hal::When::kEntry}};
constexpr hal::Param kPeek[] = {{hal::Abi::kPtr, hal::Field::kNone, kEntryPeeks}};
constexpr hal::Row kRows[] = {
    {.name = "benchNothing", .kind = hal::Kind::kSync, .shape = hal::shape::kNothing},
    {.name = "benchFour", .kind = hal::Kind::kMemcpy, .shape = hal::shape::kCopyAsync},
    {.name = "benchLaunch", .kind = hal::Kind::kLaunch, .shape = hal::shape::kLaunch},
    {.name = "benchPeek", .kind = hal::Kind::kMemcpy, .shape = kPeek},
};
constexpr const char* kTitles[] = {"nothing captured", "four register arguments", "launch, two stack words",
                                   "two peeks at entry"};
constexpr double kBounds[] = {1.25, 1.35, 1.35, 0};  // 0: reported, no bound set
constexpr double kStackBound = 1.15;
constexpr size_t kRowCount = std::size(kRows);
constexpr std::string_view kSonames[] = {"libbenchcalls.so"};
constexpr hal::Library kLibraries[] = {{.name = "libbenchcalls", .sonames = kSonames, .rows = kRows, .layer = "BENCH"}};
constexpr hal::Backend kBackend = {.name = "bench", .vendor = "bench", .libraries = kLibraries};

std::string library_path() { return bench::own_folder() + "/libbenchcalls.so"; }

template <typename Function>
Function* symbol_of(void* library, const char* name) {
  auto* address = reinterpret_cast<Function*>(dlsym(library, name));
  if (address == nullptr) bench::fail(fmt::format("{}: no such function", name));
  return address;
}

bench::Target::Work make_target() {
  void* library = dlopen(library_path().c_str(), RTLD_NOW);
  if (library == nullptr) bench::fail(dlerror());
  auto* nothing = symbol_of<decltype(benchNothing)>(library, "benchNothing");
  auto* four = symbol_of<decltype(benchFour)>(library, "benchFour");
  auto* launch = symbol_of<decltype(benchLaunch)>(library, "benchLaunch");
  auto* peek = symbol_of<decltype(benchPeek)>(library, "benchPeek");
  return [=](uint32_t row, uint64_t calls) {
    static const bench_parameters parameters{4096, 0x7f0000000000};
    return bench::time_calls(calls, [&](int count) {
      for (int i = 0; i < count; ++i) {
        switch (row) {
          case 0:
            nothing();
            break;
          case 1:
            four(nullptr, nullptr, static_cast<size_t>(i), nullptr);
            break;
          case 2:
            launch(nullptr, {static_cast<uint32_t>(i), 1, 1}, {128, 1, 1}, nullptr, 0, nullptr);
            break;
          default:
            peek(&parameters);
        }
      }
    });
  };
}

struct Options {
  std::vector<kernelside::Mechanism> mechanisms;
  size_t rounds = 15;
  size_t peer_rounds = 3;
  uint64_t calls = 20000;
  std::string row;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = parse_u64(word.substr(word.find('=') + 1));
    if (const auto mechanism = kernelside::mechanism_of(word)) {
      options.mechanisms.push_back(*mechanism);
    } else if (word.starts_with("--rounds=") && value) {
      options.rounds = *value;
    } else if (word.starts_with("--peer-rounds=") && value) {
      options.peer_rounds = *value;
    } else if (word.starts_with("--calls=") && value) {
      options.calls = *value;
    } else if (word.starts_with("--row=")) {
      options.row = word.substr(6);
    } else {
      bench::fail(fmt::format("{}: neither a mechanism (session, multi, perf) nor an option", word));
    }
  }
  if (options.mechanisms.empty()) {
    for (const auto& verdict : kernelside::probe_mechanisms()) {
      if (verdict.works) options.mechanisms.push_back(verdict.mechanism);
      if (!verdict.works) std::printf("%s: skipped (%s)\n", name_of(verdict.mechanism).data(), verdict.reason.c_str());
    }
  }
  return options;
}

// Where each row's probe goes.
std::vector<uint64_t> probe_offsets() {
  Fd fd(::open(library_path().c_str(), O_RDONLY | O_CLOEXEC));
  auto image = bench::must(hal::ElfImage::open(std::move(fd), library_path()));
  std::vector<uint64_t> offsets(kRowCount, 0);
  for (const auto& resolved : hal::resolve(kLibraries[0], image, hal::kHostArch)) {
    const auto row = static_cast<size_t>(resolved.row - kRows);
    if (resolved.state != hal::RowState::kResolved)
      bench::fail(fmt::format("{}: {}", kRows[row].name, resolved.reason));
    if (resolved.point.single_stepped) {
      bench::fail(fmt::format("{}: its probe lies on {}, which is single-stepped: nothing to compare with",
                              kRows[row].name, resolved.point.instruction));
    }
    offsets[row] = resolved.file_offset;
  }
  return offsets;
}

// The floor: a session program of two instructions, `return 0`. No object file needed.
class EmptySession {
 public:
  EmptySession() {
    const bpf_insn code[] = {{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0},
                             {.code = BPF_JMP | BPF_EXIT, .dst_reg = 0, .src_reg = 0, .off = 0, .imm = 0}};
    LIBBPF_OPTS(bpf_prog_load_opts, options);
    options.expected_attach_type = static_cast<bpf_attach_type>(kernelside::MultiKind::kSession);
    program_ = Fd(bpf_prog_load(BPF_PROG_TYPE_KPROBE, "empty", "GPL", code, std::size(code), &options));
  }
  bool available() const { return program_.valid(); }
  Fd attach(uint64_t offset) const {
    const std::array<unsigned long, 1> offsets{offset};
    const std::array<uint64_t, 1> cookies{0};
    kernelside::MultiSpec spec;
    spec.program_fd = program_.get();
    spec.kind = kernelside::MultiKind::kSession;
    spec.path = library_path();
    spec.offsets = offsets;
    spec.cookies = cookies;
    return bench::must(kernelside::link_multi(spec));
  }

 private:
  Fd program_;
};

// Our programs, loaded once per mechanism, with the thread that drains them.
class Ours {
 public:
  Ours(kernelside::Mechanism mechanism, const hal::CallTable& calls, const std::vector<uint64_t>& offsets,
       wire_stack_mode stacks)
      : offsets_(offsets), normaliser_(calls, sites_, ledger_) {
    kernelside::ObjectOptions options;
    options.mechanism = mechanism;
    options.stacks = stacks;
    options.own_pid = static_cast<uint32_t>(getpid());
    objects_ = bench::must(kernelside::Objects::load(options));
    for (size_t row = 0; row < kRowCount; ++row) {
      lowered_[row] = bench::must(hal::lower(kRows[row], hal::kHostArch));
      wire_recipe recipe = lowered_[row].recipe;
      recipe.used = 1;
      recipe.stack_when = WIRE_STACK_WHEN_NONZERO;
      bench::must(objects_->set_recipe(static_cast<uint32_t>(row), recipe));
      sites_.append({calls.id_of(kRows[row]), &lowered_[row]});
    }
    drain_ = bench::must(kernelside::Drain::open(*objects_, calls, normaliser_, ledger_));
    for (const auto& status : objects_->attach_thread_programs()) {
      if (!status.attached) std::printf("%s: %s\n", status.name.c_str(), status.reason.c_str());
    }
    drainer_ = std::thread([this] { drain(); });
  }
  ~Ours() {
    stop_ = true;
    drainer_.join();
  }
  Ours(const Ours&) = delete;
  Ours& operator=(const Ours&) = delete;

  std::unique_ptr<kernelside::FileProbes> attach(size_t row) {
    const kernelside::Probe probe{static_cast<uint32_t>(row), offsets_[row], false};
    auto probes = bench::must(kernelside::FileProbes::attach(*objects_, library_path(), std::span(&probe, 1)));
    for (const auto& refusal : probes->refusals()) bench::fail(refusal.reason);
    return probes;
  }
  uint64_t events() const { return events_; }
  // Waits for the events of calls that have all returned.
  void settle(uint64_t expected) const {
    for (int i = 0; i < 40 && events_ < expected; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  uint64_t lost() const {
    uint64_t total = 0;
    for (const auto& [site, count] : objects_->site_losses(kRowCount)) total += count;
    return total;
  }

 private:
  void drain() {
    kernelside::Batch batch;
    bool more = false;
    while (!stop_) {
      batch.clear();
      more = bench::must(drain_->poll(more ? 0 : 100, 8192, batch));
      uint64_t calls = 0;
      for (const auto& event : batch.events) calls += event.call < kRowCount ? 1 : 0;
      events_ += calls;
    }
  }

  const std::vector<uint64_t>& offsets_;
  kernelside::SiteTable sites_;
  hal::LossLedger ledger_;
  kernelside::Normaliser normaliser_;
  std::array<hal::Lowered, kRowCount> lowered_;
  std::unique_ptr<kernelside::Objects> objects_;
  std::unique_ptr<kernelside::Drain> drain_;
  std::atomic<bool> stop_{false};
  std::atomic<uint64_t> events_{0};
  std::thread drainer_;
};

// The peer's way: start time in a map by thread, a histogram and a count.
class Peer {
 public:
  // Attaches; false with the reason when it cannot.
  bool start(size_t row, pid_t target) {
    const std::string program = fmt::format(
        "uprobe:{0}:{1} {{ @s[tid] = nsecs; }} uretprobe:{0}:{1} /@s[tid]/ {{ @h = hist(nsecs - @s[tid]); @n = "
        "count(); "
        "delete(@s[tid]); }} BEGIN {{ printf(\"ready\\n\"); }}",
        library_path(), kRows[row].name);
    output_ = fmt::format("/tmp/ingero-bench-peer.{}", getpid());
    pid_ = bench::start_program({"bpftrace", "-p", std::to_string(target), "-e", program}, output_);
    for (int i = 0; i < 400; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const auto said = read_file(output_, 65536);
      if (said.ok() && said->find("ready") != std::string::npos) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return true;
      }
      int status = 0;
      if (waitpid(pid_, &status, WNOHANG) == pid_) {
        reason = WEXITSTATUS(status) == 127 ? "bpftrace is not installed" : "bpftrace ended: " + said.value();
        unlink(output_.c_str());
        return false;
      }
    }
    reason = "bpftrace did not start within 20 s";
    stop();
    return false;
  }
  // The calls it counted.
  uint64_t stop() {
    kill(pid_, SIGINT);
    waitpid(pid_, nullptr, 0);
    const auto said = read_file(output_, 1 << 20);
    unlink(output_.c_str());
    if (!said.ok()) return 0;
    const size_t at = said->find("@n: ");
    return at == std::string::npos ? 0 : std::strtoull(said->c_str() + at + 4, nullptr, 10);
  }
  std::string reason;

 private:
  pid_t pid_ = -1;
  std::string output_;
};

struct Samples {
  std::vector<double> untraced, empty, ours, peer, ratio, peer_ratio, with_stacks, stack_ratio;
  uint64_t peer_calls = 0, peer_counted = 0;
};

void sample_peer(bench::Target& target, uint32_t row, uint64_t calls, double before, Samples& into, std::string& skip) {
  Peer peer;
  if (!peer.start(row, target.pid())) {
    skip = peer.reason;
    return;
  }
  const double traced = target.run(row, calls);
  into.peer_counted += peer.stop();
  into.peer_calls += calls;
  into.peer.push_back(traced - (before + target.run(row, calls / 2)) / 2);
}

void measure(kernelside::Mechanism mechanism, const Options& options, bench::Target& target,
             const hal::CallTable& calls, const std::vector<uint64_t>& offsets, const EmptySession& floor) {
  bench::print_conditions(fmt::format("a call, {} probes", name_of(mechanism)).c_str());
  Ours ours(mechanism, calls, offsets, WIRE_STACKS_OFF);
  Ours with_stacks(mechanism, calls, offsets, WIRE_STACKS_AUTO);
  std::array<Samples, kRowCount> samples;
  std::string no_peer = options.peer_rounds == 0 ? "not asked for" : "";
  uint64_t made = 0, made_with_stacks = 0;
  constexpr uint64_t kWarm = 1000;
  for (size_t round = 0; round <= options.rounds; ++round) {  // the first warms up
    for (uint32_t row = 0; row < kRowCount; ++row) {
      if (!options.row.empty() && options.row != kRows[row].name) continue;
      Samples& into = samples[row];
      const double before = target.run(row, options.calls / 2);
      double traced_empty = 0;
      if (floor.available()) {
        const Fd link = floor.attach(offsets[row]);
        target.run(row, kWarm);
        traced_empty = target.run(row, options.calls);
      }
      const double between = target.run(row, options.calls / 2);
      double traced = 0;
      {
        const auto probes = ours.attach(row);
        target.run(row, kWarm);
        traced = target.run(row, options.calls);
      }
      made += kWarm + options.calls;
      const double after = target.run(row, options.calls / 2);
      double traced_with_stacks = 0;
      {
        const auto probes = with_stacks.attach(row);
        target.run(row, kWarm);
        traced_with_stacks = target.run(row, options.calls);
      }
      made_with_stacks += kWarm + options.calls;
      const double last = target.run(row, options.calls / 2);
      if (round == 0) continue;
      into.untraced.insert(into.untraced.end(), {before, between, after});
      into.empty.push_back(traced_empty - (before + between) / 2);
      into.ours.push_back(traced - (between + after) / 2);
      into.ratio.push_back(into.ours.back() / into.empty.back());
      into.with_stacks.push_back(traced_with_stacks - (after + last) / 2);
      into.stack_ratio.push_back(into.with_stacks.back() / into.ours.back());
      if (round <= options.peer_rounds && no_peer.empty()) {
        sample_peer(target, row, options.calls, after, into, no_peer);
        if (no_peer.empty()) into.peer_ratio.push_back(into.ours.back() / into.peer.back());
      }
    }
  }
  ours.settle(made);
  with_stacks.settle(made_with_stacks);
  for (size_t row = 0; row < kRowCount; ++row) {
    const Samples& of = samples[row];
    if (of.ours.empty()) continue;
    std::printf("%-26s body %s ns, adds %s, empty session %s, peer %s\n", kTitles[row],
                bench::spread(of.untraced).c_str(), bench::spread(of.ours).c_str(), bench::spread(of.empty).c_str(),
                of.peer.empty() ? "skipped" : bench::spread(of.peer).c_str());
    const std::string what = fmt::format("{}: {}", name_of(mechanism), kTitles[row]);
    if (floor.available() && kBounds[row] > 0) {
      bench::print_goal(what + ", of an empty session", bench::median(of.ratio), kBounds[row], "x");
    } else if (floor.available()) {
      std::printf("%-64s %10.3f x\n", (what + ", of an empty session").c_str(), bench::median(of.ratio));
    }
    bench::print_goal(what + ", with --stack auto, of without", bench::median(of.stack_ratio), kStackBound, "x");
    if (!of.peer_ratio.empty()) {
      bench::print_goal(what + ", of bpftrace count and hist", bench::median(of.peer_ratio), 0.85, "x");
      if (of.peer_counted != of.peer_calls) {
        std::printf("  bpftrace counted %lu of %lu calls\n", of.peer_counted, of.peer_calls);
      }
    }
  }
  if (!no_peer.empty()) std::printf("bpftrace: skipped (%s)\n", no_peer.c_str());
  if (!floor.available()) std::printf("empty session: skipped (this kernel has no session links)\n");
  for (const auto& [one, expected] : {std::pair(&ours, made), std::pair(&with_stacks, made_with_stacks)}) {
    std::printf("events received %lu of %lu calls, lost %lu%s\n", one->events(), expected, one->lost(),
                one->events() + one->lost() == expected ? "" : "  WRONG");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  if (geteuid() != 0) {
    std::printf("capture_bench: skipped (probes need root)\n");
    return 0;
  }
  bench::Target target([] { return make_target(); });
  bench::pin(bench::kAgentCore);
  const Options options = parse(argc, argv);
  const hal::Backend* const backends[] = {&kBackend};
  const hal::CallTable calls(backends);
  const auto offsets = probe_offsets();
  const EmptySession floor;
  for (const auto mechanism : options.mechanisms) measure(mechanism, options, target, calls, offsets, floor);
  return 0;
}
