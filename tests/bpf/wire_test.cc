// The kernel side and the user side agree on bpf/wire.h: each struct's size, and each field's offset and size, as this
// compiler has them and as the BTF of the BPF objects has them, for both instruction sets. Files are read, nothing is
// loaded.
#include "bpf/wire.h"

#include <bpf/btf.h>

#include <cstddef>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace {

struct Field {
  std::string name;
  size_t offset = 0, bytes = 0;
};
struct Layout {
  size_t bytes = 0;
  std::vector<Field> fields;
};
using Layouts = std::map<std::string, Layout>;

struct Free {
  void operator()(btf* types) const { btf__free(types); }
};
using Types = std::unique_ptr<btf, Free>;

// As this compiler has them.
Layouts our_layouts() {
  Layouts all;
#define STRUCT(name) all[#name].bytes = sizeof(name);
#define FIELD(owner, name) all[#owner].fields.push_back({#name, offsetof(owner, name), sizeof(owner::name)});
#include "wire_structs.def"
#undef STRUCT
#undef FIELD
  return all;
}

// A field that does not begin at a byte has an offset that none of ours can have.
Field field_of(const btf* types, const btf_type* owner, unsigned index) {
  const btf_member& member = btf_members(owner)[index];
  const unsigned bits = btf_member_bit_offset(owner, index);
  const bool is_bit_field = btf_member_bitfield_size(owner, index) != 0 || bits % 8 != 0;
  const auto bytes = btf__resolve_size(types, member.type);
  return {btf__name_by_offset(types, member.name_off), is_bit_field ? SIZE_MAX : bits / 8,
          bytes < 0 ? SIZE_MAX : static_cast<size_t>(bytes)};
}

// Of the structs that are named as wire.h names its own.
Layouts layouts_in(const btf* types) {
  Layouts all;
  for (unsigned id = 1; id < btf__type_cnt(types); ++id) {
    const btf_type* type = btf__type_by_id(types, id);
    const std::string name = btf__name_by_offset(types, type->name_off);
    if (!btf_is_composite(type) || !name.starts_with("wire_")) continue;
    Layout& layout = all[name];
    layout.bytes = type->size;
    for (unsigned i = 0; i < btf_vlen(type); ++i) layout.fields.push_back(field_of(types, type, i));
  }
  return all;
}

void compare_fields(const std::string& owner, const Layout& ours, const Layout& theirs, std::vector<std::string>& out) {
  std::map<std::string, Field> unlisted;
  for (const Field& field : theirs.fields) unlisted[field.name] = field;
  for (const Field& field : ours.fields) {
    const auto found = unlisted.find(field.name);
    if (found == unlisted.end()) {
      out.push_back(fmt::format("{}.{} is not in BTF", owner, field.name));
      continue;
    }
    if (found->second.offset != field.offset || found->second.bytes != field.bytes) {
      out.push_back(fmt::format("{}.{} is {} bytes at {}, in BTF {} bytes at {}", owner, field.name, field.bytes,
                                field.offset, found->second.bytes, found->second.offset));
    }
    unlisted.erase(found);
  }
  for (const auto& [name, field] : unlisted) {
    out.push_back(fmt::format("{}.{} is not in wire_structs.def", owner, name));
  }
}

// One sentence a difference: of each struct that BTF has.
std::vector<std::string> differences(const Layouts& ours, const Layouts& theirs) {
  std::vector<std::string> out;
  for (const auto& [name, layout] : theirs) {
    const auto known = ours.find(name);
    if (known == ours.end()) {
      out.push_back(fmt::format("{} is not in wire_structs.def", name));
      continue;
    }
    if (known->second.bytes != layout.bytes) {
      out.push_back(fmt::format("{} has {} bytes, in BTF {}", name, known->second.bytes, layout.bytes));
    }
    compare_fields(name, known->second, layout, out);
  }
  return out;
}

std::set<std::string> names_of(const Layouts& layouts) {
  std::set<std::string> names;
  for (const auto& [name, layout] : layouts) names.insert(name);
  return names;
}

std::string folder_of(const std::string& arch) {
  return std::string(BPF_FOLDER) + (arch == BPF_ARCH ? "" : "/" + arch);
}

