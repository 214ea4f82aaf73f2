// Writes, from the backend registry, everything that stands in for vendor libraries:
//
//   <soname>.c       one library: every row under every exported spelling, obeying fake_control.h
//   old.<soname>.c   the same as a file of an earlier version: without the calls that later prototypes came with
//   libraries.txt    "FLAVOUR SONAME SOURCE", one line per library; flavour is new or old
//   fake_calls.c     the table of fake_table.h and a caller for every prototype
//
// Usage: make_fakes OUTPUT_DIRECTORY MANIFEST_FOLDER. A new backend's rows appear here without a line of code. The C
// text comes from the prototypes alone; where arguments land is the C compiler's business, which is what makes it
// evidence.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fnmatch.h>

#include "every_backend.h"
#include "fakes/fake_table.h"
#include "fakes/prototypes.h"
#include "hal/vocabulary.h"

namespace {

using namespace ingero;
using hal::Abi;
using hal::Field;
using hal::spellings;

struct Sonames {
  std::string current, old;
};

bool matches(const hal::Library& library, const std::string& name) {
  return std::any_of(library.sonames.begin(), library.sonames.end(), [&](std::string_view pattern) {
    return fnmatch(std::string(pattern).c_str(), name.c_str(), 0) == 0;
  });
}

// Names the loader and the patterns know. A library without an entry gets version 1, and 0, in its first pattern.
Sonames sonames_of(const hal::Library& library) {
  static const std::map<std::string_view, Sonames> known{{"libcudart", {"libcudart.so.13", "libcudart.so.11.0"}},
                                                         {"libcuda", {"libcuda.so.1", "libcuda.so.1"}},
                                                         {"libamdhip64", {"libamdhip64.so.6", "libamdhip64.so.5"}},
                                                         {"libnccl", {"libnccl.so.2", "libnccl.so.2"}},
                                                         {"librccl", {"librccl.so.1", "librccl.so.1"}},
                                                         {"libibverbs", {"libibverbs.so.1", "libibverbs.so.1"}}};
  auto found = known.find(library.name);
  if (found != known.end()) return found->second;
  Sonames made;
  if (library.sonames.empty()) return made;
  for (char c : library.sonames[0]) {
    const bool is_version = c == '*' && made.current.ends_with(".so");
    made.current += is_version ? ".1" : std::string(1, c == '*' ? '1' : c);
    made.old += is_version ? ".0" : std::string(1, c == '*' ? '0' : c);
  }
  return made;
}

// One exported symbol of a described library.
struct Export {
  const hal::Row* row = nullptr;
  std::string symbol;
  std::string c_name;    // differs from the symbol for a C++-mangled one
  std::string jumps_to;  // as in fake_table.h
  std::string only_with, only_without;
};

std::vector<Export> exports_of(const hal::Library& library) {
  std::vector<Export> exports;
  std::set<std::string> symbols;
  std::map<std::string, std::string> shapes;
  for (const auto& row : library.rows) {
    for (const auto& symbol : spellings(row)) shapes.emplace(symbol, fakes::shape_key(row.shape));
  }
  for (const auto& row : library.rows) {
    auto names = spellings(row);
    for (const auto& symbol : names) exports.push_back({&row, symbol, symbol, {}, {}, {}});
    if (row.flags & hal::kMangledVariants) {
      exports.push_back({&row, fakes::mangled(row), std::string(row.name) + "_mangled", {}, {}, {}});
    }
  }
  std::set<std::string_view> changed;  // names whose prototype changed between versions
  for (const auto& row : library.rows) {
    if (row.flags & hal::kOnlyWhereTarget) changed.insert(row.name);
  }
  for (auto& e : exports) {
    const hal::Row& row = *e.row;
    if (row.flags & hal::kOnlyWhereTarget) e.only_with = row.instead;
    if (!(row.flags & hal::kNotWhereTarget)) continue;
    // A wrapper has its target's prototype. Anything else is what an earlier version exported instead.
    const auto target = shapes.find(std::string(row.instead));
    if (!changed.contains(row.name) && target != shapes.end() && target->second == fakes::shape_key(row.shape)) {
      e.jumps_to = row.instead;
    } else {
      e.only_without = row.instead;
    }
  }
  return exports;
}

bool at_return(const hal::Peek& peek) { return peek.when == hal::When::kReturn; }

std::string argument_list(hal::Shape shape) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i) text += fmt::format("{}p{}", i ? ", " : "", i);
  return text;
}

