// A manifest can say what a compiled table says: every compiled backend, written as a manifest and read back, is the
// same table. What a manifest cannot hold is code (samplers, readers of the kernel's log), commands to run, the flag
// that asks for a backend, and the numbers that recordings of the legacy agent use.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "backends/manifest.h"
#include "backends/registry.h"
#include "hal/visible_devices.h"

namespace ingero::backends {
namespace {

using namespace hal;

template <typename Range, typename Text>
std::string list_of(const Range& range, Text text) {
  std::string out;
  for (const auto& one : range) out += fmt::format("{}{}", out.empty() ? "" : ", ", text(one));
  return "[" + out + "]";
}
std::string quoted(std::string_view text) { return fmt::format("\"{}\"", text); }

std::string bits(unsigned value, std::span<const std::pair<unsigned, std::string_view>> names) {
  std::string out;
  for (const auto& [bit, name] : names) {
    if (value & bit) out += fmt::format("{}{}", out.empty() ? "" : ", ", name);
  }
  return "[" + out + "]";
}
constexpr std::pair<unsigned, std::string_view> kVariantNames[] = {
    {kPtsz, "ptsz"}, {kPtds, "ptds"}, {kV2, "v2"}, {kSpt, "spt"}, {kV3, "v3"}, {kNotBase, "not_base"},
};
constexpr std::pair<unsigned, std::string_view> kFlagNames[] = {
    {kSynchronising, "synchronising"},
    {kNotWhereTarget, "not_where_target"},
    {kRegistersName, "registers_name"},
    {kPolled, "polled"},
    {kAsync, "async"},
    {kMangledVariants, "mangled_twins"},
    {kOnlyWhereTarget, "only_where_target"},
    {kAliasesFunction, "aliases_function"},
    {kMarksStream, "marks_stream"},
    {kAwaitsMark, "awaits_mark"},
    {kBeginsCapture, "begins_capture"},
    {kEndsCapture, "ends_capture"},
    {kHostMemory, "host_memory"},
    {kAddressSpace, "address_space"},
    {kChoosesDevice, "chooses_device"},
    {kAsksDevice, "asks_device"},
    {kPushesDevice, "pushes_device"},
    {kPopsDevice, "pops_device"},
};
constexpr std::string_view kAbiNames[] = {"i32", "i64", "ptr", "dim3", "struct", "float", "size", "u64"};
constexpr std::string_view kReturnNames[] = {"status", "pointer", "void"};
constexpr std::string_view kRoleNames[] = {"none",        "init",      "init_all", "split",   "shrink",
                                           "grow",        "finalize",  "revoke",   "destroy", "ask",
                                           "group_start", "group_end", "abort"};
constexpr std::string_view kPlaceNames[] = {"unknown", "host", "device", "either"};

std::string text_of(const Peek& peek) {
  return fmt::format("{{into: {}, offset: {}, bytes: {}, when: {}, signed: {}}}", name_of(peek.into), peek.offset,
                     peek.bytes, peek.when == When::kReturn ? "return" : "entry", peek.is_signed);
}

std::string text_of(const Param& param) {
  std::string out = fmt::format("{{abi: {}, into: {}", kAbiNames[size_t(param.abi)], name_of(param.into));
  if (param.bytes != 0) out += fmt::format(", bytes: {}", param.bytes);
  if (param.is_signed) out += ", signed: true";
  if (!param.peeks.empty()) {
    out += ", peeks: " + list_of(param.peeks, [](const Peek& peek) { return text_of(peek); });
  }
  return out + "}";
}

std::string text_of(const Row& row) {
  std::string out = fmt::format(
      "      - {{name: {}, kind: {}, shape: {}, twins: {}, flags: {}, direction: {}, element_bytes: {}, returns: {}, "
      "result: {}, role: {}",
      row.name, name_of(row.kind), list_of(row.shape, [](const Param& param) { return text_of(param); }),
      bits(row.variants, kVariantNames), bits(row.flags, kFlagNames), name_of(row.direction), row.element_bytes,
      kReturnNames[size_t(row.returns)], name_of(row.result), kRoleNames[size_t(row.role)]);
  if (row.behind_result.into != Field::kNone) out += ", behind_result: " + text_of(row.behind_result);
  if (row.name_asked != 0) out += fmt::format(", name_asked: {}", row.name_asked);
  if (!row.instead.empty()) out += fmt::format(", instead: {}", row.instead);
  if (!row.op_name.empty()) out += fmt::format(", op_name: {}", row.op_name);
  return out + "}\n";
}

std::string statuses_of(std::span<const StatusName> statuses, std::string_view indent) {
  if (statuses.empty()) return "";
  std::string out = fmt::format("{}statuses:\n", indent);
  for (const StatusName& one : statuses) out += fmt::format("{}  {}: {}\n", indent, one.code, one.name);
  return out;
}

std::string manifest_of(const Backend& backend) {
  const auto code = [](int64_t number) { return std::to_string(number); };
  std::string out = fmt::format("backend: {}\nvendor: {}\n", backend.name, backend.vendor);
  out += "directions: " + list_of(backend.directions, [](Direction one) { return std::string(name_of(one)); }) + "\n";
  out += "places: " + list_of(backend.places, [](Place one) { return std::string(kPlaceNames[size_t(one)]); }) + "\n";
  out += "not_failures: " + list_of(backend.not_failures, code) + "\n";
  out += "accepted: " + list_of(backend.accepted, code) + "\n";
  out += "datatypes: " +
         list_of(backend.datatypes,
                 [](const DataType& one) { return fmt::format("{{name: {}, bytes: {}}}", one.name, one.bytes); }) +
         "\n";
  out += "reductions: " + list_of(backend.reductions, [](std::string_view one) { return std::string(one); }) + "\n";
  out += "not_probed: " +
         list_of(backend.not_probed,
                 [](const NotProbed& one) {
                   return fmt::format("{{calls: {}, reason: {}}}", quoted(one.calls), quoted(one.reason));
                 }) +
         "\n";
  if (const DeviceNaming* naming = backend.device_naming) {
    out += "devices:\n  lists: " +
           list_of(naming->lists,
                   [](const VisibleList& one) {
                     return fmt::format(
                         "{{variable: {}, {}empty_hides_all: {}, of_container: {}, is_doubtful: {}}}", one.variable,
                         one.only_without.empty() ? "" : fmt::format("only_without: {}, ", one.only_without),
                         one.empty_hides_all, one.of_container, one.is_doubtful);
                   }) +
           "\n";
    const auto key = [&out](std::string_view name, std::string_view value) {
      if (!value.empty()) out += fmt::format("  {}: {}\n", name, value);
    };
    key("order_variable", naming->order_variable);
    key("order_by_bus", naming->order_by_bus);
    key("uuid_prefix", naming->uuid_prefix);
    key("partition_prefix", naming->partition_prefix);
    out += fmt::format("  uuid_length: {}\n", naming->uuid_length);
  }
  out += statuses_of(backend.statuses, "");
  out += "libraries:\n";
  unsigned source = kFirstManifestSource;
  for (const Library& library : backend.libraries) {
    out += fmt::format("  - name: {}\n    sonames: {}\n    layer: {}\n    source: {}\n    in_executables: {}\n",
                       library.name, list_of(library.sonames, quoted), library.layer, source++, library.in_executables);
    out += fmt::format("    anchors: {}\n    sections: {}\n    starts_on_first_device: {}\n    below_runtime: {}\n",
                       list_of(library.anchors, quoted), list_of(library.sections, quoted),
                       library.starts_on_first_device, library.below_runtime);
    if (!library.vendor.empty()) out += fmt::format("    vendor: {}\n", library.vendor);
    out += statuses_of(library.statuses, "    ");
    out += "    rows:\n";
    for (const Row& row : library.rows) out += text_of(row);
  }
  return out;
}

void expect_equal(const Param& a, const Param& b) {
  EXPECT_EQ(a.abi, b.abi);
  EXPECT_EQ(a.into, b.into);
  EXPECT_EQ(a.bytes, b.bytes);
  EXPECT_EQ(a.is_signed, b.is_signed);
  ASSERT_EQ(a.peeks.size(), b.peeks.size());
  for (size_t i = 0; i < a.peeks.size(); ++i) {
    EXPECT_EQ(a.peeks[i].into, b.peeks[i].into);
    EXPECT_EQ(a.peeks[i].offset, b.peeks[i].offset);
    EXPECT_EQ(a.peeks[i].bytes, b.peeks[i].bytes);
    EXPECT_EQ(a.peeks[i].when, b.peeks[i].when);
    EXPECT_EQ(a.peeks[i].is_signed, b.peeks[i].is_signed);
  }
}

void expect_equal(const Row& a, const Row& b) {
  SCOPED_TRACE(std::string(a.name));
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.variants, b.variants);
  EXPECT_EQ(a.flags, b.flags);
  EXPECT_EQ(a.direction, b.direction);
  EXPECT_EQ(a.element_bytes, b.element_bytes);
  EXPECT_EQ(a.returns, b.returns);
  EXPECT_EQ(text_of(a.behind_result), text_of(b.behind_result));
  EXPECT_EQ(a.result, b.result);
  EXPECT_EQ(a.instead, b.instead);
  EXPECT_EQ(a.op_name, b.op_name);
  EXPECT_EQ(a.role, b.role);
  EXPECT_EQ(a.name_asked, b.name_asked);
  ASSERT_EQ(a.shape.size(), b.shape.size());
  for (size_t i = 0; i < a.shape.size(); ++i) expect_equal(a.shape[i], b.shape[i]);
}

template <typename T, typename Equal>
void expect_all(std::span<const T> a, std::span<const T> b, Equal equal) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(equal(a[i], b[i])) << "number " << i;
}
constexpr auto kSame = [](const auto& a, const auto& b) { return a == b; };
constexpr auto kSameStatus = [](const StatusName& a, const StatusName& b) {
  return a.code == b.code && a.name == b.name;
};

