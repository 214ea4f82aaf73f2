// Unwinding and naming on this very program, on files that lie, and on files that shrink.
#include "symbols/unwind.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include "base/text.h"
#include "symbols/address_space.h"
#include "symbols/symboliser.h"

namespace ingero::symbols {
namespace {

Result<Fd> open_named(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) return errno_error(path);
  return fd;
}

// By its name, as a process that is this one or shares its files has it.
Result<Fd> open_mapped(uint32_t, const hal::Mapping& mapping) {
  auto fd = open_named(mapping.untrusted_path);
  struct stat status {};
  if (fd.ok() && (fstat(fd->get(), &status) != 0 || status.st_ino != mapping.file.inode)) {
    return Error(Errc::kNotFound, "another file by now");
  }
  return fd;
}

Result<std::string> maps_of(uint32_t pid) { return read_file("/proc/" + std::to_string(pid) + "/maps", 64 << 20); }

std::string scratch(const std::string& name) {
  const std::string folder = std::string(INGERO_BINARY_DIR) + "/tests/symbols." + std::to_string(getpid());
  std::filesystem::create_directories(folder);
  return folder + "/" + name;
}

std::vector<char> read_whole(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_whole(const std::string& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::shared_ptr<const CodeFile> open_code(const std::string& path) {
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  auto file = CodeFile::open(fd, path, {1, 2});
  return file.ok() ? *file : nullptr;
}

#if defined(__x86_64__)
struct Copy {
  wire_stack head{};
  std::vector<std::byte> bytes;
};

// A function that its callers know nothing of: it stays one, with a frame of its own.
#if defined(__clang__)
#define OPAQUE [[gnu::noinline]]
#else
#define OPAQUE [[gnu::noipa]]
#endif

// The caller's registers and stack as the kernel side takes them at a return into it; or, of a thread that does not
// return, as they were at this function's first instruction.
OPAQUE void take_here(Copy& copy, bool at_entry = false) {
  uint64_t bp = 0, bx = 0, r12 = 0, r13 = 0, r14 = 0, r15 = 0;
  asm volatile("mov %%rbp, %0\n mov %%rbx, %1" : "=r"(bp), "=r"(bx));
  asm volatile("mov %%r12, %0\n mov %%r13, %1\n mov %%r14, %2\n mov %%r15, %3"
               : "=r"(r12), "=r"(r13), "=r"(r14), "=r"(r15));
  // This function keeps a frame pointer (the whole program is built so): its caller's is saved there.
  const auto* frame = static_cast<const uint64_t*>(__builtin_frame_address(0));
  const uint64_t* top = frame + (at_entry ? 1 : 2);
  copy.head.reason = at_entry ? WIRE_STACK_WAITING : WIRE_STACK_EVERY;
  copy.head.registers[WIRE_STACK_IP] = at_entry ? reinterpret_cast<uint64_t>(&take_here) : frame[1];
  copy.head.registers[WIRE_STACK_SP] = reinterpret_cast<uint64_t>(top);
  copy.head.registers[WIRE_STACK_BP] = frame[0];
  const uint64_t saved[] = {bx, r12, r13, r14, r15};
  std::memcpy(&copy.head.registers[WIRE_STACK_SAVED], saved, sizeof(saved));
  (void)bp;
  // By the kernel, as the real copy is: a sanitizer keeps this program from reading beyond its own variables.
  copy.bytes.resize(2048);
  const iovec to{copy.bytes.data(), copy.bytes.size()};
  const iovec from{const_cast<uint64_t*>(top), copy.bytes.size()};
  ASSERT_EQ(process_vm_readv(getpid(), &to, 1, &from, 1, 0), 2048) << strerror(errno);
}

OPAQUE void level_one(Copy& copy, bool at_entry) {
  take_here(copy, at_entry);
  asm volatile("");
}
OPAQUE void level_two(Copy& copy, bool at_entry) {
  volatile char space[200];
  space[7] = 1;
  level_one(copy, at_entry);
  asm volatile("" : : "r"(space[7]));
}
OPAQUE void level_three(Copy& copy, bool at_entry = false) {
  level_two(copy, at_entry);
  asm volatile("");
}

std::vector<std::string> names_of(const NativeStack& stack, Symboliser& symboliser) {
  std::vector<std::string> names;
  for (const NativeFrame& frame : stack.frames) {
    names.push_back(frame.code.file ? symboliser.name(*frame.code.file, frame.lookup_address()).back().function : "?");
  }
  return names;
}

// The functions that a copy made here shows.
std::vector<std::string> names_in(const Copy& copy) {
  CodeFiles files(open_mapped, maps_of);
  AddressSpace space(files, static_cast<uint32_t>(getpid()));
  Unwinder unwinder;
  Symboliser symboliser(open_named);
  return names_of(unwinder.unwind(copy.head, copy.bytes, space), symboliser);
}

TEST(Unwind, FindsTheFunctionsOfThisProgram) {
  Copy copy;
  level_three(copy);
  const auto names = names_in(copy);
  ASSERT_GE(names.size(), 4U);
  EXPECT_NE(names[0].find("level_one"), std::string::npos) << names[0];
  EXPECT_NE(names[1].find("level_two"), std::string::npos) << names[1];
  EXPECT_NE(names[2].find("level_three"), std::string::npos) << names[2];
}

TEST(Unwind, AThreadThatDoesNotReturnIsWhereItIsAtAFirstInstructionToo) {
  Copy copy;
  level_three(copy, true);
  const auto names = names_in(copy);
  ASSERT_GE(names.size(), 4U);
  EXPECT_NE(names[0].find("take_here"), std::string::npos) << names[0];
  EXPECT_NE(names[1].find("level_one"), std::string::npos) << names[1];
  EXPECT_NE(names[2].find("level_two"), std::string::npos) << names[2];
  EXPECT_NE(names[3].find("level_three"), std::string::npos) << names[3];
}

OPAQUE int innermost(int number) {
  volatile int kept = number;
  asm volatile("");
  return kept + 1;
}
OPAQUE int between(int number) {
  volatile int kept = innermost(number);
  return kept + innermost(kept);
}
OPAQUE void stepped(int number) {
  volatile int kept = between(number);
  (void)kept;
}
OPAQUE void runs_stepped() {
  stepped(1);
  asm volatile("");
}

// A thread that spins is interrupted at any instruction, those of a function's prologue and epilogue among them.
TEST(Unwind, AThreadThatDoesNotReturnIsWhereItIsAtEveryInstruction) {
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
    raise(SIGSTOP);
    runs_stepped();
    _exit(0);
  }
  ASSERT_GT(child, 0) << strerror(errno);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  if (!WIFSTOPPED(status)) GTEST_SKIP() << "this process may not be traced";
  ASSERT_EQ(ptrace(PTRACE_SETOPTIONS, child, nullptr, PTRACE_O_EXITKILL), 0) << strerror(errno);
  CodeFiles files(open_mapped, maps_of);
  AddressSpace space(files, static_cast<uint32_t>(child));
  Unwinder unwinder;
  Symboliser symboliser(open_named);
  uint64_t end = 0;  // where `stepped` returns to
  int checked = 0;
  for (int steps = 0; steps < 1000000 && WIFSTOPPED(status); ++steps) {
    user_regs_struct at{};
    ASSERT_EQ(ptrace(PTRACE_GETREGS, child, nullptr, &at), 0) << strerror(errno);
    if (at.rip == reinterpret_cast<uint64_t>(&stepped)) {
      errno = 0;
      end = static_cast<uint64_t>(ptrace(PTRACE_PEEKDATA, child, at.rsp, nullptr));
      ASSERT_EQ(errno, 0);
    }
    if (end != 0 && at.rip == end) break;
    if (end != 0) {
      Copy copy;
      copy.head.reason = WIRE_STACK_WAITING;
      copy.head.below = WIRE_STACK_RED_ZONE;
      const uint64_t registers[] = {at.rip, at.rsp, at.rbp, at.rbx, at.r12, at.r13, at.r14, at.r15};
      std::memcpy(copy.head.registers, registers, sizeof(registers));
      copy.bytes.resize(1024);
      const iovec to{copy.bytes.data(), copy.bytes.size()};
      const iovec from{reinterpret_cast<void*>(at.rsp - copy.head.below), copy.bytes.size()};
      ASSERT_EQ(process_vm_readv(child, &to, 1, &from, 1, 0), 1024) << strerror(errno);
      const auto names = names_of(unwinder.unwind(copy.head, copy.bytes, space), symboliser);
      const auto found = std::find_if(names.begin(), names.end(),
                                      [](const auto& name) { return name.find("runs_stepped") != std::string::npos; });
      ASSERT_NE(found, names.end()) << "step " << checked << " ends in " << names.back();
      ASSERT_NE(found, names.begin());
      EXPECT_NE(found[-1].find("stepped"), std::string::npos) << found[-1];
      ++checked;
    }
    ASSERT_EQ(ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr), 0) << strerror(errno);
    ASSERT_EQ(waitpid(child, &status, 0), child);
  }
  if (WIFSTOPPED(status)) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  EXPECT_GT(checked, 20);
}

TEST(Unwind, NamesTheKernelsOwnCodeInAProcess) {
  void* vdso = dlopen("linux-vdso.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (vdso == nullptr) GTEST_SKIP() << "this kernel maps no vDSO into programs";
  const auto address = reinterpret_cast<uint64_t>(dlsym(vdso, "__vdso_clock_gettime"));
  ASSERT_NE(address, 0U);
  CodeFiles files(open_mapped, maps_of);
  AddressSpace space(files, static_cast<uint32_t>(getpid()));
  const Code code = space.find(address);
  ASSERT_NE(code.file, nullptr);
  Symboliser symboliser(open_named);
  EXPECT_NE(symboliser.name(*code.file, code.address).back().function.find("clock_gettime"), std::string::npos);
}

TEST(Unwind, PutsBackReturnAddressesThatTheKernelReplaced) {
  Copy copy;
  level_three(copy);
  CodeFiles files(open_mapped, maps_of);
  AddressSpace space(files, static_cast<uint32_t>(getpid()));
  Unwinder unwinder;
  Symboliser symboliser(open_named);
  const auto right = names_of(unwinder.unwind(copy.head, copy.bytes, space), symboliser);
  // The return address of level_two: the second frame's, found in the copy by its value.
  const uint64_t bottom = copy.head.registers[WIRE_STACK_SP];
  const NativeStack stack = unwinder.unwind(copy.head, copy.bytes, space);
  uint64_t at = 0;
  for (size_t offset = 0; offset + 8 <= copy.bytes.size() && at == 0; offset += 8) {
    uint64_t word = 0;
    std::memcpy(&word, copy.bytes.data() + offset, 8);
    const Code code = space.find(word);
    if (code.file == stack.frames[1].code.file && code.file && code.address == stack.frames[1].code.address) {
      at = bottom + offset;
      copy.head.returns[0] = {at, word};
    }
  }
  ASSERT_NE(at, 0U);
  copy.head.n_returns = 1;
  const uint64_t trampoline = 0x7ffffffff000;
  std::memcpy(copy.bytes.data() + (at - bottom), &trampoline, 8);
  EXPECT_EQ(names_of(unwinder.unwind(copy.head, copy.bytes, space), symboliser), right);
  copy.head.n_returns = 0;
  EXPECT_NE(names_of(unwinder.unwind(copy.head, copy.bytes, space), symboliser), right);
}

TEST(Unwind, EndsWhereTheCopyEndsAndSaysSo) {
  Copy copy;
  level_three(copy);
  CodeFiles files(open_mapped, maps_of);
  AddressSpace space(files, static_cast<uint32_t>(getpid()));
  Unwinder unwinder;
  const NativeStack stack = unwinder.unwind(copy.head, std::span(copy.bytes).first(8), space);
  EXPECT_FALSE(stack.is_whole);
  EXPECT_LE(stack.frames.size(), 2U);
}

TEST(Unwind, WhatCouldNotBeReadIsNotTheOutermostFrame) {
  Copy copy;
  level_three(copy);
  std::ranges::fill(copy.bytes, std::byte{0});  // as the kernel leaves it
  CodeFiles files(open_mapped, maps_of);
  AddressSpace space(files, static_cast<uint32_t>(getpid()));
  Unwinder unwinder;
  EXPECT_TRUE(unwinder.unwind(copy.head, copy.bytes, space).is_whole) << "read, and 0";
  copy.head.holes = 3;
  const NativeStack stack = unwinder.unwind(copy.head, copy.bytes, space);
  EXPECT_FALSE(stack.is_whole);
  EXPECT_LE(stack.frames.size(), 2U);
}

TEST(Unwind, RandomStacksAndRegistersEndSomewhere) {
  Copy copy;
  level_three(copy);
  CodeFiles files(open_mapped, maps_of);
  AddressSpace space(files, static_cast<uint32_t>(getpid()));
  Unwinder unwinder;
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    Copy mad = copy;
    for (int i = 0; i < 40; ++i) {
      const size_t at = random() % (mad.bytes.size() / 8) * 8;
      const uint64_t word = round % 2 == 0 ? random() : copy.head.registers[WIRE_STACK_IP] + random() % 4096;
      std::memcpy(mad.bytes.data() + at, &word, 8);
    }
    mad.head.registers[random() % WIRE_STACK_REGISTERS] += random() % 64 * 8;
    EXPECT_LE(unwinder.unwind(mad.head, mad.bytes, space).frames.size(), Unwinder::kMaxFrames);
  }
}
#endif

TEST(Symboliser, GivesNoNameToWhatLiesBetweenAStrippedLibrarysExports) {
  const std::string path = std::string(INGERO_BINARY_DIR) + "/tests/fakes/libstack_stripped.so";
  const auto file = open_code(path);
  if (!file) GTEST_SKIP() << path << " is not built";
  void* library = dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) GTEST_SKIP() << dlerror();
  Dl_info info{};
  void* exported = dlsym(library, "walk_through_stripped");
  ASSERT_NE(exported, nullptr);
  ASSERT_NE(dladdr(exported, &info), 0);
  const auto base = reinterpret_cast<uint64_t>(info.dli_fbase);
  const uint64_t start = reinterpret_cast<uint64_t>(exported) - base;
  Symboliser symboliser(open_named);
  EXPECT_EQ(symboliser.symbol(*file, start + 1), "walk_through_stripped");
  // All code around the exports: a name only where an export is.
  for (uint64_t address = start - 200; address < start + 400; ++address) {
    const std::string name = symboliser.symbol(*file, address);
    if (name.empty()) continue;
    void* named = dlsym(library, name.c_str());
    ASSERT_NE(named, nullptr) << name;
    EXPECT_GE(address, reinterpret_cast<uint64_t>(named) - base) << name;
  }
  dlclose(library);
}

