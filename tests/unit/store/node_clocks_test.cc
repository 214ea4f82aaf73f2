// How far clocks of nodes are apart, by what both took part in: the truth lies within the bound, whatever the clocks
// do.
#include "store/read/node_clocks.h"

#include <random>

#include <gmock/gmock.h>

#include "recording.h"
#include "store/merge/clock_sentences.h"
#include "store/merge/merge.h"
#include "store/read/time_order.h"
#include "store/read/timeline.h"

namespace ingero::store::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr uint64_t kMs = 1'000'000;
constexpr int64_t kMsOf = 1'000'000;

// What the wall clock of a node is wrong by, at a time since the recording's begin.
using Wrong = std::function<int64_t(uint64_t at_ns)>;

class NodeClocksTest : public RecordingTest {
 protected:
  static constexpr uint64_t kEveryNs = 20 * kMs;

  // Two nodes in `count` collectives of `hash`, in turn the last to come by 10 ms, both out a tenth of a millisecond
  // later.
  std::string recording(const std::string& node, const Wrong& wrong, int32_t rank, uint64_t count = 50,
                        uint64_t hash = 42) {
    path = directory + "/" + node + ".db";
    WriterOptions made = options();
    made.session.node = node;
    clock.elapsed_ns += kMs;  // a run of its own
    open(made);
    hal::Communicator known;
    known.id = 1;
    known.pid = 100;
    known.handle = 0x10;
    known.comm_id_hash = hash;
    known.rank = rank;
    known.nranks = 2;
    writer->add_communicator(known);
    for (uint64_t number = 1; number <= count; ++number) {
      const uint64_t begin_ns = number * kEveryNs;
      const uint64_t entered_ns = begin_ns + (static_cast<int32_t>(number % 2) == rank ? 10 * kMs : 0);
      Event reduce = event_of("otherAllReduce", entered_ns, 1000);
      reduce.wall_offset_ns = kOffset + wrong(entered_ns);
      hal::Exchange exchange;
      exchange.exchange_id = number;
      exchange.communicator = 0x10;
      exchange.communicator_id = 1;
      exchange.number = number;
      EXPECT_TRUE(writer->write_exchange(reduce, exchange).ok());
      writer->add_wait({number, begin_ns + 10 * kMs + kMs / 10 - entered_ns - 1000});
    }
    close();
    return path;
  }
  static Wrong always(int64_t ns) {
    return [ns](uint64_t) { return ns; };
  }
  NodeClocks merged(std::vector<std::string> sources) {
    MergeOptions asked;
    asked.sources = std::move(sources);
    asked.output = directory + "/cluster.db";
    asked.wall_ns = kWall;
    auto made = merge(asked);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().text());
    path = asked.output;
    auto clocks = NodeClocks::load(*read());
    EXPECT_TRUE(clocks.ok());
    return clocks.ok() ? std::move(*clocks) : NodeClocks();
  }
};

// (U1)
TEST_F(NodeClocksTest, TheTruthLiesWithinTheBound) {
  for (const int64_t truth : {int64_t{0}, 3 * kMsOf, -500 * kMsOf, 3'600'000 * kMsOf}) {
    std::filesystem::remove(directory + "/cluster.db");
    const NodeClocks clocks = merged({recording("a", always(0), 0), recording("b", always(truth), 1)});
    std::filesystem::remove(directory + "/a.db");
    std::filesystem::remove(directory + "/b.db");
    ASSERT_TRUE(clocks.is_any_known()) << truth;
    EXPECT_EQ(clocks.reference(), "a");
    const auto of_b = clocks.at("b", kWall + 500 * kMs + static_cast<uint64_t>(truth));
    ASSERT_TRUE(of_b);
    EXPECT_LE(std::abs(of_b->offset_ns - truth), static_cast<int64_t>(of_b->within_ns)) << truth;
    EXPECT_LE(of_b->within_ns, kMs);
    EXPECT_GE(of_b->within_ns, kMs / 10) << "(U3)";
    EXPECT_EQ(clocks.at("a", kWall)->within_ns, 0U);
    EXPECT_FALSE(clocks.at("c", kWall));
  }
}

