// What a message of the Model Context Protocol weighs before it is parsed.
#include <gtest/gtest.h>

#include "serve/mcp/recording_provider.h"
#include "serve/mcp/streamable.h"

namespace ingero::serve::mcp {
namespace {

TEST(Mcp, AMessageWeighsWhatTheToolThatItNamesDoes) {
  const auto weight = [](const char* body) { return weight_of(body, kHeavyOfRecording); };
  EXPECT_EQ(weight(R"({"jsonrpc":"2.0","id":1,"method":"ping"})"), http::Weight::kLight);
  EXPECT_EQ(weight(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"), http::Weight::kLight);
  EXPECT_EQ(weight(R"({"method":"tools/call","params":{"name":"get_memory"}})"), http::Weight::kUsual);
  EXPECT_EQ(weight(R"({"method":"tools\/call","params":{"name":"get_memory"}})"), http::Weight::kUsual);
  EXPECT_EQ(weight(R"({"method":"tools/call","params":{"name":"run_sql"}})"), http::Weight::kHeavy);
  EXPECT_EQ(weight(R"([{"method":"ping"},{"method":"tools/call","params":{"name":"query_fleet"}}])"),
            http::Weight::kHeavy);
  EXPECT_EQ(weight(R"({"method":"tools/call","params":{"name":"run\u005fsql"}})"), http::Weight::kHeavy);
  EXPECT_EQ(weight(R"({"method":"tools\u002fcall","params":{"name":"get_memory"}})"), http::Weight::kHeavy);
}

}  // namespace
}  // namespace ingero::serve::mcp
