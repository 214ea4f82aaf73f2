// What the store costs, as ratios taken in one run: the writer against a bare bind-and-step loop of the same columns,
// interleaved; bytes a row; the sustained rate; summaries of a long recording against a bare scan; `ingero explain` of
// it, which replays it through the engine, against stepping all columns of its rows.
//
//   store_bench [rows of the interleaved runs = 400000] [rows of the long recording = 10000000] [directory = .]
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

#include "bench/harness.h"
#include "hal/call_table.h"
#include "hal/loss.h"
#include "store/db/event_row.h"
#include "store/db/sqlite.h"
#include "store/read/summary.h"
#include "store/write/row_batch.h"
#include "store/write/row_image.h"
#include "store/write/writer.h"

namespace {

using namespace ingero;
using hal::Event;
using hal::Has;

constexpr hal::Row kRows[] = {
    {.name = "benchLaunch", .kind = hal::Kind::kLaunch, .shape = {}},
    {.name = "benchCopyAsync", .kind = hal::Kind::kMemcpy, .shape = {}},
    {.name = "benchEventRecord", .kind = hal::Kind::kEvent, .shape = {}},
    {.name = "benchSynchronize", .kind = hal::Kind::kSync, .shape = {}, .flags = hal::kSynchronising},
    {.name = "benchAlloc", .kind = hal::Kind::kAlloc, .shape = {}},
    {.name = "benchFree", .kind = hal::Kind::kFree, .shape = {}},
    {.name = "benchDriverLaunch", .kind = hal::Kind::kLaunch, .shape = {}},
};
constexpr hal::Library kLibraries[] = {{.name = "libbench", .sonames = {}, .rows = kRows, .layer = "BENCH"}};
constexpr hal::Backend kBackend = {.name = "bench", .vendor = "bench", .libraries = kLibraries};

// CPU time, kernel included: on a machine with other work, wall time measures that work.
double now_s() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_of(const auto& work) {
  const double start = now_s();
  work();
  return now_s() - start;
}

void must(const Status& status) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s\n", status.error().text().c_str());
  std::exit(1);
}

template <typename T>
T must(Result<T> result) {
  if (result.ok()) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().text().c_str());
  std::exit(1);
}

// A training loop's mix: launches with their driver call inside, copies, markers, some synchronisation, allocations.
class Mix {
 public:
  explicit Mix(const hal::CallTable& calls) : switch_(calls.id_of(hal::HostOp::kSchedSwitch)) {}

  Event next() {
    const auto dice = random_() % 100;
    Event event;
    event.pid = 4000 + static_cast<uint32_t>(random_() % 4);
    event.tid = event.pid + static_cast<uint32_t>(random_() % 3);
    event.probe = 0;
    event.wall_offset_ns = 1'700'000'000'000'000'000;
    now_ns_ += 500 + random_() % 3000;
    event.start_mono_ns = now_ns_;
    event.duration_ns = static_cast<uint64_t>(duration_(random_));
    event.set(Has::kDuration);
    if (dice >= 98) {
      event.call = switch_;
      event.arg0 = dice & 1;
      event.arg1 = 17;
      event.set(Has::kArg0);
      event.set(Has::kArg1);
      return event;
    }
    event.set(Has::kReturnCode);
    event.set(Has::kOffCpu);
    if (random_() % 20 == 0) {
      event.off = {random_() % 60000, random_() % 9000, 0, 0};
      event.preempted_by_pid = 90 + static_cast<uint32_t>(random_() % 6);
      event.preempted_by_ns = event.off.preempted_ns;
      std::memcpy(event.preempted_by_comm.data(), "kworker", 8);
      event.set(Has::kPreemptedBy);
    }
    const bool nested = dice < 15;
    event.call = nested ? 6 : dice < 55 ? 0 : dice < 75 ? 1 : dice < 85 ? 2 : dice < 89 ? 3 : dice < 94 ? 4 : 5;
    event.kind = kRows[event.call].kind;
    const auto stream = [&] {
      event.stream = random_() % 4 == 0 ? 0 : 0x7f3a5c000000 + (random_() % 6) * 0x400;
      event.set(Has::kStream);
    };
    switch (event.kind) {
      case hal::Kind::kLaunch:
        event.function = 0x7f1122330000 + (random_() % 60) * 0x90;
        event.grid = {static_cast<uint32_t>(1 + random_() % 40), 1, 1};
        event.block = {128, 1, 1};
        event.shared_bytes = random_() % 2 * 49152;
        for (const Has field : {Has::kFunction, Has::kGrid, Has::kBlock, Has::kSharedBytes}) event.set(field);
        stream();
        break;
      case hal::Kind::kMemcpy:
        event.bytes = 4 << random_() % 20;
        event.address = 0x7f8000000000 + random_() % (1ULL << 34);
        event.source_address = 0x55d000000000 + random_() % (1ULL << 30);
        event.direction = random_() % 2 ? hal::Direction::kHostToDevice : hal::Direction::kDeviceToHost;
        for (const Has field : {Has::kBytes, Has::kAddress, Has::kSourceAddress, Has::kDirection}) event.set(field);
        stream();
        break;
      case hal::Kind::kAlloc:
        event.bytes = 512 * (1 + random_() % 4096);
        event.set(Has::kBytes);
        [[fallthrough]];
      case hal::Kind::kFree:
        event.address = 0x7f8000000000 + random_() % (1ULL << 34);
        event.set(Has::kAddress);
        break;
      case hal::Kind::kEvent:
        event.handle = 0x55d011000000 + (random_() % 64) * 0x80;
        event.set(Has::kHandle);
        [[fallthrough]];
      default:
        stream();
    }
    if (nested) {
      event.depth = 1;
      event.parent_call = 0;
      event.parent_start_mono_ns = event.start_mono_ns - 300 - random_() % 900;
      event.set(Has::kParent);
    }
    return event;
  }

