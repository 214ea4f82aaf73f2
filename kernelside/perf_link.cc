// bpf(BPF_LINK_CREATE) by hand, in the layout of the kernel's uapi header; perf probes by libbpf.
#include "kernelside/perf_link.h"

#include <bpf/libbpf.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "kernelside/libbpf_log.h"

namespace ingero::kernelside {
namespace {

constexpr int kBpfLinkCreate = 28;
constexpr uint32_t kUprobeMultiReturn = 1;

// union bpf_attr as BPF_LINK_CREATE reads it for uprobe multi.
struct LinkCreateUprobeMulti {
  uint32_t prog_fd = 0;
  uint32_t target_fd = 0;
  uint32_t attach_type = 0;
  uint32_t flags = 0;
  uint64_t path = 0;
  uint64_t offsets = 0;
  uint64_t ref_ctr_offsets = 0;
  uint64_t cookies = 0;
  uint32_t cnt = 0;
  uint32_t multi_flags = 0;
  uint32_t pid = 0;
  uint32_t padding = 0;
};
static_assert(sizeof(LinkCreateUprobeMulti) == 64);

class LibbpfLink : public PerfLink {
 public:
  explicit LibbpfLink(bpf_link* link) : link_(link) {}
  ~LibbpfLink() override { bpf_link__destroy(link_); }
  int fd() const override { return bpf_link__fd(link_); }

 private:
  bpf_link* link_;
};

}  // namespace

Result<Fd> link_multi(const MultiSpec& spec) {
  if (spec.offsets.empty() || spec.offsets.size() != spec.cookies.size()) {
    return Error(Errc::kInvalid, fmt::format("attach to {}: {} offsets and {} cookies", spec.path, spec.offsets.size(),
                                             spec.cookies.size()));
  }
  LinkCreateUprobeMulti attributes;
  attributes.prog_fd = static_cast<uint32_t>(spec.program_fd);
  attributes.attach_type = static_cast<uint32_t>(spec.kind);
  attributes.path = reinterpret_cast<uint64_t>(spec.path.c_str());
  attributes.offsets = reinterpret_cast<uint64_t>(spec.offsets.data());
  attributes.cookies = reinterpret_cast<uint64_t>(spec.cookies.data());
  attributes.cnt = static_cast<uint32_t>(spec.offsets.size());
  attributes.multi_flags = spec.at_return ? kUprobeMultiReturn : 0;
  attributes.pid = spec.pid;
  const long fd = syscall(SYS_bpf, kBpfLinkCreate, &attributes, sizeof(attributes));
  if (fd < 0) {
    return errno_error(fmt::format("attach {} probes to {} (uprobe {})", spec.offsets.size(), spec.path,
                                   spec.kind == MultiKind::kSession ? "session" : "multi"));
  }
  return Fd(static_cast<int>(fd));
}

Result<std::unique_ptr<PerfLink>> link_perf(const PerfSpec& spec) {
  const LibbpfLog log;
  LIBBPF_OPTS(bpf_uprobe_opts, options, .bpf_cookie = spec.cookie);
  options.retprobe = spec.at_return;
  bpf_link* const link = bpf_program__attach_uprobe_opts(spec.program, -1, spec.path.c_str(), spec.offset, &options);
  if (link == nullptr) {
    const Error error = errno_error(spec.at_return ? "attach return probe" : "attach entry probe");
    return Error(error.code(), log.reason(error.message()));
  }
  return std::unique_ptr<PerfLink>(std::make_unique<LibbpfLink>(link));
}

}  // namespace ingero::kernelside
