// Asks jemalloc, if it is there: see heap.h. Names as in its manual, MALLCTL NAMESPACE.
#include "base/heap.h"

#include <sys/types.h>

#include <cstddef>

extern "C" [[gnu::weak]] int mallctl(const char* name, void* old, size_t* old_size, void* value, size_t value_size);

namespace ingero {

void keep_freed_pages(std::chrono::milliseconds time) {
  if (mallctl == nullptr) return;
  auto decay = static_cast<ssize_t>(time.count());
  // The one arena that there is (cli/main.cc), and any later one.
  for (const char* name : {"arena.0.dirty_decay_ms", "arenas.dirty_decay_ms"}) {
    (void)mallctl(name, nullptr, nullptr, &decay, sizeof(decay));
  }
}

}  // namespace ingero
