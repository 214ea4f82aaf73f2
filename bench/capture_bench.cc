// What one probed call costs, as a ratio of an empty session in the same run: untraced, an empty session, our programs
// without and with stacks, and the peer's count and histogram.
//
//   capture_bench [mechanism ...] [--rounds=3000] [--calls=200] [--row=NAME] [--no-peer]
//
// Ours is the whole capture: scheduler programs attached (off-CPU shares), calls in flight kept, the rings drained and
// normalised on the other core as the recorder does it. Every call made must come out as an event.
#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <thread>

#include <fmt/format.h>

#include "base/fd.h"
#include "base/text.h"
#include "bench/drainer.h"
#include "bench/harness.h"
#include "bench/target_calls.h"
#include "bench/turns.h"
#include "hal/call_table.h"
#include "hal/elf.h"
#include "hal/resolve.h"
#include "hal/shapes.h"
#include "kernelside/file_probes.h"
#include "kernelside/perf_link.h"

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
constexpr double kPeerBound = 1.0;
constexpr size_t kRowCount = std::size(kRows);
constexpr std::string_view kSonames[] = {"libbenchcalls.so"};
constexpr hal::Library kLibraries[] = {{.name = "libbenchcalls", .sonames = kSonames, .rows = kRows, .layer = "BENCH"}};
constexpr hal::Backend kBackend = {.name = "bench", .vendor = "bench", .libraries = kLibraries};

// Who is attached to each copy of the target library.
enum Track : size_t { kUntraced, kEmpty, kOurs, kWithStacks, kPeer, kTracks };
constexpr uint64_t kWarmRounds = 50;
constexpr uint64_t kMaxRounds = 100000;

// A track's calls.
bench::Turns::Track calls_of(const std::string& path) {
  const bench::Copy copy(path);
  return [nothing = copy.symbol<decltype(benchNothing)>(kRows[0].name.data()),
          four = copy.symbol<decltype(benchFour)>(kRows[1].name.data()),
          launch = copy.symbol<decltype(benchLaunch)>(kRows[2].name.data()),
          peek = copy.symbol<decltype(benchPeek)>(kRows[3].name.data())](uint32_t row, uint64_t count) {
    static const bench_parameters parameters{4096, 0x7f0000000000};
    for (uint32_t i = 0; i < count; ++i) {
      switch (row) {
        case 0:
          nothing();
          break;
        case 1:
          four(nullptr, nullptr, i, nullptr);
          break;
        case 2:
          launch(nullptr, {i, 1, 1}, {128, 1, 1}, nullptr, 0, nullptr);
          break;
        default:
          peek(&parameters);
      }
    }
  };
}

struct Options {
  std::vector<kernelside::Mechanism> mechanisms;
  uint64_t rounds = 3000;
  uint64_t calls = 200;
  std::string row;
  bool peer = true;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = parse_u64(word.substr(word.find('=') + 1));
    if (const auto mechanism = kernelside::mechanism_of(word)) {
      options.mechanisms.push_back(*mechanism);
    } else if (word.starts_with("--rounds=") && value && *value <= kMaxRounds) {
      options.rounds = *value;
    } else if (word.starts_with("--calls=") && value && *value > 0) {
      options.calls = *value;
    } else if (word == "--no-peer") {
      options.peer = false;
    } else if (word.starts_with("--row=")) {
      options.row = word.substr(6);
    } else {
      bench::fail(fmt::format("{}: neither a mechanism (session, multi, perf) nor an option", word));
    }
  }
  if (options.mechanisms.empty()) {
    for (const auto& result : kernelside::probe_mechanisms()) {
      if (result.works) options.mechanisms.push_back(result.mechanism);
      if (!result.works) std::printf("%s: skipped (%s)\n", name_of(result.mechanism).data(), result.reason.c_str());
    }
  }
  return options;
}

// Where each row's probe goes.
std::vector<uint64_t> probe_offsets(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  auto image = bench::must(hal::ElfImage::open(std::move(fd), path));
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
  Fd attach(const std::string& path, const std::vector<uint64_t>& offsets) const {
    const std::vector<unsigned long> at(offsets.begin(), offsets.end());
    const std::vector<uint64_t> cookies(offsets.size(), 0);
    kernelside::MultiSpec spec;
    spec.program_fd = program_.get();
    spec.kind = kernelside::MultiKind::kSession;
    spec.path = path;
    spec.offsets = at;
    spec.cookies = cookies;
    return bench::must(kernelside::link_multi(spec));
  }

 private:
  Fd program_;
};

// Our programs attached to every row of a copy.
class Ours {
 public:
  Ours(kernelside::Mechanism mechanism, const hal::CallTable& calls, const std::string& path,
       const std::vector<uint64_t>& offsets, wire_stack_mode stacks)
      : drainer_(calls, mechanism, stacks) {
    std::vector<kernelside::AttachPoint> probes;
    for (uint32_t row = 0; row < kRowCount; ++row) {
      lowered_[row] = bench::must(hal::lower(kRows[row], hal::kHostArch));
      drainer_.add_probe(kRows[row], lowered_[row]);
      probes.push_back({row, offsets[row], false});
    }
    probes_ = bench::must(kernelside::FileProbes::attach(drainer_.objects(), path, probes));
    for (const auto& refusal : probes_->refusals()) bench::fail(refusal.reason);
    drainer_.start();
  }
  // Waits for the events of calls that have all returned; how many there are.
  uint64_t settle(uint64_t expected) const {
    drainer_.settle(expected);
    return drainer_.calls();
  }
  uint64_t lost() {
    uint64_t total = 0;
    for (const auto& [probe, count] : drainer_.objects().probe_losses(kRowCount)) total += count;
    return total;
  }

