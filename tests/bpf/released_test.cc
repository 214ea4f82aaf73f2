// Probes that are given back, on the real kernel: a tracer with its threads follows programs that map copies of a
// library of 250 functions. Each call says which function it is in its argument, so a call that is booked on another
// function's number is seen.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include "base/text.h"
#include "hal/call_table.h"
#include "kernelside/drain.h"
#include "kernelside/foreign.h"
#include "kernelside/mapping_watch.h"
#include "kernelside/objects.h"
#include "kernelside/probe_release.h"
#include "kernelside/tracer.h"
#include "temp_folder.h"

namespace ingero::kernelside {
namespace {

constexpr int kFunctions = 250;
constexpr int kFew = 12;
constexpr int kCalls = 5000;
constexpr uid_t kUser = 65534;
constexpr hal::Param kShape[] = {{hal::Abi::kI32, hal::Field::kBytes}};
constexpr std::string_view kSonames[] = {"libmany.so*"};

// The functions' table, for as long as the program runs.
class Table {
 public:
  Table() {
    for (int i = 0; i < kFunctions; ++i) names_.push_back(fmt::format("many_{}", i));
    for (const std::string& name : names_) rows_.push_back({.name = name, .kind = hal::Kind::kAlloc, .shape = kShape});
    library_[0] = {.name = "libmany", .sonames = kSonames, .rows = rows_, .layer = "LIB"};
    backend_ = {.name = "many", .vendor = "v", .libraries = library_};
  }
  std::span<const hal::Backend* const> backends() const { return list_; }

