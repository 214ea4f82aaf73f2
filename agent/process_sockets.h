// Which sockets of a process take what others send it: a thread that waits for these waits for work, not for an answer.
//
// From /proc/PID/net (proc(5)) and, of an epoll instance, /proc/PID/fdinfo/N ("tfd:", kernel 3.8; "ino:", 4.14). Their
// text is hostile: bounded, and what does not parse is left out. What was read is taken for true for a second, and at
// most kMaxLooks files are read in one. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/result.h"

namespace ingero::agent {

class ProcessSockets {
 public:
  using Text = std::function<Result<std::string>(uint32_t pid, std::string_view name, size_t max_bytes)>;
  // `root`: /proc.
  ProcessSockets(Text text, const std::string& root);

  // Does a TCP socket of this process listen on that port?
  bool listens(uint32_t pid, uint16_t port, uint64_t now_mono_ns);
  // Of a datagram socket that is not connected: was its port chosen by the program, as a server's is, and not by the
  // kernel?
  bool is_server_port(uint16_t port) const { return port < first_local_ || port > last_local_; }
  // Does what this epoll instance waits for of sockets come from clients alone? False: it waits for an answer as well,
  // for no socket, or that is not known. What wakes threads of one process (eventfd, pipe, socketpair) says nothing.
  bool waits_for_clients(uint32_t pid, int32_t epoll, uint64_t now_mono_ns);
  void every_second() { looks_ = 0; }

 private:
  enum class Side : uint8_t { kClients, kServer };
  struct Process {
    std::set<uint16_t> listening;
    std::unordered_map<uint64_t, Side> sides;  // by inode
    std::map<int32_t, bool> epolls;
    uint64_t listening_mono_ns = 0, sides_mono_ns = 0;
    bool is_whole = false;  // all sockets are in `sides`
  };
  Process& process_of(uint32_t pid);
  bool may_read(uint64_t& last_mono_ns, unsigned files, uint64_t now_mono_ns);
  void read_listening(uint32_t pid, Process& process);
  void read_sides(uint32_t pid, Process& process);
  static void add_unix(std::string_view text, Process& process);

  const Text text_;
  uint16_t first_local_ = 32768, last_local_ = 60999;
  std::unordered_map<uint32_t, Process> processes_;
  unsigned looks_ = 0;  // in this second
};

}  // namespace ingero::agent
