// Requests byte by byte, in one piece and hostile: what is taken, what is refused, and how much is kept meanwhile.
#include "serve/http/request_reader.h"

#include <gtest/gtest.h>

namespace ingero::serve::http {
namespace {

using State = RequestReader::State;

struct Read {
  State state;
  int status;
  std::string body, rest;
  Head head;
};

// In pieces of `step` bytes.
Read read(std::string_view text, size_t step, size_t limit = 100) {
  RequestReader reader(limit);
  size_t at = 0;
  while (at < text.size()) {
    const auto piece = text.substr(at, step);
    const size_t used = reader.feed(piece);
    at += used;
    if (reader.state() == State::kHeadRead) {
      reader.read_body();
    } else if (used < piece.size() || reader.state() == State::kDone || reader.state() == State::kRefused) {
      break;
    }
  }
  return {reader.state(), reader.status(), reader.body(), std::string(text.substr(at)), reader.head()};
}

TEST(RequestReader, TakesTheSameInAnyPieces) {
  const std::string first =
      "POST /a%20b?since=5m&x=a+b%21 HTTP/1.1\r\nHost: localhost\r\ncontent-length: 5\r\nX:  y \r\n\r\nhello";
  const std::string chunked =
      "POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n3\r\nabc\r\n2;q=1\r\nde\r\n0\r\nTrailer: "
      "t\r\n\r\n";
  for (const size_t step : {1, 2, 3, 7, 1000}) {
    const Read one = read(first + chunked, step);
    ASSERT_EQ(one.state, State::kDone) << step;
    EXPECT_EQ(one.body, "hello");
    EXPECT_EQ(one.head.path, "/a b");
    EXPECT_EQ(one.head.parameter("since"), "5m");
    EXPECT_EQ(one.head.parameter("x"), "a b!");
    EXPECT_EQ(one.head.parameter("y"), "");
    EXPECT_EQ(one.head.header("x"), "y");
    EXPECT_TRUE(one.head.keeps_alive);
    EXPECT_EQ(one.rest, chunked) << "of the next request nothing is taken";
    const Read two = read(chunked + "rest", step);
    ASSERT_EQ(two.state, State::kDone) << step << " " << two.status;
    EXPECT_EQ(two.body, "abcde");
    EXPECT_EQ(two.rest, "rest");
  }
}

TEST(RequestReader, RefusesWhatTwoReadersCouldReadDifferently) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\n";
  for (const std::string& wrong : {start + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
                                   start + "Content-Length: +1\r\n\r\n",
                                   start + "Content-Length: 1x\r\n\r\n",
                                   start + "Content-Length: 0x1\r\n\r\n",
                                   start + "Content-Length: \r\n\r\n",
                                   start + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                                   start + " folded\r\n\r\n",
                                   start + "X : y\r\n\r\n",
                                   start + "X\r\n\r\n",
                                   start + "X: a\nY: b\r\n\r\n",
                                   start + "X: a\rb\r\n\r\n",
                                   start + "Host: other\r\n\r\n",
                                   std::string("POST / HTTP/1.1\r\n\r\n"),
                                   std::string("GET  / HTTP/1.1\r\n\r\n"),
                                   std::string("GET /a b HTTP/1.1\r\n\r\n"),
                                   std::string("GET * HTTP/1.1\r\n\r\n"),
                                   std::string("GET /\r\n\r\n"),
                                   std::string("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"),
                                   start + "Transfer-Encoding: chunked\r\n\r\n-1\r\n",
                                   start + "Transfer-Encoding: chunked\r\n\r\n1\nx",
                                   start + "Transfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n",
                                   start + "Transfer-Encoding: chunked\r\n\r\n\r\n",
                                   start + "Transfer-Encoding: chunked\r\n\r\n123456789\r\n"}) {
    for (const size_t step : {1, 1000}) EXPECT_EQ(read(wrong, step).status, 400) << wrong;
  }
}

TEST(RequestReader, KeepsNoMoreThanItsBounds) {
  const std::string heads[] = {
      "GET /", "GET / HTTP/1.1\r\nX: ", "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n1;",
      "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"};
  for (const std::string& head : heads) {
    for (const char* more : {"a", "a: b\r\n"}) {
      RequestReader reader(100);
      std::string_view text = head;
      size_t most = 0;
      for (size_t fed = 0; fed < (1 << 20) && reader.state() != State::kRefused; fed += text.size()) {
        while (!text.empty() && reader.state() != State::kRefused) {
          text.remove_prefix(reader.feed(text));
          if (reader.state() == State::kHeadRead) reader.read_body();
          if (reader.state() == State::kDone) break;
        }
        most = std::max(most, reader.held_bytes());
        text = more;
        if (reader.state() == State::kDone) break;
      }
      EXPECT_TRUE(reader.state() == State::kRefused) << head << more;
      EXPECT_LT(most, 64U << 10) << head;
    }
  }
}

TEST(RequestReader, BodiesHaveALimitHoweverTheyCome) {
  EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 101\r\n\r\n", 1000).status, 413);
  EXPECT_EQ(read("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551616\r\n\r\n", 1000).status, 413);
  const std::string chunked = "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(read(chunked + "65\r\n", 1000).status, 413);
  EXPECT_EQ(read(chunked + "64\r\n" + std::string(100, 'x') + "\r\n1\r\n", 1000).status, 413);
  EXPECT_EQ(read(chunked + "ffffffff\r\n", 1000).status, 413);
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n\r\nx", 1000).status, 413);
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n", 1000).state, State::kDone);
}

TEST(RequestReader, TheSchemeOfASecretMayBeInAnyCase) {
  for (const auto& [sent, read_as] : {std::pair("bearer  Tok", "Bearer Tok"),
                                      {"BASIC eA==", "Basic eA=="},
                                      {"Bearer Tok", "Bearer Tok"},
                                      {"Bearer", "Bearer"},
                                      {"Digest x", "Digest x"}}) {
    RequestReader reader(100);
    reader.feed(fmt::format("GET / HTTP/1.1\r\nHost: h\r\nauthorization: {}\r\n\r\n", sent));
    EXPECT_EQ(reader.head().header("Authorization"), read_as);
  }
}

TEST(RequestReader, PackedBodiesAreForThoseWhoUnpackThem) {
  const std::string start = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nContent-Encoding: gzip\r\n";
  EXPECT_EQ(read(start + "\r\nab", 1000).status, 415);
  RequestReader takes(100, true);
  takes.feed(start + "\r\n");
  ASSERT_EQ(takes.state(), State::kHeadRead);
  takes.read_body();
  takes.feed("ab");
  EXPECT_EQ(takes.state(), State::kDone);
  EXPECT_EQ(takes.body(), "ab");
  RequestReader twice(100, true);
  twice.feed(start + "Content-Encoding: gzip\r\n\r\n");
  EXPECT_EQ(twice.status(), 415);
}

}  // namespace
}  // namespace ingero::serve::http
