// Turns a YAML tree into function rows, one key at a time. Each problem is reported with its line, and reading
// continues with a default, so that one pass finds all problems; a manifest with any problem is refused.
#include "backends/manifest.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>

#include <fmt/format.h>

#include "backends/yaml_reader.h"
#include "base/text.h"
#include "hal/conformance.h"
#include "hal/visible_devices.h"

namespace ingero::backends {
namespace {

constexpr size_t kMaxProblems = 20;
constexpr size_t kMaxLibraries = 16;
constexpr size_t kMaxRows = 2000;  // of all libraries
constexpr size_t kMaxShapes = 1000;
constexpr size_t kMaxParams = 32;
constexpr size_t kMaxPeeks = 16;
constexpr size_t kMaxList = 64;  // patterns, anchors, sections
constexpr size_t kMaxCodes = 4096;
constexpr int64_t kMaxStructBytes = 4096;
constexpr int64_t kMaxOffset = 4096;

using Word = YamlReader::Word;
constexpr std::string_view kLowerWord = "a short name in lower case";
constexpr std::string_view kVariable = "a variable of the environment";
constexpr Word kAbis[] = {
    {"i32", unsigned(hal::Abi::kI32)},       {"i64", unsigned(hal::Abi::kI64)},     {"ptr", unsigned(hal::Abi::kPtr)},
    {"size", unsigned(hal::Abi::kSize)},     {"u64", unsigned(hal::Abi::kU64)},     {"dim3", unsigned(hal::Abi::kDim3)},
    {"struct", unsigned(hal::Abi::kStruct)}, {"float", unsigned(hal::Abi::kFloat)},
};
constexpr Word kVariants[] = {
    {"ptsz", hal::kPtsz}, {"ptds", hal::kPtds}, {"v2", hal::kV2},
    {"spt", hal::kSpt},   {"v3", hal::kV3},     {"not_base", hal::kNotBase},
};
constexpr Word kFlags[] = {
    {"synchronising", hal::kSynchronising},
    {"not_where_target", hal::kNotWhereTarget},
    {"registers_name", hal::kRegistersName},
    {"polled", hal::kPolled},
    {"async", hal::kAsync},
    {"mangled_twins", hal::kMangledVariants},
    {"only_where_target", hal::kOnlyWhereTarget},
    {"aliases_function", hal::kAliasesFunction},
    {"marks_stream", hal::kMarksStream},
    {"chooses_device", hal::kChoosesDevice},
    {"asks_device", hal::kAsksDevice},
    {"pushes_device", hal::kPushesDevice},
    {"pops_device", hal::kPopsDevice},
    {"awaits_mark", hal::kAwaitsMark},
    {"begins_capture", hal::kBeginsCapture},
    {"ends_capture", hal::kEndsCapture},
    {"host_memory", hal::kHostMemory},
    {"address_space", hal::kAddressSpace},
};
constexpr Word kReturns[] = {
    {"status", unsigned(hal::Returns::kStatus)},
    {"pointer", unsigned(hal::Returns::kPointer)},
    {"void", unsigned(hal::Returns::kVoid)},
};
constexpr Word kPlaces[] = {
    {"unknown", unsigned(hal::Place::kUnknown)},
    {"host", unsigned(hal::Place::kHost)},
    {"device", unsigned(hal::Place::kDevice)},
    {"either", unsigned(hal::Place::kEither)},
};
constexpr Word kRoles[] = {
    {"none", unsigned(hal::Role::kNone)},
    {"init", unsigned(hal::Role::kInit)},
    {"init_all", unsigned(hal::Role::kInitAll)},
    {"split", unsigned(hal::Role::kSplit)},
    {"shrink", unsigned(hal::Role::kShrink)},
    {"grow", unsigned(hal::Role::kGrow)},
    {"finalize", unsigned(hal::Role::kFinalize)},
    {"revoke", unsigned(hal::Role::kRevoke)},
    {"destroy", unsigned(hal::Role::kDestroy)},
    {"abort", unsigned(hal::Role::kAbort)},
    {"ask", unsigned(hal::Role::kAsk)},
    {"group_start", unsigned(hal::Role::kGroupStart)},
    {"group_end", unsigned(hal::Role::kGroupEnd)},
};
constexpr Word kWhens[] = {{"entry", unsigned(hal::When::kEntry)}, {"return", unsigned(hal::When::kReturn)}};

// The vocabulary's own spellings, so that a new word needs no line here.
template <typename Enum, Enum kLast>
std::vector<Word> words_of() {
  std::vector<Word> words;
  for (unsigned i = 0; i <= static_cast<unsigned>(kLast); ++i) words.push_back({name_of(static_cast<Enum>(i)), i});
  return words;
}
const std::vector<Word>& field_words() {
  static const auto words =
      words_of<hal::Field, static_cast<hal::Field>(static_cast<unsigned>(hal::Field::kFieldCount) - 1)>();
  return words;
}
const std::vector<Word>& kind_words() {
  static const auto words = words_of<hal::Kind, static_cast<hal::Kind>(static_cast<unsigned>(hal::Kind::kCount) - 1)>();
  return words;
}
const std::vector<Word>& direction_words() {
  static const auto words = words_of<hal::Direction, hal::Direction::kDefault>();
  return words;
}

}  // namespace

struct Manifest::Storage {
  std::string file;
  std::deque<std::string> strings;
  std::deque<std::vector<std::string_view>> lists;
  std::deque<std::vector<hal::Peek>> peeks;
  std::deque<std::vector<hal::Param>> shapes;
  std::deque<std::vector<hal::StatusName>> statuses;
  std::deque<std::vector<hal::Row>> rows;
  std::vector<hal::Library> libraries;
  std::vector<hal::Direction> directions;
  std::vector<hal::Place> places;
  std::vector<int64_t> not_failures, accepted;
  std::vector<hal::DataType> datatypes;
  std::vector<hal::NotProbed> not_probed;
  std::vector<hal::VisibleList> visible_lists;
  hal::DeviceNaming naming;
  hal::Backend backend;
};

class ManifestReader : private YamlReader {
 public:
  explicit ManifestReader(Manifest::Storage& out) : YamlReader(out.strings, out.lists, kMaxProblems), out_(out) {}

