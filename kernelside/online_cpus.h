// Which CPUs are online, asked once a second by the thread that drains the rings: the kernel's list is opened once, and
// read anew by one system call.
//
// One thread. Owns the file. Failure: an empty list; opening is tried again.
#pragma once

#include <string>

#include "base/fd.h"

namespace ingero::kernelside {

class OnlineCpus {
 public:
  explicit OnlineCpus(std::string path = "/sys/devices/system/cpu/online") : path_(std::move(path)) {}
  // As the kernel writes it: "0-3,6\n".
  std::string list();

 private:
  std::string path_;
  Fd file_;
};

}  // namespace ingero::kernelside