// Containers have files of their own: a machine that starts them for months must not run out.
TEST(CodeFiles, ThoseOfProcessesThatHaveEndedMakeRoom) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_DYN;
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  std::vector<char> bytes(sizeof header + sizeof(Elf64_Phdr));
  std::memcpy(bytes.data(), &header, sizeof header);
  const std::string path = scratch("header");
  write_whole(path, bytes);
  CodeFiles files([&](uint32_t, const hal::Mapping&) { return open_named(path); }, maps_of);
  const auto find = [&](uint64_t inode) {
    hal::Mapping mapping;
    mapping.file = {1, inode};
    bool is_final = false;
    return files.find(1, mapping, is_final);
  };
  Cfi cfi(machine_of(hal::Arch::kX86_64));
  Symboliser symboliser(open_named);
  const auto unwind = [&](const CodeFile& file) {
    Registers registers;
    bool is_signal = false;
    return cfi.step(
        file, 1, [](uint64_t) { return std::optional<uint64_t>(1); }, registers, is_signal);
  };
  const auto kept = find(1);
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(unwind(*find(2)), Step::kNoRules);
  EXPECT_TRUE(symboliser.symbol(*find(3), 1).empty());
  for (uint64_t inode = 4; inode <= CodeFiles::kMax; ++inode) ASSERT_NE(find(inode), nullptr) << inode;
  EXPECT_EQ(find(CodeFiles::kMax + 1), nullptr);
  EXPECT_EQ(files.take_refused(), 1U);
  EXPECT_EQ(files.take_refused(), 0U);
  files.forget_unused();
  EXPECT_EQ(files.size(), 3U) << "a process has one, and what was read of two others is kept";
  EXPECT_NE(find(CodeFiles::kMax + 1), nullptr);
  EXPECT_EQ(find(1), kept);
  cfi.forget();
  symboliser.forget();
  files.forget_unused();
  EXPECT_EQ(files.size(), 1U);
}

