// Rules in the order a table is read: the backend, its libraries, each row, rows against each other.
#include "hal/conformance.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "hal/lower.h"

namespace ingero::hal {
namespace {

constexpr uint16_t kCondition = kNotWhereTarget | kOnlyWhereTarget;
constexpr size_t kMaxConditions = 6;  // symbols that rows of one library depend on; every combination is tried

std::set<Field> fields_of(const Row& row) {
  std::set<Field> fields;
  for (const Param& param : row.shape) {
    if (param.into != Field::kNone) fields.insert(param.into);
    for (const Peek& peek : param.peeks) fields.insert(peek.into);
  }
  if (row.result != Field::kNone) fields.insert(row.result);
  if (row.behind_result.into != Field::kNone) fields.insert(row.behind_result.into);
  return fields;
}

class Evaluator {
 public:
  explicit Evaluator(const Backend& backend) : backend_(backend) {}

  std::vector<Nonconformity> evaluate() {
    expect(!backend_.name.empty(), "has no name");
    expect(!backend_.vendor.empty(), "has no vendor");
    expect(!backend_.libraries.empty(), "describes no library");
    expect_statuses(backend_.statuses);
    std::set<std::string_view> names;
    for (const Library& library : backend_.libraries) {
      library_ = &library;
      expect(!library.name.empty() && names.insert(library.name).second, "has no name of its own");
      check_library(library);
      for (const Row& row : library.rows) {
        row_ = &row;
        check_lowering(row);
        check_fields(row);
        check_conditions(row);
      }
      row_ = nullptr;
      check_same_names(library);
      check_symbols(library);
    }
    return std::move(found_);
  }

 private:
  void expect(bool good, std::string sentence) {
    if (!good) found_.push_back({library_, row_, std::move(sentence)});
  }

  void expect_statuses(std::span<const StatusName> statuses) {
    expect(std::is_sorted(statuses.begin(), statuses.end(), by_code), "lists its return codes out of order");
    expect(statuses.empty() || !status_name(statuses, 0).empty(), "has no name for return code 0, success");
  }

  void check_library(const Library& library) {
    expect(!library.sonames.empty(), "has no soname to be found by");
    expect(!library.rows.empty(), "describes no call");
    expect(!library.layer.empty(), "has no layer");
    expect(library.source != 0, "has no source id");
    expect(library.in_executables == !library.anchors.empty(),
           "needs anchors exactly where it may be linked into executables: symbols that prove it");
    expect_statuses(library.statuses);
    const auto statuses = library.statuses.empty() ? backend_.statuses : library.statuses;
    const bool has_codes = std::any_of(library.rows.begin(), library.rows.end(),
                                       [](const Row& row) { return row.returns == Returns::kStatus; });
    expect(!has_codes || !statuses.empty(), "returns status codes that have no names");
    for (const int64_t code : backend_.not_failures) {
      expect(!status_name(statuses, code).empty(),
             fmt::format("has no name for return code {}, which not_failures lists", code));
    }
  }

  // All architectures, and the same words on those of 64 bits.
  void check_lowering(const Row& row) {
    const Result<Lowered> x86 = lower(row, Arch::kX86_64);
    const Result<Lowered> arm = lower(row, Arch::kArm64);
    expect(x86.ok(), x86.ok() ? "" : x86.error().message());
    expect(arm.ok() || !x86.ok(), arm.ok() ? "" : arm.error().message());
    if (!x86.ok() || !arm.ok()) return;
    const Result<Lowered> narrow = lower(row, Arch::kX86_32);  // leaves out what it cannot say
    expect(narrow.ok(), narrow.ok() ? "" : narrow.error().message());
    bool same = x86->recipe.n_words == arm->recipe.n_words;
    for (size_t i = 0; same && i < x86->recipe.n_words; ++i) {
      const Word& a = x86->words[i];
      const Word& b = arm->words[i];
      same = a.field == b.field && a.bits == b.bits && a.at_return == b.at_return;
    }
    expect(same, "captures other words on arm64 than on x86-64");
  }

