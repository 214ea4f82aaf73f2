// The kernel's side of attaching, made by hand: every link that was asked for in order, offsets that are refused, and
// links that can be seen to be closed.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/fd.h"
#include "kernelside/attach.h"

namespace ingero::testing {

using kernelside::Mechanism;
using kernelside::MultiKind;
using kernelside::MultiSpec;
using kernelside::ProbePrograms;

class FakeLinks {
 public:
  enum : int { kSession = 101, kEnter = 102, kReturn = 103, kName = 104 };  // the programs, as descriptors

  struct Link {
    int program = -1;
    MultiKind kind = MultiKind::kMulti;
    bool at_return = false;
    std::string path;
    std::vector<unsigned long> offsets;
    std::vector<uint64_t> cookies;
    Fd end;  // of a pipe: hangs up when the link is closed

    bool is_open() const {
      pollfd wait{end.get(), POLLIN, 0};
      return ::poll(&wait, 1, 0) == 0;
    }
  };

  std::set<unsigned long> refused;          // offsets, at entry and at return
  std::set<unsigned long> refused_entries;  // likewise, at entry alone
  std::vector<std::unique_ptr<Link>> made;
  size_t asked = 0;

  ProbePrograms programs(Mechanism mechanism) {
    ProbePrograms programs;
    programs.mechanism = mechanism;
    programs.session = kSession;
    programs.enter = kEnter;
    programs.at_return = kReturn;
    programs.name = kName;
    programs.link = [this](const MultiSpec& spec) { return link(spec); };
    return programs;
  }
  size_t open_links(int program) const {
    size_t count = 0;
    for (const auto& link : made) count += link->program == program && link->is_open() ? 1 : 0;
    return count;
  }

 private:
  Result<Fd> link(const MultiSpec& spec) {
    ++asked;
    for (const unsigned long offset : spec.offsets) {
      if (refused.contains(offset) || (!spec.at_return && refused_entries.contains(offset))) {
        return Error(Errc::kInvalid, "this offset: Invalid argument");
      }
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno_error("make a pipe");
    auto link = std::make_unique<Link>();
    link->program = spec.program_fd;
    link->kind = spec.kind;
    link->at_return = spec.at_return;
    link->path = spec.path;
    link->offsets.assign(spec.offsets.begin(), spec.offsets.end());
    link->cookies.assign(spec.cookies.begin(), spec.cookies.end());
    link->end.reset(ends[0]);
    made.push_back(std::move(link));
    return Fd(ends[1]);
  }
};

}  // namespace ingero::testing
