// Decodes captured words into event fields. Every word is untrusted: it is masked to the bits its prototype gives it,
// and products saturate.
#include "hal/decode.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ingero::hal {
namespace {

constexpr uint64_t kMaxBytes = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());

uint64_t saturating_product(uint64_t a, uint64_t b) {
  uint64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product)) return kMaxBytes;
  return std::min(product, kMaxBytes);
}

uint64_t value_of(const Word& word, uint64_t raw) {
  if (word.shift >= 64) return 0;
  const uint64_t value = raw >> word.shift;
  if (word.bits >= 64) return value;
  const uint64_t mask = (uint64_t{1} << word.bits) - 1;
  const bool is_negative = word.is_signed && ((value >> (word.bits - 1)) & 1U) != 0;
  return is_negative ? value | ~mask : value & mask;
}

void decode_return(const Call& call, uint64_t raw_return, Event& event) {
  switch (call.row->returns) {
    case Returns::kStatus: {
      event.return_code = static_cast<int32_t>(static_cast<uint32_t>(raw_return));
      event.set(Has::kReturnCode);
      const std::span<const int64_t> answers =
          call.owner != nullptr ? call.owner->not_failures : std::span<const int64_t>{};
      event.failed =
          event.return_code != 0 && std::find(answers.begin(), answers.end(), event.return_code) == answers.end();
      break;
    }
    case Returns::kPointer:
      event.failed = raw_return == 0;
      break;
    case Returns::kVoid:
      event.failed = false;
      break;
  }
}

// Whether the function completed, so that its out-parameters hold results. "Not ready" is not a failure, but nothing
// was written either.
bool wrote_results(const Call& call, const Event& event) {
  if (event.outcome != Outcome::kReturned || event.failed) return false;
  if (!event.has(Has::kReturnCode) || event.return_code == 0) return true;
  const std::span<const int64_t> accepted = call.owner != nullptr ? call.owner->accepted : std::span<const int64_t>{};
  return std::find(accepted.begin(), accepted.end(), event.return_code) != accepted.end();
}

// What only several words together say.
struct Parts {
  std::optional<uint64_t> bytes, width, height, depth, element_bytes;
  std::optional<uint64_t> count, datatype;
  std::optional<uint64_t> source_place, destination_place;
  bool in_elements = false;
  std::array<std::optional<uint32_t>, 3> grid, block, threads;
};

void put(Event& event, Has has, uint64_t& field, uint64_t value) {
  field = value;
  event.set(has);
}

void split_xy(std::array<std::optional<uint32_t>, 3>& dims, uint64_t value) {
  dims[0] = static_cast<uint32_t>(value);
  dims[1] = static_cast<uint32_t>(value >> 32);
}

void set_direction(Event& event, Direction direction) {
  if (direction == Direction::kUnknown) return;
  event.direction = direction;
  event.set(Has::kDirection);
}

void put_exchange(Field field, uint64_t value, Exchange& exchange) {
  const auto narrow = static_cast<uint32_t>(value);
  const auto number = static_cast<int32_t>(narrow);
  switch (field) {
    case Field::kCommunicator:
      exchange.communicator = value;
      return;
    case Field::kNewCommunicator:
      exchange.new_communicator = value;
      return;
    case Field::kCommunicators:
      exchange.communicators = value;
      return;
    case Field::kCount:
      exchange.count = value;
      return;
    case Field::kDatatype:
      exchange.datatype = narrow;
      return;
    case Field::kReduceOp:
      exchange.reduce_op = narrow;
      return;
    case Field::kRoot:
      exchange.root = number;
      return;
    case Field::kPeer:
      exchange.peer = number;
      return;
    case Field::kRank:
      exchange.rank = number;
      return;
    case Field::kNRanks:
      exchange.nranks = number;
      return;
    case Field::kColor:
      exchange.color = number;
      return;
    case Field::kKey:
      exchange.key = number;
      return;
    default:
      return;
  }
}

