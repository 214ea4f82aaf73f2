// What libbpf prints becomes the reason of an error, and comes to standard error only where it is wanted.
#include "kernelside/libbpf_log.h"

#include <bpf/libbpf.h>

#include <string>

#include <gtest/gtest.h>

namespace ingero::kernelside {
namespace {

// An object that cannot be opened: libbpf says why.
void fail_to_open() { EXPECT_EQ(bpf_object__open_file("/nowhere/object.o", nullptr), nullptr); }

TEST(LibbpfLog, TheReasonIsWhatLibbpfSaidLast) {
  const LibbpfLog log;
  fail_to_open();
  const std::string reason = log.reason("nothing was said");
  EXPECT_NE(reason.find("/nowhere/object.o"), std::string::npos) << reason;
  EXPECT_EQ(reason.find('\n'), std::string::npos) << reason;
}

TEST(LibbpfLog, WhereNothingWasSaidTheReasonIsTheCallers) {
  const LibbpfLog log;
  EXPECT_EQ(log.reason("attach: Invalid argument"), "attach: Invalid argument");
}

TEST(LibbpfLog, AnInnerOneKeepsItsMessagesToItself) {
  const LibbpfLog outer;
  {
    const LibbpfLog inner;
    fail_to_open();
  }
  EXPECT_EQ(outer.reason("nothing"), "nothing");
  fail_to_open();
  EXPECT_NE(outer.reason("nothing"), "nothing");
}

TEST(LibbpfLog, StandardErrorGetsMessagesOnlyWhereTheyAreWanted) {
  const auto printed = [](bool is_wanted) {
    print_libbpf_messages(is_wanted);
    ::testing::internal::CaptureStderr();
    {
      const LibbpfLog log;
      fail_to_open();
    }
    print_libbpf_messages(false);
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(printed(false), "");
  EXPECT_NE(printed(true).find("/nowhere/object.o"), std::string::npos);
  EXPECT_EQ(printed(false), "");
}

}  // namespace
}  // namespace ingero::kernelside
