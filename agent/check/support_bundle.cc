// A ustar file through zlib, entry by entry.
//
// The format is written here because it is sixty lines, which a test reads back with tar; libarchive would bring eight
// libraries into a program that runs as root.
#include "agent/check/support_bundle.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

#include <fmt/format.h>
#include <spawn.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/fd.h"
#include "base/output_file.h"
#include "base/secrets.h"
#include "base/text.h"
#include "base/trusted_path.h"

namespace ingero::agent {
namespace {

constexpr std::string_view kFolder = "ingero-support/";
constexpr size_t kMaxOutput = 1 << 20;
constexpr size_t kMaxLog = 64 << 20;
constexpr size_t kLogLines = 1000;
constexpr uint64_t kTimeoutNs = 10'000'000'000;
constexpr uint64_t kKilledNs = 1'000'000'000;  // for a child that was killed to end
constexpr size_t kBlock = 512;

// One file of a tar archive: POSIX.1-1988 ustar.
struct TarHeader {
  char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type, link[100], magic[6], version[2],
      user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
static_assert(sizeof(TarHeader) == kBlock);

class Archive {
 public:
  static Result<std::unique_ptr<Archive>> create(const std::string& path, uint64_t wall_ns) {
    // The bundle is often written by root into a shared folder: what is there is replaced, never written into.
    INGERO_TRY(check_trusted_path(path));
    auto output = OutputFile::create(path);
    INGERO_TRY(output);
    Fd fd(::fcntl(output->descriptor(), F_DUPFD_CLOEXEC, 0));
    if (!fd.valid()) return file_error(fmt::format("create {}", printable(path)));
    gzFile file = gzdopen(fd.get(), "wb");
    if (file == nullptr) return Error(Errc::kIo, fmt::format("create {}: no memory to compress", printable(path)));
    fd.release();  // zlib's now
    return std::unique_ptr<Archive>(new Archive(path, std::move(*output), file, wall_ns));
  }
  ~Archive() {
    if (file_ != nullptr) gzclose(file_);
  }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  // The content, or what went wrong in its place.
  void add(std::string_view name, const Result<std::string>& content) {
    if (content.ok()) return put(name, *content);
    put(fmt::format("{}.error.txt", name), content.error().text() + "\n");
  }

  Status close() {
    const std::array<char, 2 * kBlock> end{};
    write(end.data(), end.size());
    const int closed = gzclose(file_);
    file_ = nullptr;
    if (!failed_ && closed == Z_OK) return output_.commit();
    return Error(Errc::kIo, fmt::format("write {}: only part of the file was written", printable(path_)),
                 "is the disk full?");
  }

