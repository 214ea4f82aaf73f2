// Takes in what programs say of themselves: a Unix socket, one JSON object a line (annotation.h).
//
// Who is on the other end is asked of the kernel (SO_PEERCRED), never of the line: a line about a process is taken only
// from that process's user, or from root. Bounded: connections, of one user too, lines a second of a connection and of
// a user, bytes of a line, bytes in all. What is refused or dropped is counted. Never blocks on a client.
//
// When a client has said all (it closes its sending end) it is told
// {"accepted":N,"refused":N,"dropped":N,"error":"..."}. Threads: its own one, from open() to stop(), on which `take`
// and `lost` are called.
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
#include "store/writer.h"

namespace ingero::cli {

struct AnnotationSocketOptions {
  std::string path;    // empty: the first of annotation_places() that can be had
  int64_t group = -1;  // who may connect besides the owner; negative: nobody
  std::string proc = "/proc";
  uint64_t most_bytes = 256 << 20;  // of all annotations together
};

class AnnotationSocket {
 public:
  static constexpr size_t kMostConnections = 128;
  static constexpr size_t kMostOfOneUser = 64;

  using Take = std::function<void(std::vector<store::Annotation>)>;
  using Lost = std::function<void(hal::Loss, uint64_t)>;
  // `clock` outlives it. kBusy: another agent listens there.
  static Result<std::unique_ptr<AnnotationSocket>> open(const AnnotationSocketOptions& options, Take take, Lost lost,
                                                        const Clock& clock = system_clock());
  ~AnnotationSocket();
  AnnotationSocket(const AnnotationSocket&) = delete;
  AnnotationSocket& operator=(const AnnotationSocket&) = delete;

  const std::string& path() const;
  void stop();

 private:
  struct Impl;
  explicit AnnotationSocket(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ingero::cli
