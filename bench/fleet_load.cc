// What `make fleet-bench` (fleet_bench.py) and `make fleet-truth` need of a compiled program: requests of a simulated
// job, made while the clock stands, and then
//
//   fleet_load floor FILE RANKS WINDOWS          decoded and inserted in a bare loop, with the durability of the server
//   fleet_load send PORT TOKEN RANKS WINDOWS [slow]
//                                                sent to a server on this machine as fast as it takes them; one rank of
//                                                256 is slow
//
// or, without a server, hours of a job in which no rank is slow, through the detector alone:
//
//   fleet_load healthy RANKS HOURS NOISE SEED    the ranks that are named all the same, a line each
//
// Prints a line: windows of ranks, seconds, windows a second. The bare loop checks nothing, compares nothing, and
// answers none; it is what the rest of the server is measured against.
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include "base/clock.h"
#include "base/fd.h"
#include "bench/harness.h"
#include "fleet/detect/detector.h"
#include "fleet/simulate/plan.h"
#include "fleet/store/sqlite_store.h"
#include "fleet/wire/encode.h"
#include "fleet/wire/protobuf.h"
#include "store/db/sqlite.h"

namespace {

using namespace ingero;
using namespace ingero::bench;

constexpr int kConnections = 8;

struct Requests {
  std::vector<std::string> bodies;
  uint64_t windows = 0;
};

// Makes them in parts, since those of an hour do not fit into memory.
class Job {
 public:
  Job(uint32_t ranks, uint32_t windows, bool has_stragglers) : plan_(make_plan(ranks, windows, has_stragglers)) {}

  Requests next(uint32_t windows) {
    Requests made;
    for (uint32_t end = at_ + windows; at_ < end; ++at_) {
      plan_.begin(at_);
      for (uint32_t node = 0; node < plan_.nodes(); ++node) {
        const auto of_node = plan_.window(node, at_);
        made.windows += of_node.size();
        made.bodies.push_back(fleet::wire::encode_windows(of_node));
      }
    }
    return made;
  }

 private:
  static fleet::simulate::Plan make_plan(uint32_t ranks, uint32_t windows, bool has_stragglers) {
    fleet::simulate::PlanOptions options;
    options.ranks = ranks;
    options.windows = windows;
    options.has_stragglers = has_stragglers;
    options.first_ns =
        (system_clock().wall_ns() / fleet::simulate::kPeriod_ns - windows - 1) * fleet::simulate::kPeriod_ns;
    return must(fleet::simulate::Plan::make(options));
  }

  fleet::simulate::Plan plan_;
  uint32_t at_ = 0;
};

void print_rate(uint64_t windows, uint64_t took_ns) {
  const double seconds = static_cast<double>(took_ns) / 1e9;
  fmt::print("{} {:.3f} {:.0f}\n", windows, seconds, static_cast<double>(windows) / seconds);
}

// A row of the window and one of each sum, as the server's store writes them.
class Inserts {
 public:
  explicit Inserts(store::Database& database) : database_(database) {
    window_ = prepare(
        "INSERT OR IGNORE INTO windows (node, job_id, start_ns, rank, comm_id_hash, end_ns, comm_rank, nranks, "
        "collectives, blocked, work_s, work_total_s, wait_s, bytes, op_type, preempted_s, run_queue_s, blocked_s, "
        "io_s) "
        "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, '', ?15, ?16, ?17, ?18)");
    for (const auto& [table, statement] : {std::pair("minutes", &minute_), {"hours", &hour_}}) {
      *statement = prepare(fmt::format(
          "INSERT INTO {} VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7, ?8, ?9, ?10, 0) ON CONFLICT DO UPDATE SET windows = "
          "windows + 1, collectives = collectives + excluded.collectives, blocked = blocked + excluded.blocked, "
          "work_us "
          "= work_us + excluded.work_us, wait_us = wait_us + excluded.wait_us, bytes = bytes + excluded.bytes",
          table));
    }
  }

  void put(const fleet::wire::Batch& batch) {
    must(database_.execute("BEGIN IMMEDIATE"));
    for (const auto& window : batch.windows) put(window);
    must(database_.execute("COMMIT"));
  }

 private:
  store::Statement prepare(const std::string& sql) { return must(database_.prepare(sql, true)); }

