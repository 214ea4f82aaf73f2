// zlib, a piece at a time, so that a bound is seen before the memory is taken.
#include "fleet/wire/inflate.h"

#include <algorithm>
#include <memory>

#include <zlib.h>

namespace ingero::fleet::wire {

Result<std::string> inflate_gzip(std::string_view packed) {
  constexpr int kGzip = 15 + 16;
  constexpr size_t kPiece = 64 << 10, kAnyRatio = 1 << 20;
  z_stream stream{};
  if (inflateInit2(&stream, kGzip) != Z_OK) return Error(Errc::kFull, "no memory to unpack a request");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out, piece(kPiece, '\0');
  for (int code = Z_OK; code != Z_STREAM_END || stream.avail_in != 0;) {
    if (code == Z_STREAM_END) (void)inflateReset(&stream);  // another member
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(kPiece);
    code = inflate(&stream, Z_NO_FLUSH);
    out.append(piece, 0, kPiece - stream.avail_out);
    if (code != Z_OK && code != Z_STREAM_END) return Error(Errc::kCorrupt, "the body is not whole gzip");
    if (out.size() > kMaxInflatedBytes || out.size() > std::max(kAnyRatio, packed.size() * kMaxInflateRatio)) {
      return Error(Errc::kFull, "the body unpacks to more than 32 MiB or to more than 100 times its length",
                   "send less at a time");
    }
  }
  return out;
}

}  // namespace ingero::fleet::wire
