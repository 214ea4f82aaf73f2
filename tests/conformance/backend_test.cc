// Every backend keeps the rules (hal/conformance.h), and they keep out of each other's way. The backends come from the
// registry and from the manifests that come with the program: a new one is checked without a line here.
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "every_backend.h"
#include "hal/call_table.h"
#include "hal/conformance.h"

namespace ingero {
namespace {

using namespace hal;

TEST(Conformance, EveryBackendKeepsTheRules) {
  for (const Backend* backend : every_backend()) {
    for (const Nonconformity& found : nonconformities(*backend)) {
      ADD_FAILURE() << backend->name << (found.library != nullptr ? " / " : "")
                    << (found.library != nullptr ? found.library->name : "") << (found.row != nullptr ? " / " : "")
                    << (found.row != nullptr ? found.row->name : "") << ": " << found.sentence;
    }
  }
}

TEST(Conformance, BackendsHaveDistinctNamesAndLibraries) {
  ASSERT_FALSE(backends::all_backends().empty());
  std::set<std::string_view> names;
  std::set<std::string_view> libraries;
  // Taken before any backend: 2 is reserved in recordings, and what the host does has numbers of its own.
  std::map<uint16_t, std::string_view> sources{{2, "reserved"}};
  const CallTable of_the_host(std::span<const Backend* const>{});
  for (const Call& call : of_the_host.calls()) sources.emplace(call.source, call.backend);
  ASSERT_EQ(sources.size(), 5U) << "2, 3, 5, 6, 7";
  for (const Backend* backend : every_backend()) {
    EXPECT_TRUE(names.insert(backend->name).second) << backend->name;
    for (const Library& library : backend->libraries) {
      EXPECT_TRUE(libraries.insert(library.name).second) << library.name;
      std::set<uint16_t> own{library.source};
      for (const Row& row : library.rows) own.insert(row.source != 0 ? row.source : library.source);
      for (const uint16_t source : own) {
        const auto [at, is_new] = sources.try_emplace(source, backend->name);
        EXPECT_TRUE(is_new || at->second == backend->name)
            << backend->name << " has source " << source << ", which is " << at->second << "'s";
      }
    }
  }
}

TEST(Conformance, SourcesOfCompiledBackendsAreBelowThoseOfFiles) {
  for (const Backend* backend : backends::all_backends()) {
    for (const Library& library : backend->libraries) EXPECT_LT(library.source, backends::kFirstManifestSource);
  }
}

TEST(Conformance, FixedOperationNumbersAreUniqueWithinTheirSource) {
  std::map<std::pair<uint16_t, uint16_t>, std::string_view> taken;
  const CallTable table(every_backend());
  for (const Call& call : table.calls()) {
    if (call.op == 0) continue;
    const auto [at, is_new] = taken.try_emplace({call.source, call.op}, call.name);
    EXPECT_TRUE(is_new) << call.name << " and " << at->second << " are both " << call.source << "/" << call.op;
  }
}

// Whose failure, or growth, is explained by the device's memory otherwise.
TEST(Conformance, WhatIsNotMemoryOfTheDeviceSaysSo) {
  size_t found = 0;
  for (const Backend* backend : every_backend()) {
    for (const Library& library : backend->libraries) {
      for (const Row& row : library.rows) {
        const auto has = [&](std::string_view part) { return row.name.find(part) != std::string_view::npos; };
        const bool is_memory = row.kind == Kind::kAlloc || row.kind == Kind::kFree;
        const bool is_addresses =
            has("AddressReserve") || has("AddressFree") || has("VirtualMemReserve") || has("VirtualMemFree");
        EXPECT_EQ((row.flags & kHostMemory) != 0, is_memory && has("Host")) << row.name;
        EXPECT_EQ((row.flags & kAddressSpace) != 0, is_memory && is_addresses) << row.name;
        found += (row.flags & (kHostMemory | kAddressSpace)) != 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GE(found, 25U);
}

TEST(Conformance, EveryRowHasItsNumberInTheCallTable) {
  const CallTable table(every_backend());
  ASSERT_LT(table.size(), size_t{kNoCall});
  for (const Backend* backend : every_backend()) {
    for (const Library& library : backend->libraries) {
      for (const Row& row : library.rows) {
        const CallId id = table.id_of(row);
        ASSERT_NE(id, kNoCall) << row.name;
        EXPECT_EQ(table[id].name, row.name);
        EXPECT_EQ(table[id].backend, backend->name);
        EXPECT_EQ(table[id].library, &library);
        EXPECT_FALSE(table.host_op(id).has_value());
      }
    }
  }
}

}  // namespace
}  // namespace ingero
