// The walk of bpf/python.bpf.h on every interpreter of this machine: a probe on a marked function takes the Python
// frames, and the program that called it says which they were.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <memory>
#include <optional>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/fd.h"
#include "base/text.h"
#include "bpf/wire.h"
#include "hal/maps.h"
#include "interpreters.h"
#include "python_walk.skel.h"
#include "symbols/python_names.h"
#include "symbols/python_process.h"

namespace ingero::symbols {
namespace {

using python_test::Interpreter;

struct SkeletonDeleter {
  void operator()(python_walk* skeleton) const { python_walk::destroy(skeleton); }
};
struct RingDeleter {
  void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
};

// A running workload. Ended when this goes.
class Workload {
 public:
  Workload(const std::string& python, const std::vector<std::string>& arguments) {
    int in[2];
    int out[2];
    if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      std::vector<char*> argv;
      std::vector<std::string> words = {python, "-B", "-X", "utf8", INGERO_WORKLOAD, INGERO_MARKED};
      words.insert(words.end(), arguments.begin(), arguments.end());
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execv(python.c_str(), argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_.reset(in[1]);
    from_.reset(out[0]);
  }
  ~Workload() {
    if (pid_ <= 0) return;
    if (!ended_) ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Workload(const Workload&) = delete;
  Workload& operator=(const Workload&) = delete;

  uint32_t pid() const { return static_cast<uint32_t>(pid_); }
  bool ready() {
    char c = 0;
    std::string line;
    while (::read(from_.get(), &c, 1) == 1 && c != '\n') line += c;
    return line == "ready";
  }
  void go() { EXPECT_EQ(::write(to_.get(), "go\n", 3), 3); }
  // Everything it says until it ends; `meanwhile` is called all the time.
  std::string rest(const std::function<void()>& meanwhile) {
    std::string all;
    char bytes[65536];
    ::fcntl(from_.get(), F_SETFL, O_NONBLOCK);
    while (true) {
      meanwhile();
      const ssize_t got = ::read(from_.get(), bytes, sizeof bytes);
      if (got > 0) {
        all.append(bytes, static_cast<size_t>(got));
      } else if (got == 0) {
        break;
      } else {
        pollfd wait{from_.get(), POLLIN, 0};
        ::poll(&wait, 1, 1);
      }
    }
    ended_ = true;
    return all;
  }

 private:
  pid_t pid_ = -1;
  Fd to_, from_;
  bool ended_ = false;
};

Result<PythonProcess> find_in(uint32_t pid, uint32_t generation) {
  const std::string folder = fmt::format("/proc/{}", pid);
  const auto maps = read_file(folder + "/maps");
  if (!maps) return maps.error();
  const auto mappings = hal::executable_mappings(*maps);
  const Fd memory(::open((folder + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  ProcessView view;
  view.mappings = mappings;
  view.open_file = [&](const hal::Mapping& mapping) -> Result<Fd> {
    const std::string path = fmt::format("{}/map_files/{:x}-{:x}", folder, mapping.start, mapping.end);
    Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) return errno_error(path);
    return fd;
  };
  view.read_memory = [&](uint64_t address, void* out, size_t size) {
    return ::pread(memory.get(), out, size, static_cast<off_t>(address)) == static_cast<ssize_t>(size);
  };
  PythonDebugLayout debug;
  return find_python(view, generation, debug);
}

struct Reported {
  std::string file, function;
  int line = 0;
  bool operator==(const Reported&) const = default;
};
void PrintTo(const Reported& reported, std::ostream* out) {
  *out << reported.file << ':' << reported.line << ' ' << reported.function;
}

struct Seen {
  wire_stack stack{};
  std::vector<Reported> frames;
};

bool is_entry(const wire_python_frame& frame) { return (frame.place & WIRE_PYTHON_ENTRY) != 0; }

struct Outcome {
  std::map<uint64_t, std::vector<Reported>> truth;
  std::map<uint64_t, Seen> seen;
  std::map<uint32_t, uint64_t> losses;
  uint64_t not_kept = 0;
  uint64_t codes = 0;  // records of code objects
  PythonProcess python;
};

class PythonWalk : public testing::TestWithParam<Interpreter> {
 protected:
  static void SetUpTestSuite() {
    if (::geteuid() != 0) return;
    skeleton_.reset(python_walk::open());
    if (!skeleton_) return;
    // Room for all of a test's stacks: what is tested is the walk, not whether this process gets the CPU to read along.
    bpf_map__set_max_entries(skeleton_->maps.stacks, 64 << 20);
    if (python_walk::load(skeleton_.get()) != 0) {
      skeleton_.reset();
      return;
    }
    LIBBPF_OPTS(bpf_uprobe_opts, options, .func_name = "marked_call");
    link_ = bpf_program__attach_uprobe_opts(skeleton_->progs.on_marked_call, -1, INGERO_MARKED, 0, &options);
  }
  static void TearDownTestSuite() {
    bpf_link__destroy(link_);
    link_ = nullptr;
    skeleton_.reset();
  }
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "placing probes needs root";
    ASSERT_NE(skeleton_, nullptr) << "the program could not be loaded";
    ASSERT_NE(link_, nullptr) << "the probe could not be attached";
  }

  // Runs a scenario; what the program said and what the probe saw.
  void run(std::vector<std::string> arguments, Outcome& outcome) {
    Workload workload(GetParam().path, arguments);
    ASSERT_TRUE(workload.ready()) << GetParam().path;
    static uint32_t generation = 0;
    auto python = find_in(workload.pid(), ++generation);
    ASSERT_TRUE(python) << python.error().text();
    outcome.python = *python;
    EXPECT_EQ(python->version.minor, GetParam().minor);
    const uint32_t pid = workload.pid();
    ASSERT_EQ(bpf_map_update_elem(bpf_map__fd(skeleton_->maps.python_processes), &pid, &python->layout, BPF_ANY), 0);
    skeleton_->bss->not_kept = 0;
    const auto before = losses();

    struct Context {
      PythonNames names;
      std::vector<wire_stack> stacks;
      uint64_t malformed = 0;
      uint64_t codes = 0;
    } context;
    const std::unique_ptr<ring_buffer, RingDeleter> ring(ring_buffer__new(
        bpf_map__fd(skeleton_->maps.stacks),
        [](void* data, void* record, size_t size) {
          auto& to = *static_cast<Context*>(data);
          const auto type = *static_cast<uint16_t*>(record);
          if (type == WIRE_CODE) {
            ++to.codes;
            to.malformed += to.names.add({static_cast<std::byte*>(record), size}) ? 0 : 1;
          } else if (type == WIRE_STACK) {
            to.stacks.push_back(*static_cast<wire_stack*>(record));
          }
          return 0;
        },
        &context, nullptr));
    ASSERT_NE(ring, nullptr);
    workload.go();
    const std::string said = workload.rest([&] { ring_buffer__consume(ring.get()); });
    ring_buffer__consume(ring.get());
    bpf_map_delete_elem(bpf_map__fd(skeleton_->maps.python_processes), &pid);

    EXPECT_EQ(context.malformed, 0U);
    outcome.not_kept = skeleton_->bss->not_kept;
    outcome.codes = context.codes;
    outcome.losses = losses();
    for (auto& [kind, count] : outcome.losses) count -= before.at(kind);
    const auto json = nlohmann::json::parse(said, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << said.substr(0, 500);
    for (const auto& [id, frames] : json.items()) {
      auto& to = outcome.truth[std::stoull(id)];
      for (const auto& frame : frames) to.push_back({frame[0], frame[1], frame[2]});
    }
    for (const wire_stack& stack : context.stacks) {
      if (stack.pid != pid) continue;
      Seen seen{stack, {}};
      for (int i = 0; i < stack.n_python; ++i) {
        const auto named = context.names.name(pid, stack.python[i]);
        seen.frames.push_back(named
                                  ? Reported{named->untrusted_file, named->untrusted_function, named->line.value_or(-1)}
                                  : Reported{"not told", "", 0});
      }
      EXPECT_TRUE(outcome.seen.emplace(stack.start_ns, seen).second) << "call " << stack.start_ns << " seen twice";
    }
  }

  std::map<uint32_t, uint64_t> losses() {
    std::map<uint32_t, uint64_t> all;
    std::vector<wire_losses> by_cpu(static_cast<size_t>(libbpf_num_possible_cpus()));
    const uint32_t only = 0;
    EXPECT_EQ(bpf_map_lookup_elem(bpf_map__fd(skeleton_->maps.losses), &only, by_cpu.data()), 0);
    for (uint32_t kind = 0; kind < WIRE_LOSS_KINDS; ++kind) {
      for (const wire_losses& of_cpu : by_cpu) all[kind] += of_cpu.count[kind];
    }
    return all;
  }

  // Every call's stack, whole and as the program said.
  static void expect_all_right(const Outcome& outcome) {
    EXPECT_GT(outcome.truth.size(), 0U);
    EXPECT_EQ(outcome.seen.size(), outcome.truth.size());
    EXPECT_EQ(outcome.not_kept, 0U);
    EXPECT_EQ(outcome.losses.at(WIRE_LOSS_PYTHON_UNREADABLE), 0U);
    EXPECT_EQ(outcome.losses.at(WIRE_LOSS_CODE_RING_FULL), 0U);
    size_t wrong = 0;
    for (const auto& [id, frames] : outcome.truth) {
      const auto seen = outcome.seen.find(id);
      ASSERT_NE(seen, outcome.seen.end()) << "call " << id << " from " << testing::PrintToString(frames);
      const bool right = seen->second.frames == frames && seen->second.stack.python_outcome == WIRE_PYTHON_WHOLE;
      if (!right && ++wrong <= 3) {
        ADD_FAILURE() << "call " << id << ", outcome " << int{seen->second.stack.python_outcome} << "\n  said "
                      << testing::PrintToString(frames) << "\n  seen " << testing::PrintToString(seen->second.frames);
      }
    }
    EXPECT_EQ(wrong, 0U) << "of " << outcome.truth.size();
  }

  static std::unique_ptr<python_walk, SkeletonDeleter> skeleton_;
  static bpf_link* link_;
};
std::unique_ptr<python_walk, SkeletonDeleter> PythonWalk::skeleton_;
bpf_link* PythonWalk::link_ = nullptr;

INSTANTIATE_TEST_SUITE_P(On, PythonWalk, testing::ValuesIn(python_test::interpreters()),
                         [](const auto& info) { return info.param.name; });
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(PythonWalk);

TEST_P(PythonWalk, ReportsExecutingLinesOfNestedCalls) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"basic"}, outcome));
  expect_all_right(outcome);
  // what the program says is itself right: innermost to outermost, by name
  const auto& first = outcome.truth.begin()->second;
  std::vector<std::string> functions;
  for (const Reported& reported : first) functions.push_back(reported.function);
  const bool qualified = GetParam().minor >= 11;
  EXPECT_THAT(functions,
              testing::ElementsAre(qualified ? "Nested.inner" : "inner", qualified ? "Nested.middle" : "middle",
                                   "outer", "basic", "main", "<module>"));
  // one run of the interpreter's C function for all of them, or before 3.11 one each
  const wire_stack& stack = outcome.seen.begin()->second.stack;
  for (int i = 0; i < stack.n_python; ++i) {
    EXPECT_EQ(is_entry(stack.python[i]), i == stack.n_python - 1 || !qualified) << i;
  }
}

// A library is found by its code, which the loader maps before its data: what is read then is nothing, or another part
// of the file.
TEST_P(PythonWalk, FindsAnInterpreterThatIsStillStarting) {
  size_t not_yet = 0;  // a busy machine may look at one only when it has started: not at all five
  for (int round = 0; round < 5; ++round) {
    Workload workload(GetParam().path, {"basic"});
    Result<PythonProcess> found = Error{Errc::kNotFound, "not looked yet"};
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < end) {
      found = find_in(workload.pid(), 1);
      if (found) break;
      // what is said of one that is starting must not be final
      const bool may_come = found.error().code() == Errc::kBusy || found.error().code() == Errc::kNotFound;
      EXPECT_TRUE(may_come || found.error().code() == Errc::kIo) << found.error().text();
      ++not_yet;
    }
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->version.minor, GetParam().minor);
    ASSERT_TRUE(workload.ready());
  }
  EXPECT_GT(not_yet, 0U);
}

