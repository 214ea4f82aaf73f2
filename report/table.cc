// Lays out text tables: measures each column and makes untrusted cells printable before they reach a terminal.
#include "report/table.h"

#include <algorithm>

#include "base/text.h"

namespace ingero::report {
namespace {

constexpr size_t kMaxCellBytes = 512;
constexpr size_t kGap = 2;

const char* escape_of(Style style) {
  switch (style) {
    case Style::kBold:
      return "\x1b[1m";
    case Style::kDim:
      return "\x1b[2m";
    case Style::kRed:
      return "\x1b[31m";
    case Style::kYellow:
      return "\x1b[33m";
    case Style::kPlain:
      break;
  }
  return "";
}

}  // namespace

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour || style == Style::kPlain || text.empty()) return std::string(text);
  return escape_of(style) + std::string(text) + "\x1b[0m";
}

size_t display_width(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<uint8_t>(c) & 0xC0U) != 0x80U; }));
}

void Table::add_row(std::vector<Cell> cells) {
  cells.resize(columns_.size(), Cell(""));
  for (Cell& cell : cells) cell.text = printable(cell.text, kMaxCellBytes);
  rows_.push_back(std::move(cells));
}

std::string Table::render(bool colour, size_t indent) const {
  std::vector<size_t> widths;
  for (size_t i = 0; i < columns_.size(); ++i) {
    size_t width = display_width(columns_[i].name);
    for (const auto& row : rows_) width = std::max(width, display_width(row[i].text));
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](const auto& text_of, const auto& style_of) {
    std::string blanks(indent, ' ');
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& text = text_of(i);
      const std::string padding(widths[i] - display_width(text), ' ');
      if (columns_[i].align == Align::kRight) blanks += padding;
      // Blanks are held back until a cell follows them, so that lines end where their text does.
      if (!text.empty()) {
        out += blanks + styled(text, style_of(i), colour);
        blanks.clear();
      }
      if (columns_[i].align == Align::kLeft) blanks += padding;
      blanks.append(kGap, ' ');
    }
    out += '\n';
  };
  line([&](size_t i) -> const std::string& { return columns_[i].name; }, [](size_t) { return Style::kDim; });
  for (const auto& row : rows_) {
    line([&](size_t i) -> const std::string& { return row[i].text; }, [&](size_t i) { return row[i].style; });
  }
  return out;
}

}  // namespace ingero::report
