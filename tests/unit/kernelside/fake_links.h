// The kernel's side of attaching, made by hand: every link that was asked for in order, offsets that are refused, and
// links that can be seen to be closed, and by whom.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/fd.h"
#include "kernelside/file_probes.h"

namespace ingero::testing {

using kernelside::Mechanism;
using kernelside::MultiKind;
using kernelside::MultiSpec;
using kernelside::PerfLink;
using kernelside::PerfSpec;
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
    Fd end;                 // of a pipe: hangs up when the link is closed
    bool was_left = false;  // perf: another process still held it when this one let go

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
    programs.enter_handle = reinterpret_cast<bpf_program*>(&handles_[kEnter - kSession]);
    programs.return_handle = reinterpret_cast<bpf_program*>(&handles_[kReturn - kSession]);
    programs.name_handle = reinterpret_cast<bpf_program*>(&handles_[kName - kSession]);
    int ends[2] = {-1, -1};
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    own_end_.reset(ends[0]);
    child_end_.reset(fcntl(ends[1], F_DUPFD_CLOEXEC, 500));  // the last that is closed
    ::close(ends[1]);
    programs.link = [this](const MultiSpec& spec) { return link(spec); };
    programs.link_one = [this](const PerfSpec& spec) { return link_one(spec); };
    return programs;
  }
  size_t open_links(int program) const {
    size_t count = 0;
    for (const auto& link : made) count += link->program == program && link->is_open() ? 1 : 0;
    return count;
  }

 private:
  class FakePerfLink : public PerfLink {
   public:
    FakePerfLink(Fd descriptor, FakeLinks& links, Link& link)
        : descriptor_(std::move(descriptor)), links_(links), link_(link) {}
    ~FakePerfLink() override {
      descriptor_.reset();
      links_.wait_for_child();
      link_.was_left = link_.is_open();
    }
    int fd() const override { return descriptor_.get(); }

   private:
    Fd descriptor_;
    FakeLinks& links_;
    Link& link_;
  };

  // Until a process that was just forked has closed what it does not keep: it then hangs up here, too. At once where
  // there is none.
  void wait_for_child() {
    child_end_.reset();
    pollfd wait{own_end_.get(), POLLIN, 0};
    ::poll(&wait, 1, 10'000);
  }

  bool is_refused(unsigned long offset, bool at_return) const {
    return refused.contains(offset) || (!at_return && refused_entries.contains(offset));
  }
  Result<Fd> make(Link link) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno_error("make a pipe");
    link.end.reset(ends[0]);
    made.push_back(std::make_unique<Link>(std::move(link)));
    return Fd(ends[1]);
  }
  Result<Fd> link(const MultiSpec& spec) {
    ++asked;
    for (const unsigned long offset : spec.offsets) {
      if (is_refused(offset, spec.at_return)) return Error(Errc::kInvalid, "this offset: Invalid argument");
    }
    Link link;
    link.program = spec.program_fd;
    link.kind = spec.kind;
    link.at_return = spec.at_return;
    link.path = spec.path;
    link.offsets.assign(spec.offsets.begin(), spec.offsets.end());
    link.cookies.assign(spec.cookies.begin(), spec.cookies.end());
    return make(std::move(link));
  }
  Result<std::unique_ptr<PerfLink>> link_one(const PerfSpec& spec) {
    ++asked;
    if (is_refused(spec.offset, spec.at_return)) {
      return Error(Errc::kInvalid, spec.at_return ? "return: Invalid argument" : "entry: Invalid argument");
    }
    Link link;
    link.program = kSession + static_cast<int>(reinterpret_cast<const char*>(spec.program) - handles_);
    link.at_return = spec.at_return;
    link.path = spec.path;
    link.offsets = {static_cast<unsigned long>(spec.offset)};
    link.cookies = {spec.cookie};
    auto descriptor = make(std::move(link));
    INGERO_TRY(descriptor);
    return std::unique_ptr<PerfLink>(std::make_unique<FakePerfLink>(std::move(*descriptor), *this, *made.back()));
  }

  Fd own_end_, child_end_;
  char handles_[kName - kSession + 1] = {};  // what stands for libbpf's programs
};

}  // namespace ingero::testing