TEST_P(PythonWalk, SaysWhenAStackIsDeeperThanItsLimit) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"deep"}, outcome));
  ASSERT_EQ(outcome.seen.size(), 1U);
  const Seen& seen = outcome.seen.begin()->second;
  auto expected = outcome.truth.begin()->second;
  ASSERT_EQ(expected.size(), 72U);
  expected.resize(WIRE_STACK_PYTHON);
  EXPECT_EQ(seen.frames, expected);
  EXPECT_EQ(seen.stack.python_outcome, WIRE_PYTHON_CUT);
  EXPECT_EQ(outcome.losses[WIRE_LOSS_PYTHON_CUT], 1U);
}

TEST_P(PythonWalk, KeepsAStackOfExactlyTheLimitWhole) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"shallow"}, outcome));
  std::vector<int> outcomes;
  for (const auto& [id, seen] : outcome.seen) {
    outcomes.push_back(seen.stack.python_outcome);
    auto expected = outcome.truth.at(id);
    if (expected.size() > WIRE_STACK_PYTHON) expected.resize(WIRE_STACK_PYTHON);
    EXPECT_EQ(seen.frames, expected);
  }
  // with shallow, main and <module>: 4, 8, 33, 64, 65 and 66 frames
  EXPECT_THAT(outcomes, testing::ElementsAre(WIRE_PYTHON_WHOLE, WIRE_PYTHON_WHOLE, WIRE_PYTHON_WHOLE, WIRE_PYTHON_WHOLE,
                                             WIRE_PYTHON_CUT, WIRE_PYTHON_CUT));
}

