// Bodies packed by zlib: see gzip.h.
#include "serve/net/gzip.h"

#include <algorithm>
#include <cstdlib>

#include <zlib.h>

#include "base/text.h"

namespace ingero::serve::net {

std::string gzip(std::string_view text) {
  constexpr int kGzip = 15 + 16, kMemory = 8;
  z_stream stream{};
  if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    std::abort();
  std::string out(deflateBound(&stream, static_cast<uLong>(text.size())), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // zlib does not write there
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  (void)deflate(&stream, Z_FINISH);  // there is room: deflateBound
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

bool accepts_gzip(std::string_view accept_encoding) {
  for (const std::string_view one : split(accept_encoding, ',')) {
    const size_t name_end = std::min(one.find(';'), one.size());
    if (trim(one.substr(0, name_end)) != "gzip") continue;
    const std::string_view weight = trim(one.substr(std::min(name_end + 1, one.size())));
    return !weight.starts_with("q=0") || weight.find_first_of("123456789", 3) != weight.npos;
  }
  return false;
}

}  // namespace ingero::serve::net
