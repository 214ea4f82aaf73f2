// Names of calls without what users leave out, and the SQL of those that are meant.
#include "store/read/call_names.h"

#include <algorithm>
#include <cctype>

#include "base/nearest.h"
#include "base/text.h"
#include "store/read/selection_sql.h"

namespace ingero::store {

std::string plain_call_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    if (c != '_' && c != '-') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (out.size() > 2 && out[out.size() - 2] == 'v' && out.back() >= '2' && out.back() <= '9')
    out.resize(out.size() - 2);
  return out;
}

Result<CallNames> calls_named(const Reader& reader, std::string_view typed, const QueryLimits& limits) {
  QueryLimits all_rows = limits;
  all_rows.rows = 0;
  CallNames names;
  const auto outcome =
      reader.query("SELECT op_name, name, symbol FROM sites", all_rows, [&](std::span<const Value> values) {
        for (const Value& one : values) {
          if (one.type == Value::Type::kText && !one.text.empty()) names.all.emplace_back(one.text);
        }
        return true;
      });
  if (!outcome.ok()) return outcome.error();
  std::sort(names.all.begin(), names.all.end());
  names.all.erase(std::unique(names.all.begin(), names.all.end()), names.all.end());
  const std::string wanted = plain_call_name(typed);
  std::copy_if(names.all.begin(), names.all.end(), std::back_inserter(names.meant),
               [&](const std::string& one) { return plain_call_name(one) == wanted; });
  return names;
}

std::string unknown_call(std::string_view whose, std::string_view typed, const CallNames& names) {
  return fmt::format("no call of {} is named \"{}\"{}", whose, printable(typed, 200), did_you_mean(typed, names.all));
}

Result<CallNames> find_calls(const Reader& reader, std::string_view flag, std::string_view typed,
                             const QueryLimits& limits) {
  if (typed.empty()) return CallNames();
  auto names = calls_named(reader, typed, limits);
  if (!names.ok() || !names->is_unknown()) return names;
  return Error(Errc::kInvalid, fmt::format("{}: {}", flag, unknown_call(reader.path(), typed, *names)),
               "'ingero explain' lists the calls");
}

std::string is_of_calls(const CallNames& names) {
  std::string list;
  for (const std::string& one : names.meant) list += (list.empty() ? "" : ", ") + quoted_sql(one);
  return fmt::format("(e.op_name IN ({0}) OR e.call IN ({0}) OR e.symbol IN ({0}))", list);
}

}  // namespace ingero::store
