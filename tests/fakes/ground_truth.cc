// Makes a random mix of described calls over processes and threads and logs each one itself (truth.h), so that a
// recording can be compared with it call for call.
//
//   ground_truth --library PATH... --log DIR [--calls N] [--processes P] [--threads T] [--seed S] [--only a,b,...]
//                [--wait FILE] [--linger-ms MS] [--spin-ns MAX] [--rate N]
//
// On a stand-in (it exports fake_control) arguments are any 64-bit words, bad pointers included, and the return code
// and out-pointers are chosen too. On a real vendor library pointers lead to scratch memory, and each call is first
// tried in a child process: one that does not survive is left out and named on stderr.
// What only asks for the thread's device is called where --only names it: in a process that is traced from its start
// the agent does not probe it (hal::kAsksDevice; tests/e2e/devices.py has what is seen of it).
// --wait FILE: the libraries are loaded, then nothing is called until FILE exists. --rate N: at most N calls a second
// per thread. The last line on stdout is one JSON object with the totals.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <fnmatch.h>
#include <getopt.h>

#include "fakes/clock.h"
#include "fakes/fake_control.h"
#include "fakes/fake_table.h"
#include "fakes/truth.h"

namespace {

using ingero::tests::now_ns;
using ingero::tests::sleep_ms;

using namespace ingero::fakes;

constexpr uint32_t kAsksDevice = 65536;  // hal::RowFlag

struct Target {
  unsigned row;  // in fake_rows
  bool jumps;    // the call is another row's, reached through a wrapper
  void* function;
  struct fake_control* (*control)();  // null: a real library
};

struct Options {
  uint64_t calls = 1000;
  unsigned processes = 1;
  unsigned threads = 1;
  uint64_t seed = 1;
  uint64_t spin_ns = 0;
  uint64_t rate = 0;
  unsigned linger_ms = 0;
  std::vector<std::string> libraries;
  std::vector<std::string> only;
  std::string log;
  std::string wait;
};

// SplitMix64: the same calls for the same seed, on every machine.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t limit) { return next() % limit; }
  // Mostly the sizes programs use, sometimes any word at all.
  uint64_t value() {
    const uint64_t bits = next();
    switch (bits & 7U) {
      case 0:
        return next();
      case 1:
        return 0;
      case 2:
      case 3:
        return next() >> 24U;
      default:
        return next() >> 48U;
    }
  }

 private:
  uint64_t state_;
};

// Appends records to one thread's log. Any failure to write ends the process: a truth with a hole is worse than none.
class Log {
 public:
  Log(const std::string& directory, uint32_t pid, uint32_t tid) {
    path_ = directory + "/" + std::to_string(pid) + "." + std::to_string(tid) + ".truth";
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (fd_ < 0) die();
    buffer_.reserve(kBufferBytes);
    TruthHeader header{};
    memcpy(header.magic, kTruthMagic, sizeof header.magic);
    header.pid = pid;
    header.tid = tid;
    append(&header, sizeof header);
  }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;
  ~Log() {
    flush();
    close(fd_);
  }
  void append(const void* data, size_t bytes) {
    if (buffer_.size() + bytes > kBufferBytes) flush();
    const auto* p = static_cast<const char*>(data);
    buffer_.insert(buffer_.end(), p, p + bytes);
  }

 private:
  static constexpr size_t kBufferBytes = 1 << 20;
  [[noreturn]] void die() {
    fprintf(stderr, "ground_truth: %s: %s\n", path_.c_str(), strerror(errno));
    _exit(1);
  }
  void flush() {
    size_t done = 0;
    while (done < buffer_.size()) {
      ssize_t n = write(fd_, buffer_.data() + done, buffer_.size() - done);
      if (n < 0) die();
      done += static_cast<size_t>(n);
    }
    buffer_.clear();
  }
  std::string path_;
  std::vector<char> buffer_;
  int fd_ = -1;
};

// Makes one thread's calls. Memory behind pointers is the thread's own, so nothing another thread does can change it
// between the call and the log.
class Caller {
 public:
  Caller(const std::vector<Target>& targets, uint64_t seed, uint64_t spin_ns)
      : targets_(targets), random_(seed), spin_ns_(spin_ns) {
    for (const auto& target : targets_) {
      const fake_row& row = fake_rows[target.row];
      for (unsigned i = 0; i < row.n_params; ++i) reach_ = std::max<size_t>(reach_, row.params[i].reach);
    }
    reach_ = (std::max<size_t>(reach_, 256) + 63) & ~size_t{63};
    scratch_.resize(reach_ * FAKE_MAX_PARAMS);
    texts_.resize(kTexts * kTextBytes);
  }

