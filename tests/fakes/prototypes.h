// Described prototypes written back as C: the parameter list a compiler would see.
//
// Used by make_fakes (stand-in libraries and callers) and by the test that compares lowering with compilers. Knows C,
// not registers. Pure; throws nothing of its own.
#pragma once

#include <string>
#include <vector>

#include "hal/prototype.h"

namespace ingero::fakes {

// The C++-mangled variant of a C name with this shape (Itanium ABI; pointers are void*, structs are words).
std::string mangled(const hal::Row& row);

// The by-value struct types that shapes use, as C declarations: "struct fake_s12 { ... };" for each size in `sizes`.
std::string struct_declarations(const std::vector<unsigned>& sizes);

// The C type of a parameter as callee ("unsigned", "unsigned long", "void *", "struct fake_s12", "double").
std::string c_type(const hal::Param& param);

// Eight-byte words that hold the parameter's value.
unsigned words_of(const hal::Param& param);

// Size in bytes of a by-value struct parameter; 0 for anything else.
unsigned struct_bytes(const hal::Param& param);

// "void *p0, unsigned p1", or "void".
std::string parameter_list(hal::Shape shape);

// Two rows with equal keys have the same C prototype.
std::string shape_key(hal::Shape shape);

}  // namespace ingero::fakes