TEST_P(PythonWalk, FollowsGeneratorsAndCoroutines) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"generators"}, outcome));
  expect_all_right(outcome);
}

TEST_P(PythonWalk, MarksTheRunsOfCallbacks) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"callbacks"}, outcome));
  expect_all_right(outcome);
  for (const auto& [id, seen] : outcome.seen) {
    for (size_t i = 0; i < seen.frames.size(); ++i) {
      const bool from_c = seen.frames[i].function.find("called_back") != std::string::npos ||
                          seen.frames[i].function.find("calls_again") != std::string::npos ||
                          seen.frames[i].function.find("<lambda>") != std::string::npos ||
                          seen.frames[i].function == "<module>";
      EXPECT_EQ(is_entry(seen.stack.python[i]), from_c || GetParam().minor < 11) << id << ' ' << i;
    }
  }
}

TEST_P(PythonWalk, FollowsMethodsCalledByTheInterpreterItself) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"slots"}, outcome));
  expect_all_right(outcome);
}

TEST_P(PythonWalk, ReportsNamesOfAnyAlphabetAndCutsLongOnes) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"names"}, outcome));
  ASSERT_EQ(outcome.truth.size(), 6U);
  // the long ones as they are kept: the end of a path, the beginning of a name
  const auto cut = [](Reported& reported) {
    if (reported.file.starts_with("aaa"))
      reported.file = "..." + reported.file.substr(reported.file.size() - WIRE_CODE_FILE);
    if (reported.file.starts_with("漢漢")) {
      const size_t characters = WIRE_CODE_FILE / 2 - 3;  // ".py" are three of them
      reported.file = "...";
      for (size_t i = 0; i < characters; ++i) reported.file += "漢";
      reported.file += ".py";
    }
    if (reported.function.starts_with("ggg")) reported.function = reported.function.substr(0, WIRE_CODE_NAME) + "...";
  };
  for (auto& [id, frames] : outcome.truth) {
    for (Reported& reported : frames) cut(reported);
  }
  expect_all_right(outcome);
}

