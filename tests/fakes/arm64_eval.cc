// See arm64_eval.h. State: every register's bytes, and the bytes of the stack relative to the incoming stack pointer.
#include "fakes/arm64_eval.h"

#include <cctype>
#include <cstdlib>
#include <map>

namespace ingero::fakes {
namespace {

using In = Origin::In;

struct Operands {
  std::string name;
  std::vector<std::string> list;  // "x0", "#32", "[sp", "8]" with brackets kept
};

Operands split_instruction(const std::string& line) {
  Operands result;
  size_t at = line.find_first_not_of(" \t");
  if (at == std::string::npos) return result;
  size_t end = line.find_first_of(" \t", at);
  result.name = line.substr(at, end == std::string::npos ? end : end - at);
  std::string current;
  for (at = end; at != std::string::npos && at < line.size(); ++at) {
    const char c = line[at];
    if (c == '/' || c == ';') break;  // comments
    if (c == ',') {
      result.list.push_back(current);
      current.clear();
    } else if (!isspace(static_cast<unsigned char>(c)) && c != '#') {
      current += c;
    }
  }
  if (!current.empty()) result.list.push_back(current);
  return result;
}

struct Register {
  int number = -1;  // 31: zero
  int bytes = 8;
};

std::optional<Register> register_of(const std::string& text) {
  if (text == "xzr") return Register{31, 8};
  if (text == "wzr") return Register{31, 4};
  if (text.size() < 2 || (text[0] != 'x' && text[0] != 'w')) return std::nullopt;
  char* end = nullptr;
  const long number = strtol(text.c_str() + 1, &end, 10);
  if (*end != 0 || number < 0 || number > 30) return std::nullopt;
  return Register{static_cast<int>(number), text[0] == 'x' ? 8 : 4};
}

std::optional<long> number_of(const std::string& text) {
  char* end = nullptr;
  const long number = strtol(text.c_str(), &end, 0);
  if (text.empty() || *end != 0) return std::nullopt;
  return number;
}

class Machine {
 public:
  Machine() {
    for (int r = 0; r < 31; ++r) {
      for (int b = 0; b < 8; ++b) registers_[r][b] = {In::kRegister, r, b};
    }
    for (auto& byte : registers_[31]) byte = {In::kZero, 0, 0};
  }

  // False when the instruction is not one of the known ones.
  bool step(const Operands& op) {
    const auto& list = op.list;
    if (op.name == "ret") return done_ = true;
    if (op.name == "nop" || op.name == "bti" || op.name == "hint" || op.name == "paciasp" || op.name == "autiasp") {
      return true;
    }
    if ((op.name == "sub" || op.name == "add") && list.size() == 3 && list[0] == "sp" && list[1] == "sp") {
      const auto amount = number_of(list[2]);
      if (!amount) return false;
      sp_ += op.name == "add" ? *amount : -*amount;
      return true;
    }
    if (op.name == "stp" || op.name == "ldp") return pair(op);
    if (op.name == "str" || op.name == "ldr" || op.name == "ldur" || op.name == "stur" || op.name == "ldrb" ||
        op.name == "ldrh") {
      return single(op);
    }
    return move(op);
  }
  bool done() const { return done_; }
  const Origins& result() const { return registers_[0]; }

 private:
  struct Address {
    bool on_stack = false;
    long at = 0;       // stack: bytes from the incoming sp
    Origin pointer{};  // else: what the base register held
  };

  bool move(const Operands& op) {
    const auto& list = op.list;
    if (list.size() < 2) return false;
    const auto to = register_of(list[0]);
    const auto from = register_of(list[1]);
    if (!to || !from) return false;
    unsigned low_bit = 0, bits = static_cast<unsigned>(std::min(to->bytes, from->bytes)) * 8;
    if (op.name == "mov" && list.size() == 2) {
    } else if (op.name == "uxtw") {
      bits = 32;
    } else if (op.name == "uxth") {
      bits = 16;
    } else if (op.name == "uxtb") {
      bits = 8;
    } else if (op.name == "lsr" && list.size() == 3 && number_of(list[2])) {
      low_bit = static_cast<unsigned>(*number_of(list[2]));
      bits -= low_bit;
    } else if (op.name == "ubfx" && list.size() == 4 && number_of(list[2]) && number_of(list[3])) {
      low_bit = static_cast<unsigned>(*number_of(list[2]));
      bits = static_cast<unsigned>(*number_of(list[3]));
    } else if (op.name == "and" && list.size() == 3 && number_of(list[2])) {
      const auto mask = static_cast<unsigned long>(*number_of(list[2]));
      if (mask != 0xff && mask != 0xffff && mask != 0xffffffff) return false;
      bits = mask == 0xff ? 8 : mask == 0xffff ? 16 : 32;
    } else {
      return false;
    }
    if (low_bit % 8 != 0 || bits % 8 != 0 || low_bit + bits > 64) return false;
    const Origins source = registers_[from->number];
    Origins value;
    value.fill({In::kZero, 0, 0});
    for (unsigned b = 0; b < bits / 8; ++b) value[b] = source[b + low_bit / 8];
    if (to->number != 31) registers_[to->number] = value;
    return true;
  }

