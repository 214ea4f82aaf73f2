// ingero annotate: sends an annotation to a running `ingero trace --annotate`, as a program would itself.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "agent/annotations/annotation.h"
#include "agent/annotations/annotation_client.h"
#include "base/fd.h"
#include "base/text.h"
#include "cli/commands.h"

namespace ingero::cli {
namespace {

constexpr size_t kMaxAnswer = 4096;

struct AnnotateOptions {
  std::string file, socket;
  std::vector<std::string> labels;
  uint32_t pid = 0;
};

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
  Fd file;
  if (line.empty() && !options.file.empty() && options.file != "-") {
    file.reset(::open(options.file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid()) return errno_error(fmt::format("open {}", printable(options.file)));
  }
  const auto fd = agent::dial_annotations(options.socket);
  if (!fd.ok()) return fd.error();
  INGERO_TRY(line.empty() ? agent::send_annotations(*fd, file.valid() ? file.get() : STDIN_FILENO)
                          : agent::send_annotations(*fd, line));
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
