// Aligned text tables for people. Cells may hold untrusted text: they are made printable here.
//
// Owns its cells. Threads: one at a time. Colour is the caller's decision (only on a terminal). Failure: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ingero::report {

enum class Style : uint8_t { kPlain, kBold, kDim, kRed, kYellow };

// `text` in `style` when `colour`, else as it is.
std::string styled(std::string_view text, Style style, bool colour);

enum class Align : uint8_t { kLeft, kRight };

struct TableColumn {
  std::string name;
  Align align = Align::kRight;
};

struct Cell {
  Cell(std::string cell_text, Style cell_style = Style::kPlain) : text(std::move(cell_text)), style(cell_style) {}
  Cell(const char* cell_text, Style cell_style = Style::kPlain) : text(cell_text), style(cell_style) {}
  std::string text;
  Style style;
};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}
  // As many cells as there are columns; missing ones are empty.
  void add_row(std::vector<Cell> cells);
  bool empty() const { return rows_.empty(); }
  // One line per row, the header first, each preceded by `indent` blanks; no blanks at the ends of lines.
  std::string render(bool colour, size_t indent = 0) const;

 private:
  std::vector<TableColumn> columns_;
  std::vector<std::vector<Cell>> rows_;
};

// How many columns of a terminal `text` takes: its characters, not its bytes.
size_t display_width(std::string_view text);

}  // namespace ingero::report
