// The annotation socket: one thread that polls all connections, so that a slow client costs no thread of its own.
#include "agent/annotations/annotation_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "agent/annotations/annotation.h"
#include "agent/annotations/socket_path.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "kernelside/proc.h"

namespace ingero::agent {
namespace {

using Limits = AnnotationLimits;

constexpr size_t kMaxUsers = 4096;
constexpr size_t kReadAtOnce = 64 << 10;  // of one connection, in one round

Result<Fd> listen_at(const std::string& path, int64_t group, bool is_usual_place) {
  const auto address = socket_address(path);
  if (!address.ok()) return address.error();
  const auto* to = reinterpret_cast<const sockaddr*>(&*address);
  INGERO_TRY(prepare_annotation_folder(path, ::geteuid(), group, is_usual_place));
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return errno_error("open a socket for annotations");
  // Only we can write to the directory: what lies there is what an earlier run left, or another agent that listens.
  if (::connect(fd.get(), to, sizeof(*address)) == 0 || errno == EAGAIN) {
    return Error(Errc::kBusy, fmt::format("{}: another agent already listens on this socket", printable(path)),
                 "end it, or name another socket with --annotate-socket");
  }
  struct stat there {};
  if (::lstat(path.c_str(), &there) == 0) {
    if (!S_ISSOCK(there.st_mode)) {
      return Error(Errc::kInvalid, fmt::format("{} exists and is not a socket", printable(path)),
                   "remove it, or name another with --annotate-socket");
    }
    ::unlink(path.c_str());
  }
  fd.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return errno_error("open a socket for annotations");
  if (::bind(fd.get(), to, sizeof(*address)) != 0) return errno_error(fmt::format("bind {}", printable(path)));
  if (group >= 0 && ::chown(path.c_str(), static_cast<uid_t>(-1), static_cast<gid_t>(group)) != 0) {
    return errno_error(fmt::format("give {} to group {}", printable(path), group));
  }
  if (::chmod(path.c_str(), group >= 0 ? 0770 : 0700) != 0)
    return errno_error(fmt::format("chmod {}", printable(path)));
  if (::listen(fd.get(), 64) != 0) return errno_error(fmt::format("listen at {}", printable(path)));
  return fd;
}

}  // namespace

struct AnnotationSocket::Impl {
  struct Connection {
    Fd fd;
    ucred peer{};
    std::string held;
    bool is_skipping = false;  // the rest of a line that is too long
    uint64_t second = 0;
    uint32_t lines = 0;  // in that second
    uint64_t accepted = 0, refused = 0, dropped = 0;
    std::string error;  // the first
  };

  AnnotationSocketOptions options;
  Take take;
  Lost lost;
  const Clock& clock;
  kernelside::ProcFs proc;
  Fd listener, wake;
  std::vector<Connection> connections;
  std::vector<store::Annotation> taken;  // of this round
  uint64_t bytes = 0;
  struct Rate {
    uint64_t second = 0;
    uint32_t lines = 0;
  };
  std::map<uid_t, Rate> rates;  // one user's flood is not another's loss
  std::atomic<bool> stopping{false};
  std::thread thread;

  Impl(AnnotationSocketOptions chosen, Take take_in, Lost count, const Clock& the_clock)
      : options(std::move(chosen)),
        take(std::move(take_in)),
        lost(std::move(count)),
        clock(the_clock),
        proc({.proc = options.proc}) {}

  void serve();
  void accept_all();
  bool read_some(Connection& connection);
  void line(Connection& connection, std::string_view text);
  Result<store::Annotation> checked(const Connection& connection, std::string_view text) const;
  static void reply(Connection& connection);
  bool is_over_rate(Connection& connection);
};

void AnnotationSocket::Impl::accept_all() {
  for (;;) {
    Fd fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) return;
    Connection connection;
    socklen_t size = sizeof(connection.peer);
    if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &connection.peer, &size) != 0) continue;
    const auto of_user = std::count_if(connections.begin(), connections.end(),
                                       [&](const Connection& other) { return other.peer.uid == connection.peer.uid; });
    if (connections.size() >= kMaxConnections || static_cast<size_t>(of_user) >= kMaxOfOneUser) {
      lost(hal::Loss::annotation_dropped, 1);
      connection.error = "too many connections";
      connection.fd = std::move(fd);
      reply(connection);
      continue;
    }
    connection.fd = std::move(fd);
    connections.push_back(std::move(connection));
  }
}