  // One call of `target`; its record and items go to `log` when there is one. False: the callee did not do what it
  // should.
  bool call(const Target& target, Log* log) {
    const fake_row& row = fake_rows[target.row];
    const uint64_t expected = target.control != nullptr ? choose_return(row) : 0;
    choose_words(row, target.control != nullptr, expected);
    if (target.control != nullptr) {
      struct fake_control* control = target.control();
      control->ret = expected;
      control->out = out_base_;
      control->spin_ns = spin_ns_ ? random_.below(spin_ns_) : 0;
    }
    TruthCall record{};
    record.row = target.row | (target.jumps ? kTruthJumps : 0);
    record.start_ns = now_ns();
    record.ret = row.call(target.function, words_);
    record.end_ns = now_ns();
    if (target.control != nullptr && row.returns != FAKE_VOID && record.ret != expected) {
      fprintf(stderr, "ground_truth: %s returned %#lx instead of %#lx\n", row.symbol,
              static_cast<unsigned long>(record.ret), static_cast<unsigned long>(expected));
      return false;
    }
    if (log == nullptr) return true;
    uint64_t items[FAKE_MAX_ITEMS];
    for (unsigned i = 0; i < row.n_items; ++i) {
      const fake_item& item = row.items[i];
      uint64_t value = words_[item.word];
      bool readable = true;
      if (item.is_peek) {
        // Entry peeks were copied before the call: the callee may write there.
        if (item.of_result) value = record.ret;
        readable = !is_bad(value);
        if (readable && item.at_return) {
          value = read(value, item);
        } else {
          value = peeked_[i];
        }
      } else {
        value = (value >> (8U * item.offset)) & (item.bytes == 8 ? ~0UL : (1UL << (8U * item.bytes)) - 1);
      }
      items[i] = readable ? value : 0;
      record.readable |= static_cast<uint32_t>(readable) << i;
    }
    log->append(&record, sizeof record);
    log->append(items, row.n_items * sizeof items[0]);
    return true;
  }

  const Target& pick() { return targets_[random_.below(targets_.size())]; }

 private:
  static constexpr unsigned kTexts = 64;  // names stay readable a while: they are read after the call's entry
  static constexpr unsigned kTextBytes = 32;

  static bool is_bad(uint64_t pointer) { return pointer < 65536; }

  static uint64_t read(uint64_t pointer, const fake_item& item) {
    uint64_t value = 0;
    memcpy(&value, reinterpret_cast<const char*>(pointer) + item.offset, item.bytes);
    return value;
  }

  void choose_words(const fake_row& row, bool free_choice, uint64_t returned) {
    out_base_ = random_.next() >> 8U;
    for (unsigned i = 0; i < row.n_params; ++i) {
      const fake_param& param = row.params[i];
      if (param.abi != FAKE_PTR) {
        for (unsigned w = 0; w < param.n_words; ++w) words_[param.word + w] = random_.value();
        continue;
      }
      char* scratch = scratch_.data() + reach_ * i;
      const auto address = reinterpret_cast<uint64_t>(scratch);
      if (param.reach != 0) {
        for (size_t at = 0; at < param.reach; at += 8) {
          // Real libraries are given zeros to read: a random word there might be followed.
          const uint64_t value = free_choice ? random_.value() : 0;
          memcpy(scratch + at, &value, 8);
        }
        words_[param.word] = free_choice && random_.below(32) == 0 ? random_.below(4096) : address;
      } else if (param.is_text) {
        words_[param.word] = address;  // replaced below
      } else {
        words_[param.word] = free_choice ? random_.value() : address;
      }
    }
    name_text(row, returned);
    for (unsigned i = 0; i < row.n_items; ++i) {
      const fake_item& item = row.items[i];
      if (!item.is_peek && strcmp(item.field, "direction") == 0) words_[item.word] = choose_direction();
      if (item.is_peek && !item.at_return && !is_bad(words_[item.word])) {
        if (strcmp(item.field, "direction") == 0) {
          const uint64_t value = choose_direction();
          memcpy(reinterpret_cast<char*>(words_[item.word]) + item.offset, &value, item.bytes);
        }
      }
    }
    for (unsigned i = 0; i < row.n_items; ++i) {
      const fake_item& item = row.items[i];
      if (item.is_peek && !item.at_return && !is_bad(words_[item.word])) peeked_[i] = read(words_[item.word], item);
    }
  }