  void put(const fleet::wire::Window& window) {
    const auto communicator = static_cast<int64_t>(window.communicator);
    const auto start_ns = static_cast<int64_t>(window.start_ns);
    const int64_t node = window.rank / fleet::simulate::kRanksOfNode;
    window_.bind(1, node).bind(2, std::string_view(window.sender.job)).bind(3, start_ns).bind(4, int64_t{window.rank});
    window_.bind(5, communicator).bind(6, static_cast<int64_t>(window.end_ns)).bind(7, int64_t{window.comm_rank});
    window_.bind(8, int64_t{window.nranks}).bind(9, static_cast<int64_t>(window.count));
    window_.bind(10, static_cast<int64_t>(window.blocked)).bind(11, window.work_s.value_or(0));
    window_.bind(12, window.work_total_s.value_or(0)).bind(13, window.wait_s).bind(14, window.bytes);
    window_.bind(15, window.preempted_s).bind(16, window.runqueue_s).bind(17, window.blocked_s).bind(18, window.io_s);
    must(window_.run());
    for (const auto& [statement, length_s] : {std::pair(&minute_, 60), {&hour_, 3600}}) {
      statement->bind(1, start_ns / 1'000'000'000 / length_s * length_s).bind(2, node);
      statement->bind(3, std::string_view(window.sender.job)).bind(4, int64_t{window.rank}).bind(5, communicator);
      statement->bind(6, static_cast<int64_t>(window.count)).bind(7, static_cast<int64_t>(window.blocked));
      statement->bind(8, static_cast<int64_t>(window.work_total_s.value_or(0) * 1e6));
      statement->bind(9, static_cast<int64_t>(window.wait_s * 1e6)).bind(10, window.bytes);
      must(statement->run());
    }
  }

  store::Database& database_;
  store::Statement window_, minute_, hour_;
};

void run_floor(const char* path, const Requests& requests) {
  // The server's own tables and mode; then a connection that is nothing of it.
  must(fleet::store::SqliteStore::open({path, uint64_t{1} << 40}, system_clock())).reset();
  auto database = must(store::Database::open(path, SQLITE_OPEN_READWRITE, path));
  must(database.execute("PRAGMA synchronous = NORMAL"));
  Inserts inserts(database);
  const uint64_t wall_ns = system_clock().wall_ns(), begin_ns = now_ns();
  for (const std::string& body : requests.bodies) {
    fleet::wire::Collector collector(wall_ns);
    must(fleet::wire::read_protobuf(body, collector));
    inserts.put(collector.take());
  }
  print_rate(requests.windows, now_ns() - begin_ns);
}

// Sends all, and reads up to the end of the answer's head and its body; false: not 200.
bool ask(int socket, const std::string& head, const std::string& body, std::string& buffer) {
  const std::string request = fmt::format("{}Content-Length: {}\r\n\r\n{}", head, body.size(), body);
  for (size_t sent = 0; sent < request.size();) {
    const ssize_t wrote = send(socket, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (wrote <= 0) return false;
    sent += static_cast<size_t>(wrote);
  }
  buffer.clear();
  size_t whole = 0;
  char part[4096];
  while (whole == 0 || buffer.size() < whole) {
    const ssize_t got = read(socket, part, sizeof part);
    if (got <= 0) return false;
    buffer.append(part, static_cast<size_t>(got));
    if (const size_t end = buffer.find("\r\n\r\n"); whole == 0 && end != std::string::npos) {
      const size_t length = buffer.find("Content-Length: ");
      whole = end + 4 + (length < end ? std::strtoul(buffer.c_str() + length + 16, nullptr, 10) : 0);
    }
  }
  return buffer.starts_with("HTTP/1.1 200 ");
}

int connect_to(uint16_t port) {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (made < 0 || connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    fail(fmt::format("127.0.0.1:{}: cannot connect", port));
  }
  return made;
}

// How long it took.
uint64_t send_all(uint16_t port, const char* token, const Requests& requests) {
  const std::string head = fmt::format(
      "POST /v1/metrics HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nContent-Type: "
      "application/x-protobuf\r\n",
      port, token);
  std::atomic<size_t> next = 0;
  const uint64_t begin_ns = now_ns();
  std::vector<std::thread> threads;
  for (int i = 0; i < kConnections; ++i) {
    threads.emplace_back([&] {
      Fd connection(connect_to(port));
      std::string buffer;
      int left = 900;  // the server ends a connection after a number of requests
      for (size_t at = next++; at < requests.bodies.size(); at = next++) {
        if (left-- == 0) {
          connection = Fd(connect_to(port));
          left = 900;
        }
        if (!ask(connection.get(), head, requests.bodies[at], buffer)) {
          fail("not accepted: " + buffer.substr(0, buffer.find('\r')));
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  return now_ns() - begin_ns;
}

void run_send(uint16_t port, const char* token, uint32_t windows, Job job) {
  constexpr uint32_t kPart = 60;  // windows
  uint64_t sent = 0, took_ns = 0;
  for (uint32_t at = 0; at < windows; at += kPart) {
    const Requests requests = job.next(std::min(kPart, windows - at));
    took_ns += send_all(port, token, requests);
    sent += requests.windows;
  }
  print_rate(sent, took_ns);
}

const fleet::simulate::Noise& noise_of(std::string_view name) {
  if (name == "quiet") return fleet::simulate::kQuietNoise;
  if (name == "noisy") return fleet::simulate::kNoisyNoise;
  if (name != "usual") fail(fmt::format("{}: not quiet, usual or noisy", name));
  return fleet::simulate::kUsualNoise;
}

void run_healthy(uint32_t ranks, uint32_t hours, const char* noise, uint64_t seed) {
  namespace detect = fleet::detect;
  constexpr uint64_t kPeriod_ns = fleet::simulate::kPeriod_ns;
  fleet::simulate::PlanOptions options;
  options.ranks = ranks;
  options.windows = static_cast<uint32_t>(hours * 3600 / (kPeriod_ns / 1'000'000'000));
  options.seed = seed;
  options.noise = noise_of(noise);
  options.has_stragglers = false;
  auto plan = must(fleet::simulate::Plan::make(options));
  detect::Detector detector;
  uint64_t named = 0;
  for (uint32_t at = 0; at < options.windows; ++at) {
    plan.begin(at);
    for (uint32_t node = 0; node < plan.nodes(); ++node) {
      for (const auto& one : plan.window(node, at)) {
        const double bytes = static_cast<double>(one.bytes) / static_cast<double>(one.count);
        detector.add({at + 1, one.rank, node, one.communicator, one.nranks, one.count, *one.work_s, bytes, 0, 0},
                     at * kPeriod_ns);
      }
    }
    for (const auto& incident : detector.advance(at * kPeriod_ns + detect::kWaitForWindow_ns)) {
      // One that was named before and changes is not counted again.
      if (incident.state != detect::State::kOpen || incident.named_window != at + 1) continue;
      ++named;
      fmt::print("window {}: rank {}, {:.1f} %\n", at, incident.rank, 100 * incident.effect);
    }
  }
  fmt::print("{} named in {} windows of {} ranks, {} noise, seed {}\n", named, options.windows, ranks, noise, seed);
}

uint32_t number(const char* text) { return static_cast<uint32_t>(std::strtoul(text, nullptr, 10)); }

}  // namespace

int main(int count, char** arguments) {
  if (count == 5 && std::string_view(arguments[1]) == "floor") {
    const uint32_t windows = number(arguments[4]);
    run_floor(arguments[2], Job(number(arguments[3]), windows, false).next(windows));
    return 0;
  }
  const bool is_slow = count == 7 && std::string_view(arguments[6]) == "slow";
  if ((count == 6 || is_slow) && std::string_view(arguments[1]) == "send") {
    const uint32_t windows = number(arguments[5]);
    run_send(static_cast<uint16_t>(number(arguments[2])), arguments[3], windows,
             Job(number(arguments[4]), windows, is_slow));
    return 0;
  }
  if (count == 6 && std::string_view(arguments[1]) == "healthy") {
    run_healthy(number(arguments[2]), number(arguments[3]), arguments[4], number(arguments[5]));
    return 0;
  }
  std::fputs(
      "fleet_load floor FILE RANKS WINDOWS | send PORT TOKEN RANKS WINDOWS [slow] | healthy RANKS HOURS NOISE SEED\n",
      stderr);
  return 2;
}
