// The rules by which the kernel side pairs returns with entries (F1 to F4 of bpf/call.bpf.h), on functions of this
// program: calls that tail-call, that are jumped out of, and that are made where another was left. Through every
// mechanism that this kernel has.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <fstream>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <link.h>
#include <ucontext.h>

#include "hal/call_table.h"
#include "hal/lower.h"
#include "hal/shapes.h"
#include "kernelside/drain.h"
#include "kernelside/file_probes.h"
#include "kernelside/objects.h"
#include "temp_folder.h"

// frames_tail(inside, argument) does nothing but continue as frames_inner(): the same stack pointer, the same return
// address. No compiler is trusted with that.
extern "C" {
using Inside = void (*)(void*);
void frames_outer(Inside inside, void* argument);
void frames_inner(Inside inside, void* argument);
void frames_tail(Inside inside, void* argument);
}
#if defined(__aarch64__)
asm(".text\n.globl frames_tail\n.type frames_tail, %function\nframes_tail:\n nop\n b frames_inner\n"
    ".size frames_tail, .-frames_tail\n");
#else
asm(".text\n.globl frames_tail\n.type frames_tail, @function\nframes_tail:\n nop\n jmp frames_inner\n"
    ".size frames_tail, .-frames_tail\n");
#endif

namespace {

void* inner_frame = nullptr;  // of the last frames_inner()

}  // namespace

// Something is left to do after `inside`: it is called, not jumped to.
[[gnu::noinline, gnu::used]] void frames_outer(Inside inside, void* argument) {
  inside(argument);
  asm volatile("" ::: "memory");
}
[[gnu::noinline, gnu::used]] void frames_inner(Inside inside, void* argument) {
  inner_frame = __builtin_frame_address(0);
  inside(argument);
  asm volatile("" ::: "memory");
}

namespace ingero::kernelside {

// For the names of the tests.
void PrintTo(Mechanism mechanism, std::ostream* out) { *out << name_of(mechanism); }

namespace {

constexpr hal::Row kRows[] = {
    {.name = "outer", .kind = hal::Kind::kSync, .shape = hal::shape::kNothing},
    {.name = "inner", .kind = hal::Kind::kSync, .shape = hal::shape::kNothing},
    {.name = "tail", .kind = hal::Kind::kSync, .shape = hal::shape::kNothing},
};
constexpr hal::Library kLibraries[] = {{.name = "frames", .sonames = {}, .rows = kRows, .layer = "LIB"}};
constexpr hal::Backend kBackend = {.name = "b", .vendor = "v", .libraries = kLibraries};
constexpr const hal::Backend* kBackends[] = {&kBackend};

// Where in this program's file an address of its code is.
uint64_t file_offset(void (*function)(Inside, void*)) {
  std::pair<uintptr_t, uint64_t> search(reinterpret_cast<uintptr_t>(function), 0);
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto& [address, offset] = *static_cast<std::pair<uintptr_t, uint64_t>*>(data);
        for (const auto& segment : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
          const uintptr_t start = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type == PT_LOAD && address >= start && address < start + segment.p_memsz) {
            offset = address - start + segment.p_offset;
          }
        }
        return offset != 0 ? 1 : 0;
      },
      &search);
  return search.second;
}

constexpr size_t kPage = 4096;
jmp_buf target;
[[noreturn]] void jump(void*) { longjmp(target, 1); }
void nothing(void*) {}

// Calls `inside` from some kilobytes further down the stack, all of which is written over.
[[gnu::noinline]] void from_further_down(Inside inside) {
  std::array<volatile char, 8192> filler;
  for (auto& byte : filler) byte = 0x5a;
  inside(nullptr);
  asm volatile("" ::"r"(filler.data()) : "memory");
}

class FramesTest : public ::testing::TestWithParam<Mechanism> {
 protected:
  void SetUp() override {
    const MechanismProbe probe = probe_mechanism(GetParam());
    if (!probe.works) GTEST_SKIP() << probe.reason;
    options_.mechanism = GetParam();
    auto loaded = Objects::load(options_);
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    objects_ = std::move(*loaded);
    std::vector<AttachPoint> points;
    for (uint32_t probe = 0; probe < std::size(kRows); ++probe) {
      lowered_[probe] = hal::lower(kRows[probe], hal::kHostArch).value();
      wire_recipe recipe = lowered_[probe].recipe;
      ASSERT_TRUE(objects_->set_recipe(probe, recipe).ok());
      probes_.append({calls_.id_of(kRows[probe]), &lowered_[probe]});
      constexpr std::array kAddresses = {frames_outer, frames_inner, frames_tail};
      points.push_back({probe, file_offset(kAddresses[probe]), probe == 0});
    }
    auto drain = Drain::open(*objects_, calls_, normaliser_, ledger_);
    ASSERT_TRUE(drain.ok()) << drain.error().text();
    drain_ = std::move(*drain);
    auto attached = FileProbes::attach(*objects_, "/proc/self/exe", points);
    ASSERT_TRUE(attached.ok()) << attached.error().text();
    ASSERT_TRUE((*attached)->refusals().empty()) << (*attached)->refusals()[0].reason;
    attached_ = std::move(*attached);
  }

