// A file of a traced process, copied as far as its symbols, its code and its unwind tables need. Private to the
// helpers.
#pragma once

#include <functional>

namespace ingero::kernelside {

// From `from` to the same offsets of `to`, which gets the same size. `alive` is called after each piece. An errno, or
// 0. What is not an ELF file is copied as a whole, or, when it is large, its first page.
int copy_parts(int from, int to, bool code, bool debug, const std::function<void()>& alive);

}  // namespace ingero::kernelside
