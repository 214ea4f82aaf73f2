// The program: passes the process's arguments, streams and environment to run().
#include <system_error>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <new>
#include <string_view>

#include "base/environment.h"
#include "base/text.h"
#include "cli/app.h"

namespace {

[[noreturn]] void end_with(std::string_view sentence) {
  const ssize_t written = ::write(STDERR_FILENO, sentence.data(), sentence.size());
  _exit(written < 0 ? 2 : 1);
}

constexpr std::string_view kNoMemory = "Error: out of memory (give the machine, or the cgroup it runs in, more)\n";

void end_if_none_is_left() {
  constexpr size_t kLarge = 1 << 16;
  void* volatile memory = std::malloc(kLarge);  // volatile: or it is optimised away, and taken to have succeeded
  if (memory == nullptr) end_with(kNoMemory);
  std::free(memory);
}

// Memory may run out in any thread, and where no exception can be made of it or go on: a sentence and a status then, as
// at any other end. A recording is whole up to its last transaction however the program ends. Anything else is a bug,
// and aborts.
[[noreturn]] void end_without_memory() {
  const std::exception_ptr thrown = std::current_exception();
  try {
    if (thrown) std::rethrow_exception(thrown);
    end_if_none_is_left();  // not even for the exception
  } catch (const std::bad_alloc&) {
    end_with(kNoMemory);
  } catch (const std::system_error&) {  // a thread, most often
    end_with("Error: out of memory or threads (give the machine, or the cgroup it runs in, more)\n");
  } catch (...) {
  }
  std::abort();
}

}  // namespace

// glibc's, for all libraries of the program (assert(3)). Where their hash tables get no memory, elfutils' return no
// error but assert that there was some, and the program would abort without a sentence.
// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming): glibc's name
extern "C" [[noreturn]] void __assert_fail(const char* assertion, const char* file, unsigned line,
                                           const char* function) noexcept {
  end_if_none_is_left();
  std::array<char, 512> text{};
  const int size =
      std::snprintf(text.data(), text.size(), "Error: a library cannot go on, as without memory: %s:%u: %s: %s\n", file,
                    line, function != nullptr ? function : "?", assertion);
  end_with({text.data(), std::min(text.size() - 1, static_cast<size_t>(std::max(size, 0)))});
}

// Options of jemalloc (its manual, TUNING). What one thread allocates another frees: an arena for each would keep all
// of it, and 5.3.0 crashes where there is no memory for another arena (arena_choose() is given none), or for the cache
// of a new thread: a small one finds room in what there is (none at all takes a third more CPU for each short program).
// Pages that were freed go back to the kernel at once (but see base/heap.h). No thread of its own: it would begin
// before main(), and keep the capabilities that the agent gives up.
extern "C" const char* malloc_conf;  // NOLINT(readability-identifier-naming): jemalloc's name
const char* malloc_conf =
    "narenas:1,tcache_max:1024,tcache_nslots_small_max:20,oversize_threshold:0,dirty_decay_ms:0,muzzy_decay_ms:0,"
    "background_thread:false";

int main(int argc, char** argv) {
  std::set_terminate(end_without_memory);
  std::ios::sync_with_stdio(false);
  ingero::cli::Context context(std::cout, std::cerr);
  context.out_is_terminal = isatty(STDOUT_FILENO) != 0;
  context.err_is_terminal = isatty(STDERR_FILENO) != 0;
  context.colour = context.out_is_terminal && !ingero::environment("NO_COLOR") &&
                   ingero::environment("TERM").value_or("dumb") != "dumb";
  std::vector<std::string> arguments(argv + 1, argv + argc);
  // Under this name it is the cluster's server: `ingero-echo serve`.
  if (ingero::file_name(argv[0]) == "ingero-echo") arguments.insert(arguments.begin(), "fleet");
  const int status = ingero::cli::run(std::move(arguments), context);
  if (context.unfinished.empty()) return status;
  std::cout.flush();
  std::cerr.flush();
  _exit(status);
}
