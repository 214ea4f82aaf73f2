// The windows that are formed from a recording are those that its trace sends: the same batches go to the trace's own
// feed and, through the store's writer, into a file, which is then read.
#include <random>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agent/window_feed.h"
#include "fleet/push/row_windows.h"
#include "store/db/sqlite.h"
#include "store/read/follow.h"
#include "store/write/writer.h"
#include "temp_folder.h"
#include "unit/correlate/collective_calls.h"

namespace ingero::fleet::push {
namespace {

using correlate::RankWindow;
using correlate::testing::call_named;
using correlate::testing::calls;
using hal::Event;
using hal::Exchange;
using hal::Has;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Windows = std::vector<RankWindow>;

constexpr uint64_t kNsOfMs = 1'000'000, kNsOfSecond = 1000 * kNsOfMs, kPeriodNs = correlate::RankWindows::kPeriodNs;
constexpr uint64_t kWallBegin = 1'767'225'600 * kNsOfSecond, kMonoBegin = 3600 * kNsOfSecond;
constexpr int64_t kOffset = static_cast<int64_t>(kWallBegin - kMonoBegin);
constexpr uint32_t kRanks = 3, kFirstPid = 100;

class RecordersClock : public Clock {
 public:
  uint64_t mono_ns() const override { return kMonoBegin + elapsed_ns; }
  uint64_t wall_ns() const override { return kWallBegin + elapsed_ns; }
  uint64_t elapsed_ns = 0;
};

auto facts_of(const RankWindow& one) {
  return std::tuple(one.start_ns, one.end_ns, one.job, one.rank, one.comm_id_hash, one.comm_rank, one.nranks,
                    one.collectives, one.measured, one.work_ns, one.median_ns, one.blocked, one.wait_ns, one.bytes,
                    one.entered, one.left, one.call, one.off.preempted_ns, one.off.runqueue_ns, one.off.blocked_ns,
                    one.off.io_ns);
}

std::string text_of(const RankWindow& one) {
  return fmt::format(
      "window {} rank {} of {:x}: {} collectives, {} measured, work {}, median {}, {} waits of {}, entered {}, left {}",
      (one.start_ns - kWallBegin) / kPeriodNs, one.rank, one.comm_id_hash, one.collectives, one.measured, one.work_ns,
      one.median_ns.value_or(0), one.blocked, one.wait_ns, one.entered.value_or(0), one.left.value_or(0));
}

void expect_same(Windows read, Windows live) {
  const auto order = [](const RankWindow& a, const RankWindow& b) {
    return std::tie(a.start_ns, a.rank, a.comm_id_hash) < std::tie(b.start_ns, b.rank, b.comm_id_hash);
  };
  std::sort(read.begin(), read.end(), order);
  std::sort(live.begin(), live.end(), order);
  ASSERT_EQ(read.size(), live.size());
  for (size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(facts_of(read[i]), facts_of(live[i])) << text_of(read[i]) << "\n" << text_of(live[i]);
  }
}

class PushTest : public ::testing::Test {
 protected:
  PushTest() { open(); }

  void open(ingero::store::Policy policy = ingero::store::Policy::kAll, const std::string& node = "node-a") {
    if (writer_) close();
    clock_.elapsed_ns = now_ns_;
    ingero::store::WriterOptions options;
    options.path = path_;
    options.session.node = node;
    options.policy = policy;
    auto opened = ingero::store::Writer::open(options, calls(), losses_, clock_);
    ASSERT_TRUE(opened.ok()) << opened.error().text();
    writer_ = std::move(*opened);
    barriers_.emplace(calls(), losses_);
    feed_.emplace(calls(), clock_,
                  [this](Windows some) { std::move(some.begin(), some.end(), std::back_inserter(live_)); });
    numbers_.clear();
    next_id_ = next_exchange_ = 1;
    agent::EventBatch first;
    for (uint32_t rank = 0; rank < kRanks; ++rank) {
      hal::Process process;
      process.pid = kFirstPid + rank;
      process.start_mono_ns = kMonoBegin - kNsOfSecond;
      process.comm = "train";
      process.rank = static_cast<int32_t>(40 + rank);
      process.slurm_job = "4711";
      first.processes.push_back(process);
      for (const uint64_t hash : {uint64_t{0x11}, uint64_t{0x22}}) first.communicators.push_back(made(rank, hash));
    }
    hand_over(first);
  }
  void close() {
    feed_->finish();
    writer_->set_watermark(kWallBegin + now_ns_);
    ASSERT_TRUE(writer_->close().ok());
    writer_.reset();
  }

