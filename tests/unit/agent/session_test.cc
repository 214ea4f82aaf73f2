// Services are started in order and stopped in reverse, the recorder between what feeds it and what shows it.
#include "agent/session.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ingero::agent {
namespace {

class Named final : public Service {
 public:
  Named(std::string name, std::vector<std::string>& log) : name_(std::move(name)), log_(log) {}
  void start(Recorder&) override { log_.push_back("start " + name_); }
  void stop() override { log_.push_back("stop " + name_); }
  std::vector<std::string> notes() const override { return {name_ + " runs"}; }

 private:
  std::string name_;
  std::vector<std::string>& log_;
};

class SessionTest : public ::testing::Test {
 protected:
  // The real recorder: it needs BPF.
  void SetUp() override {
    auto started = Recorder::start({}, {}, calls_);
    if (!started.ok()) GTEST_SKIP() << started.error().text();
    recorder_ = std::move(*started);
  }

  const hal::CallTable calls_{{}};
  std::vector<std::string> log_;
  Named sampler_{"sampler", log_}, intake_{"intake", log_}, page_{"page", log_}, sender_{"sender", log_};
  std::unique_ptr<Recorder> recorder_;
};

const std::vector<std::string> kStarted = {"start sampler", "start intake", "start page", "start sender"};
const std::vector<std::string> kStopped = {"stop intake", "stop sampler", "stop sender", "stop page"};

TEST_F(SessionTest, StopsInReverseAndOnlyOnce) {
  Session session(*recorder_, {&sampler_, &intake_}, {&page_, &sender_});
  EXPECT_EQ(log_, kStarted);
  EXPECT_EQ(session.notes(), (std::vector<std::string>{"sampler runs", "intake runs", "page runs", "sender runs"}));
  log_.clear();
  EXPECT_TRUE(session.stop().ok());
  EXPECT_EQ(log_, kStopped);
  EXPECT_TRUE(session.stop().ok());
  EXPECT_EQ(log_, kStopped);
}

TEST_F(SessionTest, StopsOnAWayOutThatForgetsIt) {
  { const Session session(*recorder_, {&sampler_, &intake_}, {&page_, &sender_}); }
  log_.erase(log_.begin(), log_.begin() + 4);
  EXPECT_EQ(log_, kStopped);
}

}  // namespace
}  // namespace ingero::agent
