// The queue on disk: see disk_queue.h. A file is a Header and the request's body.
#include "serve/otlp/disk_queue.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include <dirent.h>
#include <zlib.h>

#include "base/text.h"

namespace ingero::serve::otlp {
namespace {

constexpr char kMagic[8] = {'i', 'n', 'g', 'e', 'r', 'o', 'q', '1'};
constexpr const char* kUnfinished = "unfinished";
constexpr uint64_t kMaxBodyBytes = 16 << 20;

// As it lies in the file; files do not leave the machine.
struct Header {
  char magic[8];
  uint8_t signal;
  uint8_t is_gzip;
  uint16_t zero;
  uint32_t items;
  uint32_t body_bytes;
  uint32_t crc;  // of all before it, and the body
};
static_assert(sizeof(Header) == 24);

uint32_t crc_of(const Header& header, std::string_view body) {
  const auto* bytes = reinterpret_cast<const Bytef*>(&header);
  const uLong start = crc32(0, bytes, offsetof(Header, crc));
  return static_cast<uint32_t>(
      crc32(start, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size())));
}

std::string name_of_number(uint64_t number) { return fmt::format("{:016x}.request", number); }

std::optional<uint64_t> number_of_name(std::string_view name) {
  if (name.size() != 24 || !name.ends_with(".request")) return std::nullopt;
  const std::string_view digits = name.substr(0, 16);
  if (digits.find_first_not_of("0123456789abcdef") != std::string_view::npos) return std::nullopt;
  return parse_u64("0x" + std::string(digits));
}

// Reads the whole file, but at most one byte more than the bound.
Result<std::string> read_all(int fd, size_t most) {
  std::string out(most + 1, '\0');
  size_t size = 0;
  while (size < out.size()) {
    const ssize_t got = ::read(fd, out.data() + size, out.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("read");
    if (got == 0) break;
    size += static_cast<size_t>(got);
  }
  out.resize(size);
  return out;
}

std::optional<Payload> parse(std::string_view untrusted) {
  Header header{};
  if (untrusted.size() < sizeof(header)) return std::nullopt;
  std::memcpy(&header, untrusted.data(), sizeof(header));
  const std::string_view body = untrusted.substr(sizeof(header));
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0 || header.body_bytes != body.size() ||
      header.signal > static_cast<uint8_t>(Signal::kTraces) || header.is_gzip > 1 || header.zero != 0 ||
      header.crc != crc_of(header, body)) {
    return std::nullopt;
  }
  return Payload{static_cast<Signal>(header.signal), header.is_gzip == 1, header.items, std::string(body)};
}

}  // namespace

Result<DiskQueue> DiskQueue::open(QueueOptions options) {
  DiskQueue queue(std::move(options));
  const std::string& path = queue.options_.directory;
  const std::string above = path.substr(0, path.rfind('/'));
  if (!above.empty() && above != path) (void)::mkdir(above.c_str(), 0700);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return errno_error(fmt::format("OTLP queue: mkdir {}", path));
  }
  queue.directory_ = Fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!queue.directory_.valid()) return errno_error(fmt::format("OTLP queue: open {}", path));
  struct stat status {};
  if (::fstat(queue.directory_.get(), &status) != 0) return errno_error(path);
  if (status.st_uid != ::geteuid() || (status.st_mode & 077) != 0) {
    return Error(Errc::kPermission, fmt::format("{}: users other than the owner of this program can access it", path),
                 "name another directory with --otlp-queue");
  }
  if (::flock(queue.directory_.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error(Errc::kBusy, fmt::format("{}: another program uses this queue", path),
                 "name another directory with --otlp-queue");
  }
  INGERO_TRY(queue.scan());
  return queue;
}