TEST(MappedFile, ReadsZerosWhereTheFileWasCut) {
  const std::string path = scratch("cut");
  write_whole(path, std::vector<char>(64 << 10, 'x'));
  const Fd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
  auto mapped = MappedFile::open(fd);
  ASSERT_TRUE(mapped.ok());
  ASSERT_EQ(ftruncate(fd.get(), 100), 0);
  EXPECT_EQ((*mapped)->bytes()[50], std::byte{'x'});
  EXPECT_EQ((*mapped)->bytes()[40000], std::byte{0});
}

// A traced program chooses these bytes, and we run as root.
TEST(Symboliser, DamagedFilesGiveNoNamesAndNoCrash) {
  const std::string original = std::string(INGERO_BINARY_DIR) + "/tests/fakes/stack_truth";
  std::vector<char> bytes = read_whole(original);
  if (bytes.empty()) GTEST_SKIP() << original << " is not built";
  std::mt19937_64 random(11);
  const std::string path = scratch("damaged");
  size_t opened = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<char> damaged = bytes;
    const size_t region = round % 3 == 0 ? 64 : round % 3 == 1 ? 4096 : damaged.size();
    for (int i = 0; i < 1 + round % 40; ++i) damaged[random() % region] = static_cast<char>(random());
    if (round % 5 == 4) damaged.resize(random() % damaged.size());
    std::filesystem::remove(path);
    write_whole(path, damaged);
    const auto file = open_code(path);
    if (!file) continue;
    ++opened;
    Symboliser symboliser(open_named);
    const Machine& machine = machine_of(round % 2 == 0 ? hal::Arch::kX86_64 : hal::Arch::kArm64);
    Cfi cfi(machine);
    for (int i = 0; i < 20; ++i) {
      const uint64_t address = random() % (damaged.size() + 4096);
      (void)symboliser.name(*file, address);
      Registers registers;
      registers.set(machine.stack_pointer, 4096);
      registers.set(machine.frame_pointer, 8192);
      bool is_signal = false;
      (void)cfi.step(
          *file, address, [](uint64_t) { return std::optional<uint64_t>(1); }, registers, is_signal);
    }
  }
  EXPECT_GT(opened, 100U);
}

