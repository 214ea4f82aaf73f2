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

struct LinkDestroyer {
  void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};
using Link = std::unique_ptr<bpf_link, LinkDestroyer>;

}  // namespace ingero::kernelside