  // The calls that have ended since the last time, in the order of their records: "inner unwound 1 in outer" is one at
  // depth 1 whose parent is a call of `outer`.
  std::vector<std::string> ended() {
    RingRecords batch;
    EXPECT_TRUE(drain_->poll(0, 1000, batch).ok());
    std::vector<std::string> lines;
    for (const hal::Event& event : batch.events) {
      std::string line = fmt::format("{} {} {}", calls_[event.call].name, name_of(event.outcome), event.depth);
      if (event.has(hal::Has::kParent)) line += fmt::format(" in {}", calls_[event.parent_call].name);
      lines.push_back(std::move(line));
    }
    return lines;
  }
  // Each return found its call, and no call was without room.
  void expect_nothing_lost() {
    objects_->read_losses(ledger_);
    for (const hal::Loss loss : {hal::Loss::unpaired_return, hal::Loss::too_deep, hal::Loss::ring_full,
                                 hal::Loss::no_thread_state, hal::Loss::no_recipe}) {
      EXPECT_EQ(ledger_.count(loss), 0U) << hal::kLossTable[static_cast<size_t>(loss)].name;
    }
  }
  using Lines = std::vector<std::string>;

  ObjectOptions options_;
  const hal::CallTable calls_{kBackends};
  std::array<hal::Lowered, std::size(kRows)> lowered_;
  ProbeTable probes_;
  hal::LossLedger ledger_;
  Normaliser normaliser_{calls_, probes_, ledger_};
  std::unique_ptr<Objects> objects_;
  std::unique_ptr<Drain> drain_;
  std::unique_ptr<FileProbes> attached_;
};

TEST_P(FramesTest, ACallInsideAnotherHasItAsParent) {
  frames_outer([](void*) { frames_inner(nothing, nullptr); }, nullptr);
  EXPECT_EQ(ended(), (Lines{"inner returned 1 in outer", "outer returned 0"}));
  expect_nothing_lost();
}

// As a trace ends, probes of returns are removed while programs still hear of ends.
TEST_P(FramesTest, ACallInWhichItsThreadEndsStaysInFlightWhereItsReturnMayHaveBeenMissed) {
  for (const ProgramStatus& status : objects_->attach_thread_programs()) ASSERT_EQ(status.reason, "") << status.name;
  const auto call_in_a_thread_that_ends = [] {
    std::thread([] { frames_outer([](void*) { syscall(SYS_exit, 0); }, nullptr); }).join();
  };
  const auto ended_calls = [&] {
    Lines lines = ended();
    std::erase_if(lines, [](const std::string& line) { return !line.starts_with("outer"); });  // waits of threads
    return lines;
  };
  call_in_a_thread_that_ends();
  EXPECT_EQ(ended_calls(), (Lines{"outer exited 0"}));
  objects_->note_returns_unseen();
  call_in_a_thread_that_ends();
  EXPECT_EQ(ended_calls(), (Lines{"outer in flight 0"}));
  expect_nothing_lost();
}

// (P6) No program sees a fork here, as where on_process_fork is skipped.
class ForkUnseenTest : public FramesTest {
 protected:
  ForkUnseenTest() { options_.pids = {kNobody}; }
  static constexpr uint32_t kNobody = 0x7fffffff;  // above the largest number of a process
};

TEST_P(ForkUnseenTest, CallsOfATracedProcesssDescendantsAreCapturedAndNobodyElses) {
  std::array<int, 2> go{};
  ASSERT_EQ(pipe(go.data()), 0);
  const auto call_in_a_grandchild = [&](bool is_traced) {
    const pid_t child = fork();
    if (child == 0) {
      char byte = 0;
      if (read(go[0], &byte, 1) != 1) _exit(1);
      const pid_t grandchild = fork();
      if (grandchild == 0) frames_outer(nothing, nullptr);
      if (grandchild != 0) waitpid(grandchild, nullptr, 0);
      _exit(0);
    }
    if (is_traced) {
      EXPECT_TRUE(objects_->mark_traced(static_cast<uint32_t>(child)).ok());
    }
    EXPECT_EQ(write(go[1], "", 1), 1);
    EXPECT_EQ(waitpid(child, nullptr, 0), child);
  };
  call_in_a_grandchild(false);
  EXPECT_EQ(ended(), Lines{});
  call_in_a_grandchild(true);
  EXPECT_EQ(ended(), Lines{"outer returned 0"});
  expect_nothing_lost();
  for (const int fd : go) close(fd);
}