  uint64_t choose_direction() { return random_.below(16) == 0 ? random_.below(100) : random_.below(5); }

  // A registered kernel's name says its own handle: "fn_<handle in hex>", so a reader can check the pair.
  void name_text(const fake_row& row, uint64_t returned) {
    for (unsigned i = 0; i < row.n_params; ++i) {
      if (!row.params[i].is_text) continue;
      uint64_t handle = strcmp(row.result, "function") == 0 ? returned : out_base_;
      for (unsigned k = 0; k < row.n_items; ++k) {
        const fake_item& item = row.items[k];
        if (!item.is_peek && strcmp(item.field, "function") == 0) handle = words_[item.word];
      }
      char* text = texts_.data() + (next_text_++ % kTexts) * kTextBytes;
      snprintf(text, kTextBytes, "fn_%lx", static_cast<unsigned long>(handle));
      words_[row.params[i].word] = reinterpret_cast<uint64_t>(text);
    }
  }

  // What a callee made, with something new where it is read; now and then a pointer that cannot be memory.
  uint64_t make_result(const fake_item& item) {
    if (random_.below(8) == 0) return 1 + random_.below(4095);
    made_.resize(std::max<size_t>(made_.size(), item.offset + size_t{8}));
    const uint64_t value = random_.value();
    memcpy(made_.data() + item.offset, &value, sizeof value);
    return reinterpret_cast<uint64_t>(made_.data());
  }

  uint64_t choose_return(const fake_row& row) {
    if (row.returns == FAKE_POINTER) {
      if (random_.below(8) == 0) return 0;
      for (unsigned i = 0; i < row.n_items; ++i) {
        if (row.items[i].of_result) return make_result(row.items[i]);
      }
      return random_.next();
    }
    // A status is 32 bits: the register's upper half has no meaning and holds garbage here.
    const uint64_t code = random_.below(8) == 0 ? 1 + random_.below(999) : 0;
    return code | (random_.next() << 32U);
  }

  const std::vector<Target>& targets_;
  Random random_;
  uint64_t spin_ns_;
  size_t reach_ = 0;
  std::vector<char> scratch_;
  std::vector<char> texts_;
  std::vector<char> made_;
  unsigned next_text_ = 0;
  uint64_t out_base_ = 0;
  uint64_t words_[FAKE_MAX_WORDS] = {};
  uint64_t peeked_[FAKE_MAX_ITEMS] = {};
};

// What a vendor's library survives alone and not after its neighbours: it follows handles that these made up.
constexpr const char* kNeedsRealHandles[] = {"__cudaRegisterFatBinaryEnd"};

bool needs_real_handles(const Target& target) {
  return target.control == nullptr &&
         std::any_of(std::begin(kNeedsRealHandles), std::end(kNeedsRealHandles),
                     [&](const char* name) { return strcmp(fake_rows[target.row].symbol, name) == 0; });
}

// Does one call of each row survive? Tried in a child per row, because a vendor library may not forgive its arguments.
std::vector<Target> survivors(const std::vector<Target>& targets, uint64_t seed) {
  std::vector<Target> kept;
  for (const auto& target : targets) {
    if (needs_real_handles(target)) continue;
    fflush(nullptr);
    pid_t child = fork();
    if (child == 0) {
      signal(SIGALRM, SIG_DFL);
      alarm(10);
      if (freopen("/dev/null", "w", stderr) == nullptr) _exit(1);
      Caller caller(targets, seed, 0);
      for (int i = 0; i < 3; ++i) caller.call(target, nullptr);
      _exit(0);
    }
    int status = 0;
    if (child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0) {
      kept.push_back(target);
    } else {
      fprintf(stderr, "ground_truth: %s left out: it did not survive a trial call (status %#x)\n",
              fake_rows[target.row].symbol, status);
    }
  }
  return kept;
}