  std::vector<ManifestProblem> read(const YamlNode& root) {
    const Keys keys = keys_of(root, "a manifest",
                              {"backend", "vendor", "directions", "places", "statuses", "not_failures", "accepted",
                               "datatypes", "reductions", "devices", "not_probed", "shapes", "libraries"},
                              {"backend", "vendor", "libraries"});
    hal::Backend& backend = out_.backend;
    backend.name = text(keys["backend"], is_lower_word, kLowerWord);
    backend.vendor = text(keys["vendor"], is_lower_word, kLowerWord);
    for (const YamlNode& item : list(keys["directions"], kMaxList)) {
      out_.directions.push_back(static_cast<hal::Direction>(word(item, direction_words(), "direction")));
    }
    for (const YamlNode& item : list(keys["places"], kMaxList)) {
      out_.places.push_back(static_cast<hal::Place>(word(item, kPlaces, "place")));
    }
    backend.directions = out_.directions;
    backend.places = out_.places;
    backend.statuses = statuses(keys["statuses"]);
    for (const YamlNode& item : list(keys["not_failures"], kMaxList)) out_.not_failures.push_back(code(item));
    backend.not_failures = out_.not_failures;
    for (const YamlNode& item : list(keys["accepted"], kMaxList)) out_.accepted.push_back(code(item));
    backend.accepted = out_.accepted;
    for (const YamlNode& item : list(keys["datatypes"], kMaxList)) out_.datatypes.push_back(datatype(item));
    backend.datatypes = out_.datatypes;
    backend.reductions = texts(keys["reductions"], kMaxList, is_lower_word, kLowerWord);
    for (const YamlNode& item : list(keys["not_probed"], kMaxList)) out_.not_probed.push_back(not_probed(item));
    backend.not_probed = out_.not_probed;
    read_devices(keys["devices"]);
    read_shapes(keys["shapes"]);
    read_libraries(keys["libraries"]);
    backend.libraries = out_.libraries;
    if (is_good()) evaluate(root);
    return take_problems();
  }

 private:
  // A return code as an event holds it: 32 bits with a sign. Written either way (0x80000001 is -2147483647).
  int64_t code(const YamlNode& node) {
    return static_cast<int32_t>(static_cast<uint32_t>(
        number(node, std::numeric_limits<int32_t>::min(), std::numeric_limits<uint32_t>::max(), 0)));
  }

  std::span<const hal::StatusName> statuses(const YamlNode& node) {
    auto& all = out_.statuses.emplace_back();
    if (node.is == YamlNode::Is::kNothing) return all;
    if (node.is != YamlNode::Is::kMap) {
      fail(node, "statuses must be a map from code to name");
      return all;
    }
    if (node.members.size() > kMaxCodes) fail(node, fmt::format("more than {} return codes", kMaxCodes));
    std::map<int64_t, const YamlNode*> seen;
    for (const auto& [key, value] : node.members) {
      const int64_t number = code(key);
      if (!seen.emplace(number, &key).second) {
        fail(key, fmt::format("duplicate return code {}, first on line {}", number, seen[number]->line));
      }
      all.push_back({number, text(value, is_identifier, "a name as C spells it")});
    }
    std::sort(all.begin(), all.end(), hal::by_code);
    return all;
  }

