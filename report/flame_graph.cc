// Sums the time of equal stacks, and draws them as folded lines or SVG.
#include "report/flame_graph.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "report/frame_text.h"
#include "report/stack_shares.h"
#include "store/read/call_names.h"
#include "store/read/selection_sql.h"

namespace ingero::report {
namespace {

using store::Value;

constexpr double kWidth = 1200, kRow = 17, kMargin = 10, kTop = 48, kCharacter = 6.6;
constexpr double kLeast = 0.3;  // narrower boxes are not drawn
constexpr size_t kMaxDepth = 256;

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

struct Node {
  std::map<std::string, std::unique_ptr<Node>> children;
  uint64_t ns = 0;
};

size_t depth_of(const Node& node) {
  size_t deepest = 0;
  for (const auto& [name, child] : node.children) deepest = std::max(deepest, depth_of(*child));
  return deepest + 1;
}

// Python frames green, the calls themselves (leaves) red, the rest orange; of one name always the same shade.
std::string colour_of(const std::string& name, bool is_leaf) {
  unsigned hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  const unsigned shade = hash % 40;
  if (is_leaf) return fmt::format("rgb({},{},{})", 215 + shade % 30, 90 + shade, 80);
  if (name.find(".py)") != std::string::npos) return fmt::format("rgb({},{},{})", 110 + shade, 190 + shade, 110);
  return fmt::format("rgb({},{},{})", 235 + shade % 20, 150 + shade, 70);
}

void draw(const Node& node, const std::string& name, double x, double width, size_t level, double height,
          uint64_t total, std::string& out) {
  if (width < kLeast) return;
  const double y = height - kMargin - static_cast<double>(level + 1) * kRow;
  const auto share = 100.0 * static_cast<double>(node.ns) / static_cast<double>(std::max<uint64_t>(total, 1));
  out += fmt::format(
      "<g><title>{}: {} ({:.1f}%)</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" "
      "fill=\"{}\" "
      "rx=\"2\"/>",
      escaped(name), format_duration(node.ns), share, x, y, width, kRow - 1, colour_of(name, node.children.empty()));
  const auto room = static_cast<size_t>(width / kCharacter);
  if (room >= 3) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", x + 3, y + 12,
                       escaped(name.size() <= room ? name : printable(name, room - 2) + ".."));
  }
  out += "</g>\n";
  double at = x;
  for (const auto& [child_name, child] : node.children) {
    const double child_width =
        width * static_cast<double>(child->ns) / static_cast<double>(std::max<uint64_t>(node.ns, 1));
    draw(*child, child_name, at, child_width, level + 1, height, total, out);
    at += child_width;
  }
}

}  // namespace

Result<Flames> gather_flames(const store::Reader& reader, const store::Selection& selection, uint64_t time_ns) {
  store::Conditions conditions;
  conditions.add("e.kind <> 'host'");
  conditions.add("e.duration IS NOT NULL");
  conditions.add_events(selection);
  store::QueryLimits limits;
  limits.time_ns = time_ns;
  if (!selection.op.empty()) {
    const auto names = store::calls_named(reader, selection.op, limits);
    if (!names.ok()) return names.error();
    conditions.add(store::is_of_calls(*names));
  }
  const auto shares = gather_stack_shares(reader, conditions, limits);
  if (!shares.ok()) return shares.error();
  // The process and the time of each stack; another pass gives the frames.
  std::unordered_map<int64_t, std::vector<const StackShare*>> by_hash;
  for (const StackShare& stack : shares->stacks) by_hash[stack.hash].push_back(&stack);
  Flames flames;
  flames.calls = shares->calls;
  flames.total_ns = shares->total_ns;
  const auto outcome = reader.query("SELECT hash, frames FROM stack_traces", limits, [&](std::span<const Value> row) {
    const auto found = by_hash.find(row[0].integer);
    if (found == by_hash.end()) return true;
    const auto frames = symbols::parse_frames(row[1].text);
    if (frames.empty()) return true;
    std::string line;
    for (size_t i = std::min(frames.size(), kMaxDepth); i-- > 0;) {
      std::string name = frame_name(frames[i]);
      std::replace(name.begin(), name.end(), ';', ':');
      line += ";" + name;
    }
    for (const StackShare* stack : found->second) {
      const uint64_t ns = stack->total_ns.value_or(0);
      flames.calls_with_stack += stack->taken;
      flames.total_with_stack_ns += stack->taken_ns;
      flames.calls_covered += stack->calls;
      flames.total_covered_ns += ns;
      const std::string& process = stack->untrusted_process;
      flames.folded[(process.empty() ? "process" : printable(process, 16)) + line] += ns;
    }
    return true;
  });
  if (!outcome.ok()) return outcome.error();
  return flames;
}

std::string folded_text(const Flames& flames) {
  std::string out;
  for (const auto& [line, ns] : flames.folded) {
    out += fmt::format("{} {}\n", line, std::max<uint64_t>(1, (ns + 500) / 1000));
  }
  return out;
}

std::string flame_svg(const Flames& flames, const std::string& title) {
  Node root;
  for (const auto& [line, ns] : flames.folded) {
    Node* node = &root;
    node->ns += ns;
    for (const std::string_view name : split(line, ';')) {
      auto& child = node->children[std::string(name)];
      if (!child) child = std::make_unique<Node>();
      node = child.get();
      node->ns += ns;
    }
  }
  const double height = kTop + kMargin + static_cast<double>(depth_of(root)) * kRow;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "font-family=\"monospace\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fffaf3\"/>\n"
      "<text x=\"{2:.0f}\" y=\"20\" font-size=\"14\">{3}</text>\n<text x=\"{2:.0f}\" y=\"38\">{4}</text>\n",
      kWidth, height, kMargin, escaped(title), escaped(coverage_text(flames)));
  draw(root, "all", kMargin, kWidth - 2 * kMargin, 0, height, root.ns, out);
  return out + "</svg>\n";
}

std::string coverage_text(const Flames& flames) {
  const auto share = [&](uint64_t ns) {
    return flames.total_ns == 0 ? 0 : 100.0 * static_cast<double>(ns) / static_cast<double>(flames.total_ns);
  };
  std::string text = fmt::format("stacks of {} of {} calls, {:.0f}% of their time", flames.calls_with_stack,
                                 flames.calls, share(flames.total_with_stack_ns));
  if (flames.calls_covered > flames.calls_with_stack) {
    text += fmt::format("; {:.0f}% with the calls that sampled stacks stand for", share(flames.total_covered_ns));
  }
  return text;
}

}  // namespace ingero::report
