// `trace --annotate`: annotations from the socket into the recording.
//
// open() binds the socket, before privileges are dropped; what comes before start() waits. Threads: the socket's, and
// the recorder's store thread.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/annotations/annotation_socket.h"
#include "agent/recorder.h"
#include "agent/service.h"
#include "base/result.h"

namespace ingero::agent {

struct AnnotationOptions {
  bool wanted = false;
  int64_t group = -1;
  std::string socket;
};

class AnnotationIntake final : public Service {
 public:
  // Null when none are wanted. kInvalid: wanted without a recording.
  static Result<std::unique_ptr<AnnotationIntake>> open(const AnnotationOptions& options, bool is_recording);
  ~AnnotationIntake() override { stop(); }
  // `recorder` must outlive stop().
  void start(Recorder& recorder) override;
  void stop() override;
  std::vector<std::string> notes() const override { return {"annotations at " + path()}; }
  const std::string& path() const { return socket_->path(); }

 private:
  AnnotationIntake() = default;
  void take(std::vector<store::Annotation> annotations);
  void lose(hal::Loss loss, uint64_t count);
  void hand_on();  // with the mutex held

  // Shared with work that the store thread may still hold.
  struct State {
    std::mutex mutex;
    std::vector<store::Annotation> pending;
    Recorder* recorder = nullptr;  // set while the socket is served
    bool is_queued = false;
  };
  static constexpr size_t kMaxPending = 50'000;
  std::shared_ptr<State> state_ = std::make_shared<State>();
  std::unique_ptr<AnnotationSocket> socket_;
};

}  // namespace ingero::agent
