// Rows to C text; see prototypes.h.
#include "fakes/prototypes.h"

#include <fmt/format.h>

namespace ingero::fakes {

using hal::Abi;

std::string mangled(const hal::Row& row) {
  std::string name = fmt::format("_Z{}{}", row.name.size(), row.name);
  if (row.shape.empty()) return name + "v";
  // Spelled without substitutions (a compiler would shorten the second Pv to S_): demanglers read both.
  for (const auto& param : row.shape) {
    switch (param.abi) {
      case Abi::kI32:
        name += 'j';
        break;
      case Abi::kI64:
      case Abi::kSize:
      case Abi::kU64:
        name += 'm';
        break;
      case Abi::kPtr:
        name += "Pv";
        break;
      case Abi::kFloat:
        name += 'd';
        break;
      case Abi::kDim3:
        name += "4dim3";
        break;
      case Abi::kStruct: {
        const std::string type = fmt::format("s{}", param.bytes);
        name += fmt::format("{}{}", type.size(), type);
        break;
      }
    }
  }
  return name;
}

unsigned struct_bytes(const hal::Param& param) {
  if (param.abi == Abi::kDim3) return 12;
  return param.abi == Abi::kStruct ? param.bytes : 0;
}

unsigned words_of(const hal::Param& param) {
  const unsigned bytes = struct_bytes(param);
  return bytes == 0 ? 1 : (bytes + 7) / 8;
}

std::string struct_declarations(const std::vector<unsigned>& sizes) {
  std::string text;
  for (unsigned bytes : sizes) {
    // The members' type decides the alignment a vendor's struct of that size has.
    if (bytes % 8 == 0) {
      text += fmt::format("struct fake_s{} {{ unsigned long w[{}]; }};\n", bytes, bytes / 8);
    } else if (bytes % 4 == 0) {
      text += fmt::format("struct fake_s{} {{ unsigned w[{}]; }};\n", bytes, bytes / 4);
    } else {
      text += fmt::format("struct fake_s{} {{ unsigned char w[{}]; }};\n", bytes, bytes);
    }
  }
  return text;
}

std::string c_type(const hal::Param& param) {
  switch (param.abi) {
    case Abi::kI32:
      return "unsigned";
    case Abi::kI64:
    case Abi::kSize:
      return "unsigned long";
    case Abi::kU64:
      return "unsigned long long";
    case Abi::kPtr:
      return "void *";
    case Abi::kFloat:
      return "double";
    case Abi::kDim3:
    case Abi::kStruct:
      return fmt::format("struct fake_s{}", struct_bytes(param));
  }
  return {};
}

std::string parameter_list(hal::Shape shape) {
  if (shape.empty()) return "void";
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}{} p{}", i ? ", " : "", c_type(shape[i]), i);
  return text;
}

std::string shape_key(hal::Shape shape) {
  std::string key;
  for (const auto& param : shape) {
    switch (param.abi) {
      case Abi::kI32:
        key += 'i';
        break;
      case Abi::kI64:
      case Abi::kSize:
      case Abi::kU64:
        key += 'l';
        break;
      case Abi::kPtr:
        key += 'p';
        break;
      case Abi::kFloat:
        key += 'd';
        break;
      case Abi::kDim3:
        key += "s12_";
        break;
      case Abi::kStruct:
        key += fmt::format("s{}_", param.bytes);
        break;
    }
  }
  return key.empty() ? "v" : key;
}

}  // namespace ingero::fakes
