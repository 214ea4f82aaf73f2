// sysfs makes an attribute's text anew at each read from its beginning.
#include "kernelside/online_cpus.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace ingero::kernelside {

std::string OnlineCpus::list() {
  if (!file_.valid()) file_ = Fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<char, 4096> text;  // sysfs has no longer ones
  const ssize_t got = pread(file_.get(), text.data(), text.size(), 0);
  return {text.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))};
}

}  // namespace ingero::kernelside
