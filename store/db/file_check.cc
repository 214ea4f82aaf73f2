// The header of a database file (sqlite.org/fileformat2.html, section 1.3).
#include "store/db/file_check.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "store/db/writer_lock.h"

namespace ingero::store {
namespace {

uint32_t big_endian(const uint8_t* bytes, int size) {
  uint32_t value = 0;
  for (int i = 0; i < size; ++i) value = value << 8 | bytes[i];
  return value;
}

}  // namespace

bool has_log(const std::string& path) {
  struct stat status {};
  return ::stat((path + "-wal").c_str(), &status) == 0 && status.st_size > 0;
}

Status check_file(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    const Error error = errno_error(fmt::format("{}: open", path));
    if (error.code() != Errc::kNotFound) return error;
    return Error(Errc::kNotFound, error.message(), "check the path; 'sudo ingero trace --db FILE' makes a recording");
  }
  if (S_ISDIR(status.st_mode)) {
    return Error(Errc::kInvalid, fmt::format("{}: is a directory", path), "name the recording in it");
  }
  if (!S_ISREG(status.st_mode)) {
    return Error(Errc::kInvalid, fmt::format("{}: not a regular file", path), "name a recording");
  }
  const int fd = shared_descriptor(path);
  if (fd < 0) return errno_error(fmt::format("{}: open", path));
  if (status.st_size == 0) return {};
  std::array<uint8_t, 100> header{};
  const ssize_t got = ::pread(fd, header.data(), header.size(), 0);
  if (got < 0) return errno_error(fmt::format("{}: read", path));
  constexpr char kMagic[] = "SQLite format 3";
  if (got < 16 || std::memcmp(header.data(), kMagic, sizeof kMagic) != 0) {
    return Error(Errc::kCorrupt, fmt::format("{}: not an SQLite database", path), "name a recording");
  }
  if (got < 100) return Error(Errc::kCorrupt, fmt::format("{}: cut short after {} bytes", path, got));
  const uint32_t page = big_endian(&header[16], 2) == 1 ? 65536 : big_endian(&header[16], 2);
  const uint32_t pages = big_endian(&header[28], 4);
  // The page count counts only when the change counter agrees with the version that wrote it.
  const bool count_is_valid = big_endian(&header[24], 4) == big_endian(&header[92], 4);
  const uint64_t promised = uint64_t{page} * pages;
  if (count_is_valid && promised > static_cast<uint64_t>(status.st_size) && !has_log(path)) {
    return Error(Errc::kCorrupt,
                 fmt::format("{}: cut short: {} bytes of {}", path, static_cast<uint64_t>(status.st_size), promised),
                 "copy the whole file again; sqlite3's .recover may save what is left");
  }
  return {};
}

}  // namespace ingero::store