// One exported function. A wrapper jumps to what it wraps, as the real one does.
std::string function_text(const Export& e) {
  const hal::Row& row = *e.row;
  const bool is_void = row.returns == hal::Returns::kVoid;
  const char* type = is_void ? "void" : "unsigned long";
  const std::string parameters = fakes::parameter_list(row.shape);
  std::string text;
  if (e.symbol != e.c_name) text += fmt::format("{} {}({}) __asm__(\"{}\");\n", type, e.c_name, parameters, e.symbol);
  text += fmt::format("{} {}({}) {{\n", type, e.c_name, parameters);
  if (!e.jumps_to.empty()) {
    return text + fmt::format("  {}{}({});\n}}\n", is_void ? "" : "return ", e.jumps_to, argument_list(row.shape));
  }
  text += "  struct fake_control *c = &control;\n  c->calls++;\n";
  unsigned out = 0;
  for (size_t i = 0; i < row.shape.size(); ++i) {
    if (row.shape[i].abi != Abi::kPtr) continue;
    for (const auto& peek : row.shape[i].peeks) {
      if (!at_return(peek)) continue;
      text += fmt::format("  write_out(p{}, {}, {}, c->out + {});\n", i, peek.offset, peek.bytes, out++);
    }
  }
  return text + fmt::format("  {}finish(c);\n}}\n", is_void ? "" : "return ");
}

constexpr const char* kLibraryHead = R"(/* Written by make_fakes: a stand-in for {0}. */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>
#include "fakes/fake_control.h"

static _Thread_local struct fake_control control;
struct fake_control *fake_control(void) {{ return &control; }}

static unsigned long now_ns(void) {{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (unsigned long)t.tv_sec * 1000000000UL + (unsigned long)t.tv_nsec;
}}

/* Pointers that cannot be memory are left alone: callers pass them on purpose. */
static void write_out(void *pointer, unsigned offset, unsigned bytes, unsigned long value) {{
  if ((unsigned long)pointer >= 65536) memcpy((char *)pointer + offset, &value, bytes);
}}

static unsigned long finish(struct fake_control *c) {{
  if (c->spin_ns) {{
    unsigned long end = now_ns() + c->spin_ns;
    while (now_ns() < end) {{}}
  }}
  if (c->sleep_ns) {{
    struct timespec t = {{(long)(c->sleep_ns / 1000000000UL), (long)(c->sleep_ns % 1000000000UL)}};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0);
  }}
  while (c->awaited && __atomic_load_n(c->awaited, __ATOMIC_ACQUIRE) < c->least) {{
    struct timespec t = {{0, 1000000}};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0);
  }}
  return c->ret;
}}

)";

std::vector<unsigned> struct_sizes(std::span<const hal::Backend* const> backends) {
  std::set<unsigned> sizes;
  for (const auto* backend : backends) {
    for (const auto& library : backend->libraries) {
      for (const auto& row : library.rows) {
        for (const auto& param : row.shape) {
          if (unsigned bytes = fakes::struct_bytes(param)) sizes.insert(bytes);
        }
      }
    }
  }
  return {sizes.begin(), sizes.end()};
}

// Empty when the tables contradict themselves: two rows that one file would export under the same name.
std::string library_text(const hal::Library& library, const std::vector<unsigned>& sizes, bool old) {
  const auto exports = exports_of(library);
  std::set<std::string> later;
  for (const auto& e : exports) {
    later.insert(e.only_with);
    later.insert(e.only_without);
  }
  std::string text = fmt::format(kLibraryHead, library.name) + fakes::struct_declarations(sizes) + "\n";
  std::string wrappers;
  std::set<std::string> done;
  for (const auto& e : exports) {
    if (old ? !e.only_with.empty() || later.contains(e.symbol) || later.contains(std::string(e.row->name))
            : !e.only_without.empty()) {
      continue;
    }
    if (!done.insert(e.symbol).second) {
      fmt::print(stderr, "make_fakes: {} describes {} twice for one {} file\n", library.name, e.symbol,
                 old ? "old" : "new");
      return {};
    }
    (e.jumps_to.empty() ? text : wrappers) += function_text(e);
    // The profiling names share the address of the public ones, which are weak.
    if (library.name == "libnccl") {
      text += fmt::format("#pragma weak {0}\nextern __typeof__({0}) p{0} __attribute__((alias(\"{0}\")));\n", e.symbol);
    }
  }
  return text + wrappers;  // after what they jump to
}

