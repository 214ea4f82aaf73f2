// Where servers listen, and which machine a header names.
#include "serve/http/address.h"

#include <gtest/gtest.h>

namespace ingero::serve::http {
namespace {

TEST(Address, MeansThisMachineUnlessAHostIsNamed) {
  for (const char* text : {":9090", "9090", "127.0.0.1:9090", "localhost:9090", "[::1]:9090"}) {
    const auto address = parse_address(text);
    ASSERT_TRUE(address.ok()) << text;
    EXPECT_TRUE(address->is_loopback) << text;
    EXPECT_EQ(address->port, 9090) << text;
  }
  EXPECT_EQ(parse_address(":9090")->host, "127.0.0.1");
  for (const char* text : {"0.0.0.0:9090", "[::]:9090", "10.0.0.1:9090", "node7:9090", "127.example.org:9090"}) {
    EXPECT_FALSE(parse_address(text)->is_loopback) << text;
  }
  for (const char* text : {"", "x", "host:", "host:99999", "host:-1", "::1:9090", "[::1]9090", "host:80 80"}) {
    EXPECT_FALSE(parse_address(text).ok()) << text;
  }
}

TEST(Address, TheHostOfAHeaderIsThatOfNoOther) {
  EXPECT_EQ(host_of("localhost"), "localhost");
  EXPECT_EQ(host_of("LocalHost:8080"), "localhost");
  EXPECT_EQ(host_of("[::1]:8080"), "::1");
  EXPECT_EQ(host_of("https://evil.example:1"), "evil.example");
  EXPECT_EQ(host_of("http://localhost"), "localhost");
  for (const char* text :
       {"", "a/localhost", "evil@localhost", "http://localhost/x", "[::1", "localhost evil", "a\\localhost"}) {
    EXPECT_EQ(host_of(text), "") << text;
  }
  EXPECT_NE(host_of("localhost.evil.example"), "localhost");
  EXPECT_NE(host_of("127.0.0.1.evil.example:80"), "127.0.0.1");
}

}  // namespace
}  // namespace ingero::serve::http
