// The two spellings of a frame in JSON differ in their keys only.
#include "symbols/frame.h"

#include <algorithm>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "base/json.h"
#include "base/text.h"

namespace ingero::symbols {
namespace {

constexpr size_t kMaxFrames = 1024;
constexpr size_t kMaxJsonBytes = 4 << 20;

struct Keys {
  const char *ip, *symbol, *file, *source, *line, *inlined, *python_file, *python_function, *python_line;
};
constexpr Keys kStored = {"i", "s", "f", "sf", "l", "in", "pf", "pfn", "pl"};
constexpr Keys kShown = {"ip", "symbol", "file", "source_file", "line", "inlined", "py_file", "py_func", "py_line"};

std::string frames_json(const std::vector<StackFrame>& frames, const Keys& keys) {
  std::string out = "[";
  for (const StackFrame& frame : frames) {
    out += out.size() > 1 ? ",{" : "{";
    const char* separator = "";
    const auto text = [&](const char* key, const std::string& value) {
      if (value.empty()) return;
      out += fmt::format("{}\"{}\":{}", separator, key, json_string(value));
      separator = ",";
    };
    const auto number = [&](const char* key, uint32_t value) {
      if (value == 0) return;
      out += fmt::format("{}\"{}\":{}", separator, key, value);
      separator = ",";
    };
    if (frame.ip != 0) text(keys.ip, fmt::format("{:#x}", frame.ip));
    text(keys.symbol, frame.symbol);
    text(keys.file, frame.file);
    text(keys.source, frame.source);
    number(keys.line, frame.line);
    if (frame.is_inlined) number(keys.inlined, 1);
    text(keys.python_file, frame.python_file);
    text(keys.python_function, frame.python_function);
    number(keys.python_line, frame.python_line);
    out += "}";
  }
  return out + "]";
}

// Installed with the interpreter or by a package manager: not where a user looks for his own line.
bool is_installed(std::string_view file) {
  return file.find("/site-packages/") != std::string_view::npos ||
         file.find("/dist-packages/") != std::string_view::npos ||
         file.find("/lib/python3") != std::string_view::npos || file.starts_with("<frozen");
}

bool is_library(std::string_view file) {
  const std::string_view name = file_name(file);
  return name.ends_with(".so") || name.find(".so.") != std::string_view::npos;
}

}  // namespace

std::string stored_frames(const std::vector<StackFrame>& frames) { return frames_json(frames, kStored); }
std::string shown_frames(const std::vector<StackFrame>& frames) { return frames_json(frames, kShown); }

std::vector<StackFrame> parse_frames(std::string_view json) {
  std::vector<StackFrame> frames;
  if (json.empty() || json.size() > kMaxJsonBytes) return frames;
  const auto parsed = nlohmann::json::parse(json, nullptr, false);
  if (!parsed.is_array()) return frames;
  for (const auto& item : parsed) {
    if (!item.is_object() || frames.size() >= kMaxFrames) continue;
    const auto text = [&](const char* key) {
      const auto found = item.find(key);
      return found != item.end() && found->is_string() ? found->get<std::string>() : std::string();
    };
    const auto number = [&](const char* key) -> uint32_t {
      const auto found = item.find(key);
      return found != item.end() && found->is_number_unsigned() ? found->get<uint32_t>() : 0;
    };
    StackFrame frame;
    frame.ip = parse_u64(text(kStored.ip)).value_or(0);
    frame.symbol = text(kStored.symbol);
    frame.file = text(kStored.file);
    frame.source = text(kStored.source);
    frame.line = number(kStored.line);
    frame.is_inlined = number(kStored.inlined) != 0;
    frame.python_file = text(kStored.python_file);
    frame.python_function = text(kStored.python_function);
    frame.python_line = number(kStored.python_line);
    frames.push_back(std::move(frame));
  }
  return frames;
}

bool is_start_up(const StackFrame& frame) {
  constexpr std::string_view kNames[] = {"_start",
                                         "__libc_start_main",
                                         "__libc_start_call_main",
                                         "__libc_start_main_impl",
                                         "start_thread",
                                         "clone",
                                         "__clone",
                                         "clone3",
                                         "__clone3",
                                         "thread_start",
                                         "_dl_start_user"};
  constexpr std::string_view kFiles[] = {"libc.so.", "libc-2.", "libpthread", "ld-linux", "ld-musl"};
  const std::string_view symbol = frame.symbol, file = file_name(frame.file);
  const std::string_view name = symbol.substr(0, symbol.find_first_of("+@"));
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames) ||
         std::any_of(std::begin(kFiles), std::end(kFiles), [&](auto prefix) { return file.starts_with(prefix); });
}