// (F1)
TEST_P(FramesTest, ACallLeftByAJumpEndsWhenTheNextIsMadeFurtherUpAndTheOneAroundItLivesOn) {
  frames_outer(
      [](void*) {
        if (setjmp(target) == 0) from_further_down([](void*) { frames_inner(jump, nullptr); });
        frames_inner(nothing, nullptr);
      },
      nullptr);
  EXPECT_EQ(ended(), (Lines{"inner unwound 1 in outer", "inner returned 1 in outer", "outer returned 0"}));
  expect_nothing_lost();
}

// (F2) The tail call returns to where its caller would have: both return, and neither ends the other.
TEST_P(FramesTest, ATailCallAtTheVeryStackPointerOfItsCallerIsInsideIt) {
  frames_tail(nothing, nullptr);
  EXPECT_EQ(ended(), (Lines{"inner returned 1 in tail", "tail returned 0"}));
  frames_outer([](void*) { frames_tail(nothing, nullptr); }, nullptr);
  EXPECT_EQ(ended(), (Lines{"inner returned 2 in tail", "tail returned 1 in outer", "outer returned 0"}));
  expect_nothing_lost();
}

// (F2) The same stack pointer, but a return address of its own: what stood there was left.
TEST_P(FramesTest, ACallAtTheVeryStackPointerOfOneThatWasLeftIsNotInsideIt) {
  static void* frames[2];
  static int round;  // static: it changes between setjmp() and longjmp()
  for (round = 0; round < 2; ++round) {
    if (setjmp(target) == 0) frames_inner(round == 0 ? jump : nothing, nullptr);
    frames[round] = inner_frame;
  }
  ASSERT_EQ(frames[0], frames[1]) << "the second call was made elsewhere: this shows nothing";
  EXPECT_EQ(ended(), (Lines{"inner unwound 0", "inner returned 0"}));
  expect_nothing_lost();
}

// (F3)
TEST_P(FramesTest, AReturnEndsTheCallsAboveItThatWereLeft) {
  frames_outer(
      [](void*) {
        if (setjmp(target) == 0) {
          frames_inner([](void*) { from_further_down([](void*) { frames_inner(jump, nullptr); }); }, nullptr);
        }
      },
      nullptr);
  Lines lines = ended();
  std::sort(lines.begin(), lines.end() - (lines.empty() ? 0 : 1));  // of those that end together any comes first
  EXPECT_EQ(lines, (Lines{"inner unwound 1 in outer", "inner unwound 2 in inner", "outer returned 0"}));
  frames_inner(nothing, nullptr);
  EXPECT_EQ(ended(), Lines{"inner returned 0"}) << "nothing is left open";
  expect_nothing_lost();
}

// (F4)
TEST_P(FramesTest, ACallMadeFurtherDownThanOneThatWasLeftIsNotInsideIt) {
#if defined(__aarch64__)
  GTEST_SKIP() << "arm64 keeps return addresses in registers: such a call ends later (bpf/call.bpf.h)";
#endif
  if (setjmp(target) == 0) frames_inner(jump, nullptr);
  from_further_down([](void*) { frames_outer(nothing, nullptr); });
  EXPECT_EQ(ended(), (Lines{"inner unwound 0", "outer returned 0"}));
  expect_nothing_lost();
}

