// Makes one error that a sanitizer reports: sanitizer_report freed|overflow|leak (sanitizers_test.py).
#include <climits>
#include <cstdlib>
#include <string_view>

int main(int count, char** arguments) {
  const std::string_view error = count == 2 ? arguments[1] : "";
  if (error == "freed") {
    auto* volatile memory = static_cast<char*>(std::malloc(4));
    std::free(memory);
    return memory[1];
  }
  if (error == "overflow") {
    volatile int large = INT_MAX;
    large = large + count;
  }
  if (error == "leak") {
    void* volatile memory = std::malloc(4);
    memory = nullptr;
    return memory != nullptr;
  }
  return 0;
}
