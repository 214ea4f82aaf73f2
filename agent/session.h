// One run of the recorder and the services around it: started in order, stopped in reverse on every way out.
//
// What feeds the recording (samplers, annotations, inference) stops before the recorder, so that its last rows are
// written; what shows it (metrics, exporters) stops after, so that it shows the end. One owner's thread.
#pragma once

#include <vector>

#include "agent/recorder.h"
#include "agent/service.h"
#include "base/result.h"

namespace ingero::agent {

class Session {
 public:
  // Starts them all, `sources` first; the recorder runs already. Recorder and services outlive this.
  Session(Recorder& recorder, std::vector<Service*> sources, std::vector<Service*> readers);
  ~Session() { (void)stop().ok(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // The recorder's own failure to end; a second call does nothing.
  Status stop();
  // What the services have to say, in the order in which they were started.
  std::vector<std::string> notes() const;

 private:
  Recorder& recorder_;
  std::vector<Service*> sources_, readers_;
  bool is_stopped_ = false;
};

}  // namespace ingero::agent
