// Whatever way a trace of a command ends, also before the command could start: its thread is joined.
#include "agent/command_thread.h"

#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace ingero::agent {
namespace {

using namespace std::chrono_literals;

size_t threads_here() {
  return static_cast<size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}));
}

pid_t parent_of(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("PPid:")) return std::stoi(line.substr(5));
  }
  return 0;
}

bool ignore_file(uint32_t, const std::string&, const std::string&) { return false; }

TEST(CommandThread, ACommandThatEndsSaysHow) {
  auto launch = kernelside::Launch::start({"/bin/sh", "-c", "exit 7"});
  ASSERT_TRUE(launch.ok()) << launch.error().text();
  CommandThread command(**launch, ignore_file, [](uint32_t) {});
  EXPECT_FALSE(command.has_ended());
  ASSERT_TRUE((*launch)->go().ok());
  const auto give_up = std::chrono::steady_clock::now() + 30s;
  while (!command.has_ended() && std::chrono::steady_clock::now() < give_up) std::this_thread::sleep_for(1ms);
  EXPECT_TRUE(command.has_ended());
  command.end();
  ASSERT_TRUE(command.status());
  EXPECT_EQ(WEXITSTATUS(*command.status()), 7);
}

TEST(CommandThread, AFailedStartLeavesNoThreadBehind) {
  const size_t before = threads_here();
  const auto trace = []() -> Status {
    auto launch = kernelside::Launch::start({"/bin/true"});
    INGERO_TRY(launch);
    CommandThread command(**launch, ignore_file, [](uint32_t) {});
    EXPECT_EQ(::kill(parent_of((*launch)->pid()), SIGKILL), 0);  // who would pass the word on
    while (!command.has_ended()) std::this_thread::sleep_for(1ms);
    return (*launch)->go();
  };
  const Status status = trace();
  ASSERT_FALSE(status.ok()) << "the command could not be started, and nothing said so";
  EXPECT_NE(status.error().text().find("start the command"), std::string::npos) << status.error().text();
  EXPECT_EQ(threads_here(), before);
}

TEST(CommandThread, EndingBeforeTheCommandIsNotWaitingForIt) {
  const size_t before = threads_here();
  auto launch = kernelside::Launch::start({"/bin/sleep", "60"});
  ASSERT_TRUE(launch.ok()) << launch.error().text();
  const pid_t pid = (*launch)->pid();
  {
    CommandThread command(**launch, ignore_file, [](uint32_t) {});
    ASSERT_TRUE((*launch)->go().ok());
    const auto begin = std::chrono::steady_clock::now();
    command.end();
    command.end();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
    EXPECT_FALSE(command.status());
  }
  EXPECT_EQ(threads_here(), before);
  EXPECT_EQ(::kill(pid, SIGKILL), 0) << "the command goes on";
}

}  // namespace
}  // namespace ingero::agent
