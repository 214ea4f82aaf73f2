// Rules every registered backend keeps. The backends come from the registry: a new one is checked without a line here.
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "backends/registry.h"
#include "hal/call_table.h"
#include "hal/lower.h"

namespace ingero {
namespace {

using namespace hal;

struct Subject {
  const Backend* backend;
  const Library* library;
  const Row* row;
};

template <typename Visit>
void for_each_row(Visit visit) {
  for (const Backend* backend : backends::all_backends()) {
    for (const Library& library : backend->libraries) {
      for (const Row& row : library.rows) {
        SCOPED_TRACE(std::string(backend->name) + " / " + std::string(library.name) + " / " + std::string(row.name));
        visit(Subject{backend, &library, &row});
      }
    }
  }
}

std::set<Field> fields_of(const Row& row) {
  std::set<Field> fields;
  for (const Param& param : row.shape) {
    if (param.into != Field::kNone) fields.insert(param.into);
    for (const Peek& peek : param.peeks) fields.insert(peek.into);
  }
  return fields;
}

TEST(Conformance, TheRegistryHoldsBackendsWithDistinctNames) {
  std::set<std::string_view> names;
  ASSERT_FALSE(backends::all_backends().empty());
  for (const Backend* backend : backends::all_backends()) {
    EXPECT_FALSE(backend->name.empty());
    EXPECT_FALSE(backend->vendor.empty());
    EXPECT_FALSE(backend->libraries.empty());
    EXPECT_TRUE(names.insert(backend->name).second) << backend->name;
  }
}

TEST(Conformance, EveryLibraryCanBeFoundAndShown) {
  std::set<std::string_view> names;
  for (const Backend* backend : backends::all_backends()) {
    for (const Library& library : backend->libraries) {
      SCOPED_TRACE(library.name);
      EXPECT_TRUE(names.insert(library.name).second);
      EXPECT_FALSE(library.sonames.empty());
      EXPECT_FALSE(library.rows.empty());
      EXPECT_FALSE(library.layer.empty());
      EXPECT_NE(library.source, 0);
      EXPECT_EQ(library.in_executables, !library.anchors.empty())
          << "a library that may be inside an executable needs symbols that prove it, and only such a one does";
      EXPECT_TRUE(library.status_name != nullptr || backend->status_name != nullptr);
    }
  }
}

TEST(Conformance, EveryRowLowersOnBothArchitectures) {
  for_each_row([](const Subject& s) {
    for (const Arch arch : {Arch::kX86_64, Arch::kArm64}) {
      const Result<Lowered> lowered = lower(*s.row, arch);
      ASSERT_TRUE(lowered.ok()) << lowered.error().text();
      EXPECT_LE(lowered->recipe.n_words, WIRE_MAX_WORDS);
      EXPECT_LE(lowered->recipe.stack_slots, WIRE_MAX_STACK_ARGS);
      EXPECT_EQ(lowered->recipe.used, 1);
    }
  });
}

TEST(Conformance, BothArchitecturesCaptureTheSameWords) {
  for_each_row([](const Subject& s) {
    const Result<Lowered> a = lower(*s.row, Arch::kX86_64);
    const Result<Lowered> b = lower(*s.row, Arch::kArm64);
    ASSERT_TRUE(a.ok() && b.ok());
    ASSERT_EQ(a->recipe.n_words, b->recipe.n_words);
    for (size_t i = 0; i < a->recipe.n_words; ++i) {
      EXPECT_EQ(a->words[i].field, b->words[i].field);
      EXPECT_EQ(a->words[i].bits, b->words[i].bits);
      EXPECT_EQ(a->words[i].at_return, b->words[i].at_return);
    }
  });
}

TEST(Conformance, NoLibraryResolvesTwoRowsToOneSymbol) {
  for (const Backend* backend : backends::all_backends()) {
    for (const Library& library : backend->libraries) {
      // Which rows a file may hold at once: all whose condition holds, for every combination of condition symbols.
      std::set<std::string_view> conditions;
      for (const Row& row : library.rows) {
        if (!row.instead.empty()) conditions.insert(row.instead);
      }
      const std::vector<std::string_view> symbols(conditions.begin(), conditions.end());
      ASSERT_LT(symbols.size(), 16U);
      for (size_t present = 0; present < (size_t{1} << symbols.size()); ++present) {
        const auto is_present = [&](std::string_view symbol) {
          for (size_t i = 0; i < symbols.size(); ++i) {
            if (symbols[i] == symbol) return ((present >> i) & 1) != 0;
          }
          return false;
        };
        std::set<std::string> seen;
        for (const Row& row : library.rows) {
          if ((row.flags & kNotWhereTarget) != 0 && is_present(row.instead)) continue;
          if ((row.flags & kOnlyWhereTarget) != 0 && !is_present(row.instead)) continue;
          for (const std::string& symbol : spellings(row)) {
            EXPECT_TRUE(seen.insert(symbol).second) << library.name << ": " << symbol << " is described twice";
          }
        }
      }
    }
  }
}

TEST(Conformance, ConditionalRowsNameTheirSymbolAndOthersDoNot) {
  for_each_row([](const Subject& s) {
    const bool is_conditional = (s.row->flags & (kNotWhereTarget | kOnlyWhereTarget)) != 0;
    EXPECT_EQ(is_conditional, !s.row->instead.empty());
    EXPECT_NE(s.row->flags & (kNotWhereTarget | kOnlyWhereTarget), kNotWhereTarget | kOnlyWhereTarget);
    EXPECT_FALSE(spellings(*s.row).empty()) << "kNotBase without another spelling";
  });
}

TEST(Conformance, RowsOfOneNameAreOneCall) {
  for (const Backend* backend : backends::all_backends()) {
    for (const Library& library : backend->libraries) {
      std::map<std::string_view, const Row*> first;
      for (const Row& row : library.rows) {
        const auto [at, is_new] = first.try_emplace(row.name, &row);
        if (is_new) continue;
        SCOPED_TRACE(row.name);
        const Row& other = *at->second;
        constexpr uint16_t kCondition = kNotWhereTarget | kOnlyWhereTarget;
        EXPECT_EQ(row.kind, other.kind);
        EXPECT_EQ(row.flags & ~kCondition, other.flags & ~kCondition);
        EXPECT_EQ(row.direction, other.direction);
        EXPECT_EQ(row.element_bytes, other.element_bytes);
        EXPECT_EQ(row.returns, other.returns);
        EXPECT_EQ(row.source, other.source);
        EXPECT_EQ(row.op, other.op);
        EXPECT_EQ(row.op_name, other.op_name);
      }
    }
  }
}

TEST(Conformance, FixedOperationNumbersAreUniqueWithinTheirSource) {
  std::map<std::pair<uint16_t, uint16_t>, std::string_view> taken;
  const CallTable table(backends::all_backends());
  for (const Call& call : table.calls()) {
    if (call.op == 0) continue;
    const auto [at, is_new] = taken.try_emplace({call.source, call.op}, call.name);
    EXPECT_TRUE(is_new) << call.name << " and " << at->second << " are both " << call.source << "/" << call.op;
  }
}

TEST(Conformance, EveryKindCarriesTheFieldsItIsAbout) {
  for_each_row([](const Subject& s) {
    const std::set<Field> fields = fields_of(*s.row);
    const auto has = [&](Field field) { return fields.count(field) != 0; };
    const bool has_size = has(Field::kBytes) || has(Field::kWidth);
    switch (s.row->kind) {
      case Kind::kLaunch:
        EXPECT_TRUE(has(Field::kFunction) || has(Field::kHandle));
        break;
      case Kind::kMemcpy:
        EXPECT_TRUE(has_size || has(Field::kCount)) << "bytes, a width, or how many copies";
        break;
      case Kind::kMemset:
        EXPECT_TRUE(has_size);
        EXPECT_TRUE(has(Field::kAddress));
        break;
      case Kind::kAlloc:
        EXPECT_TRUE(has(Field::kAddress) || has(Field::kHandle));
        break;
      case Kind::kFree:
        EXPECT_TRUE(has(Field::kAddress) || has(Field::kHandle));
        break;
      case Kind::kEvent:
        EXPECT_TRUE(has(Field::kHandle) || has(Field::kStream));
        break;
      case Kind::kGraph:
        EXPECT_TRUE(has(Field::kHandle) || has(Field::kStream));
        break;
      case Kind::kStream:
        EXPECT_TRUE(has(Field::kStream));
        break;
      case Kind::kHost:
        ADD_FAILURE() << "host operations are not vendor calls";
        break;
      default:
        break;
    }
    if ((s.row->flags & kRegistersName) != 0) {
      EXPECT_TRUE(has(Field::kName));
      EXPECT_TRUE(has(Field::kFunction));
    } else {
      EXPECT_FALSE(has(Field::kName)) << "a string nobody reads";
    }
    if ((s.row->flags & kAliasesFunction) != 0) {
      EXPECT_TRUE(has(Field::kFunction) && has(Field::kHandle));
    }
    if (has(Field::kSourcePlace) || has(Field::kDestinationPlace)) {
      EXPECT_TRUE(s.backend->place_of != nullptr && has(Field::kSourcePlace) && has(Field::kDestinationPlace));
    }
    if (s.row->kind == Kind::kSync) {
      EXPECT_NE(s.row->flags & kSynchronising, 0);
    }
    EXPECT_NE(s.row->flags & (kAsync | kSynchronising), kAsync | kSynchronising);
  });
}

TEST(Conformance, NoFieldIsFilledTwiceByOneRow) {
  for_each_row([](const Subject& s) {
    std::set<Field> seen;
    const auto once = [&](Field field) {
      if (field == Field::kNone || field == Field::kInElements) return;  // kInElements: either array is enough
      EXPECT_TRUE(seen.insert(field).second) << name_of(field);
    };
    for (const Param& param : s.row->shape) {
      once(param.into);
      for (const Peek& peek : param.peeks) once(peek.into);
    }
  });
}

TEST(Conformance, WhatACalleeWritesIsTrustedOnlyWhereItsReturnIsJudged) {
  for_each_row([](const Subject& s) {
    for (const Param& param : s.row->shape) {
      for (const Peek& peek : param.peeks) {
        if (peek.when != When::kReturn) continue;
        EXPECT_NE(s.row->returns, Returns::kVoid) << name_of(peek.into) << " needs to know that the call succeeded";
      }
    }
  });
}

TEST(Conformance, SuccessHasNoFailureName) {
  for (const Backend* backend : backends::all_backends()) {
    ASSERT_NE(backend->status_name, nullptr);
    EXPECT_FALSE(backend->status_name(0).empty()) << backend->name;
    EXPECT_TRUE(backend->status_name(-123456).empty());
    for (const int64_t code : backend->not_failures) EXPECT_FALSE(backend->status_name(code).empty());
  }
}

TEST(Conformance, EveryRowHasItsNumberInTheCallTable) {
  const CallTable table(backends::all_backends());
  ASSERT_LT(table.size(), size_t{kNoCall});
  for_each_row([&](const Subject& s) {
    const CallId id = table.id_of(*s.row);
    ASSERT_NE(id, kNoCall);
    EXPECT_EQ(table[id].name, s.row->name);
    EXPECT_EQ(table[id].backend, s.backend->name);
    EXPECT_EQ(table[id].library, s.library);
    EXPECT_FALSE(table.host_op(id).has_value());
  });
}

}  // namespace
}  // namespace ingero