 private:
  std::array<hal::Lowered, kRowCount> lowered_;
  bench::Drainer drainer_;
  std::unique_ptr<kernelside::FileProbes> probes_;
};

// The peer's way: start time in a map by thread, a histogram and a count.
class Peer {
 public:
  // Attaches to every row; false with the reason when it cannot.
  bool start(const std::string& path, pid_t target) {
    std::string program = "BEGIN { printf(\"ready\\n\"); }";
    for (const auto& row : kRows) {
      program += fmt::format(
          " uprobe:{0}:{1} {{ @s[tid] = nsecs; }} uretprobe:{0}:{1} /@s[tid]/ {{ @h = hist(nsecs - @s[tid]); "
          "@n = count(); delete(@s[tid]); }}",
          path, row.name);
    }
    output_ = path + ".said";
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
    if (!said.ok()) return 0;
    const size_t at = said->find("@n: ");
    return at == std::string::npos ? 0 : std::strtoull(said->c_str() + at + 4, nullptr, 10);
  }
  std::string reason;

 private:
  pid_t pid_ = -1;
  std::string output_;
};

// What a row's rounds come to: per track the nanoseconds added to an untraced call, and our ratios round by round.
struct Samples {
  std::vector<double> untraced, of_empty, stacks_of_ours, of_peer;
  std::array<std::vector<double>, kTracks> added;

  void add(const bench::Turns& turns, uint64_t round) {
    std::array<double, kTracks> took{};
    for (size_t track = 0; track < kTracks; ++track) took[track] = turns.took(round, track);
    untraced.push_back(took[kUntraced]);
    const auto more = [&](Track track) { return took[track] - took[kUntraced]; };
    for (const Track track : {kEmpty, kOurs, kWithStacks, kPeer}) added[track].push_back(more(track));
    of_empty.push_back(more(kOurs) / more(kEmpty));
    stacks_of_ours.push_back(more(kWithStacks) / more(kOurs));
    of_peer.push_back(more(kOurs) / more(kPeer));
  }
};

void print_ratio(const std::string& what, const std::vector<double>& ratios, double bound) {
  if (bound > 0) bench::print_goal(what, bench::median(ratios), bound, "x");
  if (bound == 0) std::printf("%-64s %10.3f x\n", what.c_str(), bench::median(ratios));
}

void measure(kernelside::Mechanism mechanism, const Options& options, bench::Target& target, bench::Turns& turns,
             const hal::CallTable& calls) {
  bench::print_conditions(fmt::format("a call, {} probes", name_of(mechanism)).c_str());
  const auto offsets = probe_offsets(turns.path(kOurs));
  const EmptySession floor;
  const Fd floor_link = floor.available() ? floor.attach(turns.path(kEmpty), offsets) : Fd();
  Ours ours(mechanism, calls, turns.path(kOurs), offsets, WIRE_STACKS_OFF);
  Ours with_stacks(mechanism, calls, turns.path(kWithStacks), offsets, WIRE_STACKS_AUTO);
  Peer peer;
  const bool with_peer = options.peer && peer.start(turns.path(kPeer), target.pid());
  uint64_t made = 0;
  turns.set_calls(options.calls);
  for (uint32_t row = 0; row < kRowCount; ++row) {
    if (!options.row.empty() && options.row != kRows[row].name) continue;
    target.run(row, kWarmRounds);
    target.run(row, options.rounds);
    made += (kWarmRounds + options.rounds) * options.calls;
    Samples of;
    for (uint64_t round = 0; round < options.rounds; ++round) of.add(turns, round);
    std::printf("%-26s body %s ns, adds %s, empty session %s, peer %s\n", kTitles[row],
                bench::spread(of.untraced).c_str(), bench::spread(of.added[kOurs]).c_str(),
                floor.available() ? bench::spread(of.added[kEmpty]).c_str() : "skipped",
                with_peer ? bench::spread(of.added[kPeer]).c_str() : "skipped");
    const std::string what = fmt::format("{}: {}", name_of(mechanism), kTitles[row]);
    if (floor.available()) print_ratio(what + ", of an empty session", of.of_empty, kBounds[row]);
    print_ratio(what + ", with --stack auto, of without", of.stacks_of_ours, kStackBound);
    if (with_peer) print_ratio(what + ", of bpftrace count and hist", of.of_peer, kPeerBound);
  }
  if (with_peer) std::printf("bpftrace counted %lu of %lu calls\n", peer.stop(), made);
  if (!with_peer) std::printf("bpftrace: skipped (%s)\n", options.peer ? peer.reason.c_str() : "--no-peer");
  if (!floor.available()) std::printf("empty session: skipped (this kernel has no session links)\n");
  for (Ours* one : {&ours, &with_stacks}) {
    const uint64_t received = one->settle(made), lost = one->lost();
    std::printf("events received %lu of %lu calls, lost %lu%s\n", received, made, lost,
                received + lost == made ? "" : "  WRONG");
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  bench::need_root("capture_bench");
  bench::Turns turns(kTracks, kMaxRounds);
  bench::Target target([&] {
    std::vector<bench::Turns::Track> tracks;
    for (size_t track = 0; track < kTracks; ++track) tracks.push_back(calls_of(turns.path(track)));
    return turns.work(std::move(tracks));
  });
  bench::pin(bench::kAgentCore);
  const Options options = parse(argc, argv);
  const hal::Backend* const backends[] = {&kBackend};
  const hal::CallTable calls(backends);
  for (const auto mechanism : options.mechanisms) measure(mechanism, options, target, turns, calls);
  return 0;
}
