// A part of the agent next to the capture loop: it reads the recording while it is made, or feeds it.
//
// A service is opened before privileges are given up, started with the recorder, and stopped by the session that it
// belongs to (session.h). start() is called on a thread without capabilities, so that the threads it starts have none;
// stop() on the session's. Everything else as each service says. Failure: what cannot be had once it runs is not an
// error but a sentence of notes().
#pragma once

#include <string>
#include <vector>

namespace ingero::serve::metrics {
class MetricSet;
}

namespace ingero::agent {

class Recorder;

class Service {
 public:
  virtual ~Service() = default;
  // `recorder` runs, and outlives stop().
  virtual void start(Recorder& recorder) = 0;
  // Ends its threads; a second call does nothing.
  virtual void stop() = 0;
  // Adds its own metrics. Any thread, between start() and stop().
  virtual void write(serve::metrics::MetricSet&) const {}
  // Sentences for the user once it runs: where it is, and what is not available and why.
  virtual std::vector<std::string> notes() const { return {}; }

 protected:
  Service() = default;
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
};

}  // namespace ingero::agent
