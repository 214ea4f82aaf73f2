// Names of the closed vocabulary, as stored and shown.
#include "hal/vocabulary.h"

#include <array>

namespace ingero::hal {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Kind::kCount)> kKindNames = {
    "launch", "memcpy", "memset",     "alloc", "free",         "sync",   "event",  "graph",
    "stream", "device", "collective", "p2p",   "communicator", "module", "fabric", "host",
};

constexpr std::array<std::string_view, static_cast<size_t>(Field::kFieldCount)> kFieldNames = {
    "none",
    "function",
    "grid_x",
    "grid_y",
    "grid_z",
    "block_x",
    "block_y",
    "block_z",
    "grid_xy",
    "block_xy",
    "threads_x",
    "threads_y",
    "threads_z",
    "shared_bytes",
    "stream",
    "bytes",
    "width",
    "height",
    "depth",
    "element_bytes",
    "in_elements",
    "direction",
    "source_place",
    "destination_place",
    "address",
    "source",
    "handle",
    "handle2",
    "device",
    "peer_device",
    "flags",
    "value",
    "name",
    "communicator",
    "new_communicator",
    "communicators",
    "id",
    "excluded",
    "color",
    "key",
    "count",
    "datatype",
    "reduce_op",
    "root",
    "peer",
    "rank",
    "nranks",
    "port",
    "queue_pair",
    "blocking",
    "asked",
    "answer",
};
// A word added to one of the enums without its spelling leaves the last entry empty.
static_assert(!kKindNames.back().empty() && !kFieldNames.back().empty());

}  // namespace

std::string_view name_of(Kind kind) {
  const auto index = static_cast<size_t>(kind);
  return index < kKindNames.size() ? kKindNames[index] : "unknown";
}

std::optional<Kind> kind_of(std::string_view name) {
  for (size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<Kind>(i);
  }
  return std::nullopt;
}

std::string_view name_of(Field field) {
  const auto index = static_cast<size_t>(field);
  return index < kFieldNames.size() ? kFieldNames[index] : "unknown";
}

std::string_view name_of(Direction direction) {
  switch (direction) {
    case Direction::kHostToHost:
      return "h2h";
    case Direction::kHostToDevice:
      return "h2d";
    case Direction::kDeviceToHost:
      return "d2h";
    case Direction::kDeviceToDevice:
      return "d2d";
    case Direction::kDefault:
      return "default";
    case Direction::kUnknown:
      break;
  }
  return "unknown";
}

bool is_size(Field field) {
  switch (field) {
    case Field::kBytes:
    case Field::kWidth:
    case Field::kHeight:
    case Field::kDepth:
    case Field::kElementBytes:
    case Field::kInElements:
      return true;
    default:
      return false;
  }
}

Direction direction_between(Place source, Place destination) {
  if (source == Place::kUnknown || destination == Place::kUnknown) return Direction::kUnknown;
  if (source == Place::kEither || destination == Place::kEither) return Direction::kDefault;
  if (source == Place::kHost) {
    return destination == Place::kHost ? Direction::kHostToHost : Direction::kHostToDevice;
  }
  return destination == Place::kHost ? Direction::kDeviceToHost : Direction::kDeviceToDevice;
}

}  // namespace ingero::hal
