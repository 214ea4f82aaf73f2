// Owners of what libbpf gives out: a skeleton (a loaded object) and a link (an attached program). Private to
// kernelside/.
#pragma once

#include <bpf/libbpf.h>

#include <memory>

namespace ingero::kernelside {

template <typename Skeleton>
struct SkeletonDeleter {
  void operator()(Skeleton* skeleton) const { Skeleton::destroy(skeleton); }
};
template <typename Skeleton>
using Owned = std::unique_ptr<Skeleton, SkeletonDeleter<Skeleton>>;

// Whether the variables of a loaded object are here to be read and set. They are not where libbpf found that this
// kernel cannot share them, which it also does when it could not find out.
template <typename Skeleton>
bool has_variables(const Skeleton& skeleton) {
  if constexpr (requires { skeleton.bss; }) return skeleton.bss != nullptr;
  return true;
}
inline constexpr const char* kNoVariables = "the variables of a BPF object cannot be mapped";

struct LinkDestroyer {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Link = std::unique_ptr<bpf_link, LinkDestroyer>;

}  // namespace ingero::kernelside