bool has_old_flavour(const hal::Library& library) {
  const auto exports = exports_of(library);
  return std::any_of(exports.begin(), exports.end(),
                     [](const Export& e) { return !e.only_with.empty() || !e.only_without.empty(); });
}

// Where each parameter's words lie in the argument array.
std::vector<unsigned> first_words(hal::Shape shape) {
  std::vector<unsigned> first;
  unsigned word = 0;
  for (const auto& param : shape) {
    first.push_back(word);
    word += fakes::words_of(param);
  }
  return first;
}

// The caller declares a 32-bit parameter as a whole word, so that the upper half of the register carries what the
// argument array holds there: the ABI leaves it undefined and real callers leave garbage in it.
std::string caller_text(hal::Shape shape, bool is_void) {
  const auto first = first_words(shape);
  std::string types, arguments, copies;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto& param = shape[i];
    const std::string comma = i ? ", " : "";
    const bool wide =
        param.abi == Abi::kI32 || param.abi == Abi::kI64 || param.abi == Abi::kSize || param.abi == Abi::kU64;
    types += comma + (wide ? "unsigned long" : fakes::c_type(param));
    if (wide) {
      arguments += fmt::format("{}w[{}]", comma, first[i]);
    } else if (param.abi == Abi::kPtr) {
      arguments += fmt::format("{}(void *)w[{}]", comma, first[i]);
    } else {
      copies +=
          fmt::format("  {} a{};\n  memcpy(&a{}, w + {}, sizeof a{});\n", fakes::c_type(param), i, i, first[i], i);
      arguments += fmt::format("{}a{}", comma, i);
    }
  }
  if (shape.empty()) types = "void";
  std::string text =
      fmt::format("static uint64_t call_{}_{}(void *function, const uint64_t *w) {{\n{}{}", fakes::shape_key(shape),
                  is_void ? "v" : "w", shape.empty() ? "  (void)w;\n" : "", copies);
  // An object pointer becomes a function pointer by its bytes: ISO C has no cast for it.
  text += fmt::format("  {} (*f)({});\n  memcpy(&f, &function, sizeof f);\n", is_void ? "void" : "uint64_t", types);
  text +=
      is_void ? fmt::format("  f({});\n  return 0;\n}}\n", arguments) : fmt::format("  return f({});\n}}\n", arguments);
  return text;
}

struct Items {
  std::string text;
  unsigned count = 0;
  unsigned out = 0;
};

Items items_text(const hal::Row& row) {
  const hal::Shape shape = row.shape;
  Items items;
  const auto first = first_words(shape);
  auto add = [&](Field field, size_t param, unsigned word, unsigned bytes, bool is_peek, bool is_out, bool is_signed,
                 unsigned offset) {
    items.text += fmt::format("{{\"{}\", {}, {}, {}, {:d}, {:d}, 0, {:d}, {}}}, ", hal::name_of(field), param, word,
                              bytes, is_peek, is_out, is_signed, offset);
    ++items.count;
  };
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto& param = shape[i];
    if (param.into != Field::kNone) {
      if (param.abi == Abi::kDim3 && (param.into == Field::kGridXY || param.into == Field::kBlockXY)) {
        add(param.into, i, first[i], 8, false, false, false, 0);
        add(param.into == Field::kGridXY ? Field::kGridZ : Field::kBlockZ, i, first[i] + 1, 4, false, false, false, 0);
      } else {
        add(param.into, i, first[i], param.abi == Abi::kI32 ? 4 : 8, false, false, param.is_signed, 0);
      }
    }
    for (const auto& peek : param.peeks) {
      if (param.abi == Abi::kStruct) {
        add(peek.into, i, first[i] + peek.offset / 8, peek.bytes, false, false, peek.is_signed, peek.offset % 8);
        continue;
      }
      items.out += at_return(peek) ? 1 : 0;
      add(peek.into, i, first[i], peek.bytes, true, at_return(peek), peek.is_signed, peek.offset);
    }
  }
  if (const hal::Peek& peek = row.behind_result; peek.into != Field::kNone) {
    items.text += fmt::format("{{\"{}\", 0, 0, {}, 1, 1, 1, {:d}, {}}}, ", hal::name_of(peek.into), peek.bytes,
                              peek.is_signed, peek.offset);
    ++items.count;
  }
  return items;
}