  hal::DataType datatype(const YamlNode& node) {
    const Keys keys = keys_of(node, "a datatype", {"name", "bytes"}, {"name", "bytes"});
    return {text(keys["name"], is_lower_word, kLowerWord), static_cast<uint32_t>(number(keys["bytes"], 1, 64, 1))};
  }

  hal::NotProbed not_probed(const YamlNode& node) {
    const Keys keys = keys_of(node, "what is not probed", {"calls", "reason"}, {"calls", "reason"});
    return {text(keys["calls"], is_sentence, "a line of text"), text(keys["reason"], is_sentence, "a line of text")};
  }

  void read_devices(const YamlNode& node) {
    if (is_missing(node)) return;
    const Keys keys = keys_of(
        node, "the naming of devices",
        {"lists", "order_variable", "order_by_bus", "uuid_prefix", "uuid_length", "partition_prefix"}, {"lists"});
    for (const YamlNode& item : list(keys["lists"], kMaxList)) {
      const Keys of =
          keys_of(item, "a list of visible devices",
                  {"variable", "only_without", "empty_hides_all", "of_container", "is_doubtful"}, {"variable"});
      out_.visible_lists.push_back({.variable = text(of["variable"], is_identifier, kVariable),
                                    .only_without = text(of["only_without"], is_identifier, kVariable),
                                    .empty_hides_all = boolean(of["empty_hides_all"], true),
                                    .of_container = boolean(of["of_container"]),
                                    .is_doubtful = boolean(of["is_doubtful"])});
    }
    hal::DeviceNaming& naming = out_.naming;
    naming.lists = out_.visible_lists;
    naming.order_variable = text(keys["order_variable"], is_identifier, kVariable);
    naming.order_by_bus = text(keys["order_by_bus"], is_plain, "a value");
    naming.uuid_prefix = text(keys["uuid_prefix"], is_plain, "the start of a UUID");
    naming.uuid_length = static_cast<size_t>(number(keys["uuid_length"], 0, 128, 0));
    naming.partition_prefix = text(keys["partition_prefix"], is_plain, "the start of a UUID");
    out_.backend.device_naming = &naming;
  }

  hal::Peek peek(const YamlNode& node, hal::Abi abi) {
    const Keys keys = keys_of(node, "a peek", {"into", "offset", "bytes", "when", "signed"}, {"into"});
    hal::Peek out{static_cast<hal::Field>(word(keys["into"], field_words(), "field"))};
    out.offset = static_cast<uint16_t>(number(keys["offset"], 0, kMaxOffset, 0));
    out.bytes = static_cast<uint8_t>(number(keys["bytes"], 1, 8, 8));
    out.when = static_cast<hal::When>(word(keys["when"], kWhens, "time"));
    out.is_signed = boolean(keys["signed"]);
    if (abi != hal::Abi::kPtr && abi != hal::Abi::kStruct) fail(node, "only a ptr or a struct can have peeks");
    return out;
  }

  // "i32", "ptr stream", "i32 signed device"
  hal::Param short_param(const YamlNode& node) {
    hal::Param out{hal::Abi::kPtr};
    const std::string plain(trim(node.text));
    std::vector<std::string_view> parts;
    for (const std::string_view part : split(plain, ' ')) {
      if (!part.empty()) parts.push_back(part);
    }
    const auto abi = parts.empty() ? std::nullopt : find(parts[0], kAbis);
    if (!abi || *abi == unsigned(hal::Abi::kStruct)) {
      fail(
          node,
          fmt::format(
              "{} is not a parameter: write i32, size, u64, i64, ptr, dim3 or float, then the field it fills; or a map",
              quoted(node)));
      return out;
    }
    out.abi = static_cast<hal::Abi>(*abi);
    size_t next = 1;
    if (next < parts.size() && parts[next] == "signed") {
      out.is_signed = true;
      ++next;
    }
    if (next < parts.size()) {
      if (const auto field = find(parts[next], field_words())) {
        out.into = static_cast<hal::Field>(*field);
      } else {
        fail(node, fmt::format("'{}' is not a field of the vocabulary", printable(parts[next], 64)));
      }
      ++next;
    }
    if (next < parts.size()) fail(node, fmt::format("'{}' is one word too many", printable(parts[next], 64)));
    return out;
  }

