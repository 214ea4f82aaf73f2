// Annotations: what a line may say, who may say it, and what becomes of a flood and of rubbish.
#include "agent/annotations/annotation.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <mutex>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "agent/annotations/annotation_client.h"
#include "agent/annotations/annotation_socket.h"
#include "agent/annotations/socket_path.h"
#include "base/fd.h"
#include "unit/cli/cli_fixture.h"

namespace ingero::agent {
namespace {

using cli::expect_refused;
using cli::run_cli;
using cli::TemporaryFolder;

using Json = nlohmann::json;
using ::testing::HasSubstr;

constexpr uint64_t kNow = 1'795'228'000'000'000'000;

std::string refused(const std::string& line) {
  const auto parsed = parse_annotation(line, kNow);
  return parsed.ok() ? "taken" : parsed.error().message();
}

TEST(AnnotationLine, IsTakenWithEverythingItMaySay) {
  const auto line = parse_annotation(
      R"({"v":1,"ts":1795228000000000001,"labels":{"step":17,"phase":"eval","ok":true,"lr":0.5},"pid":4321,"start_time":99,)"
      R"("span_start":1795227999000000000,"span_end":1795228000000000000})",
      kNow);
  ASSERT_TRUE(line.ok()) << line.error().text();
  EXPECT_EQ(line->wall_ns, kNow + 1);
  EXPECT_EQ(line->pid, 4321U);
  EXPECT_EQ(line->start_time, 99U);
  EXPECT_EQ(line->span_start_wall_ns, kNow - 1'000'000'000);
  EXPECT_EQ(line->span_end_wall_ns, kNow);
  EXPECT_EQ(line->labels_json, R"({"lr":"0.5","ok":"true","phase":"eval","step":"17"})");
  EXPECT_TRUE(parse_annotation(R"({"labels":{"a":"b"},"pid":"self"})", kNow)->is_self);
  EXPECT_FALSE(parse_annotation(R"({"labels":{"a":"b"},"pid":0})", kNow)->pid.has_value());
}

TEST(AnnotationLine, IsRefusedWithWhatIsWrong) {
  const std::pair<std::string, const char*> kWrong[] = {
      {"", "no JSON object"},
      {"17", "no JSON object"},
      {"{\"labels\":{\"a\":1}", "no JSON object"},
      {R"({"labels":{}})", "labels is empty"},
      {R"({"labels":[1]})", "nested deeper"},
      {R"({"labels":{"a":{"b":1}}})", "nested deeper"},
      {R"({"labels":{"a":null}})", "must be a string, a number or a boolean"},
      {R"({"labels":{"a b":1}})", "the key \"a b\""},
      {R"({"labels":{"":1}})", "the key"},
      {R"({"labels":{")" + std::string(65, 'k') + R"(":1}})", "the key"},
      {R"({"labels":{"k":")" + std::string(257, 'v') + R"("}})", "longer than 256"},
      {R"({"lables":{"a":1}})", "unknown field \"lables\""},
      {R"({"ts":1})", "more than a day"},
      {R"({"ts":-1,"labels":{"a":1}})", "ts must be a number: nanoseconds"},
      {R"({"ts":"now","labels":{"a":1}})", "ts must be a number: nanoseconds"},
      {R"({"ts":1.5e18,"labels":{"a":1}})", "ts must be a number: nanoseconds"},
      {R"({"v":2,"labels":{"a":1}})", "v is not 1"},
      {R"({"pid":"other","labels":{"a":1}})", "pid must be"},
      {R"({"pid":99999999999,"labels":{"a":1}})", "pid must be"},
      {R"({"start_time":5,"labels":{"a":1}})", "start_time without a pid"},
      {R"({"span_start":1795228000000000000,"labels":{"a":1}})", "go together"},
      {R"({"span_start":1795228000000000001,"span_end":1795228000000000000,"labels":{"a":1}})", "before span_start"},
      {"{\"labels\":{\"a\":\"" + std::string(17000, 'x') + "\"}}", "longer than 16384"},
      {std::string(16000, '['), "nested deeper"},
      {R"({"pid":1})", "labels is missing"},
  };
  for (const auto& [line, part] : kWrong) EXPECT_THAT(refused(line), HasSubstr(part)) << line.substr(0, 200);
  Json many;
  for (int i = 0; i < 33; ++i) many["labels"]["k" + std::to_string(i)] = i;
  EXPECT_THAT(refused(many.dump()), HasSubstr("more than 32 labels"));
}

TEST(AnnotationLine, KeepsNoControlCharacters) {
  const auto line = parse_annotation("{\"labels\":{\"a\":\"x\\u001b[31m\\u202e\\ny\"}}", kNow);
  ASSERT_TRUE(line.ok());
  EXPECT_EQ(line->labels_json, R"({"a":"x?[31m??y"})");
  EXPECT_EQ(refused("{\"labels\":{\"a\":\"\xff\xfe\"}}"), "annotation: no JSON object");
}

// 200,000 mutations of good lines: taken or refused, and what is taken is within the limits.
TEST(AnnotationLine, SurvivesWhatAFuzzerMakesOfIt) {
  const std::string seeds[] = {
      R"({"v":1,"ts":1795228000000000001,"labels":{"step":17,"phase":"eval"},"pid":4321,"start_time":99})",
      R"({"labels":{"a":"b"},"pid":"self","span_start":1795227999000000000,"span_end":1795228000000000000})"};
  std::mt19937 random(11);
  size_t taken = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string line = seeds[random() % 2];
    for (unsigned changes = random() % 6; changes > 0; --changes) {
      const size_t at = random() % line.size();
      switch (random() % 4) {
        case 0:
          line[at] = static_cast<char>(random());
          break;
        case 1:
          line.erase(at, 1 + random() % 5);
          break;
        case 2:
          line.insert(at, 1, "{}[]\",:0129e-.\\"[random() % 15]);
          break;
        default:
          line.insert(at, line.substr(at, random() % 20));
      }
      if (line.empty()) line = "x";
    }
    const auto parsed = parse_annotation(line, kNow);
    if (!parsed.ok()) continue;
    ++taken;
    const Json labels = Json::parse(parsed->labels_json);
    ASSERT_LE(labels.size(), AnnotationLimits::kLabels);
    for (const auto& [key, value] : labels.items()) {
      ASSERT_LE(key.size(), AnnotationLimits::kKeyBytes);
      ASSERT_LE(value.get<std::string>().size(), 3 * AnnotationLimits::kValueBytes);
    }
  }
  EXPECT_GT(taken, 1000U);
}

class Annotations : public TemporaryFolder {
 protected:
  void SetUp() override {
    TemporaryFolder::SetUp();
    options_.path = path("sockets/annotate.sock");
  }
  void open() {
    auto socket = AnnotationSocket::open(
        options_,
        [this](std::vector<store::Annotation> taken) {
          const std::scoped_lock lock(mutex_);
          for (auto& one : taken) taken_.push_back(std::move(one));
        },
        [this](hal::Loss loss, uint64_t count) {
          (loss == hal::Loss::annotation_refused ? refused_ : dropped_) += count;
        });
    ASSERT_TRUE(socket.ok()) << socket.error().text();
    socket_ = std::move(*socket);
    socket_->start();
  }
  Fd connected() const {
    Fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, options_.path.c_str());
    const timeval timeout{10, 0};
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0) << std::strerror(errno);
    return fd;
  }
  // Sends all of it and says what the agent answered.
  Json emit(const std::string& text) const {
    const Fd fd = connected();
    for (size_t at = 0; at < text.size();) {
      const ssize_t sent = ::send(fd.get(), text.data() + at, text.size() - at, MSG_NOSIGNAL);
      if (sent <= 0) return Json("cut");
      at += static_cast<size_t>(sent);
    }
    ::shutdown(fd.get(), SHUT_WR);
    std::string answer(1000, '\0');
    const ssize_t got = ::recv(fd.get(), answer.data(), answer.size(), 0);
    return Json::parse(answer.substr(0, static_cast<size_t>(std::max<ssize_t>(got, 0))), nullptr, false);
  }

