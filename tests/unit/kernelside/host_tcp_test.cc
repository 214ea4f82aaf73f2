// TCP retransmissions between two network namespaces: each once, with its socket and the process that uses it.
//
// A packet is lost by sending it to a hardware address that no device has: nothing but iproute2 is needed, and the
// namespace's own RetransSegs counter says how many retransmissions there were.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <set>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/fd.h"
#include "base/text.h"
#include "host_kernel.h"
#include "kernelside/proc.h"

namespace ingero::kernelside {
namespace {

constexpr int kPort = 5201;
constexpr int kTcpEstablished = 1;
constexpr int kTcpSynSent = 2;

int ip(const std::string& arguments) { return system(("ip " + arguments + " >/dev/null 2>&1").c_str()); }

// Two namespaces with a cable between them; near is 10.99.0.1 and fd99::1, far is .2.
class Network {
 public:
  Network() : near_(fmt::format("ingero_near_{}", getpid())), far_(fmt::format("ingero_far_{}", getpid())) {
    works_ = ip("netns add " + near_) == 0 && ip("netns add " + far_) == 0 &&
             ip(fmt::format("-n {} link add veth0 type veth peer name veth0 netns {}", near_, far_)) == 0;
    const auto side = [&](const std::string& name, int number) {
      works_ = works_ && ip(fmt::format("-n {} addr add 10.99.0.{}/24 dev veth0", name, number)) == 0 &&
               ip(fmt::format("-n {} addr add fd99::{}/64 dev veth0 nodad", name, number)) == 0 &&
               ip(fmt::format("-n {} link set veth0 address 02:00:00:00:00:0{} up", name, number)) == 0 &&
               ip(fmt::format("-n {} link set lo up", name)) == 0;
    };
    side(near_, 1);
    side(far_, 2);
    lose(false);
  }
  ~Network() {
    ip("netns del " + near_);
    ip("netns del " + far_);
  }
  bool works() const { return works_; }
  // From now on, what near sends gets lost, or arrives again.
  void lose(bool yes) const {
    for (const char* address : {"10.99.0.2", "fd99::2"}) {
      ip(fmt::format("-n {} neigh replace {} lladdr 02:00:00:00:00:{} dev veth0 nud permanent", near_, address,
                     yes ? "99" : "02"));
    }
  }
  static bool enter(const std::string& name) {
    const Fd file(open(("/run/netns/" + name).c_str(), O_RDONLY | O_CLOEXEC));
    return file.valid() && setns(file.get(), CLONE_NEWNET) == 0;
  }
  const std::string& near() const { return near_; }
  const std::string& far() const { return far_; }