// The kernel side cannot read such a page, as little as one that is swapped out or moved to another node.
TEST_P(FramesTest, ACallWhoseReturnAddressCannotBeReadNowIsStillOpen) {
  static Inside farther_down = [](void* page) {
    mprotect(page, kPage, PROT_NONE);
    frames_inner(nothing, nullptr);
    mprotect(page, kPage, PROT_READ | PROT_WRITE);
  };
  static ucontext_t caller, callee;
  const size_t bytes = 64 << 10;
  auto* stack =
      static_cast<char*>(mmap(nullptr, bytes + kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(stack, MAP_FAILED);
  static void* page;
  page = stack + bytes - kPage;
  getcontext(&callee);
  callee.uc_stack = {.ss_sp = stack, .ss_flags = 0, .ss_size = bytes};
  callee.uc_link = &caller;
  makecontext(
      &callee, [] { frames_outer([](void*) { from_further_down([](void*) { farther_down(page); }); }, nullptr); }, 0);
  swapcontext(&caller, &callee);
  munmap(stack, bytes + kPage);
  EXPECT_EQ(ended(), (Lines{"inner returned 1 in outer", "outer returned 0"}));
  expect_nothing_lost();
}

TEST_P(FramesTest, ANameIsReadFromPagesThatAreNotThereYet) {
  if (!objects_->names_reason().empty()) GTEST_SKIP() << objects_->names_reason();
  const std::string across = "a_name_across_two_pages", last = "a_name_where_its_mapping_ends";
  std::string text = std::string(kPage - 10, 'x') + across;
  text.resize(2 * kPage - last.size() - 1);
  text += last + '\0';
  const TempFolder folder;
  const std::string path = folder.path() + "/names";
  std::ofstream(path) << text;
  auto* const mapped = static_cast<char*>(mmap(nullptr, 3 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(mapped, MAP_FAILED);
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(mmap(mapped, 2 * kPage, PROT_READ, MAP_PRIVATE | MAP_FIXED, file.get(), 0), mapped);
  wire_recipe recipe = lowered_[0].recipe;
  recipe.inputs = 1;  // the second argument
  recipe.sleepable_word = 1;
  ASSERT_TRUE(objects_->set_recipe(0, recipe).ok());
  frames_outer(nothing, mapped + kPage - 10);
  frames_outer(nothing, mapped + text.size() - last.size() - 1);
  RingRecords batch;
  EXPECT_TRUE(drain_->poll(0, 1000, batch).ok());
  munmap(mapped, 3 * kPage);
  ASSERT_EQ(batch.names.size(), 2U);
  EXPECT_EQ(std::string(batch.names[0].name), across);
  EXPECT_EQ(std::string(batch.names[1].name), last);
  EXPECT_EQ(batch.events.size(), 2U);
}

TEST_P(FramesTest, AtTheEndOfATraceAnOpenCallReturnsAndNoneBegins) {
  frames_outer(
      [](void* objects) {
        constexpr std::array<uint32_t, std::size(kRows)> kAll = {0, 1, 2};
        static_cast<Objects*>(objects)->end_recipes(kAll);
        frames_inner(nothing, nullptr);
      },
      objects_.get());
  frames_tail(nothing, nullptr);
  EXPECT_EQ(ended(), Lines{"outer returned 0"});
  expect_nothing_lost();
}

class StacksOfFramesTest : public FramesTest {
 protected:
  StacksOfFramesTest() { options_.stacks = WIRE_STACKS_ALL; }
};

// Calls with two pages between that and here that cannot be read meanwhile.
[[gnu::noinline]] void across_unreadable_pages(Inside inside, uint64_t& hole) {
  std::array<volatile char, 4 * kPage> space;
  hole = (reinterpret_cast<uint64_t>(space.data()) + kPage - 1) / kPage * kPage;
  auto* const pages = reinterpret_cast<void*>(hole);  // NOLINT(performance-no-int-to-ptr)
  ASSERT_EQ(mprotect(pages, 2 * kPage, PROT_NONE), 0);
  frames_outer(inside, nullptr);
  ASSERT_EQ(mprotect(pages, 2 * kPage, PROT_READ | PROT_WRITE), 0);
}

TEST_P(StacksOfFramesTest, PagesThatCannotBeReadAreHolesInIt) {
  volatile uint64_t mark = 0x5ca1ab1e0ddba115;
  uint64_t hole = 0;
  across_unreadable_pages(nothing, hole);
  RingRecords batch;
  ASSERT_TRUE(drain_->poll(0, 1000, batch).ok());
  ASSERT_EQ(batch.stacks.size(), 1U);
  const StackRecord& stack = batch.stacks.front();
  const uint64_t bottom = stack.head.registers[WIRE_STACK_SP] - stack.head.below;
  const uint64_t at = reinterpret_cast<uint64_t>(&mark) - bottom;
  ASSERT_LE(at + sizeof(mark), stack.bytes.size()) << "it ends before what is above the holes";
  uint64_t found = 0;
  std::memcpy(&found, stack.bytes.data() + at, sizeof(found));
  EXPECT_EQ(found, mark);
  EXPECT_EQ(stack.head.holes, 3U << (hole / kPage - bottom / kPage));
  objects_->read_losses(ledger_);
  EXPECT_EQ(ledger_.count(hal::Loss::stack_cut), 1U);
}

INSTANTIATE_TEST_SUITE_P(Mechanisms, StacksOfFramesTest, ::testing::ValuesIn(kMechanisms),
                         [](const auto& param_info) { return std::string(name_of(param_info.param)); });
INSTANTIATE_TEST_SUITE_P(Mechanisms, ForkUnseenTest, ::testing::ValuesIn(kMechanisms),
                         [](const auto& param_info) { return std::string(name_of(param_info.param)); });
INSTANTIATE_TEST_SUITE_P(Mechanisms, FramesTest, ::testing::ValuesIn(kMechanisms),
                         [](const auto& param_info) { return std::string(name_of(param_info.param)); });

}  // namespace
}  // namespace ingero::kernelside