  void check_fields(const Row& row) {
    const std::set<Field> fields = fields_of(row);
    const auto has = [&](Field field) { return fields.count(field) != 0; };
    const auto needs = [&](bool good, std::string_view what) {
      expect(good, fmt::format("is a {} without {}", name_of(row.kind), what));
    };
    const bool has_size = has(Field::kBytes) || has(Field::kWidth);
    const bool has_object = has(Field::kAddress) || has(Field::kHandle);
    switch (row.kind) {
      case Kind::kLaunch:
        needs(has(Field::kFunction) || has(Field::kHandle), "function or handle");
        break;
      case Kind::kMemcpy:
        // Of a copy of whole objects their creation says how large they are.
        needs(has_size || has(Field::kCount) || has(Field::kHandle), "bytes, width, count or handle");
        break;
      case Kind::kMemset:
        needs(has_size && has(Field::kAddress), "address, and bytes or width");
        break;
      case Kind::kAlloc:
      case Kind::kFree:
        needs(has_object, "address or handle");
        break;
      case Kind::kEvent:
      case Kind::kGraph:
        needs(has(Field::kHandle) || has(Field::kStream), "handle or stream");
        break;
      case Kind::kStream:
        needs(has(Field::kStream), "stream");
        break;
      case Kind::kSync:
        expect((row.flags & kSynchronising) != 0, "waits, and is not marked as synchronising");
        break;
      case Kind::kHost:
        expect(false, "has the kind host, which is for host events and not for a vendor's calls");
        break;
      default:
        break;
    }
    if ((row.flags & kRegistersName) != 0) {
      expect(has(Field::kName) && has(Field::kFunction), "registers a name without function and name");
    } else {
      expect(!has(Field::kName), "captures a name that is not used: add the flag registers_name");
    }
    expect(has(Field::kAnswer) == (row.name_asked != 0) && has(Field::kAsked) == has(Field::kAnswer),
           "has one or two of asked, answer and name_asked, which belong together");
    expect(row.name_asked == 0 || (has(Field::kFunction) && row.kind == Kind::kModule),
           "is asked for the name of a function that it does not have, or is not a module");
    if ((row.flags & kAliasesFunction) != 0) {
      expect(has(Field::kFunction) && has(Field::kHandle), "aliases a function without function and handle");
    }
    if (has(Field::kSourcePlace) || has(Field::kDestinationPlace)) {
      expect(!backend_.places.empty() && has(Field::kSourcePlace) && has(Field::kDestinationPlace),
             "takes a place without its other end, or its backend has no places");
    }
    expect(!has(Field::kDirection) || !backend_.directions.empty(),
           "takes a direction, and its backend says no directions");
    expect((row.flags & (kAsync | kSynchronising)) != (kAsync | kSynchronising),
           "cannot be both async and synchronising");
    expect(!has(Field::kBlocking) || (row.flags & (kAsync | kSynchronising)) == 0,
           "is blocking by a parameter, and marked as always async or synchronising");
    check_each_field(row);
  }

  void check_each_field(const Row& row) {
    std::set<Field> seen;
    const auto once = [&](Field field) {
      if (field == Field::kNone || field == Field::kInElements) return;  // in_elements: either array is enough
      expect(seen.insert(field).second, fmt::format("fills {} twice", name_of(field)));
    };
    once(row.result);
    const bool is_object = row.result == Field::kAddress || row.result == Field::kHandle ||
                           row.result == Field::kFunction || row.result == Field::kStream;
    expect(row.result == Field::kNone || (row.returns == Returns::kPointer && is_object),
           "returns a result that is not a pointer to an address, a handle, a function or a stream");
    once(row.behind_result.into);
    expect(row.behind_result.into == Field::kNone || row.returns == Returns::kPointer,
           fmt::format("reads {} behind its return value, which is not a pointer", name_of(row.behind_result.into)));
    for (const Param& param : row.shape) {
      once(param.into);
      for (const Peek& peek : param.peeks) {
        once(peek.into);
        if (peek.when != When::kReturn) continue;
        expect(row.returns != Returns::kVoid,
               fmt::format("reads {} at return, and returns nothing that says it is there", name_of(peek.into)));
      }
    }
  }

  void check_conditions(const Row& row) {
    expect(((row.flags & kCondition) != 0) == !row.instead.empty(),
           "names a symbol it depends on without saying how, or the other way round");
    expect((row.flags & kCondition) != kCondition, "holds where a symbol is and where it is not");
    expect(!spellings(row).empty(), "has no spelling: not_base needs another variant");
  }

  // Rows of one name differ in prototype only.
  void check_same_names(const Library& library) {
    std::map<std::string_view, const Row*> first;
    for (const Row& row : library.rows) {
      const auto [at, is_new] = first.try_emplace(row.name, &row);
      if (is_new) continue;
      const Row& other = *at->second;
      row_ = &row;
      expect(row.kind == other.kind && (row.flags & ~kCondition) == (other.flags & ~kCondition) &&
                 row.direction == other.direction && row.element_bytes == other.element_bytes &&
                 row.returns == other.returns && row.result == other.result && row.source == other.source &&
                 row.op == other.op && row.op_name == other.op_name,
             "is another call than the earlier row of its name");
    }
    row_ = nullptr;
  }

  // No file may resolve two rows to one symbol: tried for every combination of the symbols that rows depend on.
  void check_symbols(const Library& library) {
    std::set<std::string_view> conditions;
    for (const Row& row : library.rows) {
      if (!row.instead.empty()) conditions.insert(row.instead);
    }
    expect(conditions.size() <= kMaxConditions, "depends on too many symbols");
    if (conditions.size() > kMaxConditions) return;
    const std::vector<std::string_view> symbols(conditions.begin(), conditions.end());
    std::set<std::string> reported;
    for (size_t present = 0; present < (size_t{1} << symbols.size()); ++present) {
      const auto is_present = [&](std::string_view symbol) {
        const auto at = std::lower_bound(symbols.begin(), symbols.end(), symbol);
        return at != symbols.end() && *at == symbol && ((present >> (at - symbols.begin())) & 1U) != 0;
      };
      std::set<std::string> seen;
      for (const Row& row : library.rows) {
        if ((row.flags & kNotWhereTarget) != 0 && is_present(row.instead)) continue;
        if ((row.flags & kOnlyWhereTarget) != 0 && !is_present(row.instead)) continue;
        for (std::string& symbol : spellings(row)) {
          if (seen.insert(symbol).second || !reported.insert(symbol).second) continue;
          row_ = &row;
          expect(false, fmt::format("describes {} a second time", symbol));
        }
      }
    }
    row_ = nullptr;
  }

  const Backend& backend_;
  const Library* library_ = nullptr;
  const Row* row_ = nullptr;
  std::vector<Nonconformity> found_;
};

}  // namespace

std::vector<Nonconformity> nonconformities(const Backend& backend) { return Evaluator(backend).evaluate(); }

}  // namespace ingero::hal