// Names that are not ours are left alone; an unfinished file is what a crash left.
Status DiskQueue::scan() {
  const int copy = ::openat(directory_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy < 0 ? nullptr : ::fdopendir(copy), ::closedir);
  if (entries == nullptr) return errno_error(options_.directory);
  (void)::unlinkat(directory_.get(), kUnfinished, 0);
  while (const dirent* entry = ::readdir(entries.get())) {
    const auto number = number_of_name(entry->d_name);
    struct stat status {};
    if (!number || ::fstatat(directory_.get(), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) continue;
    if (*number == 0 || *number == UINT64_MAX) continue;
    files_.push_back({*number, static_cast<uint64_t>(std::max<off_t>(status.st_size, 0))});
    bytes_ += files_.back().bytes;
  }
  std::sort(files_.begin(), files_.end(), [](const File& a, const File& b) { return a.number < b.number; });
  if (!files_.empty()) next_ = files_.back().number + 1;
  while (bytes_ > options_.max_bytes || files_.size() > options_.max_files) drop_oldest();
  return {};
}

Status DiskQueue::write(uint64_t number, const std::string& bytes) const {
  const Fd file(::openat(directory_.get(), kUnfinished, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.valid()) return errno_error(options_.directory);
  for (size_t done = 0; done < bytes.size();) {
    const ssize_t wrote = ::write(file.get(), bytes.data() + done, bytes.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return errno_error(options_.directory);
    done += static_cast<size_t>(wrote);
  }
  if (::renameat(directory_.get(), kUnfinished, directory_.get(), name_of_number(number).c_str()) != 0) {
    return errno_error(options_.directory);
  }
  return {};
}

void DiskQueue::push(const Payload& payload) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.signal = static_cast<uint8_t>(payload.signal);
  header.is_gzip = payload.is_gzip ? 1 : 0;
  header.items = payload.items;
  header.body_bytes = static_cast<uint32_t>(payload.body.size());
  header.crc = crc_of(header, payload.body);
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes += payload.body;
  const bool fits =
      payload.body.size() <= kMaxBodyBytes && bytes.size() <= options_.max_bytes && options_.max_files > 0;
  while (fits && !files_.empty() &&
         (bytes_ + bytes.size() > options_.max_bytes || files_.size() >= options_.max_files)) {
    drop_oldest();
  }
  // A full disk: as many of the oldest are dropped as this one needs.
  uint64_t freed = 0;
  while (fits) {
    const Status written = write(next_, bytes);
    if (written.ok()) {
      files_.push_back({next_++, bytes.size()});
      bytes_ += bytes.size();
      return;
    }
    if (written.error().code() != Errc::kFull || files_.empty() || freed > 2 * bytes.size()) break;
    freed += files_.front().bytes;
    drop_oldest();
  }
  (void)::unlinkat(directory_.get(), kUnfinished, 0);
  ++counts_.dropped_requests;
  counts_.dropped_items += payload.items;
}

std::optional<Payload> DiskQueue::front() {
  while (!files_.empty()) {
    const Fd file(::openat(directory_.get(), name_of_number(files_.front().number).c_str(),
                           O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (file.valid() && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == ::geteuid() &&
        static_cast<uint64_t>(status.st_size) <= kMaxBodyBytes + sizeof(Header)) {
      const auto bytes = read_all(file.get(), static_cast<size_t>(status.st_size));
      if (bytes.ok()) {
        if (auto payload = parse(*bytes)) return payload;
      }
    }
    ++counts_.damaged_files;
    remove_front();
  }
  return std::nullopt;
}

void DiskQueue::pop() {
  if (!files_.empty()) remove_front();
}

void DiskQueue::drop_oldest() {
  const Fd file(::openat(directory_.get(), name_of_number(files_.front().number).c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  Header header{};
  const bool is_ours = file.valid() && ::read(file.get(), &header, sizeof(header)) == sizeof(header) &&
                       std::memcmp(header.magic, kMagic, sizeof(kMagic)) == 0;
  ++counts_.dropped_requests;
  counts_.dropped_items += is_ours ? header.items : 0;
  remove_front();
}

// A directory that was put in a file's place stays; it is not read again.
void DiskQueue::remove_front() {
  (void)::unlinkat(directory_.get(), name_of_number(files_.front().number).c_str(), 0);
  bytes_ -= std::min(bytes_, files_.front().bytes);
  files_.pop_front();
}

}  // namespace ingero::serve::otlp