TEST(AddressSpace, WhatIsMappedLaterReplacesWhatLayThere) {
  CodeFiles files(open_mapped, [](uint32_t) -> Result<std::string> { return errno_error("maps", ENOENT); });
  AddressSpace space(files, 1);
  EXPECT_FALSE(space.load());
  const auto mapping = [](uint64_t start, uint64_t end, uint64_t inode) {
    hal::Mapping one;
    one.start = start;
    one.end = end;
    one.executable = true;
    one.file = {1, inode};
    return one;
  };
  space.add(mapping(0x1000, 0x3000, 1));
  space.add(mapping(0x8000, 0x9000, 2));
  space.add(mapping(0x2000, 0x4000, 3));
  ASSERT_EQ(space.mappings().size(), 2U);
  EXPECT_EQ(space.mappings()[0].file.inode, 3U);
  EXPECT_EQ(space.mappings()[1].file.inode, 2U);
  EXPECT_TRUE(space.is_executable(0x2fff));
  EXPECT_FALSE(space.is_executable(0x1000));
}

// Each address of its stacks would cost a read, and thousands of such stacks would stop capture for a second.
TEST(AddressSpace, AProcessThatHasEndedIsNotReadForEachAddress) {
  unsigned reads = 0;
  CodeFiles files(open_mapped, [&](uint32_t) -> Result<std::string> {
    ++reads;
    return std::string();
  });
  AddressSpace space(files, 1);
  for (uint64_t address = 0x1000; address < 0x1000 + 640; ++address) EXPECT_FALSE(space.find(address).file);
  EXPECT_LE(reads, 12U);
}

}  // namespace
}  // namespace ingero::symbols
