// Any bytes as a library file: opened, searched, resolved. Nothing may crash, hang or read outside the file.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>

#include "hal/accessor.h"
#include "hal/elf.h"
#include "hal/resolve.h"

using namespace ingero;
using namespace ingero::hal;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

constexpr Row plain_row(std::string_view name) { return {name, Kind::kLaunch, {}, kPtsz | kV2, kMangledVariants}; }
constexpr Row kRows[] = {plain_row("a"), plain_row("copy"), plain_row("exported"), plain_row("versioned")};
constexpr std::string_view kSonames[] = {"lib*.so*"};
constexpr Library kLibrary{"lib", kSonames, kRows, "LAYER"};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const int file = memfd_create("fuzz", MFD_CLOEXEC);
  require(ftruncate(file, 0) == 0 && pwrite(file, data, size, 0) == static_cast<ssize_t>(size));
  auto image = ElfImage::open(Fd(dup(file)), "fuzz");
  if (!image) return 0;
  for (const Symbol& symbol : image->functions()) {
    require(!symbol.name.empty() && symbol.file_offset < size);
    const Symbol* covering = image->covering(symbol.file_offset);
    require(covering != nullptr && covering->file_offset <= symbol.file_offset);
  }
  if (!image->functions().empty()) {
    const Symbol& first = image->functions().front();
    const std::string_view names[] = {first.name};
    (void)image->outline().defines_any(names);
    bool found = false;
    for (const Symbol& symbol : image->find(first.name)) found |= symbol.address == first.address;
    require(found);
  }
  (void)image->outline().build_id();
  (void)soname_matches(kLibrary, image->outline().soname());
  (void)library_version(image->outline().soname(), image->outline().soname());
  for (const ResolvedRow& one : resolve(kLibrary, *image, arch_of(*image, Arch::kX86_64))) {
    require(one.state != RowState::kResolved || one.file_offset < size + 64);
  }
  for (const Arch arch : {Arch::kX86_64, Arch::kArm64, Arch::kX86_32}) {
    for (const ArgumentRegisters captured : {kAllArguments, ArgumentRegisters{0}}) {
      const ProbePoint point = choose_probe_point({data, size}, arch, captured);
      require(point.delta < size || point.delta == 0);
    }
    (void)offset_answered({data, size}, arch);
  }
  return 0;
}
