// Two machines of one name, and an agent that is started anew.
#include "fleet/server/node_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ingero::fleet::server {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr uint64_t kPush_ns = 5'000'000'000;

class TwoOfOneName : public testing::Test {
 protected:
  std::string hear(const std::string& instance, const std::string& node = "gpu-01") {
    return names_.name_of("train", node, instance, now_ns_);
  }
  void pass(uint64_t pushes = 1) { now_ns_ += pushes * kPush_ns; }

  NodeNames names_;
  uint64_t now_ns_ = 1000 * kPush_ns;
};

TEST_F(TwoOfOneName, WhoTakesTurnsIsKeptApart) {
  EXPECT_EQ(hear("aaaaaaaaaaaa"), "gpu-01");
  EXPECT_EQ(hear("bbbbbbbbbbbb"), "gpu-01") << "a new agent, as far as is known";
  EXPECT_THAT(names_.shared(), IsEmpty());
  pass();
  EXPECT_EQ(hear("aaaaaaaaaaaa"), "gpu-01#aaaaaaaa");
  EXPECT_EQ(hear("bbbbbbbbbbbb"), "gpu-01#bbbbbbbb");
  EXPECT_THAT(names_.shared(), ElementsAre("train: gpu-01"));
  EXPECT_EQ(hear("cccccccccccc", "gpu-02"), "gpu-02");
  EXPECT_EQ(names_.name_of("other", "gpu-01", "dddddddddddd", now_ns_), "gpu-01");
}

TEST_F(TwoOfOneName, AnAgentThatIsStartedAnewIsTheSameNode) {
  for (int run = 0; run < 20; ++run) {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(hear("run-" + std::to_string(run)), "gpu-01");
      pass();
    }
  }
  EXPECT_THAT(names_.shared(), IsEmpty());
}

TEST_F(TwoOfOneName, WhenOneIsGoneTheOtherHasTheNameAgain) {
  for (int i = 0; i < 3; ++i) {
    hear("a");
    hear("b");
    pass();
  }
  for (uint64_t ns = kPush_ns; ns <= NodeNames::kAlone_ns; ns += kPush_ns) {
    EXPECT_EQ(hear("a"), "gpu-01#a");
    pass();
  }
  EXPECT_EQ(hear("a"), "gpu-01");
  EXPECT_THAT(names_.shared(), IsEmpty());
}

TEST_F(TwoOfOneName, ALateOneAfterALongTimeTakesNoTurn) {
  hear("a");
  hear("b");
  pass(7);  // 35 s
  EXPECT_EQ(hear("a"), "gpu-01");
}

TEST_F(TwoOfOneName, WhatHasNoInstanceIsWhoItSays) {
  hear("a");
  EXPECT_EQ(hear(""), "gpu-01");
  EXPECT_EQ(hear("a"), "gpu-01");
}

TEST_F(TwoOfOneName, MemoryIsBounded) {
  for (int i = 0; i < 10'000; ++i) hear("a", "node-" + std::to_string(i));
  for (int i = 0; i < 10'000; ++i) hear("instance-" + std::to_string(i), "node-0");
  EXPECT_EQ(hear("a", "node-9999"), "node-9999");
}

TEST_F(TwoOfOneName, NamesThatAreSilentGiveWay) {
  const auto hear_two = [&] {
    hear("a", "new");
    hear("b", "new");
    return hear("a", "new");
  };
  for (size_t i = 0; i < NodeNames::kMaxNames; ++i) hear("a", "pod-" + std::to_string(i));
  EXPECT_EQ(hear_two(), "new") << "there is no room";
  now_ns_ += NodeNames::kAlone_ns + 1;
  EXPECT_EQ(hear_two(), "new#a");
}

TEST_F(TwoOfOneName, WhatElseAnInstanceSendsIsKeptUnderTheSameName) {
  for (const char* instance : {"a", "b", "a"}) hear(instance);
  EXPECT_EQ(names_.known_as("train", "gpu-01", "a"), "gpu-01#a");
  EXPECT_EQ(names_.known_as("train", "gpu-01", "an exporter"), "gpu-01") << "it is not an agent's";
  EXPECT_EQ(names_.known_as("train", "gpu-01", ""), "gpu-01");
  EXPECT_EQ(names_.known_as("train", "gpu-02", "a"), "gpu-02");
}

}  // namespace
}  // namespace ingero::fleet::server