std::string params_text(hal::Shape shape) {
  const auto first = first_words(shape);
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i) {
    const auto& param = shape[i];
    unsigned reach = 0;
    if (param.abi == Abi::kPtr) {
      for (const auto& peek : param.peeks) reach = std::max<unsigned>(reach, peek.offset + peek.bytes);
    }
    const bool is_text = param.abi == Abi::kPtr && param.into == Field::kName;
    text += fmt::format("{{{}, {}, {}, {}, {}}}, ", static_cast<int>(param.abi), first[i], fakes::words_of(param),
                        is_text ? 1 : 0, reach);
  }
  return text;
}

std::string table_text(std::span<const hal::Backend* const> backends, const std::vector<unsigned>& sizes) {
  std::string callers, data, rows;
  std::set<std::string> known_callers;
  unsigned index = 0;
  for (const auto* backend : backends) {
    for (const auto& library : backend->libraries) {
      const hal::Row* previous = nullptr;
      for (const auto& e : exports_of(library)) {
        const hal::Row& row = *e.row;
        const bool is_void = row.returns == hal::Returns::kVoid;
        const std::string caller = fmt::format("call_{}_{}", fakes::shape_key(row.shape), is_void ? "v" : "w");
        const Items items = items_text(row);
        if (previous != &row) {
          previous = &row;
          ++index;
          unsigned words = 0;
          for (const auto& param : row.shape) words += fakes::words_of(param);
          if (row.shape.size() > FAKE_MAX_PARAMS || words > FAKE_MAX_WORDS || items.count > FAKE_MAX_ITEMS) {
            fmt::print(stderr, "make_fakes: {} is larger than fake_table.h allows; raise its limits\n", row.name);
            return {};
          }
          if (known_callers.insert(caller).second) callers += caller_text(row.shape, is_void);
          if (!row.shape.empty()) {
            data +=
                fmt::format("static const struct fake_param params_{}[] = {{{}}};\n", index, params_text(row.shape));
          }
          if (items.count)
            data += fmt::format("static const struct fake_item items_{}[] = {{{}}};\n", index, items.text);
        }
        rows += fmt::format("  {{\"{}\", \"{}\", \"{}\", \"{}\", \"{}\",\n", e.symbol, row.name, e.jumps_to,
                            e.only_with, e.only_without);
        rows += fmt::format("   \"{}\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\", \"{}\",\n", library.name,
                            sonames_of(library).current, backend->name,
                            library.vendor.empty() ? backend->vendor : library.vendor, hal::name_of(row.kind),
                            hal::name_of(row.direction), hal::name_of(row.result));
        rows += fmt::format("   {}, {}, {}, {}, {}, {}, {}, {}, {}}},\n", row.flags, row.element_bytes,
                            static_cast<int>(row.returns), row.shape.size(), items.count, items.out,
                            row.shape.empty() ? "0" : fmt::format("params_{}", index),
                            items.count ? fmt::format("items_{}", index) : "0", caller);
      }
    }
  }
  return "/* Written by make_fakes: every described call and how to make it. */\n#include \"fakes/fake_table.h\"\n"
         "#include <string.h>\n\n" +
         fakes::struct_declarations(sizes) + "\n" + callers + "\n" + data +
         "\nconst struct fake_row fake_rows[] = {\n" + rows +
         "};\nconst unsigned fake_row_count = sizeof fake_rows / sizeof fake_rows[0];\n";
}

bool write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  file.close();
  if (text.empty() || !file) {
    fmt::print(stderr, "make_fakes: cannot write {}\n", path);
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: make_fakes OUTPUT_DIRECTORY MANIFEST_FOLDER\n");
    return 2;
  }
  const std::string directory = argv[1];
  const auto backends = every_backend(argv[2]);
  const auto sizes = struct_sizes(backends);
  std::string list;
  for (const auto* backend : backends) {
    for (const auto& library : backend->libraries) {
      const Sonames sonames = sonames_of(library);
      for (const bool old : {false, true}) {
        if (old && !has_old_flavour(library)) continue;
        const std::string& soname = old ? sonames.old : sonames.current;
        if (!matches(library, soname)) {
          fmt::print(stderr, "make_fakes: no pattern of {} matches \"{}\", the name made up for it\n", library.name,
                     soname);
          return 1;
        }
        const std::string source = fmt::format("{}{}.c", old ? "old." : "", soname);
        if (!write_file(fmt::format("{}/{}", directory, source), library_text(library, sizes, old))) return 1;
        list += fmt::format("{} {} {}\n", old ? "old" : "new", soname, source);
      }
    }
  }
  if (!write_file(directory + "/fake_calls.c", table_text(backends, sizes))) return 1;
  return write_file(directory + "/libraries.txt", list) ? 0 : 1;
}