 private:
  std::string near_, far_;
  bool works_ = false;
};

sockaddr_storage address_of(const char* text, socklen_t& size) {
  sockaddr_storage storage{};
  auto* four = reinterpret_cast<sockaddr_in*>(&storage);
  auto* six = reinterpret_cast<sockaddr_in6*>(&storage);
  if (inet_pton(AF_INET, text, &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(kPort);
    size = sizeof(*four);
  } else {
    inet_pton(AF_INET6, text, &six->sin6_addr);
    six->sin6_family = AF_INET6;
    six->sin6_port = htons(kPort);
    size = sizeof(*six);
  }
  return storage;
}

// Accepts and reads until everybody has left.
int serve(const std::string& name, const Child::Wait& wait) {
  if (!Network::enter(name)) return 1;
  const Fd listener(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  socklen_t size = 0;
  const sockaddr_storage any = address_of("::", size);
  if (bind(listener.get(), reinterpret_cast<const sockaddr*>(&any), size) != 0 || listen(listener.get(), 5) != 0) {
    return 2;
  }
  wait();
  std::vector<int> kept;
  while (true) kept.push_back(accept(listener.get(), nullptr, nullptr));
}

// The namespace's own count, of the process that asks.
uint64_t retransmitted_segments() {
  std::ifstream file("/proc/self/net/snmp");
  std::string names;
  std::string values;
  while (std::getline(file, names) && std::getline(file, values)) {
    if (!names.starts_with("Tcp:")) continue;
    const auto name = split(names, ' ');
    const auto value = split(values, ' ');
    for (size_t i = 0; i < name.size() && i < value.size(); ++i) {
      if (name[i] == "RetransSegs") return parse_u64(value[i]).value_or(0);
    }
  }
  return 0;
}

// Written by the child, read by the test.
struct Shared {
  uint64_t inode = 0;
  uint16_t port = 0;
  uint64_t before = 0;
  uint64_t after = 0;
};

class HostTcpTest : public HostKernel {
 protected:
  void SetUp() override {
    start({});
    if (!programs_) return;
    if (!need({"on_tcp_retransmit"})) return;
    network_ = std::make_unique<Network>();
    if (!network_->works()) GTEST_SKIP() << "no network namespaces can be made here (iproute2, veth)";
    void* page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    shared_ = new (page) Shared;
    server_ = std::make_unique<Child>([this](const Child::Wait& wait) { return serve(network_->far(), wait); });
    server_->step();
    server_->go();
  }
  void TearDown() override {
    server_.reset();
    network_.reset();
    if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
    HostKernel::TearDown();
  }
  // Connects; then, each after a wait: writes and lets the packet be retransmitted for a while; ends.
  std::function<int(const Child::Wait&)> client(const char* address, int family) {
    return [this, address, family](const Child::Wait& wait) {
      if (!Network::enter(network_->near())) return 1;
      const Fd out(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0));
      socklen_t size = 0;
      const sockaddr_storage far = address_of(address, size);
      if (connect(out.get(), reinterpret_cast<const sockaddr*>(&far), size) != 0) return 2;
      struct stat info {};
      fstat(out.get(), &info);
      sockaddr_storage own{};
      size = sizeof(own);
      getsockname(out.get(), reinterpret_cast<sockaddr*>(&own), &size);
      shared_->inode = info.st_ino;
      shared_->port = ntohs(reinterpret_cast<sockaddr_in*>(&own)->sin_port);  // the same place in sockaddr_in6
      shared_->before = retransmitted_segments();
      wait();
      if (write(out.get(), "gradients", 9) != 9) return 3;
      usleep(1'300'000);  // 0.2 s, doubling
      shared_->after = retransmitted_segments();
      wait();
      return 0;
    };
  }
  void expect_socket(const wire_tcp& tcp, const char* source, const char* destination) {
    const int family = std::string_view(source).find(':') == std::string_view::npos ? AF_INET : AF_INET6;
    char text[INET6_ADDRSTRLEN];
    EXPECT_EQ(tcp.family, family);
    EXPECT_STREQ(inet_ntop(family, tcp.saddr, text, sizeof(text)), source);
    EXPECT_STREQ(inet_ntop(family, tcp.daddr, text, sizeof(text)), destination);
    EXPECT_EQ(tcp.dport, kPort);
    EXPECT_EQ(tcp.sport, shared_->port);
    EXPECT_EQ(tcp.state, static_cast<uint32_t>(kTcpEstablished));
    EXPECT_EQ(tcp.socket_inode, shared_->inode);
    EXPECT_NE(tcp.seq, 0U);
  }
  // For the message of an assertion: which socket, and when after the first.
  std::string all_retransmissions() const {
    std::string text;
    for (const auto& tcp : retransmissions_) {
      text += fmt::format("\n  {} us: socket {}, pid {}, port {}", (tcp.ns - retransmissions_.front().ns) / 1000,
                          tcp.socket_inode, tcp.pid, tcp.sport);
    }
    return text;
  }

  std::unique_ptr<Network> network_;
  std::unique_ptr<Child> server_;
  Shared* shared_ = nullptr;
};

struct Path {
  const char* name;
  int family;
  const char* connect_to;
  const char* source;
  const char* destination;
};

class HostTcpPathTest : public HostTcpTest, public ::testing::WithParamInterface<Path> {};

TEST_P(HostTcpPathTest, EveryRetransmissionOnceWithItsSocketAndOwner) {
  const Path& path = GetParam();
  Child traced(client(path.connect_to, path.family));
  trace(traced.pid());
  traced.step();
  network_->lose(true);
  traced.step();
  network_->lose(false);
  drain();
  const uint64_t expected = shared_->after - shared_->before;
  EXPECT_GE(expected, 2U);
  // No other process retransmits through this socket; other sockets of the machine are not ours to count.
  std::vector<wire_tcp> ours;
  std::copy_if(retransmissions_.begin(), retransmissions_.end(), std::back_inserter(ours),
               [&](const wire_tcp& tcp) { return tcp.socket_inode == shared_->inode; });
  // One that found no room in the ring is counted by name.
  EXPECT_EQ(ours.size() + loss(WIRE_LOSS_HOST_RING_FULL), expected) << account() << all_retransmissions();
  std::set<uint32_t> sequences;
  for (const auto& tcp : ours) {
    expect_socket(tcp, path.source, path.destination);
    EXPECT_EQ(tcp.pid, traced.pid());
    EXPECT_EQ(tcp.tid, traced.pid());
    EXPECT_NE(tcp.cgroup_id, 0U);
    sequences.insert(tcp.seq);
  }
  EXPECT_EQ(sequences.size(), 1U) << "one segment was lost, again and again";
  EXPECT_EQ(traced.finish(), 0);
}

INSTANTIATE_TEST_SUITE_P(Families, HostTcpPathTest,
                         ::testing::Values(Path{"IPv4", AF_INET, "10.99.0.2", "10.99.0.1", "10.99.0.2"},
                                           Path{"IPv6", AF_INET6, "fd99::2", "fd99::1", "fd99::2"},
                                           Path{"IPv4ThroughIPv6", AF_INET6, "::ffff:10.99.0.2", "10.99.0.1",
                                                "10.99.0.2"}),
                         [](const auto& info) { return info.param.name; });

TEST_F(HostTcpTest, AnUnknownOwnerIsFoundThroughTheSocketsInode) {
  if (!programs_ || !shared_) return;
  Child stranger(client("10.99.0.2", AF_INET));
  stranger.step();
  network_->lose(true);
  stranger.step();
  drain();
  const ProcFs proc;
  hal::LossLedger losses;
  SocketOwners owners(proc, system_clock(), losses);
  int ours = 0;
  for (const auto& tcp : retransmissions_) {
    if (tcp.socket_inode != shared_->inode) continue;
    ++ours;
    EXPECT_EQ(tcp.pid, 0U) << "blamed on whoever was on the CPU";
    EXPECT_EQ(owners.owner(tcp.socket_inode, {}), stranger.pid());
  }
  EXPECT_GE(ours, 2);
  EXPECT_EQ(stranger.finish(), 0);
}

TEST_F(HostTcpTest, ARetransmittedSynBelongsToTheConnectingProcess) {
  if (!programs_ || !shared_) return;
  network_->lose(true);
  Child traced([this](const Child::Wait& wait) {
    if (!Network::enter(network_->near())) return 1;
    const Fd out(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    socklen_t size = 0;
    const sockaddr_storage far = address_of("10.99.0.2", size);
    wait();
    connect(out.get(), reinterpret_cast<const sockaddr*>(&far), size);
    usleep(1'400'000);  // the first SYN is repeated after a second
    wait();
    return 0;
  });
  trace(traced.pid());
  traced.step();
  traced.step();
  drain();
  ASSERT_FALSE(retransmissions_.empty());
  int ours = 0;
  for (const auto& tcp : retransmissions_) {
    if (tcp.pid != traced.pid()) continue;
    ++ours;
    EXPECT_EQ(tcp.state, static_cast<uint32_t>(kTcpSynSent));
    EXPECT_EQ(tcp.dport, kPort);
  }
  EXPECT_GE(ours, 1);
  EXPECT_EQ(traced.finish(), 0);
}

}  // namespace
}  // namespace ingero::kernelside
