// Reads the kernel's tables of sockets: see process_sockets.h.
#include "agent/process_sockets.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "base/clock.h"
#include "base/text.h"

namespace ingero::agent {
namespace {

constexpr uint64_t kKnownNs = kSecond;
constexpr unsigned kMaxLooks = 64;  // at /proc, in one second
constexpr size_t kMaxProcesses = 1024, kMaxEpolls = 64;
constexpr size_t kMaxListeningBytes = 64 << 10;  // those that listen come first
constexpr size_t kMaxTableBytes = 256 << 10, kMaxInfoBytes = 64 << 10;
constexpr std::string_view kListens = "0A";  // include/net/tcp_states.h: TCP_LISTEN

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words = split(line, ' ');
  std::erase_if(words, [](std::string_view word) { return word.empty(); });
  return words;
}

template <typename Number>
std::optional<Number> number(std::string_view text, int base) {
  Number value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return end.ec == std::errc() && end.ptr == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Of /proc/PID/net/{tcp,udp}{,6}: "sl local_address rem_address st tx:rx tr:when retrnsmt uid timeout inode ...".
struct InetRow {
  uint16_t local_port = 0, peer_port = 0;
  std::string_view state;
  uint64_t inode = 0;  // 0: none, as of a connection that is closing
};
std::optional<InetRow> inet_row(std::string_view line) {
  constexpr size_t kState = 3, kInode = 9;
  const auto words = words_of(line);
  if (words.size() <= kState) return std::nullopt;
  const auto port = [&](std::string_view address) {
    return number<uint16_t>(address.substr(std::min(address.rfind(':') + 1, address.size())), 16);
  };
  const auto local = port(words[1]), peer = port(words[2]);
  if (!local || !peer) return std::nullopt;
  const auto inode = words.size() > kInode ? number<uint64_t>(words[kInode], 10) : std::nullopt;
  return InetRow{*local, *peer, words[kState], inode.value_or(0)};
}

template <typename Visit>
void for_each_row(std::string_view text, const Visit& visit) {
  for (const std::string_view line : split(text, '\n')) {
    if (const auto row = inet_row(line)) visit(*row);
  }
}

}  // namespace

ProcessSockets::ProcessSockets(Text text, const std::string& root) : text_(std::move(text)) {
  const auto range = read_file(root + "/sys/net/ipv4/ip_local_port_range", 64);
  if (!range.ok()) return;
  const size_t gap = std::min(range->find_first_of(" \t"), range->size());
  const size_t second = std::min(range->find_first_not_of(" \t", gap), range->size());
  const auto first = number<uint16_t>(range->substr(0, gap), 10);
  const auto last = number<uint16_t>(range->substr(second, range->find('\n', second) - second), 10);
  if (!first || !last) return;
  first_local_ = *first;
  last_local_ = *last;
}

ProcessSockets::Process& ProcessSockets::process_of(uint32_t pid) {
  if (processes_.size() >= kMaxProcesses && !processes_.contains(pid)) processes_.clear();
  return processes_[pid];
}

bool ProcessSockets::may_read(uint64_t& last_mono_ns, unsigned files, uint64_t now_mono_ns) {
  const bool is_old = last_mono_ns == 0 || now_mono_ns - last_mono_ns >= kKnownNs;
  if (!is_old || looks_ >= kMaxLooks) return false;
  looks_ += files;
  last_mono_ns = now_mono_ns;
  return true;
}

void ProcessSockets::read_listening(uint32_t pid, Process& process) {
  process.listening.clear();
  for (const char* table : {"net/tcp", "net/tcp6"}) {
    const auto text = text_(pid, table, kMaxListeningBytes);
    if (!text.ok()) continue;
    for_each_row(*text, [&](const InetRow& row) {
      if (row.state == kListens) process.listening.insert(row.local_port);
    });
  }
}

bool ProcessSockets::listens(uint32_t pid, uint16_t port, uint64_t now_mono_ns) {
  Process& process = process_of(pid);
  if (process.listening.contains(port)) return true;
  if (may_read(process.listening_mono_ns, 2, now_mono_ns)) read_listening(pid, process);
  return process.listening.contains(port);
}

// "Num RefCount Protocol Flags Type St Inode Path": what listens, was accepted or was bound has the path; a socketpair,
// and who connects, has none.
void ProcessSockets::add_unix(std::string_view text, Process& process) {
  constexpr size_t kInode = 6, kPath = 7;
  for (const std::string_view line : split(text, '\n')) {
    const auto words = words_of(line);
    if (words.size() <= kPath) continue;
    if (const auto inode = number<uint64_t>(words[kInode], 10)) process.sides[*inode] = Side::kClients;
  }
}

void ProcessSockets::read_sides(uint32_t pid, Process& process) {
  process.sides.clear();
  process.epolls.clear();
  process.is_whole = true;
  const auto table = [&](const char* name) {
    auto text = text_(pid, name, kMaxTableBytes);
    const bool is_absent = !text.ok() && text.error().code() == Errc::kNotFound;  // a kernel without IPv6
    process.is_whole = process.is_whole && (is_absent || (text.ok() && text->size() < kMaxTableBytes));
    if (!text.ok()) return std::string();
    return std::move(*text);
  };
  for (const char* name : {"net/tcp", "net/tcp6"}) {
    const std::string text = table(name);
    for_each_row(text, [&](const InetRow& row) {
      if (row.state == kListens) process.listening.insert(row.local_port);
    });
    for_each_row(text, [&](const InetRow& row) {
      process.sides[row.inode] = process.listening.contains(row.local_port) ? Side::kClients : Side::kServer;
    });
  }
  for (const char* name : {"net/udp", "net/udp6"}) {
    for_each_row(table(name), [&](const InetRow& row) {
      const bool takes_all = row.peer_port == 0 && is_server_port(row.local_port);
      process.sides[row.inode] = takes_all ? Side::kClients : Side::kServer;
    });
  }
  add_unix(table("net/unix"), process);
}

bool ProcessSockets::waits_for_clients(uint32_t pid, int32_t epoll, uint64_t now_mono_ns) {
  Process& process = process_of(pid);
  if (may_read(process.sides_mono_ns, 5, now_mono_ns)) read_sides(pid, process);
  if (!process.is_whole) return false;
  if (const auto known = process.epolls.find(epoll); known != process.epolls.end()) return known->second;
  if (looks_ >= kMaxLooks || process.epolls.size() >= kMaxEpolls) return false;
  ++looks_;
  bool& answer = process.epolls[epoll] = false;
  const auto info = text_(pid, fmt::format("fdinfo/{}", epoll), kMaxInfoBytes);
  if (!info.ok() || info->size() >= kMaxInfoBytes) return false;
  bool has_clients = false;
  for (const std::string_view line : split(*info, '\n')) {
    constexpr std::string_view kInode = "ino:";
    const size_t at = line.find(kInode);
    if (!line.starts_with("tfd:") || at == std::string_view::npos) continue;
    const std::string_view rest = line.substr(at + kInode.size());
    const auto inode = number<uint64_t>(rest.substr(0, rest.find(' ')), 16);
    const auto side = inode ? process.sides.find(*inode) : process.sides.end();
    if (side == process.sides.end()) continue;
    if (side->second == Side::kServer) return false;
    has_clients = has_clients || side->second == Side::kClients;
  }
  answer = has_clients;
  return answer;
}

}  // namespace ingero::agent