 private:
  hal::CallId switch_;
  uint64_t now_ns_ = 3'600'000'000'000;
  std::mt19937_64 random_{1};
  std::lognormal_distribution<double> duration_{8.5, 1.2};
};

void remove_file(const std::string& path) {
  for (const char* end : {"", "-wal", "-shm"}) std::filesystem::remove(path + end);
}

std::unique_ptr<store::Writer> open_writer(const std::string& path, const hal::CallTable& calls,
                                           hal::LossLedger& losses) {
  store::WriterOptions options;
  options.path = path;
  options.session.node = "bench";
  return must(store::Writer::open(options, calls, losses));
}

enum class Feed { kBindAndStep, kBatchTable, kImage };

// The same table, pragmas, batches and values, without events, dictionaries and aggregates: every row bound and
// stepped, or all rows of a batch taken through the virtual table.
double bare_rows(const std::string& path, const std::vector<store::EventRow>& rows, int page_bytes, Feed feed) {
  remove_file(path);
  auto database = must(store::Database::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path));
  store::RowBatch batch;
  must(store::register_batch(database, batch));
  std::string marks;
  for (size_t i = 0; i < store::kColumns; ++i) marks += i == 0 ? "?" : ",?";
  must(database.execute("PRAGMA page_size = " + std::to_string(page_bytes) +
                        "; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; "
                        "PRAGMA secure_delete = OFF; PRAGMA cache_size = -8192; " +
                        store::event_rows_sql()));
  store::RowImage image;
  must(image.attach(database));
  store::RowBatch none(1);
  none[0].present = 0;
  must(image.stage(database, none, 1));
  auto insert = must(database.prepare(
      feed == Feed::kImage        ? store::RowImage::kInsertSql
      : feed == Feed::kBatchTable ? store::insert_batch_sql()
                                  : "INSERT INTO event_rows (" + store::column_list() + ") VALUES (" + marks + ")",
      true));
  return seconds_of([&] {
    for (size_t at = 0; at < rows.size();) {
      const size_t end = std::min(rows.size(), at + 8192);
      if (feed != Feed::kBindAndStep) {
        batch.assign(rows.begin() + static_cast<std::ptrdiff_t>(at), rows.begin() + static_cast<std::ptrdiff_t>(end));
      }
      if (feed == Feed::kImage) must(image.stage(database, batch, static_cast<int64_t>(at) + 1));
      must(database.execute("BEGIN"));
      if (feed != Feed::kBindAndStep) {
        must(insert.run());
        at = end;
      }
      for (; at < end; ++at) {
        for (size_t i = 0; i < store::kColumns; ++i) {
          const int index = static_cast<int>(i) + 1;
          if (rows[at].has(static_cast<store::Column>(i))) {
            sqlite3_bind_int64(insert.get(), index, rows[at].values[i]);
          } else {
            sqlite3_bind_null(insert.get(), index);
          }
        }
        if (sqlite3_step(insert.get()) != SQLITE_DONE) std::exit(1);
        sqlite3_reset(insert.get());
      }
      must(database.execute("COMMIT"));
    }
  });
}

