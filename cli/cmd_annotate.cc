// ingero annotate: sends an annotation to a running `ingero trace --annotate`, as a program would itself.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

#include <nlohmann/json.hpp>

#include "agent/annotations/annotation.h"
#include "agent/annotations/socket_path.h"
#include "base/fd.h"
#include "base/text.h"
#include "cli/commands.h"

namespace ingero::cli {
namespace {

constexpr int kDialSeconds = 5;
constexpr size_t kMaxAnswer = 4096;

struct AnnotateOptions {
  std::string file, socket;
  std::vector<std::string> labels;
  uint32_t pid = 0;
};

Result<Fd> dial(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return Error(Errc::kInvalid, fmt::format("{}: the path is too long for a socket", printable(path)));
  }
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return errno_error("open a socket");
  const timeval timeout{kDialSeconds, 0};
  for (const int what : {SO_SNDTIMEO, SO_RCVTIMEO}) {
    ::setsockopt(fd.get(), SOL_SOCKET, what, &timeout, sizeof(timeout));
  }
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return errno_error(fmt::format("connect to {}", printable(path)));
  }
  return fd;
}

Result<Fd> dial_any(const std::string& chosen) {
  if (!chosen.empty()) return dial(chosen);
  std::optional<Error> error;
  for (const std::string& place : agent::annotation_places(agent::annotation_roots())) {
    auto fd = dial(place);
    if (fd.ok()) return fd;
    // One that is there and refuses says more than one that is not there.
    if (!error || (error->code() == Errc::kNotFound && fd.error().code() != Errc::kNotFound)) error = fd.error();
  }
  return Error(error->code(), error->message(),
               "start 'ingero trace --annotate', or ask for access to its socket (trace --annotate-socket-gid)");
}

Status send_all(const Fd& fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return errno_error("send annotations");
    text.remove_prefix(static_cast<size_t>(sent));
  }
  return {};
}

Status send_lines(const Fd& fd, std::istream& in) {
  char buffer[16 << 10];
  while (in.read(buffer, sizeof(buffer)) || in.gcount() > 0) {
    INGERO_TRY(send_all(fd, {buffer, static_cast<size_t>(in.gcount())}));
  }
  return {};
}

Result<int> run_annotate(const AnnotateOptions& options, Context& context) {
  std::string line;
  if (!options.labels.empty()) {
    const auto labels = agent::labels_of_words(options.labels);
    if (!labels.ok()) return labels.error();
    line = fmt::format("{{\"v\":1,\"ts\":{},\"labels\":{}{}}}\n", context.clock->wall_ns(), *labels,
                       options.pid == 0 ? "" : fmt::format(",\"pid\":{}", options.pid));
    // An invalid line is refused here, before anything is sent.
    const auto parsed = agent::parse_annotation(trim(line), context.clock->wall_ns());
    if (!parsed.ok()) return parsed.error();
  } else if (options.pid != 0) {
    return Error(Errc::kInvalid, "--pid needs --label; lines from standard input name their own process");
  }
  std::ifstream file;
  if (line.empty() && !options.file.empty() && options.file != "-") {
    file.open(options.file, std::ios::binary);
    if (!file) return errno_error(fmt::format("open {}", printable(options.file)));
  }
  const auto fd = dial_any(options.socket);
  if (!fd.ok()) return fd.error();
  INGERO_TRY(line.empty() ? send_lines(*fd, file.is_open() ? static_cast<std::istream&>(file) : std::cin)
                          : send_all(*fd, line));
  if (::shutdown(fd->get(), SHUT_WR) != 0) return errno_error("send annotations");
  std::string answer;
  char buffer[512];
  for (ssize_t got = 1; got > 0 && answer.size() < kMaxAnswer;) {
    got = ::recv(fd->get(), buffer, sizeof(buffer), 0);
    if (got < 0) return errno_error("read the agent's reply to the annotations");
    answer.append(buffer, static_cast<size_t>(got));
  }
  const auto reported = nlohmann::json::parse(answer, nullptr, false);
  if (!reported.is_object())
    return Error(Errc::kIo, "the agent ended before it confirmed the annotations",
                 "`ingero query --annotations` shows what it has; send the rest again");
  const auto count = [&](const char* name) {
    const auto found = reported.find(name);
    return found != reported.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
  };
  const uint64_t lost = count("refused") + count("dropped");
  if (lost == 0 && !reported.contains("error")) return kExitDone;
  const auto why = reported.find("error");
  return Error(Errc::kIo, fmt::format("{} annotations accepted, {} refused, {} dropped{}", count("accepted"),
                                      count("refused"), count("dropped"),
                                      why != reported.end() && why->is_string()
                                          ? "; first error: " + printable(why->get<std::string>(), 300)
                                          : std::string()));
}

}  // namespace

void add_annotate(Command root, Context& context) {
  const Command command =
      root.add_command("annotate", "Send a running trace --annotate what is going on: step, epoch ...");
  auto options = std::make_shared<AnnotateOptions>();
  command
      .add_option("--label", options->labels, "One annotation with these labels, as of now; may be given several times")
      .type_name("KEY=VALUE")
      .one_value_each();
  command.add_option("-p,--pid", options->pid, "Of this process only (with --label); yours, unless you are root")
      .type_name("PID");
  command.add_option("--from-file", options->file, "Lines of JSON from this file (-, the default: standard input)")
      .type_name("FILE");
  command
      .add_option("--annotate-socket", options->socket,
                  "The agent's socket (default: /run/ingero/annotate.sock, else ~/.ingero/annotate/annotate.sock)")
      .type_name("FILE");
  command.footer(
      "Examples:\n"
      "  ingero annotate --label epoch=3 --label phase=train\n"
      "  ingero annotate --label step=17 --pid 4321\n"
      "  echo '{\"labels\":{\"step\":17},\"pid\":\"self\"}' | ingero annotate");
  command.on_parsed(
      [&context, options] { context.action = [&context, options] { return run_annotate(*options, context); }; });
}

}  // namespace ingero::cli
