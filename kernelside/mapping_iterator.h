// A walk over this process's own mappings from inside the kernel, by a program of files.bpf.c. Private to kernelside/.
#pragma once

#include "base/fd.h"
#include "base/result.h"
#include "files.skel.h"
#include "kernelside/skeleton.h"

namespace ingero::kernelside {

struct MappingIterator {
  Owned<files> object;
  Link link;

  // `program`: the one of the object that is run for each mapping. kNotSupported: this kernel has no such walk.
  Status load(bpf_program* (*program)(const files& object));
  // What the program writes on a walk; it begins with the first read.
  Result<Fd> open() const;
};

}  // namespace ingero::kernelside