bool load(const Options& options, std::vector<Target>& targets) {
  std::vector<Target> real;
  for (const auto& path : options.libraries) {
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      fprintf(stderr, "ground_truth: dlopen(%s): %s\n", path.c_str(), dlerror());
      return false;
    }
    struct fake_control* (*control)() = nullptr;
    void* symbol = dlsym(library, "fake_control");
    memcpy(&control, &symbol, sizeof control);
    const std::string base = path.substr(path.rfind('/') + 1);
    unsigned found = 0;
    for (unsigned i = 0; i < fake_row_count; ++i) {
      const fake_row& row = fake_rows[i];
      // "libcudart.so.13" is the library whose stand-in is called "libcudart.so.12": the part before ".so" decides.
      const std::string soname = row.soname;
      if (base.substr(0, base.find(".so")) != soname.substr(0, soname.find(".so"))) continue;
      bool wanted = options.only.empty() && (row.flags & kAsksDevice) == 0;
      for (const auto& pattern : options.only) wanted |= fnmatch(pattern.c_str(), row.symbol, 0) == 0;
      auto exports = [&](const char* name) { return *name != 0 && dlsym(library, name) != nullptr; };
      if (*row.only_with != 0 && !exports(row.only_with)) continue;
      if (exports(row.only_without)) continue;
      void* function = wanted ? dlsym(library, row.symbol) : nullptr;
      if (function == nullptr) continue;
      (control ? targets : real).push_back({i, exports(row.jumps_to), function, control});
      ++found;
    }
    if (found == 0) {
      fprintf(stderr, "ground_truth: %s exports none of the wanted calls\n", path.c_str());
      return false;
    }
  }
  for (const auto& target : survivors(real, options.seed)) targets.push_back(target);
  if (targets.empty()) fprintf(stderr, "ground_truth: no library given, or no call of it survived a trial\n");
  return !targets.empty();
}

bool write_rows(const std::string& path) {
  static const char* const kReturns[] = {"status", "pointer", "void"};
  std::ofstream out(path, std::ios::trunc);
  out << "[\n";
  for (unsigned i = 0; i < fake_row_count; ++i) {
    const fake_row& row = fake_rows[i];
    out << (i ? ",\n" : "") << R"({"symbol":")" << row.symbol << R"(","name":")" << row.name << R"(","jumps_to":")"
        << row.jumps_to << R"(","library":")" << row.library << R"(","backend":")" << row.backend << R"(","vendor":")"
        << row.vendor << R"(","kind":")" << row.kind << R"(","direction":")" << row.direction << R"(","flags":)"
        << row.flags << R"(,"element_bytes":)" << unsigned{row.element_bytes} << R"(,"returns":")"
        << kReturns[row.returns] << R"(","result":")" << row.result << R"(","items":[)";
    for (unsigned k = 0; k < row.n_items; ++k) {
      const fake_item& item = row.items[k];
      out << (k ? "," : "") << R"({"field":")" << item.field << R"(","bytes":)" << unsigned{item.bytes} << R"(,"peek":)"
          << (item.is_peek ? "true" : "false") << R"(,"at_return":)" << (item.at_return ? "true" : "false")
          << R"(,"signed":)" << (item.is_signed ? "true" : "false") << "}";
    }
    out << "]}";
  }
  out << "\n]\n";
  out.close();
  if (!out) fprintf(stderr, "ground_truth: cannot write %s\n", path.c_str());
  return static_cast<bool>(out);
}

bool run_thread(const Options& options, const std::vector<Target>& targets, unsigned index, uint64_t calls) {
  Random seeds(options.seed * 1000003U + index);
  Caller caller(targets, seeds.next(), options.spin_ns);
  Log log(options.log, static_cast<uint32_t>(getpid()), static_cast<uint32_t>(syscall(SYS_gettid)));
  const uint64_t begin = now_ns();
  for (uint64_t i = 0; i < calls; ++i) {
    if (!caller.call(caller.pick(), &log)) return false;
    // A thousandth of a second's worth of calls at a time: a sleep per call would be most of the load.
    if (options.rate != 0 && i % (options.rate / 1000 + 1) == 0) {
      const uint64_t due = begin + i * 1000000000U / options.rate;
      const timespec t{static_cast<time_t>(due / 1000000000U), static_cast<long>(due % 1000000000U)};
      while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, nullptr) == EINTR) {
      }
    }
  }
  return true;
}

