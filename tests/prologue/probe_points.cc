// Where a probe would stand on every function that a library exports: one line each, for prologue_test.py, which holds
// them against a disassembler.
//
//   probe_points LIBRARY none|all    prints "ADDRESS DELTA STEPPED|EMULATED|REFUSED INSTRUCTION NAME", in hexadecimal
//
// none, all: how many of the argument registers the capture reads.
#include <fcntl.h>

#include <cstdio>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "base/fd.h"
#include "hal/elf.h"
#include "hal/resolve.h"

namespace {

constexpr ingero::hal::Param kWord{ingero::hal::Abi::kI64, ingero::hal::Field::kBytes};
constexpr ingero::hal::Param kSixCaptured[] = {kWord, kWord, kWord, kWord, kWord, kWord};

}  // namespace

int main(int argc, char** argv) {
  using namespace ingero;
  if (argc != 3) {
    fmt::print(stderr, "usage: probe_points LIBRARY none|all\n");
    return 2;
  }
  Fd file(::open(argv[1], O_RDONLY | O_CLOEXEC));
  if (!file.valid()) {
    fmt::print(stderr, "probe_points: {}: cannot be opened\n", argv[1]);
    return 2;
  }
  const auto image = hal::ElfImage::open(std::move(file), argv[1]);
  if (!image.ok()) {
    fmt::print(stderr, "probe_points: {}\n", image.error().text());
    return 2;
  }
  std::map<std::string_view, const hal::Symbol*> exported;
  for (const hal::Symbol& symbol : image->functions()) {
    if (!symbol.is_local && symbol.is_default) exported.try_emplace(symbol.name, &symbol);
  }
  std::vector<hal::Row> rows;
  for (const auto& [name, symbol] : exported) {
    hal::Row row{};
    row.name = name;
    if (std::string_view(argv[2]) == "all") row.shape = kSixCaptured;
    rows.push_back(row);
  }
  hal::Library library{};
  library.rows = rows;
  for (const hal::ResolvedRow& found : hal::resolve(library, *image, hal::kHostArch)) {
    if (found.state == hal::RowState::kAbsent || found.file_offset == 0) continue;  // an alias, or an ifunc
    const hal::Symbol& symbol = *exported.at(found.row->name);
    if (found.file_offset != symbol.file_offset + found.point.delta) continue;  // another version of the name
    fmt::print("{:x} {:x} {} {} {}\n", symbol.address, found.point.delta,
               found.state == hal::RowState::kRefused ? "REFUSED"
               : found.point.single_stepped           ? "STEPPED"
                                                      : "EMULATED",
               found.point.instruction, symbol.name);
  }
  return 0;
}
