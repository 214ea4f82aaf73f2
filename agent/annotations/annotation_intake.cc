// One piece of work for the store thread at a time, however many annotations come meanwhile.
#include "agent/annotations/annotation_intake.h"

namespace ingero::agent {

Result<std::unique_ptr<AnnotationIntake>> AnnotationIntake::open(const AnnotationOptions& options, bool is_recording) {
  if (!options.wanted) return std::unique_ptr<AnnotationIntake>();
  if (!is_recording) {
    return Error(Errc::kInvalid, "--annotate needs a recording to put annotations into", "leave out --no-record");
  }
  std::unique_ptr<AnnotationIntake> intake(new AnnotationIntake());
  AnnotationSocketOptions wanted;
  wanted.path = options.socket;
  wanted.group = options.group;
  auto* raw = intake.get();
  auto socket = AnnotationSocket::open(
      wanted, [raw](std::vector<store::Annotation> taken) { raw->take(std::move(taken)); },
      [raw](hal::Loss loss, uint64_t count) { raw->lose(loss, count); });
  if (!socket.ok()) return socket.error();
  intake->socket_ = std::move(*socket);
  return intake;
}

void AnnotationIntake::take(std::vector<store::Annotation> annotations) {
  const std::scoped_lock lock(state_->mutex);
  for (store::Annotation& one : annotations) {
    if (state_->pending.size() < kMaxPending) {
      state_->pending.push_back(std::move(one));
    } else {
      state_->recorder->add_loss(hal::Loss::annotation_dropped, 1);
    }
  }
  hand_on();
}

void AnnotationIntake::lose(hal::Loss loss, uint64_t count) {
  const std::scoped_lock lock(state_->mutex);
  state_->recorder->add_loss(loss, count);
}

void AnnotationIntake::hand_on() {
  if (state_->recorder == nullptr || state_->is_queued || state_->pending.empty()) return;
  state_->is_queued = state_->recorder->with_writer([state = state_](store::Writer& writer) {
    std::vector<store::Annotation> now;
    {
      const std::scoped_lock lock(state->mutex);
      now.swap(state->pending);
      state->is_queued = false;
    }
    for (store::Annotation& one : now) writer.add_annotation(std::move(one));
  });
}

void AnnotationIntake::start(Recorder& recorder) {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->recorder = &recorder;
  }
  socket_->start();
}

void AnnotationIntake::stop() {
  if (socket_ != nullptr) socket_->stop();  // null: it could not be opened
  const std::scoped_lock lock(state_->mutex);
  hand_on();
  state_->recorder = nullptr;
}

}  // namespace ingero::agent
