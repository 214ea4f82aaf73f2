// The order of start and stop, in one place: a way out that forgets a service would leave its thread on what is gone.
#include "agent/session.h"

#include <algorithm>
#include <utility>

#include "kernelside/privilege.h"

namespace ingero::agent {

Session::Session(Recorder& recorder, std::vector<Service*> sources, std::vector<Service*> readers)
    : recorder_(recorder), sources_(std::move(sources)), readers_(std::move(readers)) {
  // Their threads read what others send, or call device drivers: with no capability at all.
  kernelside::without_capabilities([this] {
    for (Service* one : sources_) one->start(recorder_);
    for (Service* one : readers_) one->start(recorder_);
  });
}

Status Session::stop() {
  if (std::exchange(is_stopped_, true)) return {};
  std::for_each(sources_.rbegin(), sources_.rend(), [](Service* one) { one->stop(); });
  const Status stopped = recorder_.stop();
  std::for_each(readers_.rbegin(), readers_.rend(), [](Service* one) { one->stop(); });
  return stopped;
}

std::vector<std::string> Session::notes() const {
  std::vector<std::string> all;
  for (const auto* list : {&sources_, &readers_}) {
    for (const Service* one : *list) {
      for (std::string& note : one->notes()) all.push_back(std::move(note));
    }
  }
  return all;
}

}  // namespace ingero::agent