void expect_equal(const DeviceNaming& a, const DeviceNaming& b) {
  expect_all<VisibleList>(a.lists, b.lists, [](const VisibleList& one, const VisibleList& other) {
    return one.variable == other.variable && one.only_without == other.only_without &&
           one.empty_hides_all == other.empty_hides_all && one.of_container == other.of_container &&
           one.is_doubtful == other.is_doubtful;
  });
  EXPECT_EQ(a.order_variable, b.order_variable);
  EXPECT_EQ(a.order_by_bus, b.order_by_bus);
  EXPECT_EQ(a.uuid_prefix, b.uuid_prefix);
  EXPECT_EQ(a.uuid_length, b.uuid_length);
  EXPECT_EQ(a.partition_prefix, b.partition_prefix);
}

TEST(ManifestColumns, HoldEveryCompiledTable) {
  for (const Backend* backend : all_backends()) {
    SCOPED_TRACE(std::string(backend->name));
    const auto manifest = Manifest::parse(manifest_of(*backend), "compiled.yaml");
    ASSERT_TRUE(manifest.ok()) << manifest.error().text();
    const Backend& read = (*manifest)->backend();
    EXPECT_EQ(read.name, backend->name);
    EXPECT_EQ(read.vendor, backend->vendor);
    expect_all<Direction>(read.directions, backend->directions, kSame);
    expect_all<Place>(read.places, backend->places, kSame);
    expect_all<StatusName>(read.statuses, backend->statuses, kSameStatus);
    expect_all<int64_t>(read.not_failures, backend->not_failures, kSame);
    expect_all<int64_t>(read.accepted, backend->accepted, kSame);
    expect_all<std::string_view>(read.reductions, backend->reductions, kSame);
    expect_all<DataType>(read.datatypes, backend->datatypes,
                         [](const DataType& a, const DataType& b) { return a.name == b.name && a.bytes == b.bytes; });
    expect_all<NotProbed>(read.not_probed, backend->not_probed, [](const NotProbed& a, const NotProbed& b) {
      return a.calls == b.calls && a.reason == b.reason;
    });
    ASSERT_EQ(read.device_naming == nullptr, backend->device_naming == nullptr);
    if (read.device_naming) expect_equal(*read.device_naming, *backend->device_naming);
    ASSERT_EQ(read.libraries.size(), backend->libraries.size());
    for (size_t i = 0; i < read.libraries.size(); ++i) {
      const Library& a = read.libraries[i];
      const Library& b = backend->libraries[i];
      SCOPED_TRACE(std::string(b.name));
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(a.layer, b.layer);
      EXPECT_EQ(a.vendor, b.vendor);
      EXPECT_EQ(a.in_executables, b.in_executables);
      EXPECT_EQ(a.starts_on_first_device, b.starts_on_first_device);
      EXPECT_EQ(a.below_runtime, b.below_runtime);
      expect_all<std::string_view>(a.sonames, b.sonames, kSame);
      expect_all<std::string_view>(a.anchors, b.anchors, kSame);
      expect_all<std::string_view>(a.sections, b.sections, kSame);
      expect_all<StatusName>(a.statuses, b.statuses, kSameStatus);
      ASSERT_EQ(a.rows.size(), b.rows.size());
      for (size_t row = 0; row < a.rows.size(); ++row) expect_equal(a.rows[row], b.rows[row]);
    }
  }
}

}  // namespace
}  // namespace ingero::backends
