// Real sockets of this process, in the kernel's own tables: which of them are of clients.
#include "agent/process_sockets.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/text.h"
#include "temp_folder.h"

namespace ingero::agent {
namespace {

class ProcessSocketsTest : public ::testing::Test {
 protected:
  static Fd made(int type) { return Fd(socket(AF_INET, type, 0)); }
  static sockaddr_in bound(const Fd& fd, uint16_t port = 0) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int reuse = 1;
    setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
    EXPECT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    socklen_t size = sizeof address;
    getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size);
    return address;
  }
  static Fd epoll_of(std::initializer_list<int> fds) {
    Fd epoll(epoll_create1(0));
    for (const int fd : fds) {
      epoll_event event{};
      event.events = EPOLLIN;
      EXPECT_EQ(epoll_ctl(epoll.get(), EPOLL_CTL_ADD, fd, &event), 0) << fd;
    }
    return epoll;
  }
  bool waits_for_clients(std::initializer_list<int> fds) {
    const Fd epoll = epoll_of(fds);
    return ProcessSockets(text, "/proc").waits_for_clients(static_cast<uint32_t>(getpid()), epoll.get(), kSecond);
  }
  void SetUp() override {
    const sockaddr_in address = bound(listener);
    ASSERT_EQ(listen(listener.get(), 4), 0);
    ASSERT_EQ(connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    accepted = Fd(accept(listener.get(), nullptr, nullptr));
    ASSERT_GE(accepted.get(), 0);
    port = ntohs(address.sin_port);
  }

  Fd listener = made(SOCK_STREAM), client = made(SOCK_STREAM), accepted;
  uint16_t port = 0;
  int reads = 0;
  ProcessSockets::Text text = [this](uint32_t pid, std::string_view name, size_t max_bytes) {
    ++reads;
    auto whole = read_file(fmt::format("/proc/{}/{}", pid, name));
    if (whole.ok()) whole->resize(std::min(whole->size(), max_bytes));
    return whole;
  };
};

TEST_F(ProcessSocketsTest, WhoConnectsToThisProcessIsAClient) {
  std::array<int, 2> pair{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()), 0);
  const Fd one(pair[0]), other(pair[1]), event(eventfd(0, 0));
  EXPECT_TRUE(waits_for_clients({listener.get()}));
  EXPECT_TRUE(waits_for_clients({accepted.get()}));
  EXPECT_TRUE(waits_for_clients({listener.get(), accepted.get(), one.get(), event.get()})) << "as an event loop does";
  EXPECT_FALSE(waits_for_clients({client.get()})) << "it waits for an answer";
  EXPECT_FALSE(waits_for_clients({listener.get(), client.get()})) << "or for an answer";
  EXPECT_FALSE(waits_for_clients({one.get(), event.get()})) << "another thread may end it";
  EXPECT_FALSE(waits_for_clients({}));
  ProcessSockets sockets(text, "/proc");
  EXPECT_TRUE(sockets.listens(static_cast<uint32_t>(getpid()), port, kSecond));
  EXPECT_FALSE(sockets.listens(static_cast<uint32_t>(getpid()), 1, kSecond));
  EXPECT_FALSE(sockets.waits_for_clients(static_cast<uint32_t>(getpid()), listener.get(), kSecond)) << "no epoll";
}

TEST_F(ProcessSocketsTest, ADatagramSocketOnAPortThatTheProgramChoseIsAServers) {
  const Fd server = made(SOCK_DGRAM), asks = made(SOCK_DGRAM);
  for (uint16_t chosen = 20111; chosen < 20200; ++chosen) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(chosen);
    if (bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) break;
  }
  bound(asks);
  EXPECT_TRUE(waits_for_clients({server.get()}));
  EXPECT_FALSE(waits_for_clients({asks.get()}));
  EXPECT_FALSE(ProcessSockets(text, "/proc").is_server_port(ntohs(bound(made(SOCK_DGRAM)).sin_port)));
  EXPECT_TRUE(ProcessSockets(text, "/proc").is_server_port(8080));
}

TEST_F(ProcessSocketsTest, ASocketWithAPathIsAServers) {
  const TempFolder folder;
  const Fd server(socket(AF_UNIX, SOCK_STREAM, 0)), asks(socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = folder.path() + "/s";
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(server.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(listen(server.get(), 4), 0);
  ASSERT_EQ(connect(asks.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  const Fd from(accept(server.get(), nullptr, nullptr));
  EXPECT_TRUE(waits_for_clients({server.get()}));
  EXPECT_TRUE(waits_for_clients({from.get()}));
  EXPECT_FALSE(waits_for_clients({asks.get()}));
}

TEST_F(ProcessSocketsTest, WhatWasReadIsKnownForASecond) {
  const Fd epoll = epoll_of({listener.get()});
  ProcessSockets sockets(text, "/proc");
  const auto pid = static_cast<uint32_t>(getpid());
  EXPECT_TRUE(sockets.waits_for_clients(pid, epoll.get(), kSecond));
  const int first = reads;
  EXPECT_TRUE(sockets.waits_for_clients(pid, epoll.get(), 2 * kSecond - 1));
  EXPECT_EQ(reads, first);
  EXPECT_TRUE(sockets.waits_for_clients(pid, epoll.get(), 2 * kSecond));
  EXPECT_EQ(reads, 2 * first);
  for (uint32_t other = 1; other < 1000; ++other) (void)sockets.waits_for_clients(other, 3, 2 * kSecond);
  EXPECT_LT(reads, 200) << "bounded in a second";
  sockets.every_second();
  EXPECT_TRUE(sockets.waits_for_clients(pid, epoll.get(), 3 * kSecond));
}

TEST_F(ProcessSocketsTest, ATableThatIsCutSaysNothing) {
  const Fd epoll = epoll_of({listener.get()});
  const auto pid = static_cast<uint32_t>(getpid());
  ProcessSockets sockets(
      [&](uint32_t of, std::string_view name, size_t max_bytes) {
        auto whole = text(of, name, max_bytes);
        if (whole.ok() && name == "net/unix") whole->resize(max_bytes, '\n');
        return whole;
      },
      "/proc");
  EXPECT_FALSE(sockets.waits_for_clients(pid, epoll.get(), kSecond));
}

}  // namespace
}  // namespace ingero::agent