// (U2) A clock that runs 40 millionths too fast, for 40 s: 1.6 ms. The bound is of the whole time.
TEST_F(NodeClocksTest, DriftWidensTheBoundRatherThanNarrowingIt) {
  const NodeClocks clocks =
      merged({recording("a", always(0), 0, 2000),
              recording(
                  "b", [](uint64_t at_ns) { return static_cast<int64_t>(at_ns / 1'000'000 * 40); }, 1, 2000)});
  ASSERT_TRUE(clocks.is_any_known());
  const ClockOffset of_b = *clocks.find("b")->clock;
  EXPECT_GE(of_b.offset_ns + static_cast<int64_t>(of_b.within_ns), 16 * kMsOf / 10);
  EXPECT_LE(of_b.offset_ns - static_cast<int64_t>(of_b.within_ns), 0);
  EXPECT_LE(of_b.within_ns, 2 * kMs);
  // An hour after the last of them: 180 ms more.
  const auto later = clocks.at("b", kWall + 3'640'000 * kMs);
  EXPECT_GE(later->within_ns, of_b.within_ns + 179 * kMs);
  EXPECT_LE(later->within_ns, of_b.within_ns + 181 * kMs);
}

// (U4)
TEST_F(NodeClocksTest, OfAClockThatWasSetNothingIsKnown) {
  const NodeClocks clocks =
      merged({recording("a", always(0), 0),
              recording(
                  "b", [](uint64_t at_ns) { return at_ns < 500 * kMs ? int64_t{0} : 100 * kMsOf; }, 1)});
  EXPECT_FALSE(clocks.is_any_known());
  EXPECT_EQ(clocks.offset_ns("b"), 0);
  EXPECT_THAT(clock_sentences(clocks, 10 * kMs),
              ElementsAre(HasSubstr("the clock of a or b was set while it was recorded"),
                          HasSubstr("first is not known: a clock was set while it was recorded")));
}

TEST_F(NodeClocksTest, WithoutACommonCollectiveNothingIsKnown) {
  const NodeClocks clocks = merged({recording("a", always(0), 0, 5, 42), recording("b", always(0), 1, 5, 43)});
  EXPECT_TRUE(clocks.are_several());
  EXPECT_FALSE(clocks.is_any_known());
  EXPECT_FALSE(clocks.at("a", kWall));
  EXPECT_EQ(order_sentence(clocks),
            "which of two events of different nodes was first is not known: no collectives bound how far their clocks "
            "are apart");
  EXPECT_EQ(dump(clocks_json(clocks)),
            R"([{"node":"a","offset_ns":null,"within_ns":null},{"node":"b","offset_ns":null,"within_ns":null}])");
}

TEST_F(NodeClocksTest, OfOneNodeThereIsNothingToSay) {
  recording("a", always(0), 0, 5);
  const auto clocks = NodeClocks::load(*read());
  ASSERT_TRUE(clocks.ok());
  EXPECT_FALSE(clocks->are_several());
  EXPECT_EQ(order_sentence(*clocks), "");
  EXPECT_THAT(NodeClocks().nodes(), IsEmpty());
}

// A timeline is by one clock: no rank is out before another is in.
TEST_F(NodeClocksTest, ATimelineIsByOneClock) {
  merged({recording("a", always(0), 0), recording("b", always(-500 * kMsOf), 1)});
  Timeline timeline;
  TimelineQuestion question;
  question.from_wall_ns = static_cast<int64_t>(kWall + 400 * kMs);
  question.to_wall_ns = static_cast<int64_t>(kWall + 600 * kMs);
  const auto reader = read();
  const auto view = timeline.view(*reader, question);
  ASSERT_TRUE(view.ok());
  size_t ranks = 0;
  for (const TrackView& one : view->views) {
    if (view->tracks[one.track].group != TrackGroup::kRank) continue;
    ++ranks;
    // Of the same 200 ms: ten or eleven collectives, by its own clock half a second earlier.
    EXPECT_GE(one.slices.size(), 10U) << view->tracks[one.track].node;
    EXPECT_LE(one.slices.size(), 11U);
    for (const TrackSlice& slice : one.slices) {
      const int64_t since_begin = (slice.start_wall_ns - static_cast<int64_t>(kWall)) % static_cast<int64_t>(kEveryNs);
      EXPECT_TRUE(std::min(std::abs(since_begin), std::abs(since_begin - static_cast<int64_t>(kEveryNs))) <= kMsOf ||
                  std::abs(since_begin - 10 * kMsOf) <= kMsOf)
          << since_begin;
    }
  }
  EXPECT_EQ(ranks, 2U);
}

ClockDifference difference(const std::string& first, const std::string& second, int64_t least_ms, int64_t most_ms) {
  return {first, second, least_ms * kMsOf, most_ms * kMsOf, 10, false};
}

