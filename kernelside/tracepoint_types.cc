// `btf_trace_NAME` is a typedef of a pointer to the prototype of NAME's programs (include/trace/bpf_probe.h), whose
// first parameter, `void *__data`, no program sees.
#include "kernelside/tracepoint_types.h"

#include <bpf/btf.h>

#include <string>

namespace ingero::kernelside {
namespace {

const btf_type* prototype_of(const btf* types, std::string_view tracepoint) {
  const int id = btf__find_by_name_kind(types, ("btf_trace_" + std::string(tracepoint)).c_str(), BTF_KIND_TYPEDEF);
  if (id < 0) return nullptr;
  const btf_type* pointer = btf__type_by_id(types, btf__type_by_id(types, static_cast<uint32_t>(id))->type);
  if (pointer == nullptr || !btf_is_ptr(pointer)) return nullptr;
  const btf_type* prototype = btf__type_by_id(types, pointer->type);
  if (prototype == nullptr || !btf_is_func_proto(prototype) || btf_vlen(prototype) == 0) return nullptr;
  return prototype;
}

}  // namespace

void TracepointTypes::Deleter::operator()(btf* types) const { btf__free(types); }

TracepointTypes::TracepointTypes(btf* types) : types_(types) {}

Result<TracepointTypes> TracepointTypes::of_this_kernel() {
  btf* types = btf__load_vmlinux_btf();
  if (types == nullptr) {
    return Error(Errc::kNotSupported, errno_error("read the kernel's BTF").message(),
                 "tracing needs a kernel with CONFIG_DEBUG_INFO_BTF (/sys/kernel/btf/vmlinux)");
  }
  return TracepointTypes(types);
}

std::optional<size_t> TracepointTypes::arguments(std::string_view tracepoint) const {
  const btf_type* prototype = prototype_of(types_.get(), tracepoint);
  if (prototype == nullptr) return std::nullopt;
  return btf_vlen(prototype) - 1;
}

bool TracepointTypes::is_pointer(std::string_view tracepoint, size_t index) const {
  const btf_type* prototype = prototype_of(types_.get(), tracepoint);
  if (prototype == nullptr || index + 1 >= btf_vlen(prototype)) return false;
  const btf_type* type = btf__type_by_id(types_.get(), btf_params(prototype)[index + 1].type);
  return type != nullptr && btf_is_ptr(type);
}

}  // namespace ingero::kernelside
