// The comparison itself, before any kernel is involved: ground_truth calls the stand-ins, its log is turned into a
// recording by lowering and decoding what it passed, and tests/e2e/compare.py must find the two equal. compare.py works
// the meaning of arguments out for itself, so this also holds hal/decode against a second implementation, for every
// described row. Then the recording is damaged, and each damage must be found.
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "every_backend.h"
#include "fakes/fake_table.h"
#include "fakes/prototypes.h"
#include "fakes/truth.h"
#include "hal/call_table.h"
#include "hal/decode.h"
#include "hal/lower.h"
#include "temp_folder.h"

namespace ingero::fakes {
namespace {

using hal::Event;
using hal::Has;

struct Described {
  const hal::Row* row;
  std::string symbol;
};

// In fake_rows' order: make_fakes walks the registry the same way.
std::vector<Described> described_rows() {
  std::vector<Described> all;
  for (const auto* backend : every_backend()) {
    for (const auto& library : backend->libraries) {
      for (const auto& row : library.rows) {
        for (auto& symbol : hal::spellings(row)) all.push_back({&row, symbol});
        if (row.flags & hal::kMangledVariants) all.push_back({&row, mangled(row)});
      }
    }
  }
  return all;
}

class Recording {
 public:
  explicit Recording(const std::string& path) {
    EXPECT_EQ(sqlite3_open(path.c_str(), &database_), SQLITE_OK);
    run("CREATE TABLE loss (name TEXT, count INTEGER);"
        "CREATE TABLE events (seq INTEGER PRIMARY KEY, kind, pid, tid, start_mono_ns, call, symbol, duration, "
        "ret_code, "
        "outcome, failed, direction, bytes, grid_x, grid_y, grid_z, block_x, block_y, block_z, kernel, stream, "
        "address, "
        "source_address, function, handle, handle2, flags, shared_bytes, device_ordinal, peer_device)");
    const char* insert =
        "INSERT INTO events VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'returned', ?9, ?10, ?11, ?12, "
        "?13, ?14, ?15, ?16, ?17, NULL, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27)";
    EXPECT_EQ(sqlite3_prepare_v2(database_, insert, -1, &insert_, nullptr), SQLITE_OK) << sqlite3_errmsg(database_);
    run("BEGIN");
  }
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() {
    sqlite3_finalize(insert_);
    run("COMMIT");
    sqlite3_close(database_);
  }
  void run(const char* sql) {
    EXPECT_EQ(sqlite3_exec(database_, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database_);
  }
  void add(const hal::Call& call, const std::string& symbol, const Event& event) {
    at_ = 0;
    text(hal::name_of(call.kind));
    number(event.pid);
    number(event.tid);
    number(event.start_mono_ns);
    text(call.name);
    text(symbol);
    number(event.has(Has::kDuration), event.duration_ns);
    number(event.has(Has::kReturnCode), static_cast<uint64_t>(event.return_code));
    number(event.failed || event.has(Has::kReturnCode), event.failed ? 1 : 0);
    event.has(Has::kDirection) ? text(hal::name_of(event.direction)) : number(false, 0);
    number(event.has(Has::kBytes), event.bytes);
    for (uint32_t v : event.grid) number(event.has(Has::kGrid), v);
    for (uint32_t v : event.block) number(event.has(Has::kBlock), v);
    number(event.has(Has::kStream), event.stream);
    number(event.has(Has::kAddress), event.address);
    number(event.has(Has::kSourceAddress), event.source_address);
    number(event.has(Has::kFunction), event.function);
    number(event.has(Has::kHandle), event.handle);
    number(event.has(Has::kHandle2), event.handle2);
    number(event.has(Has::kFlags), event.flags);
    number(event.has(Has::kSharedBytes), event.shared_bytes);
    number(event.has(Has::kDevice), static_cast<uint64_t>(int64_t{event.device}));
    number(event.has(Has::kPeerDevice), static_cast<uint64_t>(int64_t{event.peer_device}));
    EXPECT_EQ(sqlite3_step(insert_), SQLITE_DONE) << sqlite3_errmsg(database_);
    sqlite3_reset(insert_);
  }

 private:
  void number(uint64_t value) { number(true, value); }
  void number(bool known, uint64_t value) {
    ++at_;
    known ? sqlite3_bind_int64(insert_, at_, static_cast<int64_t>(value)) : sqlite3_bind_null(insert_, at_);
  }
  void text(std::string_view value) {
    sqlite3_bind_text(insert_, ++at_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT);
  }
  sqlite3* database_ = nullptr;
  sqlite3_stmt* insert_ = nullptr;
  int at_ = 0;
};

// The words a capture would hand over: what was logged, with noise wherever the prototype says nothing counts.
std::vector<uint64_t> words_of_call(const fake_row& row, const uint64_t* items, std::mt19937_64& random) {
  std::vector<uint64_t> words(row.n_items);
  for (unsigned i = 0; i < row.n_items; ++i) {
    const fake_item& item = row.items[i];
    words[i] = items[i];
    if (item.is_peek || item.bytes == 8) continue;
    const uint64_t mask = ((uint64_t{1} << (item.bytes * 8)) - 1) << (item.offset * 8);
    words[i] = (items[i] << (item.offset * 8) & mask) | (random() & ~mask);
  }
  return words;
}

void record_thread(const std::filesystem::path& path, const std::vector<Described>& rows, const hal::CallTable& calls,
                   Recording& recording) {
  std::ifstream file(path, std::ios::binary);
  const std::string data{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  TruthHeader header{};
  ASSERT_GE(data.size(), sizeof header);
  memcpy(&header, data.data(), sizeof header);
  std::mt19937_64 random(header.tid);
  for (size_t at = sizeof header; at < data.size();) {
    TruthCall call{};
    memcpy(&call, data.data() + at, sizeof call);
    at += sizeof call;
    unsigned index = call.row & ~kTruthJumps;
    ASSERT_LT(index, fake_row_count);
    uint64_t items[FAKE_MAX_ITEMS] = {};
    memcpy(items, data.data() + at, fake_rows[index].n_items * sizeof items[0]);
    at += fake_rows[index].n_items * sizeof items[0];
    const unsigned shown = index;
    if (call.row & kTruthJumps) {
      for (index = 0; strcmp(fake_rows[index].symbol, fake_rows[shown].jumps_to) != 0;)
        ASSERT_LT(++index, fake_row_count);
    }
    const auto lowered = hal::lower(*rows[index].row, hal::kHostArch);
    ASSERT_TRUE(lowered.ok()) << lowered.error().text();
    ASSERT_EQ(lowered->recipe.n_words, fake_rows[index].n_items) << rows[index].symbol;
    Event event;
    event.pid = header.pid;
    event.tid = header.tid;
    event.start_mono_ns = call.start_ns;
    event.duration_ns = call.end_ns - call.start_ns;
    event.call = calls.id_of(*rows[index].row);
    event.set(Has::kDuration);
    const auto words = words_of_call(fake_rows[index], items, random);
    for (size_t i = 0; i < lowered->recipe.n_words; ++i) {  // as kernelside/normalise.cc says which call it is
      const bool is_queued = lowered->words[i].field == hal::Field::kBlocking && (call.readable >> i & 1) != 0 &&
                             static_cast<uint32_t>(words[i]) == 0;
      if (is_queued) event.call = calls.non_blocking(event.call);
    }
    hal::decode(calls[event.call], *lowered, words, static_cast<uint16_t>(call.readable), call.ret, event);
    recording.add(calls[event.call], rows[index].symbol, event);
  }
}

class Compare : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    temp_.emplace();
    folder_ = temp_->path();
    std::string libraries;
    for (const auto& entry : std::filesystem::directory_iterator(FAKES_FOLDER "/plain")) {
      libraries += " --library " + entry.path().string();
    }
    const std::string command = fmt::format(
        FAKES_FOLDER "/ground_truth{} --log {}/log --calls 15000 --processes 2 --threads 2 --seed 7 > /dev/null",
        libraries, folder_);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const auto rows = described_rows();
    ASSERT_EQ(rows.size(), fake_row_count);
    for (unsigned i = 0; i < fake_row_count; ++i) ASSERT_EQ(rows[i].symbol, fake_rows[i].symbol);
    const hal::CallTable calls(every_backend());
    Recording recording(folder_ + "/good.db");
    for (const auto& entry : std::filesystem::directory_iterator(folder_ + "/log")) {
      if (entry.path().extension() == ".truth") record_thread(entry.path(), rows, calls, recording);
    }
  }
  static void TearDownTestSuite() { temp_.reset(); }
  // compare.py's exit status; its answer goes to `answer`.
  static int compare(const std::string& recording, const std::string& options, std::string& answer) {
    const std::string output = folder_ + "/answer";
    const int status = std::system(fmt::format("python3 -B {}/tests/e2e/compare.py {} {}/log {} > {} 2>&1",
                                               INGERO_SOURCE_DIR, options, folder_, recording, output)
                                       .c_str());
    std::ifstream file(output);
    answer.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    return WEXITSTATUS(status);
  }
  // A copy of the recording after `sql`.
  static std::string damaged(const char* sql) {
    const std::string path = folder_ + "/damaged.db";
    std::filesystem::copy_file(folder_ + "/good.db", path, std::filesystem::copy_options::overwrite_existing);
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    EXPECT_GT(sqlite3_total_changes(database), 0) << sql;
    sqlite3_close(database);
    return path;
  }
  static inline std::optional<TempFolder> temp_;
  static inline std::string folder_;
};

TEST_F(Compare, DecodedCallsEqualTheLogForEveryDescribedRow) {
  std::string answer;
  EXPECT_EQ(compare(folder_ + "/good.db", "", answer), 0) << answer;
  EXPECT_NE(answer.find("\"equal\": 15000"), std::string::npos) << answer;
}

TEST_F(Compare, FindsEachDamage) {
  const struct {
    const char* sql;
    const char* finding;
  } cases[] = {
      {"DELETE FROM events WHERE seq = 3000", "\"missing\": 1"},
      {"INSERT INTO events SELECT NULL, kind, pid, tid, start_mono_ns, call, symbol, duration, ret_code, outcome, "
       "failed, direction, bytes, grid_x, grid_y, grid_z, block_x, block_y, block_z, kernel, stream, address, "
       "source_address, function, handle, handle2, flags, shared_bytes, device_ordinal, peer_device FROM events WHERE "
       "seq = 5",
       "\"extra\": 1"},
      {"UPDATE events SET ret_code = ret_code + 1 WHERE seq = (SELECT max(seq) FROM events WHERE ret_code NOT NULL)",
       "\"ret_code\": 1"},
      {"UPDATE events SET bytes = 0 WHERE seq = (SELECT min(seq) FROM events WHERE bytes IS NULL)", "\"bytes\": 1"},
      {"UPDATE events SET grid_z = grid_z + 1 WHERE seq = (SELECT min(seq) FROM events WHERE grid_z NOT NULL)",
       "\"grid_z\": 1"},
      {"UPDATE events SET stream = NULL WHERE seq = (SELECT min(seq) FROM events WHERE stream NOT NULL)",
       "\"stream\": 1"},
      {"UPDATE events SET call = 'another' WHERE seq = 100", "\"call\": 1"},
      {"UPDATE events SET duration = duration + 1 WHERE seq = 200", "\"duration\": 1"},
      {"UPDATE events SET start_mono_ns = start_mono_ns - 1 WHERE seq = 300", "\"extra\": 1"},
      {"UPDATE events SET tid = tid + 100000 WHERE seq = 400", "\"missing\": 1"},
      {"UPDATE events SET outcome = 'unwound' WHERE seq = 500", "\"outcome\": 1"},
  };
  for (const auto& c : cases) {
    std::string answer;
    EXPECT_EQ(compare(damaged(c.sql), "", answer), 1) << c.sql;
    EXPECT_NE(answer.find(c.finding), std::string::npos) << c.sql << "\n" << answer;
  }
}

TEST_F(Compare, AdmittedLossMustBeExact) {
  std::string answer;
  const char* exact = "DELETE FROM events WHERE seq % 1000 = 7; INSERT INTO loss VALUES ('ring_full', 15)";
  EXPECT_EQ(compare(damaged(exact), "--expect-loss ring_full", answer), 0) << answer;
  EXPECT_EQ(compare(damaged(exact), "", answer), 1);
  const char* short_by_one = "DELETE FROM events WHERE seq % 1000 = 7; INSERT INTO loss VALUES ('ring_full', 14)";
  EXPECT_EQ(compare(damaged(short_by_one), "--expect-loss ring_full", answer), 1);
}

}  // namespace
}  // namespace ingero::fakes