bool AnnotationSocket::Impl::is_over_rate(Connection& connection) {
  const uint64_t now = clock.mono_ns() / kSecond;
  if (rates.size() > kMaxUsers) rates.clear();
  Rate& user = rates[connection.peer.uid];
  if (std::exchange(user.second, now) != now) user.lines = 0;
  if (std::exchange(connection.second, now) != now) connection.lines = 0;
  return ++connection.lines > Limits::kLinesASecond || ++user.lines > Limits::kLinesASecondOfUser;
}

Result<store::Annotation> AnnotationSocket::Impl::checked(const Connection& connection, std::string_view text) const {
  const uint64_t now = clock.wall_ns();
  auto line = parse_annotation(text, now);
  if (!line.ok()) return line.error();
  store::Annotation one;
  one.wall_ns = line->wall_ns.value_or(line->span_end_wall_ns.value_or(now));
  one.labels_json = std::move(line->labels_json);
  one.span_start_wall_ns = line->span_start_wall_ns;
  one.span_end_wall_ns = line->span_end_wall_ns;
  one.peer_uid = connection.peer.uid;
  one.peer_gid = connection.peer.gid;
  one.peer_pid = static_cast<uint32_t>(connection.peer.pid);
  if (!line->pid && !line->is_self) return one;
  one.pid = line->is_self ? one.peer_pid : *line->pid;
  const auto process = proc.owner(one.pid);
  if (!process.ok()) {
    return Error(Errc::kNotFound, fmt::format("annotation: process {} does not exist", one.pid));
  }
  if (process->uid != one.peer_uid && one.peer_uid != 0) {
    return Error(Errc::kPermission, fmt::format("annotation: process {} belongs to another user", one.pid));
  }
  if (line->start_time && *line->start_time != process->start_ticks) {
    return Error(Errc::kNotFound, fmt::format("annotation: pid {} was reused: the process did not start at {}", one.pid,
                                              *line->start_time));
  }
  one.start_time = process->start_ticks;
  return one;
}

void AnnotationSocket::Impl::line(Connection& connection, std::string_view text) {
  if (trim(text).empty()) return;
  const auto drop = [&](std::string why) {
    ++connection.dropped;
    lost(hal::Loss::annotation_dropped, 1);
    if (connection.error.empty()) connection.error = std::move(why);
  };
  if (is_over_rate(connection)) {
    return drop(fmt::format("annotation dropped: rate limit exceeded ({} lines a second of a connection, {} of a user)",
                            Limits::kLinesASecond, Limits::kLinesASecondOfUser));
  }
  auto one = checked(connection, text);
  if (!one.ok()) {
    ++connection.refused;
    lost(hal::Loss::annotation_refused, 1);
    if (connection.error.empty()) connection.error = one.error().text();
    return;
  }
  const uint64_t size = one->labels_json.size() + sizeof(store::Annotation);
  if (bytes + size > options.max_bytes) {
    return drop(fmt::format("annotation dropped: this recording holds {} of annotations already",
                            format_bytes(options.max_bytes)));
  }
  bytes += size;
  ++connection.accepted;
  taken.push_back(std::move(*one));
}

