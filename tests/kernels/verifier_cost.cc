// Prints what the verifier of this kernel does for each BPF program: a line "OBJECT.PROGRAM N", N the instructions that
// it processed (bpf_prog_info.verified_insns, Linux 5.16; "loaded" before), or "OBJECT.PROGRAM refused: WHY". Each
// program is loaded alone, so that one that is refused hides no other. `verifier_cost OBJECT.PROGRAM` prints all that
// the verifier says of that one. Needs root.
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "bpf/wire.h"  // the skeletons hold its structs
#include "capture.skel.h"
#include "files.skel.h"
#include "host.skel.h"
#include "names.skel.h"
#include "sampling.skel.h"
#include "session.skel.h"
#include "spinning.skel.h"
#include "threads.skel.h"
#include "waiting.skel.h"
#include "waking.skel.h"

namespace {

std::string words;  // libbpf's and the verifier's, of one program

[[gnu::format(printf, 2, 0)]] int collect(libbpf_print_level level, const char* format, va_list arguments) {
  if (level == LIBBPF_DEBUG) return 0;
  va_list again;
  va_copy(again, arguments);
  std::string line(static_cast<size_t>(std::max(0, vsnprintf(nullptr, 0, format, arguments))) + 1, '\0');
  const int size = vsnprintf(line.data(), line.size(), format, again);  // the verifier's log is one message
  va_end(again);
  words.append(line.c_str());
  if (words.size() > (4U << 20)) words.erase(0, words.size() - (4U << 20));
  return size;
}

// What the verifier refused is in the line before its statistics.
std::string result() {
  const size_t end = words.rfind("\nprocessed ");
  const size_t stop = end == std::string::npos ? words.find_last_not_of('\n') + 1 : end;
  const size_t start = words.rfind('\n', stop == 0 ? 0 : stop - 1);
  return words.substr(start == std::string::npos ? 0 : start + 1, stop - (start == std::string::npos ? 0 : start + 1));
}

struct Object {
  const char* name;
  const void* (*bytes)(size_t*);
  int attach_type;  // of its uprobe programs; 0: the default
};

void load(const Object& one, const char* program_name, bool is_verbose) {
  words.clear();
  size_t size = 0;
  const void* const bytes = one.bytes(&size);
  LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = one.name);
  bpf_object* const object = bpf_object__open_mem(bytes, size, &options);
  if (object == nullptr) return;
  bpf_program* program = nullptr;
  bpf_program* chosen = nullptr;
  bpf_object__for_each_program(program, object) {
    const bool is_it = std::strcmp(bpf_program__name(program), program_name) == 0;
    bpf_program__set_autoload(program, is_it);
    if (is_it) chosen = program;
  }
  if (one.attach_type != 0) {
    bpf_program__set_expected_attach_type(chosen, static_cast<bpf_attach_type>(one.attach_type));
  }
  bpf_prog_info info{};
  uint32_t length = sizeof(info);
  if (bpf_object__load(object) != 0 || bpf_obj_get_info_by_fd(bpf_program__fd(chosen), &info, &length) != 0) {
    std::printf("%s.%s refused: %s\n", one.name, program_name, is_verbose ? words.c_str() : result().c_str());
  } else if (info.verified_insns == 0) {
    std::printf("%s.%s loaded\n", one.name, program_name);
  } else {
    std::printf("%s.%s %u\n", one.name, program_name, info.verified_insns);
  }
  bpf_object__close(object);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string wanted = argc > 1 ? argv[1] : "";
  libbpf_set_print(collect);
  constexpr int kUprobeSession = 57;  // BPF_TRACE_UPROBE_SESSION
  const Object objects[] = {
      {"capture", capture::elf_bytes, 0},   {"session", session::elf_bytes, kUprobeSession},
      {"names", names::elf_bytes, 0},       {"threads", threads::elf_bytes, 0},
      {"host", host::elf_bytes, 0},         {"waiting", waiting::elf_bytes, 0},
      {"spinning", spinning::elf_bytes, 0}, {"files", files::elf_bytes, 0},
      {"waking", waking::elf_bytes, 0},     {"sampling", sampling::elf_bytes, 0},
  };
  for (const Object& one : objects) {
    size_t size = 0;
    const void* const bytes = one.bytes(&size);
    bpf_object* const object = bpf_object__open_mem(bytes, size, nullptr);
    if (object == nullptr) {
      std::printf("%s refused: %s\n", one.name, result().c_str());
      continue;
    }
    bpf_program* program = nullptr;
    bpf_object__for_each_program(program, object) {
      const std::string name = std::string(one.name) + "." + bpf_program__name(program);
      if (wanted.empty() || wanted == name) load(one, bpf_program__name(program), !wanted.empty());
    }
    bpf_object__close(object);
  }
  return 0;
}