  // "[sp", "8]" or "[sp]", then an optional post-index amount; "8]!" is pre-index.
  std::optional<Address> address(const std::vector<std::string>& list, size_t first) {
    std::string base = list[first].substr(1);
    long offset = 0;
    bool before = false;
    size_t next = first + 1;
    if (base.back() == ']') {
      base.pop_back();
    } else {
      if (next >= list.size()) return std::nullopt;
      std::string text = list[next++];
      if (text.back() == '!') {
        before = true;
        text.pop_back();
      }
      if (text.back() != ']') return std::nullopt;
      text.pop_back();
      const auto number = number_of(text);
      if (!number) return std::nullopt;
      offset = *number;
    }
    const auto after = next < list.size() ? number_of(list[next]) : std::optional<long>(0);
    if (!after) return std::nullopt;
    if (base == "sp") {
      if (before) sp_ += offset;
      Address result{true, before ? sp_ : sp_ + offset, {}};
      sp_ += *after;
      return result;
    }
    const auto reg = register_of(base);
    if (!reg || before || *after != 0) return std::nullopt;
    const Origins& value = registers_[reg->number];
    // Only a whole pointer can be followed.
    for (int b = 1; b < 8; ++b) {
      if (value[b].in != value[0].in || value[b].index != value[0].index || value[b].offset != b) return std::nullopt;
    }
    if (value[0].offset != 0) return std::nullopt;
    if (value[0].in == In::kRegister) return Address{false, offset, {In::kBehindRegister, value[0].index, 0}};
    if (value[0].in == In::kStack) return Address{false, offset, {In::kBehindStack, value[0].index, 0}};
    return std::nullopt;
  }

  Origin load_byte(const Address& from, long b) {
    if (!from.on_stack) return {from.pointer.in, from.pointer.index, static_cast<int>(from.at + b)};
    const long at = from.at + b;
    const auto own = stack_.find(at);
    if (own != stack_.end()) return own->second;
    if (at < 0) return {};
    return {In::kStack, static_cast<int>(at / 8 * 8), static_cast<int>(at % 8)};
  }

  bool transfer(const Operands& op, const std::string& name, const Address& where, long skip, int bytes) {
    const auto reg = register_of(name);
    if (!reg) return false;
    if (bytes == 0) bytes = reg->bytes;
    if (op.name[0] == 's') {
      if (!where.on_stack) return false;
      for (int b = 0; b < bytes; ++b) stack_[where.at + skip + b] = registers_[reg->number][b];
      return true;
    }
    Origins value;
    value.fill({In::kZero, 0, 0});
    for (int b = 0; b < bytes; ++b) value[b] = load_byte(where, skip + b);
    if (reg->number != 31) registers_[reg->number] = value;
    return true;
  }

  bool single(const Operands& op) {
    if (op.list.size() < 2 || op.list[1].empty() || op.list[1][0] != '[') return false;
    const auto where = address(op.list, 1);
    const int bytes = op.name == "ldrb" ? 1 : op.name == "ldrh" ? 2 : 0;
    return where && transfer(op, op.list[0], *where, 0, bytes);
  }

  bool pair(const Operands& op) {
    // The frame pointer and return address come and go unseen.
    if (op.list.size() < 3 || op.list[2].empty() || op.list[2][0] != '[') return false;
    const auto first = register_of(op.list[0]);
    const auto where = address(op.list, 2);
    return first && where && transfer(op, op.list[0], *where, 0, 0) &&
           transfer(op, op.list[1], *where, first->bytes, 0);
  }

  std::array<Origins, 32> registers_;
  std::map<long, Origin> stack_;
  long sp_ = 0;
  bool done_ = false;
};

}  // namespace

Evaluation evaluate_arm64(const std::vector<std::string>& body) {
  Machine machine;
  for (const auto& line : body) {
    const Operands op = split_instruction(line);
    if (op.name.empty() || op.name[0] == '.' || op.name.back() == ':' || op.name[0] == '/') continue;
    if (!machine.step(op)) return {{}, line};
    if (machine.done()) return {machine.result(), {}};
  }
  return {{}, "end of function without ret"};
}

}  // namespace ingero::fakes
