// Rows as a table, JSON or CSV: see row_printer.h.
#include "report/row_printer.h"

#include <cmath>
#include <optional>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "report/event_rows.h"
#include "report/table.h"
#include "store/db/json_rows.h"

namespace ingero::report {
namespace {

using store::Value;

std::string hex(std::string_view bytes) { return to_hex(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()); }

std::string plain_text(const Value& value) {
  switch (value.type) {
    case Value::Type::kNull:
      return {};
    case Value::Type::kInteger:
      return fmt::format("{}", value.integer);
    case Value::Type::kReal:
      return fmt::format("{}", value.real);
    case Value::Type::kText:
      return std::string(value.text);
    case Value::Type::kBlob:
      return hex(value.text);
  }
  return {};
}

class TablePrinter final : public RowPrinter {
 public:
  TablePrinter(std::ostream& out, bool colour) : out_(out), colour_(colour) {}

  void columns(std::span<const std::string_view> names) override {
    names_.assign(names.begin(), names.end());
    numeric_.assign(names.size(), true);
  }
  void row(std::span<const Value> values) override {
    std::vector<Cell> cells;
    for (size_t i = 0; i < values.size(); ++i) {
      const Value& value = values[i];
      if (value.is_null()) {
        cells.emplace_back("NULL", Style::kDim);
        continue;
      }
      if (value.type == Value::Type::kText || value.type == Value::Type::kBlob) numeric_[i] = false;
      // Six significant figures serve a reader; --json and --csv give them all.
      const bool whole = std::abs(value.real) < 1e15 && value.real == std::floor(value.real);
      cells.emplace_back(value.type != Value::Type::kReal ? plain_text(value)
                         : whole                          ? fmt::format("{:.1f}", value.real)
                                                          : fmt::format("{:.6g}", value.real));
    }
    rows_.push_back(std::move(cells));
  }
  void finish() override {
    std::vector<TableColumn> columns;
    for (size_t i = 0; i < names_.size(); ++i) {
      columns.push_back({printable(names_[i]), numeric_[i] && !rows_.empty() ? Align::kRight : Align::kLeft});
    }
    Table table(std::move(columns));
    for (auto& cells : rows_) table.add_row(std::move(cells));
    out_ << table.render(colour_);
  }

 private:
  std::ostream& out_;
  bool colour_;
  std::vector<std::string> names_;
  std::vector<bool> numeric_;
  std::vector<std::vector<Cell>> rows_;
};

// Text that is written in pieces.
class HeldText {
 public:
  explicit HeldText(std::ostream& out) : out_(out) {}
  void add(std::string_view text) {
    text_ += text;
    if (text_.size() >= RowPrinter::kHeldBytes) flush();
  }
  void flush() {
    out_ << text_;
    text_.clear();
  }

 private:
  std::ostream& out_;
  std::string text_;
};

class JsonPrinter final : public RowPrinter {
 public:
  explicit JsonPrinter(std::ostream& out) : held_(out) {}

  void columns(std::span<const std::string_view> names) override {
    // Two columns of one name would be one key: the later gets its number.
    for (size_t i = 0; i < names.size(); ++i) {
      std::string name(names[i]);
      for (size_t j = 0; j < i; ++j) {
        if (names[j] == names[i]) name = fmt::format("{}_{}", names[i], i + 1);
      }
      names_.push_back(std::move(name));
    }
  }
  void row(std::span<const Value> values) override {
    Json object = Json::object();
    for (size_t i = 0; i < values.size() && i < names_.size(); ++i) object[names_[i]] = json_of(names_[i], values[i]);
    held_.add(first_ ? "[\n" : ",\n");
    first_ = false;
    held_.add(dump(object));
  }
  void finish() override {
    held_.add(first_ ? "[]\n" : "\n]\n");
    held_.flush();
  }

 private:
  // The listing's columns `args`, `stack` and `labels` hold JSON as text.
  static Json json_of(std::string_view name, const Value& value) {
    if (value.type == Value::Type::kText && (name == "args" || name == "stack" || name == "labels")) {
      auto parsed = Json::parse(value.text, nullptr, false);
      if (!parsed.is_discarded()) return parsed;
    }
    return store::json_of(value);
  }

  HeldText held_;
  std::vector<std::string> names_;
  bool first_ = true;
};

class CsvPrinter final : public RowPrinter {
 public:
  CsvPrinter(std::ostream& out, bool to_terminal) : held_(out), to_terminal_(to_terminal) {}

  void columns(std::span<const std::string_view> names) override {
    std::string line;
    for (size_t i = 0; i < names.size(); ++i) line += (i == 0 ? "" : ",") + field(std::string(names[i]));
    held_.add(line + "\n");
  }
  void row(std::span<const Value> values) override {
    std::string line;
    for (size_t i = 0; i < values.size(); ++i) {
      std::string text = plain_text(values[i]);
      if (values[i].type == Value::Type::kText && is_formula(text)) text.insert(0, 1, '\'');
      line += (i == 0 ? "" : ",") + field(std::move(text));
    }
    held_.add(line + "\n");
  }
  void finish() override { held_.flush(); }

 private:
  std::string field(std::string text) const {
    if (to_terminal_) text = printable(text, text.size());
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string out = "\"";
    for (const char c : text) {
      if (c == '"') out += '"';
      out += c;
    }
    return out + "\"";
  }

  HeldText held_;
  bool to_terminal_;
};

}  // namespace

std::unique_ptr<RowPrinter> RowPrinter::make(RowStyle style, const Sink& sink) {
  switch (style) {
    case RowStyle::kJson:
      return std::make_unique<JsonPrinter>(sink.out);
    case RowStyle::kCsv:
      return std::make_unique<CsvPrinter>(sink.out, sink.is_terminal);
    case RowStyle::kTable:
      break;
  }
  return std::make_unique<TablePrinter>(sink.out, sink.colour);
}

store::Value value_of(const Json& cell) {
  Value value;
  if (cell.is_string()) {
    value.type = Value::Type::kText;
    value.text = cell.get_ref<const std::string&>();
  } else if (cell.is_number_integer() && !(cell.is_number_unsigned() && cell.get<uint64_t>() > INT64_MAX)) {
    value.type = Value::Type::kInteger;
    value.integer = cell.get<int64_t>();
  } else if (cell.is_number()) {
    value.type = Value::Type::kReal;
    value.real = cell.get<double>();
  }
  return value;
}

}  // namespace ingero::report