// Long because it is one switch over the vocabulary: the compiler checks that no word is forgotten.
void put_word(const Call& call, Field field, uint64_t value, Event& event, Parts& parts) {
  const auto narrow = static_cast<uint32_t>(value);
  const auto between = [field](Field first) { return static_cast<size_t>(field) - static_cast<size_t>(first); };
  switch (field) {
    case Field::kFunction:
      return put(event, Has::kFunction, event.function, value);
    case Field::kGridX:
    case Field::kGridY:
    case Field::kGridZ:
      parts.grid[between(Field::kGridX)] = narrow;
      return;
    case Field::kBlockX:
    case Field::kBlockY:
    case Field::kBlockZ:
      parts.block[between(Field::kBlockX)] = narrow;
      return;
    case Field::kGridXY:
      return split_xy(parts.grid, value);
    case Field::kBlockXY:
      return split_xy(parts.block, value);
    case Field::kThreadsX:
    case Field::kThreadsY:
    case Field::kThreadsZ:
      parts.threads[between(Field::kThreadsX)] = narrow;
      return;
    case Field::kSharedBytes:
      return put(event, Has::kSharedBytes, event.shared_bytes, value);
    case Field::kStream:
      return put(event, Has::kStream, event.stream, value);
    case Field::kBytes:
      parts.bytes = value;
      return;
    case Field::kWidth:
      parts.width = value;
      return;
    case Field::kHeight:
      parts.height = value;
      return;
    case Field::kDepth:
      parts.depth = value;
      return;
    case Field::kElementBytes:
      parts.element_bytes = value;
      return;
    case Field::kInElements:
      parts.in_elements = parts.in_elements || value != 0;
      return;
    case Field::kDirection:
      if (call.owner != nullptr) set_direction(event, direction_of(*call.owner, value));
      return;
    case Field::kSourcePlace:
      parts.source_place = value;
      return;
    case Field::kDestinationPlace:
      parts.destination_place = value;
      return;
    case Field::kAddress:
      return put(event, Has::kAddress, event.address, value);
    case Field::kSource:
      return put(event, Has::kSourceAddress, event.source_address, value);
    case Field::kHandle:
      return put(event, Has::kHandle, event.handle, value);
    case Field::kHandle2:
      return put(event, Has::kHandle2, event.handle2, value);
    case Field::kDevice:
      event.device = static_cast<int32_t>(narrow);
      return event.set(Has::kDevice);
    case Field::kPeerDevice:
      event.peer_device = static_cast<int32_t>(narrow);
      return event.set(Has::kPeerDevice);
    case Field::kFlags:
      return put(event, Has::kFlags, event.flags, value);
    case Field::kCount:
      parts.count = value;
      return;
    case Field::kDatatype:
      parts.datatype = value;
      return;
    // Words without a column of their own: kName, kAnswer, kId and kExcluded travel in their own record, those of
    // communicators go into the call's Exchange, the rest belong to later rooms.
    case Field::kNone:
    case Field::kValue:
    case Field::kName:
    case Field::kCommunicator:
    case Field::kNewCommunicator:
    case Field::kCommunicators:
    case Field::kId:
    case Field::kExcluded:
    case Field::kColor:
    case Field::kKey:
    case Field::kReduceOp:
    case Field::kRoot:
    case Field::kPeer:
    case Field::kRank:
    case Field::kNRanks:
    case Field::kPort:
    case Field::kQueuePair:
    case Field::kBlocking:
    case Field::kAsked:
    case Field::kAnswer:
    case Field::kFieldCount:
      return;
  }
}

// Elements of a named type. Other counts (of devices, of copies) say nothing about bytes.
std::optional<uint64_t> typed_bytes(const Call& call, const Parts& parts) {
  if (!parts.count || !parts.datatype || call.owner == nullptr) return {};
  const auto types = call.owner->datatypes;
  if (*parts.datatype >= types.size()) return {};
  return saturating_product(*parts.count, types[*parts.datatype].bytes);
}

void derive_bytes(const Call& call, const Parts& parts, Event& event) {
  const Row& row = *call.row;
  if (parts.in_elements) return;
  uint64_t bytes = 0;
  if (const auto typed = typed_bytes(call, parts)) {
    bytes = *typed;
  } else if (parts.bytes) {
    bytes = std::min(*parts.bytes, kMaxBytes);
  } else if (parts.width) {
    bytes = saturating_product(*parts.width, parts.height.value_or(1));
    bytes = saturating_product(bytes, parts.depth.value_or(1));
  } else {
    return;
  }
  bytes = saturating_product(bytes, row.element_bytes);
  put(event, Has::kBytes, event.bytes, saturating_product(bytes, parts.element_bytes.value_or(1)));
}

bool all_known(const std::array<std::optional<uint32_t>, 3>& dims) { return dims[0] && dims[1] && dims[2]; }

std::array<uint32_t, 3> plain(const std::array<std::optional<uint32_t>, 3>& dims) {
  return {*dims[0], *dims[1], *dims[2]};
}

void derive_dims(const Parts& parts, Event& event) {
  if (all_known(parts.block)) {
    event.block = plain(parts.block);
    event.set(Has::kBlock);
  }
  if (all_known(parts.grid)) {
    event.grid = plain(parts.grid);
    event.set(Has::kGrid);
  } else if (all_known(parts.threads) && event.has(Has::kBlock) && event.block[0] != 0 && event.block[1] != 0 &&
             event.block[2] != 0) {
    // A partial last block is a block.
    for (size_t i = 0; i < 3; ++i) {
      event.grid[i] = *parts.threads[i] / event.block[i] + (*parts.threads[i] % event.block[i] != 0 ? 1 : 0);
    }
    event.set(Has::kGrid);
  }
}

}  // namespace

void decode(const Call& call, const Lowered& lowered, std::span<const uint64_t> untrusted_words, uint16_t valid,
            uint64_t raw_return, Event& event, Exchange* exchange) {
  if (event.outcome == Outcome::kReturned) decode_return(call, raw_return, event);
  const bool results = wrote_results(call, event);
  if (exchange != nullptr) exchange->role = call.row->role;

  Parts parts;
  bool size_known = !lowered.lacks_size;
  const size_t n_words = std::min<size_t>(lowered.recipe.n_words, lowered.words.size());
  for (size_t i = 0; i < n_words; ++i) {
    const Word& word = lowered.words[i];
    const bool known = i < untrusted_words.size() && ((valid >> i) & 1U) != 0 && (!word.at_return || results);
    if (known) {
      const uint64_t value = value_of(word, untrusted_words[i]);
      put_word(call, word.field, value, event, parts);
      if (exchange != nullptr) put_exchange(word.field, value, *exchange);
    } else if (is_size(word.field)) {
      size_known = false;
    }
  }
  if (call.row->result != Field::kNone && results) put_word(call, call.row->result, raw_return, event, parts);
  if (size_known) derive_bytes(call, parts, event);
  derive_dims(parts, event);
  if (parts.source_place && parts.destination_place && call.owner != nullptr) {
    set_direction(event, direction_between(place_of(*call.owner, *parts.source_place),
                                           place_of(*call.owner, *parts.destination_place)));
  }
  if (call.row->direction != Direction::kUnknown) set_direction(event, call.row->direction);
}

}  // namespace ingero::hal
