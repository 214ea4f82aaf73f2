// What the fuzzers began with, and what they found that was wrong: each kept input once, in every build and under every
// sanitizer. A harness ends the program where something does not hold.
#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#define X(name) extern "C" int name##_fuzz(const uint8_t* data, size_t size);
INGERO_HARNESSES
#undef X

namespace {

void replay(int (*harness)(const uint8_t*, size_t), const std::string& name) {
  size_t inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(INGERO_SOURCE_DIR "/tests/fuzz/corpus/" + name)) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::vector<char> text(std::istreambuf_iterator<char>(file), {});
    const std::vector<uint8_t> bytes(text.begin(), text.end());  // of the input's own length: a sanitizer sees its end
    EXPECT_EQ(harness(bytes.data(), bytes.size()), 0);
    ++inputs;
  }
  EXPECT_GT(inputs, 0U);
}

#define X(name) \
  TEST(FuzzCorpus, name) { replay(name##_fuzz, #name); }
INGERO_HARNESSES
#undef X

}  // namespace
