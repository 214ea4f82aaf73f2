// The closed vocabulary: what a vendor call can mean, in words no vendor owns.
//
// A backend's row says which Kind a call is and which Field each parameter fills. Adding a word here is a decision
// about the model (schema, metrics and docs follow); adding a vendor is not. Constant data and pure functions; any
// thread. Failure: nothing where a name is not in the vocabulary.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ingero::hal {

enum class Kind : uint8_t {
  kLaunch,        // work put on a device queue: kernels, cooperative kernels, host callbacks
  kMemcpy,        // bytes moved
  kMemset,        // bytes set
  kAlloc,         // memory or address space obtained
  kFree,          // and given back
  kSync,          // the calling thread waits for a device, a stream or an event
  kEvent,         // a marker on a stream, a dependency between streams
  kGraph,         // captured work: capture, instantiate, launch, update, destroy
  kStream,        // a queue's life and state
  kDevice,        // device and context selection and life
  kCollective,    // all ranks of a communicator
  kP2p,           // two ranks of a communicator
  kCommunicator,  // a communicator's life
  kModule,        // code loaded, function looked up or registered
  kFabric,        // RDMA control path and counters
  kHost,          // what the host did to the threads that made the calls
  kCount,
};

// Lower-case, as stored and shown ("launch", "memcpy", ...).
std::string_view name_of(Kind kind);
std::optional<Kind> kind_of(std::string_view name);
// Calls of collective libraries: their events come with an Exchange (hal/event.h).
constexpr bool has_exchange(Kind kind) {
  return kind == Kind::kCollective || kind == Kind::kP2p || kind == Kind::kCommunicator;
}

// What a call of a collective library does to a communicator, or to the calls around it.
enum class Role : uint8_t {
  kNone,
  kInit,        // one rank joins: kId, kNRanks, kRank
  kInitAll,     // every rank, in one process
  kSplit,       // all ranks of a communicator, into several
  kShrink,      // without some of its ranks
  kGrow,        // with more ranks: old ones name kCommunicator, new ones their kRank
  kFinalize,    // no more work follows
  kRevoke,      // work under way ends, the communicator stays
  kDestroy,     // its handle means nothing any more
  kAsk,         // its rank or its size, as the library says it
  kGroupStart,  // the thread's calls up to the matching end are one operation
  kGroupEnd,
  kAbort,  // as kDestroy, and work under way ends
};

// What a captured word means. One word fills one field; kNone takes its place in the prototype and is not captured.
enum class Field : uint8_t {
  kNone,
  kFunction,  // function handle or host stub
  kGridX,
  kGridY,
  kGridZ,
  kBlockX,
  kBlockY,
  kBlockZ,
  kGridXY,  // x in the low, y in the high 32 bits, as a by-value dim3 arrives
  kBlockXY,
  kThreadsX,
  kThreadsY,
  kThreadsZ,  // work-items, not blocks: grid = threads / block
  kSharedBytes,
  kStream,
  kBytes,
  kWidth,
  kHeight,
  kDepth,         // bytes = width * height * depth where no kBytes is given
  kElementBytes,  // multiplies kBytes (D16, D32 sets) or count
  kInElements,    // not 0: kWidth counts elements of unknown size, so bytes stay unknown
  kDirection,     // decoded through the backend's direction table
  kSourcePlace,
  kDestinationPlace,  // memory types that together say the direction, through the backend's place table
  kAddress,           // the memory a call is about (allocation, destination)
  kSource,            // the other address of a copy
  kHandle,            // the object a call is about: event, graph, executable graph, pool, module
  kHandle2,           // a second one: the graph an executable was made from
  kDevice,
  kPeerDevice,
  kFlags,            // mode or flags word
  kValue,            // a value written to an address
  kName,             // a C string
  kCommunicator,     // the communicator a call is made on
  kNewCommunicator,  // the one it gives out
  kCommunicators,    // the address of an array it fills with kNRanks of them
  kId,               // a block of bytes that is the same on all ranks: read by the sleepable name program
  kExcluded,         // the ranks a smaller communicator leaves out: likewise, kCount of them, 32 bits each
  kColor,            // ranks of one colour form a communicator
  kKey,              // and stand in it in this order
  kCount,
  kDatatype,
  kReduceOp,
  kRoot,
  kPeer,
  kRank,
  kNRanks,
  kPort,
  kQueuePair,
  kBlocking,  // not 0: the call returns when the work is done; 0: when it is queued (hal/call_table.h)
  kAsked,     // what is asked about kFunction: Row::name_asked is its name
  kAnswer,    // where the callee writes the answer: a C string where a name was asked for, read when the call returns
  kFieldCount,
};
std::string_view name_of(Field field);
// Whether it is a part of the byte count: one that is not known leaves the count unknown, not smaller.
bool is_size(Field field);

// Direction of a copy.
enum class Direction : uint8_t { kUnknown, kHostToHost, kHostToDevice, kDeviceToHost, kDeviceToDevice, kDefault };
std::string_view name_of(Direction direction);  // h2h, h2d, d2h, d2d, default, unknown

// Where one end of a copy is. kEither: an address that says it itself (unified addressing).
enum class Place : uint8_t { kUnknown, kHost, kDevice, kEither };
Direction direction_between(Place source, Place destination);

}  // namespace ingero::hal
