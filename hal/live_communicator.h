// A communicator that was made before the recording began, or unseen: what its library keeps of it, in the process's
// memory.
//
// Where that lies differs from version to version, so the library's own accessors say it (hal/accessor.h), and the
// vendor what else is near (CommunicatorAccessors::layout). Pure but for the callback; thread-safe. The file and the
// memory are untrusted: what cannot be true is nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "hal/elf.h"
#include "hal/lower.h"

namespace ingero::hal {

// Offsets in what a communicator's handle points to.
struct LiveLayout {
  uint32_t rank = 0, nranks = 0;       // of 32 bits
  std::optional<uint32_t> identity{};  // of 64 bits, the same on all ranks
  std::optional<uint64_t> mark{};      // the first 64 bits of one that is alive
  std::optional<uint32_t> counts{};    // n_counts of 64 bits: the collectives so far, by function
  uint32_t n_counts = 0;               // at most kMaxCounts
  bool operator==(const LiveLayout&) const = default;
};

// Functions `int f(communicator, int* answer)` that only read a word of the communicator.
struct CommunicatorAccessors {
  std::string_view rank, nranks;
  // The whole from what those two read; none: not one that is known to hold.
  std::optional<LiveLayout> (*layout)(uint32_t rank, uint32_t nranks);
  std::span<const std::string_view> counted;  // names of the calls that LiveLayout::counts counts
  // Of a copy without these functions, which a linker leaves out where nothing calls them: what stands before the
  // library's version in its constants, and the layout of a version; empty, null: not known.
  std::string_view before_version = {};
  std::optional<LiveLayout> (*of_version)(std::string_view untrusted_version) = nullptr;
};

constexpr uint32_t kMaxCounts = 8;

// By the accessors; where one is missing, by the version, if the file names one and only one that is known.
std::optional<LiveLayout> live_layout(const CommunicatorAccessors& accessors, const ElfImage& image, Arch arch);

struct LiveCommunicator {
  int32_t rank = 0, nranks = 0;
  std::optional<uint64_t> identity{};
  std::optional<uint64_t> collectives{};                // that the library has counted
  uint64_t read_from_mono_ns = 0, read_to_mono_ns = 0;  // when: set by its reader
  bool operator==(const LiveCommunicator&) const = default;
};

// Copies bytes of the process's memory; false when they cannot be read.
using ReadBytes = std::function<bool(uint64_t address, std::span<std::byte> bytes)>;
// None: not alive, not made to the end, or changed while it was read (but for its counts).
std::optional<LiveCommunicator> read_live(const LiveLayout& layout, uint64_t handle, const ReadBytes& read);

}  // namespace ingero::hal