// Whatever there is, up to a bound; false when the connection is over.
bool AnnotationSocket::Impl::read_some(Connection& connection) {
  char buffer[4096];
  for (size_t total = 0; total < kReadAtOnce;) {
    const ssize_t got = ::recv(connection.fd.get(), buffer, sizeof(buffer), 0);
    if (got < 0) return errno == EAGAIN || errno == EINTR;
    if (got == 0) {
      // A last line without its end counts.
      if (!connection.held.empty() && !connection.is_skipping) line(connection, std::exchange(connection.held, {}));
      return false;
    }
    total += static_cast<size_t>(got);
    std::string_view rest(buffer, static_cast<size_t>(got));
    while (!rest.empty()) {
      const size_t end = rest.find('\n');
      const std::string_view piece = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (!connection.is_skipping) connection.held += piece;
      if (connection.held.size() > Limits::kLineBytes) {
        connection.is_skipping = true;
        connection.held.clear();
        ++connection.refused;
        lost(hal::Loss::annotation_refused, 1);
        if (connection.error.empty()) {
          connection.error = fmt::format("annotation: longer than {} bytes", Limits::kLineBytes);
        }
      }
      if (end == std::string_view::npos) continue;
      if (!std::exchange(connection.is_skipping, false)) line(connection, connection.held);
      connection.held.clear();
    }
  }
  return true;
}

// Best effort: a client that is gone, or does not read, gets no reply.
void AnnotationSocket::Impl::reply(Connection& connection) {
  Json answer{{"accepted", connection.accepted}, {"refused", connection.refused}, {"dropped", connection.dropped}};
  if (!connection.error.empty()) answer["error"] = printable(connection.error, 300);
  const std::string text = answer.dump() + "\n";
  (void)::send(connection.fd.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void AnnotationSocket::Impl::serve() {
  pthread_setname_np(pthread_self(), "ingero-annotate");
  std::vector<pollfd> polled;
  for (bool is_last = false; !is_last;) {
    polled.assign({{listener.get(), POLLIN, 0}, {wake.get(), POLLIN, 0}});
    for (const Connection& connection : connections) polled.push_back({connection.fd.get(), POLLIN, 0});
    if (::poll(polled.data(), polled.size(), -1) < 0 && errno != EINTR) {
      log_error("{}", errno_error("wait for annotations").text());
      return;
    }
    // What was sent before the end is still taken.
    is_last = stopping.load(std::memory_order_acquire);
    const size_t known = connections.size();
    if (polled[0].revents != 0 || is_last) accept_all();
    for (size_t i = 0; i < connections.size(); ++i) {
      const bool is_ready = is_last || (i < known && polled[i + 2].revents != 0);
      if (!is_ready || read_some(connections[i])) continue;
      reply(connections[i]);
      connections[i].fd.reset();
    }
    std::erase_if(connections, [](const Connection& connection) { return !connection.fd.valid(); });
    if (!taken.empty()) take(std::exchange(taken, {}));
  }
}

AnnotationSocket::AnnotationSocket(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AnnotationSocket::~AnnotationSocket() { stop(); }

const std::string& AnnotationSocket::path() const { return impl_->options.path; }

void AnnotationSocket::start() {
  impl_->thread = std::thread([raw = impl_.get()] { raw->serve(); });
}

void AnnotationSocket::stop() {
  if (!impl_->listener.valid()) return;
  if (impl_->thread.joinable()) {
    impl_->stopping.store(true, std::memory_order_release);
    const uint64_t one = 1;
    (void)!::write(impl_->wake.get(), &one, sizeof(one));
    impl_->thread.join();
  }
  impl_->listener.reset();
  ::unlink(impl_->options.path.c_str());
}

Result<std::unique_ptr<AnnotationSocket>> AnnotationSocket::open(const AnnotationSocketOptions& options, Take take,
                                                                 Lost lost, const Clock& clock) {
  auto impl = std::make_unique<Impl>(options, std::move(take), std::move(lost), clock);
  const auto places =
      options.path.empty() ? annotation_places(annotation_roots()) : std::vector<std::string>{options.path};
  std::optional<Error> first;
  for (const std::string& place : places) {
    auto listener = listen_at(place, options.group, options.path.empty());
    if (listener.ok()) {
      impl->options.path = place;
      impl->listener = std::move(*listener);
      break;
    }
    if (listener.error().code() == Errc::kBusy) return listener.error();
    if (!first) first = listener.error();
  }
  if (!impl->listener.valid()) return *first;
  impl->wake = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!impl->wake.valid()) return errno_error("make an event for annotations");
  return std::unique_ptr<AnnotationSocket>(new AnnotationSocket(std::move(impl)));
}

}  // namespace ingero::agent
