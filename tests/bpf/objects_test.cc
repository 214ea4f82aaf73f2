// Every BPF object is there for both instruction sets, whatever the machine that builds: the same programs at the same
// places, the same maps, each with its own machine's registers. Files are read, nothing is loaded.
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

namespace {

struct Close {
  void operator()(bpf_object* object) const { bpf_object__close(object); }
};
using Object = std::unique_ptr<bpf_object, Close>;

std::vector<std::string> names() {
  std::vector<std::string> found;
  std::istringstream list(BPF_OBJECTS);
  for (std::string name; std::getline(list, name, ':');) found.push_back(name);
  return found;
}

// The object of the machine built for stands in the folder itself.
Object open_object(const std::string& name, const std::string& arch) {
  const std::string folder = std::string(BPF_FOLDER) + (arch == BPF_ARCH ? "" : "/" + arch);
  return Object(bpf_object__open_file((folder + "/" + name + ".o").c_str(), nullptr));
}

std::map<std::string, std::string> programs(const bpf_object* object) {
  std::map<std::string, std::string> found;
  const bpf_program* program = nullptr;
  while ((program = bpf_object__next_program(object, const_cast<bpf_program*>(program))) != nullptr) {
    EXPECT_GT(bpf_program__insn_cnt(program), 0U) << bpf_program__name(program);
    found[bpf_program__name(program)] = bpf_program__section_name(program);
  }
  return found;
}

using Shape = std::tuple<bpf_map_type, unsigned, unsigned, unsigned>;

// Constants and variables are the compiler's business.
std::map<std::string, Shape> maps(const bpf_object* object) {
  std::map<std::string, Shape> found;
  const bpf_map* map = nullptr;
  while ((map = bpf_object__next_map(object, map)) != nullptr) {
    if (bpf_map__is_internal(map)) continue;
    found[bpf_map__name(map)] = {bpf_map__type(map), bpf_map__key_size(map), bpf_map__value_size(map),
                                 bpf_map__max_entries(map)};
  }
  return found;
}

// Bytes of the registers that programs of this object are given; 0 where none asks for them.
unsigned context_bytes(const bpf_object* object) {
  const btf* types = bpf_object__btf(object);
  const int id = types != nullptr ? btf__find_by_name_kind(types, "pt_regs", BTF_KIND_STRUCT) : -1;
  return id > 0 ? btf__type_by_id(types, static_cast<unsigned>(id))->size : 0;
}

TEST(BpfObjects, AreThereForBothInstructionSetsWithTheSameProgramsAndMaps) {
  ASSERT_FALSE(names().empty());
  size_t total = 0;
  for (const std::string& name : names()) {
    const Object own = open_object(name, BPF_ARCH), other = open_object(name, BPF_OTHER_ARCH);
    ASSERT_TRUE(own) << name;
    ASSERT_TRUE(other) << name << " for " BPF_OTHER_ARCH;
    EXPECT_FALSE(programs(own.get()).empty()) << name;
    EXPECT_EQ(programs(own.get()), programs(other.get())) << name;
    EXPECT_EQ(maps(own.get()), maps(other.get())) << name;
    total += programs(other.get()).size();
  }
  EXPECT_GE(total, 10U);
}

TEST(BpfObjects, ReadTheRegistersOfTheirOwnInstructionSet) {
  // struct pt_regs of x86-64 (21 words); user_pt_regs of arm64 (x0 to x30, sp, pc, pstate)
  const std::map<std::string, unsigned> bytes = {{"x86", 21 * 8}, {"arm64", 34 * 8}};
  size_t readers = 0;
  for (const std::string& name : names()) {
    for (const char* arch : {BPF_ARCH, BPF_OTHER_ARCH}) {
      const Object object = open_object(name, arch);
      ASSERT_TRUE(object) << name << " for " << arch;
      const unsigned found = context_bytes(object.get());
      if (found == 0) continue;
      ++readers;
      EXPECT_EQ(found, bytes.at(arch)) << name << " for " << arch;
    }
  }
  EXPECT_GE(readers, 4U);
}

}  // namespace