  hal::Param param(const YamlNode& node) {
    if (node.is == YamlNode::Is::kText) return short_param(node);
    const Keys keys = keys_of(node, "a parameter", {"abi", "into", "bytes", "signed", "peeks"}, {"abi"});
    hal::Param out{static_cast<hal::Abi>(word(keys["abi"], kAbis, "way to pass a parameter"))};
    out.into = static_cast<hal::Field>(word(keys["into"], field_words(), "field"));
    out.bytes = static_cast<uint16_t>(number(keys["bytes"], 1, kMaxStructBytes, 0));
    out.is_signed = boolean(keys["signed"]);
    const bool has_bytes =
        out.abi == hal::Abi::kStruct ||
        (out.abi == hal::Abi::kPtr && (out.into == hal::Field::kId || out.into == hal::Field::kExcluded));
    if (has_bytes != (out.bytes != 0))
      fail(node, "a struct or a pointer to an id needs 'bytes'; other parameters must not have it");
    auto& peeks = out_.peeks.emplace_back();
    for (const YamlNode& item : list(keys["peeks"], kMaxPeeks)) peeks.push_back(peek(item, out.abi));
    out.peeks = peeks;
    return out;
  }

  hal::Shape params(const YamlNode& node) {
    auto& all = out_.shapes.emplace_back();
    for (const YamlNode& item : list(node, kMaxParams)) all.push_back(param(item));
    return all;
  }

  void read_shapes(const YamlNode& node) {
    if (node.is == YamlNode::Is::kNothing) return;
    if (node.is != YamlNode::Is::kMap) return fail(node, "shapes must be a map from name to parameters");
    if (node.members.size() > kMaxShapes) return fail(node, fmt::format("more than {} shapes", kMaxShapes));
    for (const auto& [key, value] : node.members) {
      if (!is_identifier(key.text)) fail(key, fmt::format("{} is not a name", quoted(key)));
      shapes_.emplace(key.text, Shape{params(value), &key, false});
    }
  }

  // A name of `shapes`, or the parameters themselves.
  hal::Shape shape(const YamlNode& node) {
    if (node.is != YamlNode::Is::kText) return params(node);
    const auto at = shapes_.find(node.text);
    if (at == shapes_.end()) {
      fail(node, fmt::format("unknown shape {}: define it under 'shapes'", quoted(node)));
      return {};
    }
    at->second.used = true;
    return at->second.params;
  }

  hal::Row row(const YamlNode& node) {
    const Keys keys = keys_of(node, "a row",
                              {"name", "kind", "shape", "twins", "flags", "direction", "element_bytes", "returns",
                               "result", "behind_result", "instead", "op_name", "role", "name_asked"},
                              {"name", "kind", "shape"});
    hal::Row out{};
    out.name = text(keys["name"], is_identifier, "a symbol as C spells it");
    out.kind = static_cast<hal::Kind>(word(keys["kind"], kind_words(), "kind"));
    out.shape = shape(keys["shape"]);
    out.variants = static_cast<uint8_t>(set_of(keys["twins"], kVariants, "variant"));
    out.flags = static_cast<std::underlying_type_t<hal::RowFlag>>(set_of(keys["flags"], kFlags, "flag"));
    out.direction = static_cast<hal::Direction>(word(keys["direction"], direction_words(), "direction"));
    out.element_bytes = static_cast<uint8_t>(number(keys["element_bytes"], 1, 64, 1));
    out.returns = static_cast<hal::Returns>(word(keys["returns"], kReturns, "way to return"));
    out.result = static_cast<hal::Field>(word(keys["result"], field_words(), "field"));
    if (!is_missing(keys["behind_result"])) {
      out.behind_result = peek(keys["behind_result"], hal::Abi::kPtr);
      out.behind_result.when = hal::When::kReturn;  // there is nothing to read before
    }
    out.instead = text(keys["instead"], is_identifier, "a symbol as C spells it");
    out.op_name = text(keys["op_name"], is_identifier, "a name as C spells it");
    out.role = static_cast<hal::Role>(word(keys["role"], kRoles, "role"));
    out.name_asked = static_cast<uint16_t>(number(keys["name_asked"], 1, UINT16_MAX, 0));
    return out;
  }