 private:
  std::vector<std::string> names_;
  std::vector<hal::Row> rows_;
  hal::Library library_[1];
  hal::Backend backend_;
  const hal::Backend* list_[1] = {&backend_};
};

const Table& table() {
  static const Table only;
  return only;
}

// A child that runs `work` from go() on, and reports when it has reached a point.
class Child {
 public:
  using Work = std::function<void(const std::function<void()>& says, const std::function<void()>& waits)>;
  explicit Child(const Work& work) {
    int to[2], from[2];
    if (pipe(to) != 0 || pipe(from) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      const auto says = [&] { (void)!::write(from[1], "x", 1); };
      const auto waits = [&] {
        char byte;
        if (::read(to[0], &byte, 1) != 1) _exit(3);
      };
      waits();
      work(says, waits);
      _exit(0);
    }
    ::close(to[0]);
    ::close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  ~Child() {
    kill(pid_, SIGKILL);
    end();
    ::close(to_);
    ::close(from_);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  uint32_t pid() const { return static_cast<uint32_t>(pid_); }
  void go() const { EXPECT_EQ(::write(to_, "g", 1), 1); }
  void wait() const {
    char byte = 0;
    EXPECT_EQ(::read(from_, &byte, 1), 1) << "the child has ended";
  }
  // Its exit status.
  int end() {
    if (!ended_) waitpid(pid_, &status_, 0);
    ended_ = true;
    return status_;
  }

 private:
  pid_t pid_ = -1;
  int to_ = -1, from_ = -1, status_ = 0;
  bool ended_ = false;
};

void* open_copy(const std::string& library, const std::string& path) {
  std::filesystem::copy_file(library, path);
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) _exit(2);
  return handle;
}

void call(void* handle, int function) {
  reinterpret_cast<int (*)(int)>(dlsym(handle, fmt::format("many_{}", function).c_str()))(function);
}

// Copies that are mapped, called, unmapped and deleted.
void map_one_by_one(const std::string& library, const std::string& folder, int from, int count) {
  for (int i = from; i < from + count; ++i) {
    const std::string name = fmt::format("{}/{}-libmany.so", folder, i);
    void* const handle = open_copy(library, name);
    call(handle, i % kFunctions);
    usleep(10'000);  // it gets its probes
    call(handle, i % kFunctions);
    dlclose(handle);
    std::filesystem::remove(name);
  }
}

// Copies that stay mapped for a while; every other one is deleted at once.
void map_at_once(const std::string& library, const std::string& folder, int count, const std::function<void()>& says,
                 const std::function<void()>& waits) {
  const auto name = [&](int i) { return fmt::format("{}/kept-{}-libmany.so", folder, i); };
  std::vector<void*> handles;
  for (int i = 0; i < count; ++i) {
    handles.push_back(open_copy(library, name(i)));
    call(handles.back(), i);
    if (i % 2 == 0) std::filesystem::remove(name(i));
  }
  says();
  waits();
  for (void* handle : handles) dlclose(handle);
  for (int i = 1; i < count; i += 2) std::filesystem::remove(name(i));
}

// What the agent's threads do, as agent/recorder.cc has it.
class ReleasedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "placing probes needs root";
    if (!compile("many", "libmany.so", kFunctions) || !compile("few", "libmany.so", kFew) ||
        !compile("other", "libother.so", 0)) {
      GTEST_SKIP() << "no C compiler (cc)";
    }
    for (const char* name : {"user", "root"}) std::filesystem::create_directory(path(name));
    ASSERT_EQ(chmod(folder_.path().c_str(), 0755), 0);
    ASSERT_EQ(chown(path("user").c_str(), kUser, kUser), 0);
  }
  // A library of that number of described functions.
  bool compile(const std::string& name, const std::string& soname, int functions) const {
    std::ofstream source(path(name + ".c"));
    source << "int not_described(void) { return 1; }\n";
    for (int i = 0; i < functions; ++i) {
      source << fmt::format("__attribute__((noinline)) int many_{0}(int n) {{ return n + {0}; }}\n", i);
    }
    source.close();
    const std::string command =
        fmt::format("cc -O1 -shared -fPIC -Wl,-soname,{2} -o {0}/lib{1}.so {0}/{1}.c", folder_.path(), name, soname);
    return std::system(command.c_str()) == 0;
  }
  void TearDown() override {
    if (!tracer_) return;
    stopping_ = true;
    tracer_->stop_examining();
    for (std::thread& one : threads_) one.join();
    tracer_->stop_entries();
    tracer_->detach();
  }
  // After the children: what forks has no threads.
  void start() {
    ObjectOptions options;
    options.own_pid = static_cast<uint32_t>(getpid());
    auto loaded = Objects::load(options);
    if (!loaded.ok() && loaded.error().code() == Errc::kNotSupported) GTEST_SKIP() << loaded.error().text();
    ASSERT_TRUE(loaded.ok()) << loaded.error().text();
    objects_ = std::move(*loaded);
    foreign_.emplace(std::move(Helpers::start()).value(), ledger_);
    tracer_.emplace(TracerOptions{}, table().backends(), calls_, objects_.get(), *foreign_, ledger_);
    normaliser_.emplace(calls_, tracer_->probe_table(), ledger_);
    drain_ = std::move(Drain::open(*objects_, calls_, *normaliser_, ledger_)).value();
    (void)objects_->attach_thread_programs();
    mappings_ = std::move(MappingWatch::open()).value();
    threads_.emplace_back([this] { discover(); });
    threads_.emplace_back([this] { capture(); });
    threads_.emplace_back([this] {
      while (!stopping_) {
        for (int i = 0; i < 10 && !stopping_; ++i) usleep(100'000);
        tracer_->sweep();
      }
    });
  }
  void discover() {
    std::vector<NewMapping> found;
    while (!stopping_) {
      found.clear();
      const auto lost = mappings_->read(20, found);
      for (const NewMapping& notice : found) {
        hal::Mapping mapping;
        mapping.start = notice.start;
        mapping.end = notice.end;
        mapping.executable = true;
        mapping.file = notice.file;
        mapping.file_offset = notice.file_offset;
        mapping.untrusted_path = notice.untrusted_path;
        if (notice.pid != static_cast<uint32_t>(getpid())) {
          (void)tracer_->consider(notice.pid, mapping, notice.mono_ns, notice.generation);
        }
      }
      if (lost.ok() && *lost > 0) (void)tracer_->scan().ok();
    }
  }
  void capture() {
    ProbeRelease released;
    uint64_t next_ns = 0;
    while (!stopping_) {
      RingRecords batch;
      EXPECT_TRUE(drain_->poll(50, 2048, batch).ok());
      for (const hal::Event& event : batch.events) {
        if (event.kind != hal::Kind::kAlloc) continue;
        const std::scoped_lock lock(mutex_);
        ++made_[event.pid];
        wrong_ += fmt::format("many_{}", event.bytes) != calls_[event.call].name ||
                          tracer_->symbol_of(event.probe) != calls_[event.call].name
                      ? 1
                      : 0;
      }
      if (const uint64_t now = system_clock().mono_ns(); now >= next_ns) {
        next_ns = now + 1'000'000'000;
        released.add(tracer_->take_retired());
        const auto open = objects_->calls_in_flight();
        if (open.ok()) released.look(*open, drain_->position());
      }
      const auto passed = released.take();
      given_back_ += passed.size();
      tracer_->give_back(passed);
      (void)tracer_->take_new_probes();
    }
  }
  bool is_within(int seconds, const std::function<bool()>& condition) {
    for (int i = 0; i < seconds * 50 && !condition(); ++i) usleep(20'000);
    return condition();
  }
  // A user's copies, and two programs of root's: one while the user has many mapped at once, one after that.
  struct Round {
    Child user, during, after;
    std::string during_path, after_path;
  };
  static constexpr int kAtOnce = 100;
  Round make_round(int from, int to) {
    const auto honest = [&](const std::string& own) {
      return [this, own](const auto& says, const auto& waits) {
        void* const handle = open_copy(library_, own);
        says();
        waits();
        for (int i = 0; i < kCalls; ++i) call(handle, i % kFunctions);
      };
    };
    const std::string during = path(fmt::format("root/during-{}-libmany.so", to));
    const std::string after = path(fmt::format("root/after-{}-libmany.so", to));
    return Round{Child([this, from, to](const auto& says, const auto& waits) {
                   if (setgid(kUser) != 0 || setuid(kUser) != 0) _exit(4);
                   map_one_by_one(library_, path("user"), from, to);
                   map_at_once(library_, path("user"), kAtOnce, says, waits);
                 }),
                 Child(honest(during)), Child(honest(after)), during, after};
  }
  void run(Round& round) {
    round.user.go();
    round.during.go();
    round.during.wait();
    ASSERT_TRUE(is_within(20, [&] { return is_probed(round.during_path); }));
    round.during.go();
    EXPECT_EQ(round.during.end(), 0);
    round.user.wait();
    sleep(2);
    descriptors_most_ = descriptors();
    round.after.go();
    round.after.wait();
    EXPECT_TRUE(is_within(20, [&] { return is_probed(round.after_path); }));
    round.after.go();
    EXPECT_EQ(round.after.end(), 0);
    const auto both = [&](uint64_t calls) {
      return made(round.during.pid()) == calls && made(round.after.pid()) == calls;
    };
    EXPECT_TRUE(is_within(20, [&] { return both(kCalls); }))
        << made(round.during.pid()) << " and " << made(round.after.pid());
    round.user.go();
    EXPECT_EQ(round.user.end(), 0);
    std::filesystem::remove(round.during_path);
    std::filesystem::remove(round.after_path);
    EXPECT_TRUE(is_within(30, [&] { return tracer_->reports().empty(); })) << tracer_->reports().size();
    sleep(4);
    malloc_trim(0);
  }
  uint64_t made(uint32_t pid) {
    const std::scoped_lock lock(mutex_);
    return made_[pid];
  }
  bool is_probed(const std::string& library) {
    const auto reports = tracer_->reports();
    return std::ranges::any_of(
        reports, [&](const FileReport& report) { return report.path == library && report.attached_mono_ns != 0; });
  }
  std::string path(std::string_view name) const { return fmt::format("{}/{}", folder_.path(), name); }
  std::string losses() const {
    std::string text;
    for (size_t i = 0; i < static_cast<size_t>(hal::Loss::kCount); ++i) {
      if (const uint64_t count = ledger_.count(static_cast<hal::Loss>(i)); count > 0) {
        text += fmt::format("{} {}, ", hal::kLossTable[i].name, count);
      }
    }
    return text;
  }
  static size_t descriptors() {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
  }
  static uint64_t allocated() {
    const struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
  }
  static uint64_t anonymous_kib() {
    const std::string status = read_file("/proc/self/status", 1 << 16).value();
    return parse_u64(trim(split(status.substr(status.find("RssAnon:") + 8), 'k')[0])).value_or(0);
  }

  TempFolder folder_;
  const std::string library_ = path("libmany.so"), few_ = path("libfew.so"), other_ = path("libother.so");
  hal::LossLedger ledger_;
  const hal::CallTable calls_{table().backends()};
  std::unique_ptr<Objects> objects_;
  std::optional<Foreign> foreign_;
  std::optional<Tracer> tracer_;
  std::optional<Normaliser> normaliser_;
  std::unique_ptr<Drain> drain_;
  std::unique_ptr<MappingWatch> mappings_;
  std::atomic<bool> stopping_{false};
  std::atomic<size_t> given_back_{0};
  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::map<uint32_t, uint64_t> made_;  // calls, by process
  uint64_t wrong_ = 0;
  size_t descriptors_most_ = 0;
};

TEST_F(ReleasedTest, AUsersCopiesLeaveOthersCallsWhole) {
  const char* const asked = std::getenv("INGERO_COPIES");
  const int copies = asked != nullptr ? std::atoi(asked) : 300;
  // This heap is glibc's: as few arenas as the agent's has, and what is large is mapped by itself.
  mallopt(M_ARENA_MAX, 2);
  mallopt(M_MMAP_THRESHOLD, 64 << 10);
  // Memory is compared when as many probes as in the round that counts have been there at once: tables keep the length
  // that they once had, and that is bounded.
  Round first = make_round(0, 20), second = make_round(20, copies);
  start();
  if (IsSkipped()) return;

  ASSERT_NO_FATAL_FAILURE(run(first));
  EXPECT_GT(given_back_.load(), 0U);
  const size_t descriptors_before = descriptors();
  const uint64_t memory_before = anonymous_kib(), allocated_before = allocated();
  ASSERT_NO_FATAL_FAILURE(run(second));
  EXPECT_TRUE(is_within(20, [&] { return descriptors() <= descriptors_before; }))
      << descriptors() << ", before " << descriptors_before;
  // What is allocated shows a leak. Of the pages behind it, which a heap gives back only where nothing is left on
  // them, a tenth of an agent's memory may stay. The threads that read what users map go on meanwhile.
  constexpr uint64_t kAgentKib = 40 << 10;
  uint64_t memory_after = 0, allocated_after = 0;
  const bool is_given_back = is_within(20, [&] {
    malloc_trim(0);
    memory_after = anonymous_kib();
    allocated_after = allocated();
    return memory_after <= memory_before + kAgentKib / 10 &&
           allocated_after <= allocated_before + allocated_before / 10;
  });
  EXPECT_TRUE(is_given_back);
  const std::scoped_lock lock(mutex_);
  EXPECT_EQ(wrong_, 0U) << "calls booked on another function";
  EXPECT_EQ(ledger_.count(hal::Loss::attach_refused), 0U);
  EXPECT_EQ(ledger_.count(hal::Loss::probe_reused), 0U);
  fmt::print(
      "measured: copies {}, the user's calls seen {}, probe_quota {}, given back {}, probes of the table {}, "
      "descriptors {} -> {} -> {}, anonymous KiB {} -> {}, allocated {} -> {}; losses {}\n",
      copies + kAtOnce, made_[second.user.pid()], ledger_.count(hal::Loss::probe_quota), given_back_.load(),
      tracer_->probe_table().size(), descriptors_before, descriptors_most_, descriptors(), memory_before, memory_after,
      allocated_before, allocated_after, losses());
}

TEST_F(ReleasedTest, ANumberOfADeletedFileThatGoesToALibraryIsALibrary) {
  constexpr int kRounds = 4, kFiles = 25, kEach = 10;
  const std::string counted = path("reused");
  Child program([&](const auto&, const auto&) {
    int reused = 0;
    for (int round = 0; round < kRounds; ++round) {
      std::set<ino_t> inodes;
      std::vector<void*> handles;
      const auto name = [&](int i, const char* kind) { return path(fmt::format("root/{}-{}-{}", round, i, kind)); };
      const auto inode = [](const std::string& file) {
        struct stat status {};
        stat(file.c_str(), &status);
        return status.st_ino;
      };
      for (int i = 0; i < kFiles; ++i) {
        handles.push_back(open_copy(other_, name(i, "other.so")));
        inodes.insert(inode(name(i, "other.so")));
      }
      usleep(500'000);  // they are looked at
      for (void* handle : handles) dlclose(handle);
      handles.clear();
      for (int i = 0; i < kFiles; ++i) std::filesystem::remove(name(i, "other.so"));
      for (int i = 0; i < kFiles; ++i) {
        handles.push_back(open_copy(few_, name(i, "many.so")));
        reused += inodes.contains(inode(name(i, "many.so"))) ? 1 : 0;
      }
      usleep(1'500'000);  // and have probes
      for (void* handle : handles) {
        for (int i = 0; i < kEach; ++i) call(handle, i);
        dlclose(handle);
      }
      for (int i = 0; i < kFiles; ++i) std::filesystem::remove(name(i, "many.so"));
    }
    std::ofstream(counted) << reused;
  });
  start();
  if (IsSkipped()) return;
  program.go();
  EXPECT_EQ(program.end(), 0);
  int reused = 0;
  std::ifstream(counted) >> reused;
  constexpr uint64_t kMade = uint64_t{kRounds} * kFiles * kEach;
  (void)is_within(5, [&] { return made(program.pid()) == kMade; });
  fmt::print("measured: {} of {} numbers used again, {} of {} calls\n", reused, kRounds * kFiles, made(program.pid()),
             kMade);
  if (reused < kRounds * kFiles / 2) GTEST_SKIP() << "this file system gives new files other numbers";
  EXPECT_EQ(made(program.pid()), kMade) << losses();
  const std::scoped_lock lock(mutex_);
  EXPECT_EQ(wrong_, 0U);
}

}  // namespace
}  // namespace ingero::kernelside