  AnnotationSocketOptions options_;
  std::mutex mutex_;
  std::vector<store::Annotation> taken_;
  std::atomic<uint64_t> refused_{0}, dropped_{0};
  std::unique_ptr<AnnotationSocket> socket_;
};

TEST_F(Annotations, SayWhoSaidThem) {
  open();
  const Json answer = emit("{\"labels\":{\"step\":1},\"pid\":\"self\"}\n\n{\"labels\":{\"epoch\":2}}");
  EXPECT_EQ(answer["accepted"], 2) << answer;
  socket_->stop();
  ASSERT_EQ(taken_.size(), 2U);
  EXPECT_EQ(taken_[0].pid, static_cast<uint32_t>(::getpid()));
  EXPECT_GT(taken_[0].start_time, 0U);
  EXPECT_EQ(taken_[1].pid, 0U);
  for (const auto& one : taken_) {
    EXPECT_EQ(one.peer_uid, ::getuid());
    EXPECT_EQ(one.peer_gid, ::getgid());
    EXPECT_EQ(one.peer_pid, static_cast<uint32_t>(::getpid()));
  }
  EXPECT_FALSE(std::filesystem::exists(options_.path));
}

TEST_F(Annotations, AreRefusedAboutProcessesThatAreOthersOrGone) {
  if (::getuid() != 0) GTEST_SKIP() << "needs root, to be two users";
  std::filesystem::permissions(folder_, std::filesystem::perms::all);
  open();
  ::chmod(path("sockets").c_str(), 0777);
  ::chmod(options_.path.c_str(), 0777);
  const pid_t victim = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setresgid(65534, 65534, 65534) != 0 || ::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
    const Json others = emit("{\"labels\":{\"a\":1},\"pid\":" + std::to_string(victim) + "}\n");
    const Json own = emit("{\"labels\":{\"a\":1},\"pid\":" + std::to_string(::getpid()) + "}\n");
    ::_exit(others["refused"] == 1 &&
                    others["error"].get<std::string>().find("belongs to another user") != std::string::npos &&
                    own["accepted"] == 1
                ? 0
                : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_THAT(emit("{\"labels\":{\"a\":1},\"pid\":" + std::to_string(child) + "}\n").dump(),
              HasSubstr("does not exist"));
  EXPECT_THAT(emit("{\"labels\":{\"a\":1},\"pid\":\"self\",\"start_time\":1}\n").dump(),
              HasSubstr("did not start at 1"));
  socket_->stop();
  EXPECT_EQ(refused_, 3U);
  EXPECT_EQ(taken_.size(), 1U);
}

TEST_F(Annotations, PastTheRateAreDroppedAndCounted) {
  open();
  std::string flood;
  for (int i = 0; i < 20'000; ++i) flood += "{\"labels\":{\"step\":" + std::to_string(i) + "}}\n";
  const Json answer = emit(flood);
  const auto accepted = answer["accepted"].get<uint64_t>(), dropped = answer["dropped"].get<uint64_t>();
  EXPECT_EQ(accepted + dropped, 20'000U) << answer;
  EXPECT_GE(accepted, 1000U);
  EXPECT_GT(dropped, 1000U);
  socket_->stop();
  EXPECT_EQ(taken_.size(), accepted);
  EXPECT_EQ(dropped_, dropped);
}

TEST_F(Annotations, OfTooManyBytesAreDropped) {
  options_.max_bytes = 2000;
  open();
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "{\"labels\":{\"step\":" + std::to_string(i) + "}}\n";
  const Json answer = emit(lines);
  EXPECT_GT(answer["accepted"].get<uint64_t>(), 0U);
  EXPECT_GT(answer["dropped"].get<uint64_t>(), 50U);
  EXPECT_THAT(answer["error"].get<std::string>(), HasSubstr("of annotations already"));
}

TEST_F(Annotations, OutliveRubbishAndThoseThatNeverRead) {
  open();
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    std::string rubbish;
    for (unsigned i = random() % 40'000; i > 0; --i) rubbish += static_cast<char>(random());
    const Fd fd = connected();
    (void)!::send(fd.get(), rubbish.data(), rubbish.size(), MSG_NOSIGNAL);
  }
  ::usleep(1'100'000);  // what was sent so far counts towards this user's rate
  // A line of a megabyte is one refusal, and the line behind it is taken.
  const Json answer = emit(std::string(1 << 20, 'x') + "\n{\"labels\":{\"a\":1}}\n");
  EXPECT_EQ(answer["refused"], 1) << answer;
  EXPECT_EQ(answer["accepted"], 1) << answer;
  // Those that hold connections keep others out only up to a number, and not for ever.
  std::vector<Fd> held;
  for (size_t i = 0; i < AnnotationSocket::kMaxOfOneUser; ++i) held.push_back(connected());
  EXPECT_THAT(emit("").dump(), HasSubstr("too many connections"));
  held.clear();
  for (int tries = 0; tries < 100 && emit("{\"labels\":{\"a\":1}}\n")["accepted"] != 1; ++tries) ::usleep(10'000);
  EXPECT_EQ(emit("{\"labels\":{\"a\":1}}\n")["accepted"], 1);
}

TEST_F(Annotations, SocketIsNobodyElses) {
  open();
  struct stat there {};
  ASSERT_EQ(::stat(options_.path.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0700U);
  ASSERT_EQ(::stat(path("sockets").c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0700U);
  const auto again = AnnotationSocket::open(options_, {}, {});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code(), Errc::kBusy);
  // Left by a run that was killed: taken over.
  const std::string left = path("sockets/left.sock");
  {
    Fd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strcpy(address.sun_path, left.c_str());
    ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  socket_.reset();
  options_.path = left;
  open();
  EXPECT_EQ(emit("{\"labels\":{\"a\":1}}\n")["accepted"], 1);
  socket_.reset();
  // A group may use it, and may not list the directory.
  options_.group = static_cast<int64_t>(::getgid());
  std::filesystem::remove_all(path("sockets"));
  open();
  ASSERT_EQ(::stat(left.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0770U);
  ASSERT_EQ(::stat(path("sockets").c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0710U);
  socket_.reset();
  // A directory that others may write, a link in its place, a file where the socket belongs: refused.
  ::chmod(path("sockets").c_str(), 0777);
  EXPECT_THAT(AnnotationSocket::open(options_, {}, {}).error().text(), HasSubstr("written by others"));
  ::chmod(path("sockets").c_str(), 0700);
  std::filesystem::create_directory_symlink(path("sockets"), path("link"));
  options_.path = path("link/annotate.sock");
  EXPECT_FALSE(AnnotationSocket::open(options_, {}, {}).ok());
  options_.path = path("sockets/file");
  std::ofstream(options_.path) << "x";
  EXPECT_FALSE(AnnotationSocket::open(options_, {}, {}).ok());
  EXPECT_TRUE(std::filesystem::exists(options_.path));
}

TEST_F(Annotations, ADirectoryThatIsThereStaysAsItIs) {
  struct stat there {};
  const auto mode = [&] {
    EXPECT_EQ(::stat(path("shared").c_str(), &there), 0);
    return there.st_mode & 07777;
  };
  std::filesystem::create_directory(path("shared"));
  ::chmod(path("shared").c_str(), 0755);
  options_.path = path("shared/annotate.sock");
  open();
  EXPECT_EQ(mode(), 0755U);
  ASSERT_EQ(::stat(options_.path.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0700U);
  socket_.reset();
  // Everyone may go through it, the socket is the group's.
  options_.group = static_cast<int64_t>(::getgid());
  open();
  EXPECT_EQ(mode(), 0755U);
  ASSERT_EQ(::stat(options_.path.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0770U);
  socket_.reset();
  ::chmod(path("shared").c_str(), 0710);
  open();
  EXPECT_EQ(mode(), 0710U);
  socket_.reset();
  ::chmod(path("shared").c_str(), 0700);
  const auto refused = AnnotationSocket::open(options_, {}, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(), HasSubstr("may not go through the directory"));
  EXPECT_EQ(mode(), 0700U);
}

TEST_F(Annotations, TheAgentsOwnDirectoryIsGivenToTheGroup) {
  ASSERT_TRUE(prepare_annotation_folder(path("own/a.sock"), ::geteuid(), -1, true).ok());
  ASSERT_TRUE(prepare_annotation_folder(path("own/a.sock"), ::geteuid(), static_cast<int64_t>(::getgid()), true).ok());
  struct stat there {};
  ASSERT_EQ(::stat(path("own").c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 07777, 0710U);
}

TEST_F(Annotations, OfAProgramThatGoesOnArriveAsTheyAreMade) {
  open();
  int ends[2] = {-1, -1};
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const Fd from(ends[0]);
  Fd into(ends[1]);
  const auto dialled = dial_annotations(options_.path);
  ASSERT_TRUE(dialled.ok()) << dialled.error().text();
  std::thread command([&] { EXPECT_TRUE(send_annotations(*dialled, from.get()).ok()); });
  const std::string line = "{\"labels\":{\"step\":1}}\n";
  for (size_t count = 1; count <= 3; ++count) {
    EXPECT_EQ(::write(into.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    const auto is_there = [&] {
      const std::scoped_lock lock(mutex_);
      return taken_.size() == count;
    };
    for (int tries = 0; tries < 1000 && !is_there(); ++tries) ::usleep(10'000);
    EXPECT_TRUE(is_there()) << count;
  }
  into.reset();
  command.join();
}

TEST_F(Annotations, CommandAndExamplesAreUnderstood) {
  open();
  EXPECT_EQ(
      run_cli({"annotate", "--annotate-socket", options_.path, "--label", "epoch=3", "--label", "phase=train"}).status,
      0);
  std::ofstream(path("lines")) << "{\"labels\":{\"step\":1}}\n{\"labels\":{\"step\":2}}\n{\"labels\":[]}\n";
  expect_refused(run_cli({"annotate", "--annotate-socket", options_.path, "--from-file", path("lines")}), 1,
                 "2 annotations accepted, 1 refused, 0 dropped; first error: annotation: nested deeper");
  expect_refused(run_cli({"annotate", "--annotate-socket", options_.path, "--label", "nothing"}), 2, "KEY=VALUE");
  expect_refused(run_cli({"annotate", "--annotate-socket", path("nowhere"), "--label", "a=b"}), 1, "nowhere");
  const std::string examples = INGERO_SOURCE_DIR "/docs/examples/annotate";
  ASSERT_EQ(std::system(("c++ -std=c++17 -Wall -Wextra -Werror " + examples + ".cc -o " + path("annotate")).c_str()),
            0);
  EXPECT_EQ(std::system((path("annotate") + " " + options_.path).c_str()), 0);
  EXPECT_EQ(std::system(("python3 -B " + examples + ".py " + options_.path).c_str()), 0);
  socket_->stop();
  ASSERT_EQ(taken_.size(), 15U);
  EXPECT_EQ(taken_[0].labels_json, R"({"epoch":"3","phase":"train"})");
  for (size_t i = 0; i < 6; ++i) {
    const std::string labels = Json{{"epoch", std::to_string(i / 3)}, {"step", std::to_string(i)}}.dump();
    EXPECT_EQ(taken_[3 + i].labels_json, labels);
    EXPECT_EQ(taken_[9 + i].labels_json, labels);
    EXPECT_NE(taken_[3 + i].pid, 0U);
  }
  EXPECT_EQ(refused_, 1U);
}

}  // namespace
}  // namespace ingero::agent