TEST_P(PythonWalk, ReportsCodeObjectsApartThatLivedAtOneAddress) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"reused"}, outcome));
  expect_all_right(outcome);
  std::map<uint64_t, std::vector<uint32_t>> addresses;
  for (const auto& [id, seen] : outcome.seen)
    addresses[seen.stack.python[0].code].push_back(seen.stack.python[0].identity);
  EXPECT_LT(addresses.size(), 400U) << "no address was used twice: this test proves nothing";
}

TEST_P(PythonWalk, SaysNoLinePastALineTableThatWasCut) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"big"}, outcome));
  ASSERT_EQ(outcome.truth.size(), 4U);
  // the last call is behind 30,000 lines: further than the table is kept
  auto& last = outcome.truth.rbegin()->second.front();
  EXPECT_EQ(last.line, 30002);
  last.line = -1;
  expect_all_right(outcome);
}

TEST_P(PythonWalk, FindsEachThreadsOwnFramesUnderLoad) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"threads", "1000"}, outcome));
  EXPECT_GE(outcome.truth.size(), 10000U);
  expect_all_right(outcome);
  // a dozen functions, each sent once, or once more by a thread that came to it at the same time
  EXPECT_LT(outcome.codes, 60U);
}

TEST_P(PythonWalk, IsNotFooledByThreadsThatCameAndWent) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"short_threads"}, outcome));
  expect_all_right(outcome);
}

