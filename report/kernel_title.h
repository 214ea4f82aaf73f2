// A GPU kernel's name as people read it: a mangled C++ name in its words, "at::native::reduce_kernel<sum_functor>".
//
// Not a demangler: names come from the traced process and are often cut, and what a demangler makes of a hostile one
// can be of any length. Only the names in it are read, from the left (Itanium C++ ABI, 5.1): those of the function, and
// of its template's arguments the first that say more. The result is never longer than the name, but for a few marks.
//
// Pure. Failure: none; what is not mangled, or not understood, is returned as it is.
#pragma once

#include <string>
#include <string_view>

namespace ingero::report {

std::string kernel_title(std::string_view name);

}  // namespace ingero::report
