// Rows of a query as a table, JSON or CSV.
//
// A table is held until finish(), because its widths depend on all rows; JSON and CSV are written in pieces, the
// first only after kHeldBytes, so that a query which fails early has written nothing. Threads: one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <span>
#include <string_view>

#include "base/json.h"
#include "store/read/reader.h"

namespace ingero::report {

enum class RowStyle : uint8_t { kTable, kJson, kCsv };

class RowPrinter {
 public:
  static constexpr size_t kHeldBytes = 4 << 20;

  struct Sink {
    std::ostream& out;         // outlives the printer
    bool colour = false;       // of a table
    bool is_terminal = false;  // CSV for one has no control characters
  };
  static std::unique_ptr<RowPrinter> make(RowStyle style, const Sink& sink);
  virtual ~RowPrinter() = default;

  virtual void columns(std::span<const std::string_view> names) = 0;
  virtual void row(std::span<const store::Value> values) = 0;
  // Everything that is still held. Without it nothing more is written.
  virtual void finish() = 0;
};

// A cell of another node's answer; its text belongs to the cell.
store::Value value_of(const Json& cell);

}  // namespace ingero::report
