// Each word is read by itself: what lies between is of no interest, and a page of it may not be there.
#include "hal/live_communicator.h"

#include <array>
#include <numeric>
#include <vector>

#include "hal/accessor.h"

namespace ingero::hal {
namespace {

constexpr uint64_t kMaxAccessor = 16 << 10;  // bytes of one; the longest known has 1.3 kB
constexpr int32_t kMaxRanks = 1 << 20;

std::optional<uint32_t> answered_by(std::string_view name, const ElfImage& image, Arch arch) {
  for (const Symbol& symbol : image.find(name)) {
    // Where one ends must be known: the next may be another accessor.
    if (symbol.size == 0 || symbol.size > kMaxAccessor) continue;
    const std::vector<uint8_t> code = image.bytes_at(symbol.file_offset, static_cast<size_t>(symbol.size));
    if (const auto offset = offset_answered(code, arch)) return offset;
  }
  return std::nullopt;
}

template <typename Word>
bool read_word(const ReadBytes& read, uint64_t address, Word& word) {
  return read(address, std::as_writable_bytes(std::span(&word, 1)));
}

std::optional<LiveCommunicator> read_once(const LiveLayout& layout, uint64_t handle, const ReadBytes& read) {
  LiveCommunicator found;
  uint64_t mark = 0, identity = 0;
  if (layout.mark && (!read_word(read, handle, mark) || mark != *layout.mark)) return std::nullopt;
  if (!read_word(read, handle + layout.rank, found.rank) || !read_word(read, handle + layout.nranks, found.nranks)) {
    return std::nullopt;
  }
  if (found.nranks <= 0 || found.nranks > kMaxRanks || found.rank < 0 || found.rank >= found.nranks) {
    return std::nullopt;
  }
  if (layout.identity && read_word(read, handle + *layout.identity, identity) && identity != 0) {
    found.identity = identity;
  }
  return found;
}

std::optional<uint64_t> read_counts(const LiveLayout& layout, uint64_t handle, const ReadBytes& read) {
  std::array<uint64_t, kMaxCounts> words{};
  if (!layout.counts || layout.n_counts > words.size()) return std::nullopt;
  const auto counts = std::span(words).first(layout.n_counts);
  if (!read(handle + *layout.counts, std::as_writable_bytes(counts))) return std::nullopt;
  return std::accumulate(counts.begin(), counts.end(), uint64_t{0});
}

// Nothing is guessed: a file that names two versions with different layouts has none.
std::optional<LiveLayout> layout_by_version(const CommunicatorAccessors& accessors, const ElfImage& image) {
  if (accessors.of_version == nullptr || accessors.before_version.empty()) return std::nullopt;
  std::optional<LiveLayout> found;
  for (const std::string& text : image.texts_after(accessors.before_version)) {
    if (text.empty() || text.front() < '0' || text.front() > '9') continue;
    const auto layout = accessors.of_version(text);
    if (!layout || (found && found != layout)) return std::nullopt;
    found = layout;
  }
  return found;
}

}  // namespace

std::optional<LiveLayout> live_layout(const CommunicatorAccessors& accessors, const ElfImage& image, Arch arch) {
  if (image.find(accessors.rank).empty() || image.find(accessors.nranks).empty()) {
    return layout_by_version(accessors, image);
  }
  const auto rank = answered_by(accessors.rank, image, arch);
  const auto nranks = answered_by(accessors.nranks, image, arch);
  return rank && nranks ? accessors.layout(*rank, *nranks) : std::nullopt;
}

std::optional<LiveCommunicator> read_live(const LiveLayout& layout, uint64_t handle, const ReadBytes& read) {
  const auto first = read_once(layout, handle, read);
  auto second = first ? read_once(layout, handle, read) : std::nullopt;
  if (first != second) return std::nullopt;
  if (second) second->collectives = read_counts(layout, handle, read);
  return second;
}

}  // namespace ingero::hal
