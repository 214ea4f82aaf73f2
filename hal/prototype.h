// How a vendor call is described: its public C prototype, never a register.
//
// A backend is a table of rows. Each row lists ALL parameters in order, how C passes each one, and which word of the
// closed vocabulary it fills. hal/lower.h turns a row into register and stack slots for every architecture. Spec types
// here are constexpr, pure and identical on every host; they own nothing and live for the whole program.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "hal/fabric.h"
#include "hal/slow_settings.h"
#include "hal/status_meaning.h"
#include "hal/vocabulary.h"

namespace ingero::hal {

// How C passes a parameter (System V x86-64 psABI 3.2.3, AAPCS64 6.8, System V i386 psABI 2.2.2).
enum class Abi : uint8_t {
  kI32,  // int, unsigned, enum: the upper half of the word is garbage
  kI64,  // kSize or kU64: of a 32-bit call neither it nor what is behind it is captured
  kPtr,
  kDim3,    // struct of three 32-bit integers, by value
  kStruct,  // other struct by value, `bytes` long, integers only; as a whole it can only be kId; of a 32-bit call as
            // kI64
  kFloat,   // float or double: a vector register, takes no integer slot while eight of those last; of a 32-bit call as
            // kI64
  kSize,    // size_t, or another integer as wide as a pointer
  kU64,     // unsigned long long: eight bytes everywhere
};

enum class When : uint8_t { kEntry, kReturn };

// A field read through a pointer parameter: `bytes` (1, 2, 4 or 8) at `offset` behind it. At kReturn it is what the
// callee wrote (an out-pointer), meaningful only when the call succeeded. Of a by-value struct: a member at `offset`,
// at kEntry only and inside one aligned eight-byte word, wherever the convention puts the struct.
struct Peek {
  Field into;
  uint16_t offset = 0;
  uint8_t bytes = 8;
  When when = When::kEntry;
  bool is_signed = false;
};

struct Param {
  Abi abi;
  Field into = Field::kNone;
  std::span<const Peek> peeks = {};  // kPtr and kStruct only
  uint16_t bytes = 0;                // kStruct; kPtr into kId or kExcluded: how many are read there
  bool is_signed = false;            // kI32: sign-extend
};

// A prototype shared by rows. kDim3 with into=kGridXY captures two words: (x, y) and z.
using Shape = std::span<const Param>;

// What the return register says.
enum class Returns : uint8_t {
  kStatus,   // 0 is success, anything else a vendor error code (32 bits)
  kPointer,  // null is failure
  kVoid,     // nothing
};

// Which variants of the base name are exported: bit set. The resolver tries each spelling; absent ones are not errors.
enum Variant : uint8_t {
  kNoVariant = 0,
  kPtsz = 1,      // name_ptsz
  kPtds = 2,      // name_ptds
  kV2 = 4,        // name_v2, and with kPtsz/kPtds name_v2_ptsz/name_v2_ptds
  kSpt = 8,       // name_spt
  kV3 = 16,       // name_v3
  kNotBase = 32,  // not the bare name, and with kV2 or kV3 not name_ptsz or name_ptds: those have another prototype
};

enum RowFlag : uint32_t {
  kNoFlag = 0,
  kSynchronising = 1,      // the caller waits for the device: always stored, always with a stack
  kNotWhereTarget = 2,     // only probed where `instead` is absent: a wrapper that jumps to it, or an older prototype
  kRegistersName = 4,      // fills kFunction or kHandle and kName: the sleepable name program reads the string
  kPolled = 16,            // a query called in loops (cudaEventQuery): first to be sampled out
  kAsync = 32,             // duration is the time to enqueue, not to complete
  kMangledVariants = 64,   // also exported under a C++-mangled name: match by demangled base name
  kOnlyWhereTarget = 128,  // only probed where `instead` is present: a prototype that came with a later version
  kAliasesFunction = 256,  // kHandle (at return) is another handle of the code known as kFunction
  kMarksStream = 512,      // kHandle is reached when everything put on kStream before it is done
  kAwaitsMark = 1024,      // what is put on kStream from here on waits for kHandle
  kBeginsCapture = 2048,   // calls on kStream are kept for a graph from here on, and not run
  kEndsCapture = 4096,     // until here
  kChoosesDevice = 8192,   // the thread is on kDevice, or on the device of context kHandle, from here on
  kPushesDevice = 16384,   // likewise, until the matching
  kPopsDevice = 32768,
  kAsksDevice = 65536,   // asks for the thread's device, around every launch: probed in running processes, for a while
  kHostMemory = 131072,  // obtains, registers or gives back memory of the host
  kAddressSpace = 262144,  // likewise addresses alone, behind which there is no memory
  kNextRowFlag = 524288,   // not a flag: a new one takes this value and doubles it
};
static_assert(kNextRowFlag != 0 && (kNextRowFlag & (kNextRowFlag - 1)) == 0,
              "a flag is one bit, and all of them fit the type");

// Rows of one library may share a name when its prototype changed between versions; no file may resolve both to one
// symbol (kNotBase, kNotWhereTarget and kOnlyWhereTarget keep them apart), and they are one call (hal/call_table.h).
struct Row {
  std::string_view name;  // the symbol's base spelling, and the call's name everywhere
  Kind kind;
  Shape shape;
  uint8_t variants = kNoVariant;
  std::underlying_type_t<RowFlag> flags = kNoFlag;
  Direction direction = Direction::kUnknown;  // when the name says it
  uint8_t element_bytes = 1;                  // D8, D16, D32
  Returns returns = Returns::kStatus;
  Field result = Field::kNone;          // what a returned pointer is: kAddress, kHandle, kFunction or kStream
  Peek behind_result = {Field::kNone};  // a field read behind a returned pointer: of what the callee made
  std::string_view instead = {};        // kNotWhereTarget, kOnlyWhereTarget
  uint16_t source = 0;                  // number of its source, 0: the library's
  uint16_t op = 0;                      // number of its op, 0: assigned by the store's dictionary
  std::string_view op_name = {};        // name in recordings where it differs from `name`
  Role role = Role::kNone;              // kCommunicator calls, and those that open and close a group
  uint16_t name_asked = 0;  // kAsked of this value: what is at kAnswer at return is kFunction's name; 0: none
};

// Every symbol `row` may be exported as: the base name, then its variants.
std::vector<std::string> spellings(const Row& row);

// A return code's name, as the vendor spells it.
struct StatusName {
  int64_t code;
  std::string_view name;
};
constexpr bool by_code(const StatusName& a, const StatusName& b) { return a.code < b.code; }
// The name of `code` in a table sorted by code, or empty.
std::string_view status_name(std::span<const StatusName> statuses, int64_t code);

struct CommunicatorAccessors;

// Graph calls of a runtime are a source of their own in recordings, whatever the library's.
inline constexpr uint16_t kGraphSource = 8;

// A library a backend describes. `sonames` are shell patterns matched on the file's base name or its DT_SONAME.
struct Library {
  std::string_view name;  // "libcudart" in reports
  std::span<const std::string_view> sonames;
  std::span<const Row> rows;
  std::string_view layer;                          // timeline layer: what explain prints before the call
  uint16_t source = 0;                             // number of the source of its rows
  bool in_executables = false;                     // may be linked statically: look for its symbols in executables too
  std::span<const std::string_view> anchors = {};  // symbols that prove a static copy is inside an executable
  // Sections of files built for this library, kept by strip: such a file that neither needs the library nor has a
  // symbol of it holds a copy that cannot be probed.
  std::span<const std::string_view> sections = {};
  // Return codes by code, where this library spells them its own way; empty: the backend's.
  std::span<const StatusName> statuses = {};
  std::string_view vendor = {};  // where it is not the backend's
  // A thread that has chosen no device is on the first that its process sees: so documented. Elsewhere it is on none.
  bool starts_on_first_device = false;
  // A runtime library makes its calls: of a call whose parent is not known, in a process that calls a runtime, it is
  // assumed that one of the runtime's made it.
  bool below_runtime = false;
  // How to read a communicator whose making was not seen; null: it cannot be.
  const CommunicatorAccessors* communicators = nullptr;
};

class DeviceSampler;
struct DeviceNaming;
struct DeviceError;
struct SamplerWorld;

// Calls a user might look for and why no row describes them.
struct NotProbed {
  std::string_view calls;
  std::string_view reason;
};

// What elements are: lower-case name ("float16") and size.
struct DataType {
  std::string_view name;
  uint32_t bytes = 0;
};

// An event that a device reported to a program, by the library's number of it.
struct AsyncEvent {
  std::string_view name;
  bool is_error = false;
  bool is_of_port = false;  // of a port's link: its error is that the port went down, its end that it is back
};

// What the vendor's own tools say about the machine: an entry of a support bundle.
struct Diagnostic {
  std::string_view name;                           // of the entry: "tool.txt"
  std::span<const std::string_view> command = {};  // run from the system's folders, without a shell; or
  std::string_view path = {};                      // a file to read
};

struct Backend {
  std::string_view name;    // "cuda"
  std::string_view vendor;  // the `vendor` column: "nvidia"
  std::span<const Library> libraries;
  // What the vendor's codes of a copy's direction mean (kDirection), by code; codes beyond it are unknown.
  std::span<const Direction> directions = {};
  // Return codes, sorted by code; and what those mean that are more than "the call failed".
  std::span<const StatusName> statuses = {};
  std::span<const StatusMeaning> meanings = {};
  // Environment variables that slow a program down.
  std::span<const SlowSetting> slow_settings = {};
  // Names of threads that hand over what a device has done (hal/wait.h).
  std::span<const std::string_view> completion_threads = {};
  // Where one end of a copy is, by the vendor's memory type code (kSourcePlace, kDestinationPlace).
  std::span<const Place> places = {};
  // Return codes other than 0 that are not failures, such as "not ready yet" of a query.
  std::span<const int64_t> not_failures = {};
  // Those among them that mean "accepted, in progress": the call's out-parameters are already set.
  std::span<const int64_t> accepted = {};
  std::span<const DataType> datatypes = {};           // by the vendor's code (kDatatype)
  std::span<const std::string_view> reductions = {};  // lower-case names ("sum") by its code (kReduceOp)
  std::string_view opt_in = {};  // the flag of `trace` without which nothing of it is probed; empty: always probed
  std::span<const NotProbed> not_probed = {};
  std::string_view event_call = {};                 // the row whose kFlags at return numbers an AsyncEvent
  AsyncEvent (*event_of)(uint64_t code) = nullptr;  // an empty name: no such number
  // What a counter of a fabric adapter says, by its driver (empty: unknown), where it is exported, and its name. Pure.
  CounterMeaning (*counter_of)(std::string_view driver, CounterOrigin origin, std::string_view name) = nullptr;
  // Reads fabric adapters without any vendor library. The world outlives what is returned.
  std::unique_ptr<FabricSampler> (*open_fabric)(const SamplerWorld& world) = nullptr;
  // How its numbers of devices come about; null where calls do not number devices.
  const DeviceNaming* device_naming = nullptr;
  // Reads the vendor's devices.
  std::unique_ptr<DeviceSampler> (*open_devices)(const SamplerWorld& world) = nullptr;
  // The error that a message of the kernel log reports; none when it is not this vendor's driver's. Pure.
  std::optional<DeviceError> (*kernel_log_error)(std::string_view untrusted_line) = nullptr;
  std::span<const Diagnostic> diagnostics = {};
};

// What `code` means to `backend`, or unknown.
Direction direction_of(const Backend& backend, uint64_t code);
Place place_of(const Backend& backend, uint64_t code);

}  // namespace ingero::hal