struct Spent {
  double seconds = 0;  // of CPU
  double peak_mb = 0;
};

// The program next to this one in the build tree, on the whole recording.
Spent explain(const std::string& path) {
  const std::string program = bench::own_folder() + "/../cli/ingero";
  const pid_t pid = bench::start_program({program, "explain", "--db", path, "--since", "100000h", "--json"});
  int status = 0;
  rusage used{};
  if (pid < 0 || wait4(pid, &status, 0, &used) != pid || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    bench::fail("ingero explain failed");
  }
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024};
}

double step_all_columns(const std::string& path) {
  return seconds_of([&] {
    auto database = must(store::Database::open(path, SQLITE_OPEN_READONLY, path));
    auto all = must(database.prepare("SELECT " + store::column_list() + " FROM event_rows"));
    int64_t sum = 0;
    while (must(all.step())) {
      for (size_t column = 0; column < store::kColumns; ++column) sum += all.integer(static_cast<int>(column));
    }
    if (sum == 0) std::exit(1);
  });
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// The recording that all parts work on, one after another.
class StoreBench {
 public:
  StoreBench(std::string path, size_t count) : path_(std::move(path)) {
    Mix mix(calls_);
    for (size_t i = 0; i < count; ++i) events_.push_back(mix.next());
  }
  ~StoreBench() { remove_file(path_); }
  StoreBench(const StoreBench&) = delete;
  StoreBench& operator=(const StoreBench&) = delete;

  void print_sizes();
  void print_writers();
  void write_long_recording(size_t count);
  void print_summaries();
  void print_replay();

 private:
  double write_all();

  static constexpr const hal::Backend* kBackends[] = {&kBackend};
  const std::string path_;
  const hal::CallTable calls_{kBackends};
  hal::LossLedger losses_;
  std::vector<Event> events_;
  std::vector<store::EventRow> rows_;  // what became of them, for the bare loops
};

double StoreBench::write_all() {
  remove_file(path_);
  auto writer = open_writer(path_, calls_, losses_);
  const double taken = seconds_of([&] {
    // In the pieces a ring's drain hands over.
    for (size_t at = 0; at < events_.size(); at += 1024) {
      must(writer->write(std::span(events_).subspan(at, std::min<size_t>(1024, events_.size() - at))));
    }
    must(writer->flush());
  });
  must(writer->close());
  return taken;
}

void StoreBench::print_sizes() {
  write_all();
  auto database = must(store::Database::open(path_, SQLITE_OPEN_READONLY, path_));
  auto all = must(database.prepare("SELECT " + store::column_list() + " FROM event_rows"));
  while (must(all.step())) {
    store::EventRow& row = rows_.emplace_back();
    for (size_t i = 0; i < store::kColumns; ++i) {
      if (!all.is_null(static_cast<int>(i))) row.set(static_cast<store::Column>(i), all.integer(static_cast<int>(i)));
    }
  }
  const auto bytes = must(database.integer("SELECT sum(pgsize) FROM dbstat WHERE name = 'event_rows'"));
  std::printf("bytes a row, row table alone       %8.1f\n",
              static_cast<double>(bytes.value_or(0)) / static_cast<double>(rows_.size()));
  std::printf("bytes a row, whole file            %8.1f\n",
              static_cast<double>(std::filesystem::file_size(path_)) / static_cast<double>(events_.size()));
}

void StoreBench::print_writers() {
  std::vector<double> ours, bare, bare_default, fed, imaged, ratio, fed_ratio, image_ratio;
  for (int i = 0; i < 7; ++i) {
    ours.push_back(write_all());
    bare.push_back(bare_rows(path_, rows_, 16384, Feed::kBindAndStep));
    bare_default.push_back(bare_rows(path_, rows_, 4096, Feed::kBindAndStep));
    fed.push_back(bare_rows(path_, rows_, 16384, Feed::kBatchTable));
    imaged.push_back(bare_rows(path_, rows_, 16384, Feed::kImage));
    image_ratio.push_back(bare.back() / imaged.back());
    ratio.push_back(bare.back() / ours.back());
    fed_ratio.push_back(bare.back() / fed.back());
  }
  const auto rate = [&](const std::vector<double>& times) {
    return static_cast<double>(events_.size()) / median(times) / 1e6;
  };
  std::printf("writer, events to committed rows   %8.2f M/s\n", rate(ours));
  std::printf("bind and step, 16 KiB pages        %8.2f M/s\n", rate(bare));
  std::printf("bind and step, 4 KiB pages         %8.2f M/s\n", rate(bare_default));
  std::printf("batch table alone                  %8.2f M/s\n", rate(fed));
  std::printf("row image alone                    %8.2f M/s\n", rate(imaged));
  std::printf("writer / bind and step             %8.2f   (goal 1.30)\n", median(ratio));
  std::printf("batch table / bind and step        %8.2f\n", median(fed_ratio));
  std::printf("row image / bind and step          %8.2f\n", median(image_ratio));
}

void StoreBench::write_long_recording(size_t count) {
  remove_file(path_);
  auto writer = open_writer(path_, calls_, losses_);
  Mix again(calls_);
  std::vector<Event> piece(1024);
  double writing = 0;
  for (size_t done = 0; done < count; done += piece.size()) {
    for (Event& event : piece) event = again.next();
    writing += seconds_of([&] { must(writer->write(piece)); });
  }
  writing += seconds_of([&] { must(writer->close()); });
  std::printf("sustained over %zu rows     %8.2f M/s   (goal 0.50)\n", count,
              static_cast<double>(count) / writing / 1e6);
}

void StoreBench::print_summaries() {
  const auto reader = must(store::Reader::open(path_));
  std::vector<double> quick, exact, scan;
  for (int i = 0; i < 5; ++i) {
    quick.push_back(seconds_of([&] { must(store::summarise(*reader, {})); }));
  }
  for (int i = 0; i < 3; ++i) {
    exact.push_back(seconds_of([&] { must(store::summarise(*reader, {}, false, store::Percentiles::kExact)); }));
    scan.push_back(seconds_of([&] {
      auto database =
          must(store::Database::open("file:" + path_ + "?immutable=1", SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path_));
      must(database.execute("PRAGMA mmap_size = 274877906944"));
      auto all =
          must(database.prepare("SELECT seq, duration, site, thread, state, start, clock, preempted, runqueue, "
                                "blocked, io, bytes, arg0 FROM event_rows"));
      int64_t sum = 0;
      while (must(all.step())) {
        for (int column = 0; column < 13; ++column) sum += all.integer(column);
      }
      if (sum == 0) std::exit(1);
    }));
  }
  std::printf("summary from histograms            %8.1f ms  (goal 100)\n", median(quick) * 1e3);
  std::printf("summary from rows, exact           %8.1f ms\n", median(exact) * 1e3);
  std::printf("bare scan of the same columns      %8.1f ms\n", median(scan) * 1e3);
  std::printf("exact summary / bare scan          %8.2f   (goal 1.20)\n", median(exact) / median(scan));
  const double grouped = seconds_of([&] {
    must(reader->query("SELECT kind, vendor, count(*) FROM events GROUP BY 1, 2", {.time_ns = 0},
                       [](auto) { return true; }));
  });
  std::printf("SELECT kind, vendor, count(*)      %8.1f ms\n", grouped * 1e3);
}

void StoreBench::print_replay() {
  std::vector<double> replayed, stepped, replay_ratio, peak;
  for (int i = 0; i < 3; ++i) {
    const Spent spent = explain(path_);
    replayed.push_back(spent.seconds);
    peak.push_back(spent.peak_mb);
    stepped.push_back(step_all_columns(path_));
    replay_ratio.push_back(replayed.back() / stepped.back());
  }
  std::printf("explain, replayed through the engine %6.2f s\n", median(replayed));
  std::printf("stepping all columns of its rows   %8.2f s\n", median(stepped));
  std::printf("explain / stepping                 %8.2f   (goal 3.00)\n", median(replay_ratio));
  std::printf("explain, resident at most          %8.0f MB (goal 300)\n", *std::max_element(peak.begin(), peak.end()));
}

}  // namespace

int main(int argc, char** argv) {
  const size_t count = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 400000;
  const size_t long_count = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10000000;
  StoreBench parts(std::string(argc > 3 ? argv[3] : ".") + "/store_bench.db", count);
  parts.print_sizes();
  parts.print_writers();
  parts.write_long_recording(long_count);
  parts.print_summaries();
  parts.print_replay();
  return 0;
}