  hal::Communicator made(uint32_t rank, uint64_t hash) {
    hal::Communicator one;
    one.id = next_id_++;
    one.pid = kFirstPid + rank;
    one.handle = 0x1000 + one.id;
    one.made_mono_ns = kMonoBegin + now_ns_;
    one.comm_id_hash = hash;
    one.rank = static_cast<int32_t>(rank);
    one.nranks = kRanks;
    one.made_by = hal::Role::kInit;
    communicators_[{rank, hash}] = one;
    return one;
  }
  Event event(std::string_view name, uint32_t rank, uint64_t at_ns, uint64_t length_ns) {
    Event one = correlate::testing::event_of(name, kFirstPid + rank, kMonoBegin + at_ns);
    one.wall_offset_ns = kOffset;
    one.duration_ns = length_ns;
    return one;
  }
  void add(const Event& one, std::optional<Exchange> exchange = {}) {
    waiting_.emplace(one.end_mono_ns(), std::pair(one, std::move(exchange)));
    if (one.outcome == hal::Outcome::kReturned) now_ns_ = std::max(now_ns_, one.end_mono_ns() - kMonoBegin);
  }
  Exchange exchange_of(uint32_t rank, uint64_t hash) {
    Exchange exchange;
    exchange.exchange_id = next_exchange_++;
    exchange.communicator_id = communicators_[{rank, hash}].id;
    exchange.number = ++numbers_[{rank, hash}];
    return exchange;
  }
  // A collective and, by the end of the step, the wait for it.
  void collect(uint32_t rank, uint64_t hash, uint64_t at_ns, uint64_t length_ns = 20'000) {
    Event one = event("collect", rank, at_ns, length_ns);
    one.bytes = 4096 + hash;
    one.set(Has::kBytes);
    one.stream = 0x7000 + rank;
    one.set(Has::kStream);
    add(one, exchange_of(rank, hash));
  }
  void wait(uint32_t rank, uint64_t at_ns, uint64_t length_ns) {
    Event one = event("synchronise", rank, at_ns, length_ns);
    one.stream = 0x7000 + rank;
    one.set(Has::kStream);
    add(one);
  }
  // As a trace: to its own feed, and to the store.
  void hand_over(agent::EventBatch& batch) {
    for (const auto& [end_mono_ns, waiting] : std::exchange(waiting_, {})) {
      const auto& [one, exchange] = waiting;
      if (exchange) batch.records.exchanges.emplace_back(batch.records.events.size(), *exchange);
      batch.records.events.push_back(one);
    }
    auto next = batch.records.exchanges.begin();
    std::vector<const Exchange*> exchanges(batch.records.events.size());
    for (; next != batch.records.exchanges.end(); ++next) exchanges[next->first] = &next->second;
    for (size_t i = 0; i < exchanges.size(); ++i) barriers_->take(batch.records.events[i], exchanges[i]);
    batch.syncs = barriers_->take_syncs();
    batch.wall_offset_ns = kOffset;
    batch.watermark_mono_ns = kMonoBegin + now_ns_;
    clock_.elapsed_ns = now_ns_;
    feed_->take(batch);
    for (const auto& process : batch.processes) writer_->add_process(process);
    for (const auto& one : batch.communicators) writer_->add_communicator(one);
    for (size_t i = 0; i < exchanges.size(); ++i) {
      const Event& one = batch.records.events[i];
      ASSERT_TRUE(
          (exchanges[i] == nullptr ? writer_->write({&one, 1}) : writer_->write_exchange(one, *exchanges[i])).ok());
    }
    for (const auto& one : batch.lost_calls) writer_->add_lost_calls(one);
    for (const auto& one : batch.snapshots) writer_->add_snapshot(one);
    ASSERT_TRUE(writer_->flush().ok());
    batch.clear();
    batch.records.clear();
  }
  // Steps of all ranks, for so long; one that is slow, and threads that lose their CPU.
  void train(uint64_t for_ns, std::mt19937_64& random, const std::function<void()>& after_batch = {}) {
    agent::EventBatch batch;
    const uint64_t end_ns = now_ns_ + for_ns;
    std::vector<uint64_t> at(kRanks, now_ns_ + kNsOfMs);
    while (now_ns_ < end_ns) {
      for (uint32_t rank = 0; rank < kRanks; ++rank) {
        uint64_t& now = at[rank];
        now += 20 * kNsOfMs + random() % (30 * kNsOfMs) + (rank == 1 ? 15 * kNsOfMs : 0);
        if (random() % 3 == 0) {
          Event off = event("collect", rank, now - 5 * kNsOfMs, 2 * kNsOfMs);
          off.call = calls().id_of(hal::HostOp::kSchedSwitch);
          off.kind = hal::Kind::kHost;
          off.clear(Has::kReturnCode);
          off.off = {kNsOfMs, kNsOfMs / 2, random() % kNsOfMs, 7};
          off.set(Has::kOffCpu);
          add(off);
        }
        collect(rank, 0x11, now);
        if (random() % 2 == 0) collect(rank, 0x22, now += 300'000);
        now += 100'000;
        const uint64_t length = 10'000 + random() % (40 * kNsOfMs);
        wait(rank, now, length);
        now += length;
      }
      for (uint64_t& other : at) other = std::max(other, now_ns_);  // rounds do not overlap
      if (random() % 4 != 0) continue;
      hand_over(batch);
      if (after_batch) after_batch();
    }
    hand_over(batch);
  }

  // What a reader of the file finds from now on.
  void read(uint64_t rows = 1 << 20) {
    auto reader = ingero::store::Reader::open(path_);
    ASSERT_TRUE(reader.ok()) << reader.error().text();
    for (bool has_more = true; has_more;) {
      const auto followed = follower_.read(**reader, rows, windows_);
      ASSERT_TRUE(followed.ok()) << followed.error().text();
      if (followed->complete_wall_ns > 0) windows_.complete(followed->complete_wall_ns);
      has_more = followed->has_more;
    }
  }
  void read_all() {
    read();
    follower_.finish(windows_);
  }
  Windows in(uint64_t window, const Windows& of) {
    Windows some;
    std::copy_if(of.begin(), of.end(), std::back_inserter(some),
                 [&](const RankWindow& one) { return one.start_ns == kWallBegin + window * kPeriodNs; });
    return some;
  }

  const TempFolder temp_;
  const std::string path_ = temp_.path() + "/run.db";
  hal::LossLedger losses_;
  RecordersClock clock_;
  uint64_t now_ns_ = 0;
  std::multimap<uint64_t, std::pair<Event, std::optional<Exchange>>> waiting_;  // by their end: ring order
  std::unique_ptr<ingero::store::Writer> writer_;
  std::optional<correlate::Barriers> barriers_;
  std::optional<agent::WindowFeed> feed_;
  std::map<std::pair<uint32_t, uint64_t>, hal::Communicator> communicators_;
  std::map<std::pair<uint32_t, uint64_t>, uint64_t> numbers_;
  uint64_t next_id_ = 1, next_exchange_ = 1;
  Windows live_, read_;
  ingero::store::Follower follower_;
  RowWindows windows_{calls(),
                      [this](Windows some) { std::move(some.begin(), some.end(), std::back_inserter(read_)); }};
};

TEST_F(PushTest, WindowsOfARecordingAreThoseOfItsTrace) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937_64 random(seed);
  train(32 * kNsOfSecond, random);
  close();
  read_all();
  EXPECT_GE(live_.size(), 6 * 2 * kRanks);
  expect_same(read_, live_);
  const Windows second = in(1, read_);
  ASSERT_THAT(second, SizeIs(2 * kRanks));
  for (const RankWindow& one : second) {
    EXPECT_GT(one.measured, 0U);
    EXPECT_GT(one.wait_ns, 0U);
    EXPECT_GT(one.off.preempted_ns, 0U);
    EXPECT_EQ(one.job, "4711");
  }
  EXPECT_EQ(windows_.node(), "node-a");
}

TEST_F(PushTest, TheyAreTheSameWhileItIsWritten) {
  const auto seed = std::random_device{}();
  SCOPED_TRACE(fmt::format("seed {}", seed));
  std::mt19937_64 random(seed);
  agent::EventBatch batch;
  collect(0, 0x11, kNsOfMs);  // the first call that there is; the others come while it is followed
  hand_over(batch);
  read();
  train(22 * kNsOfSecond, random, [&] {
    if (random() % 3 == 0) read(1 + random() % 50);
  });
  EXPECT_GE(read_.size(), 3 * 2 * kRanks);  // before its end
  close();
  read_all();
  expect_same(read_, live_);
}

TEST_F(PushTest, AWindowLeavesWhenTheRecordingIsCompleteUntilThen) {
  std::mt19937_64 random(7);
  train(4 * kNsOfSecond, random);
  read();
  EXPECT_THAT(read_, IsEmpty());
  now_ns_ = 6 * kNsOfSecond;  // nothing happens
  agent::EventBatch batch;
  hal::SystemSnapshot snapshot;
  snapshot.wall_ns = kWallBegin + now_ns_;
  batch.snapshots.push_back(snapshot);
  hand_over(batch);
  read();
  EXPECT_THAT(read_, SizeIs(2 * kRanks));
  expect_same(read_, live_);
}

TEST_F(PushTest, ASecondRunInTheFileBeginsAnew) {
  std::mt19937_64 random(11);
  train(7 * kNsOfSecond, random);
  read();
  close();
  now_ns_ += 3 * kNsOfSecond;
  open();
  train(7 * kNsOfSecond, random);
  read();
  close();
  read_all();
  expect_same(read_, live_);
}

TEST_F(PushTest, ACallThatHangsIsEnteredAndCompletedInItsPlace) {
  std::mt19937_64 random(13);
  train(2 * kNsOfSecond, random);
  agent::EventBatch batch;
  Event hanging = event("collect", 0, now_ns_ + kNsOfMs, 0);
  hanging.stream = 0x7000;
  hanging.set(Has::kStream);
  Event open_call = hanging;
  open_call.outcome = hal::Outcome::kInFlight;
  open_call.clear(Has::kDuration);
  open_call.clear(Has::kReturnCode);
  const Exchange exchange = exchange_of(0, 0x11);
  add(open_call, exchange);
  hand_over(batch);
  now_ns_ += 9 * kNsOfSecond;
  collect(1, 0x22, now_ns_);
  hand_over(batch);
  read();
  const Windows first = in(0, read_);
  ASSERT_THAT(first, SizeIs(2 * kRanks));
  for (const RankWindow& one : first) {
    if (one.rank == 40 && one.comm_id_hash == 0x11) {
      EXPECT_EQ(one.entered, exchange.number);
    }
  }
  hanging.duration_ns = kMonoBegin + now_ns_ + kNsOfMs - hanging.start_mono_ns;
  add(hanging, exchange);
  hand_over(batch);
  collect(1, 0x22, now_ns_ + 6 * kNsOfSecond);
  hand_over(batch);
  close();
  read_all();
  expect_same(read_, live_);

  // Read when all is over, its row stands where it began to hang.
  const Windows followed = std::exchange(read_, {});
  ingero::store::Follower again;
  RowWindows whole(calls(), [this](Windows some) { std::move(some.begin(), some.end(), std::back_inserter(read_)); });
  const auto reader = ingero::store::Reader::open(path_);
  ASSERT_TRUE(reader.ok());
  ASSERT_TRUE(again.read(**reader, 1 << 20, whole).ok());
  again.finish(whole);
  expect_same(read_, live_);
}

TEST_F(PushTest, WhereCallsWereLostThereIsNoWork) {
  std::mt19937_64 random(17);
  train(6 * kNsOfSecond, random);
  agent::EventBatch batch;
  hal::LostCalls lost;
  lost.pid = kFirstPid;
  lost.calls = 5;
  lost.wall_ns = kWallBegin + now_ns_;
  batch.lost_calls.push_back(lost);
  hand_over(batch);
  train(6 * kNsOfSecond, random);
  close();
  read_all();
  expect_same(read_, live_);
  for (const RankWindow& one : in(1, read_)) EXPECT_EQ(one.measured > 0, one.rank != 40) << text_of(one);
}

TEST_F(PushTest, ARunThatKeptAPartOfItsCallsHasNoWindows) {
  open(ingero::store::Policy::kSelective);
  std::mt19937_64 random(19);
  train(6 * kNsOfSecond, random);
  close();
  read_all();
  EXPECT_THAT(read_, IsEmpty());
  EXPECT_GT(windows_.sampled_out(), 100U);
}

TEST_F(PushTest, RunsOfTwoMachinesAreNoticed) {
  std::mt19937_64 random(23);
  train(kNsOfSecond, random);
  open(ingero::store::Policy::kAll, "node-b");
  train(kNsOfSecond, random);
  close();
  read_all();
  EXPECT_EQ(windows_.other_node(), "node-b");
}

TEST_F(PushTest, RowsThatWereDeletedUnreadAreLostCalls) {
  std::mt19937_64 random(29);
  train(2 * kNsOfSecond, random);
  read();
  train(4 * kNsOfSecond, random);
  close();
  {
    auto database = ingero::store::Database::open(path_, SQLITE_OPEN_READWRITE, path_);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->execute("DELETE FROM event_rows WHERE seq < (SELECT max(seq) - 20 FROM event_rows)").ok());
  }
  read_all();
  for (const RankWindow& one : in(0, read_)) EXPECT_EQ(one.measured, 0U) << text_of(one);
  EXPECT_THAT(in(0, read_), SizeIs(2 * kRanks));
}

}  // namespace
}  // namespace ingero::fleet::push