bool is_of_system(const StackFrame& frame) {
  constexpr std::string_view kFiles[] = {"libstdc++", "libc++",  "libgcc_s", "libm.so",
                                         "libpython", "python3", "[vdso]"};
  constexpr std::string_view kFolders[] = {"/usr/include/", "/usr/lib/", "/rustc/"};
  const std::string_view source = frame.source, file = file_name(frame.file);
  const auto begins = [](std::string_view text, auto prefix) { return text.starts_with(prefix); };
  if (is_start_up(frame) ||
      std::any_of(std::begin(kFiles), std::end(kFiles), [&](auto one) { return begins(file, one); })) {
    return true;
  }
  // With a source file, that says whose it is: the name of a function of the user's may begin with what it returns.
  if (!source.empty()) {
    return source.find("/include/c++/") != std::string_view::npos ||
           source.find("/lib/gcc/") != std::string_view::npos ||
           std::any_of(std::begin(kFolders), std::end(kFolders), [&](auto one) { return begins(source, one); });
  }
  constexpr std::string_view kSpaces[] = {"std::", "__gnu_cxx::", "__gthread"};
  return std::any_of(std::begin(kSpaces), std::end(kSpaces), [&](auto one) { return begins(frame.symbol, one); });
}

namespace {

bool is_own(const StackFrame& frame) {
  return frame.line != 0 && !frame.source.empty() && !frame.is_python() && !is_of_system(frame);
}

// Of the innermost machine function that has code of the program's own the outermost of its functions: what it inlines
// are helpers. But main, in which a compiler inlines all that is called once.
const StackFrame* own_line(std::span<const StackFrame> frames) {
  const StackFrame* own = nullptr;
  for (const StackFrame& frame : frames) {
    const bool is_main = frame.symbol == "main" || frame.symbol.starts_with("main+");
    if (is_own(frame) && (own == nullptr || !is_main)) own = &frame;
    if (own != nullptr && !frame.is_inlined) break;
  }
  return own;
}

// `first_native`: that many frames of native code are the call itself.
const StackFrame* place_in(const std::vector<StackFrame>& frames, size_t first_native) {
  const StackFrame *python = nullptr, *of_library = nullptr, *of_program = nullptr;
  for (const StackFrame& frame : frames) {
    if (!frame.is_python()) continue;
    if (!is_installed(frame.python_file)) return &frame;
    if (python == nullptr) python = &frame;
  }
  if (python != nullptr) return python;
  const auto native = std::span(frames).subspan(std::min(first_native, frames.size()));
  if (const StackFrame* own = own_line(native)) return own;
  for (const StackFrame& frame : native) {
    if (frame.file.empty() || is_of_system(frame)) continue;
    if (of_program == nullptr && !is_library(frame.file)) of_program = &frame;
    // On its own thread: that called the described one.
    const bool is_caller = first_native == 0 || frame.file != frames.front().file;
    if (of_library == nullptr && !frame.symbol.empty() && is_caller) of_library = &frame;
  }
  return of_program != nullptr ? of_program : of_library;
}

}  // namespace

const StackFrame* line_of(const std::vector<StackFrame>& frames) { return place_in(frames, 1); }

const StackFrame* line_of_thread(const std::vector<StackFrame>& frames) { return place_in(frames, 0); }

const StackFrame* caller_of(const std::vector<StackFrame>& frames, const StackFrame& line) {
  const auto outer = std::span(frames).subspan(static_cast<size_t>(&line - frames.data()) + 1);
  const auto function_of = [](const StackFrame& frame) {
    return std::string_view(frame.symbol).substr(0, frame.symbol.rfind('+'));
  };
  const auto found = std::ranges::find_if(outer, [&](const StackFrame& frame) {
    if (line.is_python()) return frame.is_python() && !is_installed(frame.python_file);
    return is_own(frame) && !frame.is_inlined && function_of(frame) != function_of(line);
  });
  return found == outer.end() ? nullptr : &*found;
}

const StackFrame* library_of(const std::vector<StackFrame>& frames, const StackFrame& line, bool is_running) {
  const auto inner = std::span(frames).first(static_cast<size_t>(&line - frames.data()));
  const StackFrame *native = nullptr, *python = nullptr;
  std::string_view its_file;
  for (const StackFrame& frame : inner) {
    if (frame.is_python()) {
      if (python == nullptr || !is_running) python = &frame;
      continue;
    }
    if (!its_file.empty() && frame.file != its_file) return native;
    const bool calls_for_others =
        frame.file.find("/lib-dynload/") != std::string::npos || file_name(frame.file).starts_with("libffi");
    if (!is_library(frame.file) || is_of_system(frame) || calls_for_others) continue;
    its_file = frame.file;
    if (native == nullptr || !frame.symbol.empty()) native = &frame;
  }
  return native != nullptr ? native : python;
}

bool waits_for_own_lock(const std::vector<StackFrame>& frames, const StackFrame& line) {
  constexpr std::string_view kLocks[] = {"pthread_mutex_", "__pthread_mutex_", "pthread_rwlock_", "__pthread_rwlock_"};
  const auto inner = std::span(frames).first(static_cast<size_t>(&line - frames.data()));
  if (line.is_python()) {
    if (is_installed(line.python_file)) return false;  // a condition's, or a queue's
    return !inner.empty() && std::ranges::all_of(inner, [](const StackFrame& frame) {
      const bool is_module_of_locks = file_name(frame.file).starts_with("_multiprocessing");
      return !frame.is_python() && !frame.file.empty() && (is_of_system(frame) || is_module_of_locks);
    });
  }
  return std::ranges::any_of(inner, [&](const StackFrame& frame) {
    return std::ranges::any_of(kLocks, [&](std::string_view one) { return frame.symbol.starts_with(one); });
  });
}

}  // namespace ingero::symbols
