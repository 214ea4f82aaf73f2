// Compares a row's parameters with a C prototype as the vendor's own header declares it.
//
// The header is included by a test only, never by a backend. One source file per vendor header; everything here is
// local to it.
#pragma once

#include <cctype>
#include <cstddef>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "hal/prototype.h"

namespace ingero::testing {
namespace {

struct CType {
  enum class Is { kVoid, kInteger, kPointer, kFloat, kStruct } is;
  size_t bytes;
  bool is_wide_everywhere = false;  // long long; size_t and uint64_t are one type here, so of them nothing is known
};

template <typename T>
constexpr CType c_type() {
  if constexpr (std::is_void_v<T>) {
    return {CType::Is::kVoid, 0};
  } else if constexpr (std::is_pointer_v<T>) {
    return {CType::Is::kPointer, sizeof(T)};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {CType::Is::kFloat, sizeof(T)};
  } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
    using Plain = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, char, T>>;
    return {CType::Is::kInteger, sizeof(T), std::is_same_v<Plain, unsigned long long>};
  } else {
    return {CType::Is::kStruct, sizeof(T)};
  }
}

struct Signature {
  CType returns;
  std::vector<CType> params;
};

template <typename T>
struct SignatureOf;
template <typename R, typename... A>
struct SignatureOf<R (*)(A...)> {
  static Signature get() { return {c_type<R>(), {c_type<A>()...}}; }
};
template <typename R, typename... A>
struct SignatureOf<R (*)(A...) noexcept> : SignatureOf<R (*)(A...)> {};

// Why `param` does not describe `type`; empty when it does. Eight-byte integers and pointers travel alike.
inline std::string mismatch(const hal::Param& param, const CType& type) {
  const bool is_word = type.is == CType::Is::kInteger || type.is == CType::Is::kPointer;
  switch (param.abi) {
    case hal::Abi::kI32:
      return is_word && type.bytes <= 4 ? "" : "is not a 32-bit integer";
    case hal::Abi::kSize:
      return is_word && type.bytes == 8 && !type.is_wide_everywhere ? "" : "is not as wide as a pointer everywhere";
    case hal::Abi::kI64:
    case hal::Abi::kU64:
      return is_word && type.bytes == 8 ? "" : "is not eight bytes";
    case hal::Abi::kPtr:
      if (!param.peeks.empty() && type.is != CType::Is::kPointer) return "is not a pointer to peek behind";
      return is_word && type.bytes == 8 ? "" : "is not a pointer";
    case hal::Abi::kDim3:
      return type.is == CType::Is::kStruct && type.bytes == 12 ? "" : "is not three integers by value";
    case hal::Abi::kStruct:
      return type.is == CType::Is::kStruct && type.bytes == param.bytes ? "" : "is not a struct of that size";
    case hal::Abi::kFloat:
      return type.is == CType::Is::kFloat ? "" : "is not a floating-point number";
  }
  return "has an unknown way of passing";
}

inline void expect_prototype(const hal::Row& row, const std::string& symbol, const Signature& signature) {
  SCOPED_TRACE(symbol);
  ASSERT_EQ(row.shape.size(), signature.params.size()) << "number of parameters";
  for (size_t i = 0; i < row.shape.size(); ++i) {
    const std::string why = mismatch(row.shape[i], signature.params[i]);
    EXPECT_EQ(why, "") << "parameter " << i;
  }
  switch (row.returns) {
    case hal::Returns::kStatus:
      EXPECT_TRUE(signature.returns.is == CType::Is::kInteger && signature.returns.bytes == 4);
      break;
    case hal::Returns::kPointer:
      EXPECT_EQ(signature.returns.is, CType::Is::kPointer);
      break;
    case hal::Returns::kVoid:
      break;
  }
}

using Signatures = std::map<std::string, Signature>;

// Every row of `library` against the header: each spelling the header declares must match unless `older` says that the
// row is another version's prototype, and a row none of whose spellings is declared must be in `undeclared`.
inline void expect_library(const hal::Library& library, const Signatures& header, std::string_view older_condition,
                           const std::set<std::string_view>& undeclared) {
  std::set<std::string_view> compared;
  std::set<std::string_view> names;
  for (const hal::Row& row : library.rows) {
    names.insert(row.name);
    const bool is_older = (row.flags & hal::kNotWhereTarget) != 0 && !older_condition.empty() &&
                          (row.instead == older_condition || header.count(std::string(row.instead)) != 0);
    if (is_older) continue;
    for (const std::string& symbol : hal::spellings(row)) {
      const auto at = header.find(symbol);
      if (at == header.end()) continue;
      expect_prototype(row, symbol, at->second);
      compared.insert(row.name);
    }
  }
  for (const std::string_view name : names) {
    EXPECT_NE(compared.count(name), undeclared.count(name))
        << name << (undeclared.count(name) != 0 ? " is declared after all" : " was compared with nothing");
  }
}

// The parameter names of the declarations of `symbol` in a header's text, comments included in it or not.
inline std::vector<std::vector<std::string>> declared_names(const std::string& header, const std::string& symbol) {
  std::vector<std::vector<std::string>> found;
  const std::string start = "API " + symbol + "(";
  for (size_t at = header.find(start); at != std::string::npos; at = header.find(start, at + 1)) {
    std::vector<std::string> names;
    std::string word;
    std::string last;
    int depth = 0;            // inside __dv(...), a default argument
    bool in_default = false;  // behind "= "
    for (size_t i = at + start.size(); i < header.size() && header[i] != ';'; ++i) {
      const char c = header[i];
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
        continue;
      }
      if (depth == 0 && !in_default && !word.empty() && word != "__dv") last = word;
      word.clear();
      depth += c == '(' ? 1 : 0;
      in_default = c == '=' || (in_default && c != ',');
      if (depth == 0 && (c == ',' || c == ')')) names.push_back(last);
      depth -= depth > 0 && c == ')' ? 1 : 0;
      if (depth == 0 && c == ')' && i + 1 < header.size() && header[i + 1] == ';') break;
    }
    found.push_back(names);
  }
  return found;
}

// A field read behind a pointer (or inside a struct passed by value) against offsetof and sizeof of the real member.
inline void expect_member(std::span<const hal::Row> rows, std::string_view name, hal::Field field, size_t offset,
                          size_t bytes) {
  for (const hal::Row& row : rows) {
    if (row.name != name) continue;
    for (const hal::Param& param : row.shape) {
      for (const hal::Peek& peek : param.peeks) {
        if (peek.into == field && peek.offset == offset) {
          EXPECT_EQ(peek.bytes, bytes) << name << " " << hal::name_of(field);
          return;
        }
      }
    }
  }
  ADD_FAILURE() << name << " reads no " << hal::name_of(field) << " at offset " << offset;
}

}  // namespace
}  // namespace ingero::testing