  void read_libraries(const YamlNode& node) {
    const auto items = list(node, kMaxLibraries);
    out_.libraries.reserve(items.size());
    size_t n_rows = 0;
    for (const YamlNode& item : items) {
      const Keys keys = keys_of(item, "a library",
                                {"name", "vendor", "sonames", "layer", "source", "in_executables", "anchors",
                                 "sections", "statuses", "starts_on_first_device", "below_runtime", "rows"},
                                {"name", "sonames", "layer", "source", "rows"});
      hal::Library& library = out_.libraries.emplace_back();
      library_nodes_[&library] = &item;
      library.name = text(keys["name"], is_library_name, "a library's name");
      library.sonames = texts(keys["sonames"], kMaxList, is_pattern,
                              "a file name pattern that starts with three letters or more and has no slash");
      library.vendor = text(keys["vendor"], is_lower_word, kLowerWord);
      library.starts_on_first_device = boolean(keys["starts_on_first_device"]);
      library.below_runtime = boolean(keys["below_runtime"]);
      library.layer = text(keys["layer"], is_upper_word, "a short name in upper case");
      library.source = static_cast<uint16_t>(
          number(keys["source"], kFirstManifestSource, kLastManifestSource, kFirstManifestSource));
      library.in_executables = boolean(keys["in_executables"]);
      library.anchors = texts(keys["anchors"], kMaxList, is_identifier, "a symbol as C spells it");
      library.sections = texts(keys["sections"], kMaxList, is_plain, "a section's name");
      library.statuses = statuses(keys["statuses"]);
      const auto row_nodes = list(keys["rows"], kMaxRows);
      n_rows += row_nodes.size();
      if (n_rows > kMaxRows) return fail(keys["rows"], fmt::format("more than {} rows in all", kMaxRows));
      auto& rows = out_.rows.emplace_back();
      rows.reserve(row_nodes.size());
      for (const YamlNode& one : row_nodes) {
        rows.push_back(row(one));
        row_nodes_[&rows.back()] = &one;
      }
      library.rows = rows;
    }
    for (const auto& [name, shape] : shapes_) {
      if (!shape.used)
        fail(*shape.key, fmt::format("shape '{}' is not used by any row: remove it", printable(name, 64)));
    }
  }

  // The rules of every backend, reported at the row's line.
  void evaluate(const YamlNode& root) {
    for (const hal::Nonconformity& found : nonconformities(out_.backend)) {
      if (found.row != nullptr) {
        fail(*row_nodes_[found.row], fmt::format("{} {}", found.row->name, found.sentence));
      } else if (found.library != nullptr) {
        fail(*library_nodes_[found.library], fmt::format("{} {}", found.library->name, found.sentence));
      } else {
        fail(root, fmt::format("{} {}", out_.backend.name, found.sentence));
      }
    }
  }

  struct Shape {
    hal::Shape params;
    const YamlNode* key = nullptr;
    bool used = false;
  };
  Manifest::Storage& out_;
  std::map<std::string, Shape> shapes_;
  std::map<const hal::Row*, const YamlNode*> row_nodes_;
  std::map<const hal::Library*, const YamlNode*> library_nodes_;
};

std::string ManifestProblem::text(std::string_view file) const {
  return line == 0 ? fmt::format("{}: {}", file, sentence) : fmt::format("{}:{}:{}: {}", file, line, column, sentence);
}

Manifest::Manifest() : storage_(std::make_unique<Storage>()) {}
Manifest::~Manifest() = default;

const hal::Backend& Manifest::backend() const { return storage_->backend; }
const std::string& Manifest::file() const { return storage_->file; }

Result<std::unique_ptr<Manifest>> Manifest::parse(std::string_view untrusted_text, std::string_view file,
                                                  std::vector<ManifestProblem>* problems) {
  std::unique_ptr<Manifest> manifest(new Manifest);
  manifest->storage_->file = printable(file, 4096);
  std::vector<ManifestProblem> found;
  YamlNode root;
  ManifestProblem problem;
  if (untrusted_text.size() > kMaxManifestBytes) {
    found.push_back({0, 0, fmt::format("larger than {} bytes", kMaxManifestBytes)});
  } else if (!read_yaml(untrusted_text, root, problem)) {
    found.push_back(std::move(problem));
  } else {
    found = ManifestReader(*manifest->storage_).read(root);
  }
  if (found.empty()) return manifest;
  std::string sentence = found.front().text(manifest->storage_->file);
  if (found.size() > 1) sentence += fmt::format(" (and {} more)", found.size() - 1);
  if (problems != nullptr) *problems = std::move(found);
  return Error(Errc::kInvalid, std::move(sentence));
}

Result<std::unique_ptr<Manifest>> Manifest::read(const std::string& path, std::vector<ManifestProblem>* problems) {
  const auto text = read_file(path, kMaxManifestBytes);
  if (!text.ok()) return text.error();
  return parse(*text, path, problems);
}

}  // namespace ingero::backends
