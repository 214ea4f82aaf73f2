// The arguments of a kernel's tracepoints, from its BTF: they grow and change type between releases, and a program that
// reads one that is not there is refused. Nothing is inferred from a version number.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"

struct btf;

namespace ingero::kernelside {

class TracepointTypes {
 public:
  // Fails with kNotSupported where the kernel has no BTF.
  static Result<TracepointTypes> of_this_kernel();

  // Takes ownership of `types`.
  explicit TracepointTypes(btf* types);

  // How many arguments a program at `tracepoint` receives; nullopt: this kernel does not have that tracepoint.
  std::optional<size_t> arguments(std::string_view tracepoint) const;
  // Whether its argument `index` (from 0) is a pointer; false also when it has fewer arguments.
  bool is_pointer(std::string_view tracepoint, size_t index) const;

 private:
  struct Deleter {
    void operator()(btf* types) const;
  };
  std::unique_ptr<btf, Deleter> types_;
};

}  // namespace ingero::kernelside