TEST(Wire, EveryStructOfTheHeaderIsListed) {
  std::ifstream file(INGERO_SOURCE_DIR "/bpf/wire.h");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::regex declaration("(?:struct|union)\\s+(wire_\\w+)\\s*\\{");
  std::set<std::string> declared;
  for (auto found = std::sregex_iterator(text.begin(), text.end(), declaration); found != std::sregex_iterator();
       ++found) {
    declared.insert((*found)[1]);
  }
  EXPECT_GE(declared.size(), 20U);
  EXPECT_EQ(declared, names_of(our_layouts()));
}

// What is loaded has the structs of its maps and of its functions' parameters.
TEST(Wire, TheObjectsThatAreLoadedHaveTheStructsAsTheAgentHasThem) {
  std::set<std::string> seen;
  std::istringstream list(BPF_OBJECTS);
  for (std::string name; std::getline(list, name, ':');) {
    for (const char* arch : {BPF_ARCH, BPF_OTHER_ARCH}) {
      const std::string path = folder_of(arch) + "/" + name + ".o";
      const Types types(btf__parse_elf(path.c_str(), nullptr));
      ASSERT_TRUE(types) << path;
      const Layouts theirs = layouts_in(types.get());
      EXPECT_EQ(differences(our_layouts(), theirs), std::vector<std::string>()) << path;
      seen.merge(names_of(theirs));
    }
  }
  for (const char* name : {"wire_recipe", "wire_call", "wire_thread", "wire_stack", "wire_process", "wire_losses"}) {
    EXPECT_TRUE(seen.contains(name)) << name;
  }
}

// The records that are only written to a ring as well: they are in the BTF of wire_structs.bpf.c alone.
TEST(Wire, EveryStructIsTheSameForBothInstructionSets) {
  for (const char* arch : {BPF_ARCH, BPF_OTHER_ARCH}) {
    const std::string path = std::string(WIRE_FOLDER) + "/" + arch + "/wire_structs.o";
    const Types types(btf__parse_elf(path.c_str(), nullptr));
    ASSERT_TRUE(types) << path;
    const Layouts theirs = layouts_in(types.get());
    EXPECT_EQ(names_of(theirs), names_of(our_layouts())) << path;
    EXPECT_EQ(differences(our_layouts(), theirs), std::vector<std::string>()) << path;
  }
}

// BTF of wire_return_address as a compiler would write it that had put `address` at `address_byte`.
Layouts planted(unsigned address_byte, unsigned struct_bytes, const char* more = nullptr) {
  const Types types(btf__new_empty());
  const int word = btf__add_int(types.get(), "__u64", 8, 0);
  EXPECT_GT(word, 0);
  EXPECT_GT(btf__add_struct(types.get(), "wire_return_address", struct_bytes), 0);
  EXPECT_EQ(btf__add_field(types.get(), "sp", word, 0, 0), 0);
  EXPECT_EQ(btf__add_field(types.get(), "address", word, address_byte * 8, 0), 0);
  if (more != nullptr) {
    EXPECT_EQ(btf__add_field(types.get(), more, word, address_byte * 8 + 64, 0), 0);
  }
  return layouts_in(types.get());
}

TEST(WireComparison, FindsAFieldThatMoved) {
  EXPECT_EQ(differences(our_layouts(), planted(8, 16)), std::vector<std::string>());
  EXPECT_EQ(differences(our_layouts(), planted(16, 24)),
            (std::vector<std::string>{"wire_return_address has 16 bytes, in BTF 24",
                                      "wire_return_address.address is 8 bytes at 8, in BTF 8 bytes at 16"}));
}

TEST(WireComparison, FindsAFieldThatIsNotListed) {
  EXPECT_EQ(differences(our_layouts(), planted(8, 24, "extra")),
            (std::vector<std::string>{"wire_return_address has 16 bytes, in BTF 24",
                                      "wire_return_address.extra is not in wire_structs.def"}));
}

TEST(WireComparison, FindsAFieldThatIsNotInBtfAndAStructThatIsNotListed) {
  Layouts theirs = planted(8, 16);
  theirs["wire_return_address"].fields.pop_back();
  theirs["wire_new"] = {};
  EXPECT_EQ(
      differences(our_layouts(), theirs),
      (std::vector<std::string>{"wire_new is not in wire_structs.def", "wire_return_address.address is not in BTF"}));
}

}  // namespace