bool run_process(const Options& options, const std::vector<Target>& targets, unsigned process) {
  const uint64_t workers = uint64_t{options.processes} * options.threads;
  std::atomic<bool> good{true};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < options.threads; ++t) {
    const unsigned index = process * options.threads + t;
    const uint64_t calls = options.calls / workers + (index < options.calls % workers ? 1 : 0);
    threads.emplace_back([&, index, calls] {
      if (!run_thread(options, targets, index, calls)) good = false;
    });
  }
  for (auto& thread : threads) thread.join();
  return good;
}

std::vector<std::string> comma_list(const std::string& text) {
  std::vector<std::string> parts(1);
  for (char c : text) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

bool parse(int argc, char** argv, Options& options) {
  static const option kLong[] = {
      {"calls", 1, nullptr, 'c'},   {"processes", 1, nullptr, 'p'}, {"threads", 1, nullptr, 't'},
      {"seed", 1, nullptr, 's'},    {"library", 1, nullptr, 'l'},   {"log", 1, nullptr, 'd'},
      {"only", 1, nullptr, 'o'},    {"wait", 1, nullptr, 'w'},      {"linger-ms", 1, nullptr, 'g'},
      {"spin-ns", 1, nullptr, 'n'}, {"rate", 1, nullptr, 'r'},      {nullptr, 0, nullptr, 0}};
  for (int c = 0; (c = getopt_long(argc, argv, "", kLong, nullptr)) != -1;) {
    char* end = nullptr;
    const uint64_t number = optarg ? strtoull(optarg, &end, 10) : 0;
    const bool is_text = c == 'l' || c == 'd' || c == 'o' || c == 'w';
    if (c == '?' || (!is_text && (end == optarg || *end != 0))) return false;
    switch (c) {
      case 'c':
        options.calls = number;
        break;
      case 'p':
        options.processes = static_cast<unsigned>(number);
        break;
      case 't':
        options.threads = static_cast<unsigned>(number);
        break;
      case 's':
        options.seed = number;
        break;
      case 'g':
        options.linger_ms = static_cast<unsigned>(number);
        break;
      case 'n':
        options.spin_ns = number;
        break;
      case 'r':
        options.rate = number;
        break;
      case 'l':
        options.libraries.emplace_back(optarg);
        break;
      case 'd':
        options.log = optarg;
        break;
      case 'w':
        options.wait = optarg;
        break;
      default:
        options.only = comma_list(optarg);
        break;
    }
  }
  return optind == argc && !options.log.empty() && !options.libraries.empty() && options.processes > 0 &&
         options.threads > 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fprintf(stderr,
            "usage: ground_truth --library PATH... --log DIR [--calls N] [--processes P] [--threads T] [--seed S]\n"
            "                    [--only PATTERN,...] [--wait FILE] [--linger-ms MS] [--spin-ns MAX] [--rate N]\n");
    return 2;
  }
  mkdir(options.log.c_str(), 0755);
  std::vector<Target> targets;
  if (!load(options, targets) || !write_rows(options.log + "/rows.json")) return 1;
  while (!options.wait.empty() && access(options.wait.c_str(), F_OK) != 0) sleep_ms(5);

  const uint64_t begin = now_ns();
  bool good = true;
  std::vector<pid_t> children;
  if (options.processes == 1) {
    good = run_process(options, targets, 0);
  } else {
    fflush(nullptr);
    for (unsigned p = 0; p < options.processes; ++p) {
      pid_t child = fork();
      if (child == 0) {
        const bool child_good = run_process(options, targets, p);
        sleep_ms(options.linger_ms);
        _exit(child_good ? 0 : 1);
      }
      if (child < 0) {
        fprintf(stderr, "ground_truth: fork: %s\n", strerror(errno));
        good = false;
        break;
      }
      children.push_back(child);
    }
    for (pid_t child : children) {
      int status = 0;
      good &= waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
  }
  const uint64_t end = now_ns();
  if (options.processes == 1) sleep_ms(options.linger_ms);
  printf(
      "{\"calls\":%lu,\"processes\":%u,\"threads\":%u,\"targets\":%zu,\"start_ns\":%lu,\"end_ns\":%lu,\"good\":%s}\n",
      static_cast<unsigned long>(options.calls), options.processes, options.threads, targets.size(),
      static_cast<unsigned long>(begin), static_cast<unsigned long>(end), good ? "true" : "false");
  // A real library's exit handlers would follow the handles it was given, and those were made up.
  fflush(nullptr);
  _exit(good ? 0 : 1);
}
