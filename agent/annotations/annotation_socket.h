// Receives annotations from programs over a Unix socket, one JSON object per line (annotation.h).
//
// The sender is identified by the kernel (SO_PEERCRED), never by the line: a line about a process is accepted only from
// that process's user, or from root. Bounded: connections in all and per user, lines per second of a connection and of
// a user, bytes of a line, bytes in all. What is refused or dropped is counted. Never blocks on a client.
//
// When a client has closed its sending end, the reply is {"accepted":N,"refused":N,"dropped":N,"error":"..."}.
// Threads: one of its own, from start() to stop(), on which `take` and `lost` are called. What comes before start()
// waits in the socket.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "hal/loss.h"
#include "store/write/writer.h"

namespace ingero::agent {

struct AnnotationSocketOptions {
  std::string path;    // empty: the first of annotation_places() that can be had
  int64_t group = -1;  // may connect besides the owner; negative: no group
  std::string proc = "/proc";
  uint64_t max_bytes = 256 << 20;  // of all annotations together
};

class AnnotationSocket {
 public:
  static constexpr size_t kMaxConnections = 128;
  static constexpr size_t kMaxOfOneUser = 64;

  using Take = std::function<void(std::vector<store::Annotation>)>;
  using Lost = std::function<void(hal::Loss, uint64_t)>;
  // `clock` outlives it. kBusy: another agent listens there.
  static Result<std::unique_ptr<AnnotationSocket>> open(const AnnotationSocketOptions& options, Take take, Lost lost,
                                                        const Clock& clock = system_clock());
  ~AnnotationSocket();
  AnnotationSocket(const AnnotationSocket&) = delete;
  AnnotationSocket& operator=(const AnnotationSocket&) = delete;

  const std::string& path() const;
  void start();
  void stop();

 private:
  struct Impl;
  explicit AnnotationSocket(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::agent