TEST(NodeClocks, AreKnownThroughOthers) {
  const NodeClocks clocks({"a", "b", "c", "d"}, {difference("a", "b", 9, 11), difference("b", "c", 4, 6)});
  ASSERT_THAT(clocks.nodes(), SizeIs(4));
  EXPECT_EQ(clocks.reference(), "b");
  EXPECT_EQ(clocks.offset_ns("a"), -10 * kMsOf);
  EXPECT_EQ(clocks.offset_ns("c"), 5 * kMsOf);
  EXPECT_EQ(clocks.find("c")->clock->within_ns, kMs);
  EXPECT_FALSE(clocks.find("d")->clock);
  EXPECT_EQ(clocks.most_ahead_ns(), 5 * kMsOf);
  EXPECT_EQ(clocks.most_behind_ns(), -10 * kMsOf);
  EXPECT_EQ(clock_sentence(clocks, *clocks.find("a")), "the clock of a is 10ms behind b's, known within 1ms");
  EXPECT_EQ(clock_sentence(clocks, *clocks.find("d")),
            "how far the clock of d is from those of other nodes is not known: the order of its events and theirs is "
            "unknown");
  EXPECT_EQ(order_sentence(clocks),
            "which of two events of different nodes was first is not known where they are closer than 2ms, once the "
            "difference of their clocks is taken off (a and c); of 1 other node nothing is known");
}

TEST(NodeClocks, OfWhatIsConnectedWithTheReferenceByNothingNothingIsKnown) {
  const NodeClocks clocks({"a", "b", "c", "d", "e", "f", "g"},
                          {difference("a", "b", 9, 11), difference("a", "c", 0, 1), difference("a", "d", 0, 1),
                           difference("e", "f", 4, 6), difference("f", "g", -6, -4)});
  EXPECT_EQ(clocks.reference(), "a");
  for (const char* node : {"e", "f", "g"}) EXPECT_FALSE(clocks.find(node)->clock) << node;
  EXPECT_TRUE(clocks.find("d")->clock);
}

TEST(NodeClocks, BoundsThatExcludeEachOtherAreNone) {
  EXPECT_FALSE(
      NodeClocks({"a", "b", "c"}, {difference("a", "b", 9, 11), difference("a", "c", 0, 1), difference("b", "c", 4, 6)})
          .is_any_known());
  ClockDifference one_sided = difference("a", "b", 9, 11);
  one_sided.most_ns.reset();
  EXPECT_FALSE(NodeClocks({"a", "b"}, {one_sided}).is_any_known());
}

// What is said to be certain is true, whatever the clocks and the bounds.
TEST(NodeClocks, ACertainOrderIsTheTrueOne) {
  std::mt19937_64 random(7);
  const auto below = [&](int64_t most) { return static_cast<int64_t>(random() % static_cast<uint64_t>(most)); };
  size_t certain = 0, unknown = 0;
  for (int round = 0; round < 500; ++round) {
    const std::vector<std::string> nodes = {"a", "b", "c", "d"};
    std::vector<int64_t> wrong;
    for (size_t i = 0; i < nodes.size(); ++i) wrong.push_back(below(1000 * kMsOf));
    std::vector<ClockDifference> differences;
    for (size_t i = 0; i < nodes.size(); ++i) {
      for (size_t j = i + 1; j < nodes.size(); ++j) {
        if (below(3) == 0) continue;
        const int64_t truth = wrong[j] - wrong[i];
        differences.push_back({nodes[i], nodes[j], truth - below(5 * kMsOf), truth + below(5 * kMsOf), 1, false});
      }
    }
    const NodeClocks clocks(nodes, std::move(differences));
    std::vector<Moment> moments;
    std::map<std::string, int64_t> true_ns;
    for (int i = 0; i < 8; ++i) {
      const auto node = static_cast<size_t>(below(4));
      const std::string id = std::to_string(i);
      true_ns[id] = below(50 * kMsOf);
      const uint64_t wall_ns = kWall + static_cast<uint64_t>(true_ns[id] + wrong[node]);
      moments.push_back({nodes[node], id, wall_ns, clocks.at(nodes[node], wall_ns)});
    }
    const auto ordered = in_order(std::move(moments));
    for (size_t i = 1; i < ordered.size(); ++i) {
      if (!ordered[i].is_certain) {
        ++unknown;
        continue;
      }
      ++certain;
      EXPECT_GT(true_ns[ordered[i].moment.id], true_ns[ordered[i - 1].moment.id]);
    }
  }
  EXPECT_GT(certain, 500U);
  EXPECT_GT(unknown, 500U);
}

}  // namespace
}  // namespace ingero::store::testing