TEST_P(PythonWalk, FindsItsThreadWhileOthersComeAndGo) {
  Outcome outcome;
  skeleton_->bss->pause_ns = 30000;  // so that others do come and go between two looks
  run({"crowd"}, outcome);
  skeleton_->bss->pause_ns = 0;
  ASSERT_FALSE(HasFatalFailure());
  expect_all_right(outcome);
}

TEST_P(PythonWalk, FindsTheInterpreterThatRunsAmongSeveral) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"subinterpreters"}, outcome));
  if (GetParam().minor > 9) return expect_all_right(outcome);
  // 3.9 does not say which thread runs an interpreter: what may be wrong is left out
  size_t reported = 0;
  for (const auto& [id, seen] : outcome.seen) {
    if (seen.stack.python_outcome == WIRE_PYTHON_UNREADABLE) {
      EXPECT_THAT(seen.frames, testing::IsEmpty());
    } else {
      ++reported;
      EXPECT_EQ(seen.frames, outcome.truth.at(id));
    }
  }
  EXPECT_GT(reported, 0U);
  EXPECT_LT(reported, outcome.seen.size());
}

TEST_P(PythonWalk, CostsAFewReadsAFrame) {
  Outcome outcome;
  ASSERT_NO_FATAL_FAILURE(run({"cost"}, outcome));
  std::map<size_t, std::vector<uint64_t>> by_depth;
  for (const auto& [id, seen] : outcome.seen) by_depth[seen.frames.size()].push_back(seen.stack.ns);
  for (auto& [depth, costs] : by_depth) {
    std::sort(costs.begin(), costs.end());
    std::printf("[ cost     ] %s: %zu frames %lu ns (median of %zu, q25 %lu, q75 %lu)\n", GetParam().path.c_str(),
                depth, costs[costs.size() / 2], costs.size(), costs[costs.size() / 4], costs[costs.size() * 3 / 4]);
    EXPECT_LT(costs[costs.size() / 2], 1000 * (10 + depth)) << "slower than anything measured, by far";
  }
}

}  // namespace
}  // namespace ingero::symbols
