// Loads the object and attaches the one program; the kernel walks when the descriptor is read.
#include "kernelside/mapping_iterator.h"

#include <bpf/bpf.h>
#include <unistd.h>

#include "kernelside/libbpf_log.h"
#include "kernelside/privilege.h"

namespace ingero::kernelside {

Status MappingIterator::load(bpf_program* (*program)(const files& object)) {
  const Raised raised;
  LibbpfLog log;
  object.reset(files::open_and_load());
  if (!object) return Error(Errc::kNotSupported, log.reason(errno_error("load the mapping iterator").message()));
  if (!has_variables(*object)) return Error(Errc::kNotSupported, kNoVariables);
  object->bss->mapper_pid = static_cast<uint32_t>(getpid());
  // Only our own mappings are walked (kernel 6.1); an older kernel walks all, and the program picks.
  bpf_iter_link_info info{};
  info.task.pid = static_cast<uint32_t>(getpid());
  LIBBPF_OPTS(bpf_iter_attach_opts, options, .link_info = &info, .link_info_len = sizeof(info));
  link.reset(bpf_program__attach_iter(program(*object), &options));
  if (!link) link.reset(bpf_program__attach_iter(program(*object), nullptr));
  if (!link) return Error(Errc::kNotSupported, log.reason(errno_error("attach the mapping iterator").message()));
  return {};
}

Result<Fd> MappingIterator::open() const {
  const Raised raised;
  Fd answer(bpf_iter_create(bpf_link__fd(link.get())));
  if (!answer.valid()) return errno_error("walk the mappings");
  return answer;
}

}  // namespace ingero::kernelside