 private:
  Archive(std::string path, OutputFile output, gzFile file, uint64_t wall_ns)
      : path_(std::move(path)), output_(std::move(output)), file_(file), wall_ns_(wall_ns) {}
  void put(std::string_view name, std::string_view content) {
    TarHeader header{};
    fmt::format_to_n(header.name, sizeof header.name - 1, "{}{}", kFolder, name);
    fmt::format_to_n(header.mode, sizeof header.mode - 1, "0000600");
    fmt::format_to_n(header.uid, sizeof header.uid - 1, "0000000");
    fmt::format_to_n(header.gid, sizeof header.gid - 1, "0000000");
    fmt::format_to_n(header.size, sizeof header.size - 1, "{:011o}", content.size());
    fmt::format_to_n(header.mtime, sizeof header.mtime - 1, "{:011o}", wall_ns_ / 1'000'000'000);
    header.type = '0';
    memcpy(header.magic, "ustar", 6);
    memcpy(header.version, "00", 2);
    memset(header.checksum, ' ', sizeof header.checksum);
    std::array<unsigned char, kBlock> bytes{};
    memcpy(bytes.data(), &header, kBlock);
    unsigned sum = 0;
    for (const unsigned char byte : bytes) sum += byte;
    fmt::format_to_n(header.checksum, sizeof header.checksum - 1, "{:06o}", sum);
    header.checksum[6] = '\0';
    write(&header, kBlock);
    write(content.data(), content.size());
    pad(content.size());
  }
  void write(const void* data, size_t bytes) {
    if (bytes != 0 && gzwrite(file_, data, static_cast<unsigned>(bytes)) != static_cast<int>(bytes)) failed_ = true;
  }
  void pad(size_t bytes) {
    const std::array<char, kBlock> zeros{};
    write(zeros.data(), (kBlock - bytes % kBlock) % kBlock);
  }

  std::string path_;
  OutputFile output_;
  gzFile file_;
  uint64_t wall_ns_;
  bool failed_ = false;
};

// What a child prints until it ends, its time is over or it has said enough.
Result<std::string> read_child(pid_t child, const Fd& from, std::string_view name) {
  std::string out;
  const uint64_t end = system_clock().mono_ns() + kTimeoutNs;
  bool open = true;
  while (open && out.size() < kMaxOutput) {
    const uint64_t now = system_clock().mono_ns();
    if (now >= end) break;
    pollfd ready{from.get(), POLLIN, 0};
    if (::poll(&ready, 1, static_cast<int>((end - now) / 1'000'000) + 1) <= 0) continue;
    std::array<char, 16384> buffer{};
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    open = got > 0;
    if (open) out.append(buffer.data(), static_cast<size_t>(got));
  }
  // What waits in a driver does not end when it is killed, and is left behind.
  const uint64_t now = system_clock().mono_ns();
  std::optional<int> status = open || now >= end ? std::nullopt : wait_status(child, end - now);
  const bool is_over = status.has_value();
  if (!is_over) {
    ::kill(child, SIGKILL);
    status = wait_status(child, kKilledNs);
  }
  if (!is_over && out.size() < kMaxOutput) return Error(Errc::kIo, fmt::format("{}: did not end within 10 s", name));
  if (is_over && WIFEXITED(*status) && WEXITSTATUS(*status) != 0) {
    return Error(Errc::kIo,
                 fmt::format("{}: exit status {}: {}", name, WEXITSTATUS(*status), printable(trim(out), 1024)));
  }
  return out;
}

std::string uname_text() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown\n";
  return fmt::format("{} {} {} {} {}\n", name.sysname, name.nodename, name.release, name.version, name.machine);
}

std::string cgroup_version() {
  const auto exists = [](const char* path) { return ::access(path, F_OK) == 0; };
  if (exists("/sys/fs/cgroup/cgroup.controllers")) return "v2\n";
  if (exists("/sys/fs/cgroup/unified/cgroup.procs")) return "v1 and v2 (hybrid)\n";
  return exists("/sys/fs/cgroup") ? "v1\n" : "not mounted\n";
}

Result<std::string> btf_info() {
  constexpr const char* kPath = "/sys/kernel/btf/vmlinux";
  struct stat status {};
  if (::stat(kPath, &status) != 0) return errno_error(kPath);
  return fmt::format("{} {} bytes\n", kPath, status.st_size);
}

std::string environment_text(std::span<const std::string> environment, std::span<const std::string_view> beginnings) {
  std::string text;
  for (const std::string_view entry : environment) {
    const size_t equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = entry.substr(0, equals);
    const std::string_view value = entry.substr(equals + 1);
    if (!may_be_shown(name, beginnings)) continue;
    text += fmt::format("{}={}\n", printable(name),
                        is_secret(name, value) ? std::string(kRedacted) : printable(without_secrets(value), 4096));
  }
  return text;
}

Result<std::string> log_tail(const std::string& folder, std::string_view name) {
  if (folder.empty()) return Error(Errc::kNotFound, "the agent's directory is unknown: HOME is not set");
  const auto text = read_file(fmt::format("{}/{}", folder, name), kMaxLog);
  if (!text.ok()) return text.error();
  return without_secrets(last_lines(*text, kLogLines));
}

}  // namespace

bool may_be_shown(std::string_view name, std::span<const std::string_view> beginnings) {
  constexpr std::string_view kNames[] = {
      "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LD_PRELOAD", "NO_COLOR", "PATH", "SHELL", "TERM", "TZ", "container"};
  if (std::ranges::find(kNames, name) != std::end(kNames)) return true;
  if (name.starts_with("INGERO_") || name.starts_with("LC_")) return true;
  return std::ranges::any_of(beginnings, [&](std::string_view beginning) { return name.starts_with(beginning); });
}

bool is_secret(std::string_view name, std::string_view value) {
  std::string upper(name);
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  for (const std::string_view part :
       {"TOKEN", "SECRET", "PASS", "KEY", "API_", "_API", "CREDENTIALS", "AUTH", "PRIVATE", "SESSION", "COOKIE", "AWS_",
        "GCP_", "AZURE_", "GH_TOKEN", "GITHUB_TOKEN"}) {
    if (upper.find(part) != std::string::npos) return true;
  }
  const size_t scheme = value.find("://");
  return scheme != std::string_view::npos && value.find('@', scheme) != std::string_view::npos;
}

std::string_view last_lines(std::string_view text, size_t lines) {
  size_t at = text.size();
  if (at > 0 && text[at - 1] == '\n') --at;
  while (at > 0) {
    const size_t before = text.rfind('\n', at - 1);
    if (before == std::string_view::npos) return text;
    if (--lines == 0) return text.substr(before + 1);
    at = before;
  }
  return text;
}

std::optional<int> wait_status(pid_t child, uint64_t timeout_ns) {
  constexpr uint64_t kStepNs = 5'000'000;
  const uint64_t end = system_clock().mono_ns() + timeout_ns;
  while (true) {
    int status = 0;
    const pid_t ended = ::waitpid(child, &status, WNOHANG);
    if (ended == child) return status;
    if ((ended < 0 && errno != EINTR) || system_clock().mono_ns() >= end) return std::nullopt;
    ::usleep(kStepNs / 1000);
  }
}

Result<std::string> output_of(std::span<const std::string_view> command) {
  if (command.empty()) return Error(Errc::kInvalid, "no program to run");
  std::string program;
  for (const char* folder : {"/usr/sbin/", "/usr/bin/", "/sbin/", "/bin/"}) {
    program = std::string(folder) + std::string(command[0]);
    if (::access(program.c_str(), X_OK) == 0) break;
    program.clear();
  }
  if (program.empty()) return Error(Errc::kNotFound, fmt::format("{}: not installed", command[0]));
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("pipe");
  const Fd read_end(ends[0]);
  Fd write_end(ends[1]);
  std::vector<std::string> words(command.begin(), command.end());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string path = "PATH=/usr/sbin:/usr/bin:/sbin:/bin";
  std::string language = "LC_ALL=C";
  char* variables[] = {path.data(), language.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), 1);
  posix_spawn_file_actions_adddup2(&actions, write_end.get(), 2);
  pid_t child = -1;
  const int failed = ::posix_spawn(&child, program.c_str(), &actions, nullptr, arguments.data(), variables);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return errno_error(fmt::format("run {}", program), failed);
  write_end.reset();
  return read_child(child, read_end, command[0]);
}

Status write_support_bundle(const std::string& path, std::span<const hal::Backend* const> backends,
                            const BundleOptions& options) {
  auto archive = Archive::create(path, options.wall_ns);
  INGERO_TRY(archive);
  Archive& out = **archive;
  constexpr std::string_view kLscpu[] = {"lscpu"};
  constexpr std::string_view kFeatures[] = {"bpftool", "feature", "probe"};
  out.add("metadata.txt", fmt::format("agent: ingero {}\ncreated: {}\nuid: {}\n", INGERO_VERSION,
                                      format_wall(options.wall_ns), ::geteuid()));
  out.add("check.json", options.check_json);
  out.add("kernel-uname.txt", uname_text());
  out.add("kernel-version.txt", read_file("/proc/version", kMaxOutput));
  out.add("os-release.txt", read_file("/etc/os-release", kMaxOutput));
  out.add("lscpu.txt", output_of(kLscpu));
  out.add("cgroup-version.txt", cgroup_version());
  out.add("btf-info.txt", btf_info());
  out.add("bpftool-features.txt", output_of(kFeatures));
  out.add("ptrace-scope.txt", read_file("/proc/sys/kernel/yama/ptrace_scope", kMaxOutput));
  out.add("env-redacted.txt", environment_text(options.environment, options.variables));
  for (const std::string_view log : {"agent-trace.log", "sink-stderr.log"})
    out.add(log, log_tail(options.log_folder, log));
  for (const hal::Backend* backend : backends) {
    for (const hal::Diagnostic& diagnostic : backend->diagnostics) {
      out.add(diagnostic.name, diagnostic.command.empty() ? read_file(std::string(diagnostic.path), kMaxOutput)
                                                          : output_of(diagnostic.command));
    }
  }
  return out.close();
}

}  // namespace ingero::agent
