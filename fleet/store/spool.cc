// Segments and the place up to which they are done: see spool.h. A segment is its magic and records; a record is a
// Header and its bytes.
#include "fleet/store/spool.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <optional>
#include <utility>

#include "base/folder.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "base/text.h"
#include "base/trusted_path.h"

namespace ingero::fleet::store {
namespace {

constexpr std::string_view kMagic = "ingerofs1\n";
constexpr std::string_view kSuffix = ".segment";
constexpr const char *kPlace = "/place", *kNewPlace = "/place.new", *kLock = "/lock";
constexpr size_t kMaxSegments = 1 << 20, kMaxPlaceBytes = 1 << 20;

struct Header {
  uint64_t bytes, checksum;  // checksum: of the length and the record
};
static_assert(sizeof(Header) == 16);

uint64_t checksum_of(std::string_view record) { return Fnv1a().add(uint64_t{record.size()}).add(record).value(); }

Status write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno_error("write");
    bytes.remove_prefix(static_cast<size_t>(wrote));
  }
  return {};
}

// False: the file ends before.
Result<bool> read_all(int fd, uint64_t offset, char* out, size_t bytes) {
  size_t got = 0;
  while (got < bytes) {
    const ssize_t count = ::pread(fd, out + got, bytes - got, static_cast<off_t>(offset + got));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno_error("read");
    if (count == 0) return false;
    got += static_cast<size_t>(count);
  }
  return true;
}

// The record at `offset` of a file that ends at `end`; false: none that is whole is there.
Result<bool> read_record(int fd, uint64_t offset, uint64_t end, std::string& record) {
  Header header{};
  auto is_whole = read_all(fd, offset, reinterpret_cast<char*>(&header), sizeof(header));
  INGERO_TRY(is_whole);
  if (!*is_whole || offset + sizeof(header) > end) return false;
  if (header.bytes > std::min<uint64_t>(Spool::kMaxRecordBytes, end - offset - sizeof(header))) return false;
  record.resize(header.bytes);
  is_whole = read_all(fd, offset + sizeof(header), record.data(), record.size());
  INGERO_TRY(is_whole);
  return *is_whole && header.checksum == checksum_of(record);
}

// Where a whole record begins behind the damaged one at `offset`; `end`: nowhere, as far as was looked.
Result<uint64_t> next_whole(int fd, uint64_t offset, uint64_t end) {
  constexpr uint64_t kMaxHashedBytes = 256 << 20;
  std::string rest(end - offset, '\0'), record;
  const auto is_there = read_all(fd, offset, rest.data(), rest.size());
  INGERO_TRY(is_there);
  const auto header_at = [&](size_t at) {
    Header header{};
    std::memcpy(&header, rest.data() + at, sizeof(header));
    return header;
  };
  if (!*is_there || rest.size() < sizeof(Header)) return end;
  // Most often the record is damaged, and not its length.
  const uint64_t room = rest.size() - sizeof(Header), bytes = header_at(0).bytes;
  if (bytes < room) {
    const uint64_t next = offset + sizeof(Header) + bytes;
    const auto is_whole = read_record(fd, next, end, record);
    INGERO_TRY(is_whole);
    if (*is_whole) return next;
  }
  uint64_t hashed = 0;
  for (size_t at = 1; at <= room && hashed < kMaxHashedBytes; ++at) {
    const Header header = header_at(at);
    if (header.bytes > room - at) continue;
    hashed += header.bytes;
    if (header.checksum == checksum_of(std::string_view(rest).substr(at + sizeof(header), header.bytes))) {
      return offset + at;
    }
  }
  return end;
}

// A name that was made or removed outlives a power cut, too.
Status sync_folder(const std::string& path) {
  const Fd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || ::fsync(folder.get()) != 0) return errno_error(fmt::format("{}: sync", path));
  return {};
}

std::optional<uint64_t> number_of(std::string_view name) {
  if (name.size() != 16 + kSuffix.size() || !name.ends_with(kSuffix)) return std::nullopt;
  return parse_u64("0x" + std::string(name.substr(0, 16)));
}

bool is_older(const struct stat& file, uint64_t keep_ns) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const auto keep_s = static_cast<time_t>(keep_ns / 1'000'000'000);
  return file.st_mtim.tv_sec + keep_s < now.tv_sec;
}

}  // namespace

std::string Spool::path_of(uint64_t segment) const {
  return fmt::format("{}/{:016x}{}", options_.directory, segment, kSuffix);
}

Result<std::unique_ptr<Spool>> Spool::open(SpoolOptions options) {
  // So that what is done can make room.
  options.segment_bytes = std::min(options.segment_bytes, std::max<uint64_t>(1, options.max_bytes / 8));
  if (!options.sync) options.sync = ::fdatasync;
  std::unique_ptr<Spool> spool(new Spool(std::move(options)));
  const std::string& folder = spool->options_.directory;
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return errno_error(fmt::format("{}: make", folder));
  INGERO_TRY(check_trusted_path(folder + kLock, std::nullopt));
  const Fd made(::open((folder + kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!made.valid()) return errno_error(fmt::format("{}{}: open", folder, kLock));
  auto taken = ingero::store::WriterLock::take(folder + kLock);
  if (!taken.ok() && taken.error().code() == Errc::kBusy) {
    return Error(Errc::kBusy, fmt::format("{}: another server has this spool", folder),
                 "stop that one, or name another folder with --spool-dir");
  }
  INGERO_TRY(taken);
  spool->lock_ = std::move(*taken);
  INGERO_TRY(spool->scan());
  INGERO_TRY(spool->read_place());
  if (!spool->segments_.empty()) INGERO_TRY(spool->cut_tail(spool->segments_.back()));
  spool->warn_of_gaps();
  return spool;
}

Status Spool::scan() {
  const auto names = list_folder(options_.directory, kMaxSegments);
  INGERO_TRY(names);
  for (const std::string& name : *names) {
    const auto number = number_of(name);
    if (!number) continue;
    struct stat file {};
    if (::stat(path_of(*number).c_str(), &file) != 0) return errno_error(path_of(*number));
    segments_.push_back({*number, static_cast<uint64_t>(file.st_size)});
    bytes_ += segments_.back().bytes;
  }
  return {};
}

// Where there is none, or it cannot be understood, all is given again: what reads it is built for that.
Status Spool::read_place() {
  const Fd file(::open((options_.directory + kPlace).c_str(), O_RDONLY | O_CLOEXEC));
  std::string text(kMaxPlaceBytes, '\0');
  const ssize_t got = file.valid() ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(got > 0 ? static_cast<size_t>(got) : 0);
  const Json json = parse_json(text);
  const auto number = [&json](const char* name) {
    const auto found = json.is_object() ? json.find(name) : json.end();
    return found != json.end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
  };
  note_ = text_member(json, "note");
  done_ = {number("segment"), number("offset")};
  if (!segments_.empty()) {
    if (done_.segment < segments_.front().number) done_ = {segments_.front().number, kMagic.size()};
    const Segment& last = segments_.back();
    done_ = std::min(done_, Place{last.number, std::max<uint64_t>(last.bytes, kMagic.size())});
  }
  read_ = done_;
  return {};
}

// Of segments that are not done.
void Spool::warn_of_gaps() const {
  uint64_t before = done_.segment;
  for (const Segment& one : segments_) {
    if (one.number > before + 1 && before != 0) {
      log_warning("{}: {} segments before {} are missing: what they held of what nodes sent is lost",
                  options_.directory, one.number - before - 1, path_of(one.number));
    }
    before = std::max(before, one.number);
  }
}

// Behind the last whole record; what follows was never acknowledged.
Status Spool::cut_tail(Segment& last) {
  const auto opened = open_segment(last.number);
  INGERO_TRY(opened);
  uint64_t offset = 0;
  std::string bytes(kMagic.size(), '\0');
  auto is_whole = read_all(opened->get(), 0, bytes.data(), bytes.size());
  INGERO_TRY(is_whole);
  if (*is_whole && bytes == kMagic) offset = kMagic.size();
  for (uint64_t at = offset; at != 0 && at < last.bytes;) {
    is_whole = read_record(opened->get(), at, last.bytes, bytes);
    INGERO_TRY(is_whole);
    if (*is_whole) {
      offset = at += sizeof(Header) + bytes.size();
      continue;
    }
    const auto next = next_whole(opened->get(), at, last.bytes);
    INGERO_TRY(next);
    at = *next;
  }
  if (offset != last.bytes && ::truncate(path_of(last.number).c_str(), static_cast<off_t>(offset)) != 0) {
    return errno_error(fmt::format("{}: truncate", path_of(last.number)));
  }
  bytes_ -= last.bytes - offset;
  last.bytes = offset;
  done_ = read_ = std::min(done_, Place{last.number, std::max<uint64_t>(offset, kMagic.size())});
  return {};
}

Result<Fd> Spool::open_segment(uint64_t segment) const {
  Fd file(::open(path_of(segment).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file.valid()) return errno_error(fmt::format("{}: open", path_of(segment)));
  return file;
}

// The one before is on the disk when the next begins, so that settle() needs to look at one only.
Status Spool::begin_segment(std::unique_lock<std::mutex>& lock) {
  // A sync that fails is reported to one caller only.
  settled_.wait(lock, [this] { return !is_syncing_; });
  if (appending_.valid() && !is_broken_ && options_.sync(appending_.get()) != 0) {
    lose();
    return errno_error(fmt::format("{}: sync", path_of(segments_.back().number)));
  }
  if (!is_broken_) synced_ = appended_;
  const uint64_t number = std::max(segments_.empty() ? 0 : segments_.back().number, done_.segment) + 1;
  Fd file(::open(path_of(number).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600));
  if (!file.valid()) return errno_error(fmt::format("{}: make", path_of(number)));
  Status made = write_all(file.get(), kMagic);
  if (made.ok()) made = sync_folder(options_.directory);
  if (!made.ok()) {
    ::unlink(path_of(number).c_str());
    return made.error().in(path_of(number));
  }
  segments_.push_back({number, kMagic.size()});
  bytes_ += kMagic.size();
  if (segments_.size() == 1) done_ = read_ = {number, kMagic.size()};
  appending_ = std::move(file);
  is_broken_ = false;
  drop_old();
  return options_.first_record ? write(options_.first_record()) : Status();
}

// Of those that are done, what is older than is kept.
void Spool::drop_old() {
  while (segments_.size() > 1 && segments_.front().number < done_.segment) {
    struct stat file {};
    const std::string path = path_of(segments_.front().number);
    if (::stat(path.c_str(), &file) == 0 && !is_older(file, options_.keep_ns)) return;
    ::unlink(path.c_str());
    bytes_ -= segments_.front().bytes;
    segments_.pop_front();
  }
}

Status Spool::make_room(uint64_t bytes) {
  while (bytes_ + bytes > options_.max_bytes && segments_.size() > 1 && segments_.front().number < done_.segment) {
    ::unlink(path_of(segments_.front().number).c_str());
    bytes_ -= segments_.front().bytes;
    segments_.pop_front();
  }
  if (bytes_ + bytes <= options_.max_bytes) return {};
  return Error(Errc::kFull, fmt::format("the spool is full ({})", format_bytes(options_.max_bytes)),
               "it is emptied when the store takes it");
}

Result<uint64_t> Spool::append(std::string_view record) {
  if (record.size() > kMaxRecordBytes) return Error(Errc::kFull, "the batch is longer than a record of the spool");
  std::unique_lock lock(mutex_);
  if (!appending_.valid() || is_broken_ || segments_.back().bytes >= options_.segment_bytes)
    INGERO_TRY(begin_segment(lock));
  INGERO_TRY(write(record));
  return appended_;
}

Status Spool::write(std::string_view record) {
  const Header header{record.size(), checksum_of(record)};
  INGERO_TRY(make_room(sizeof(header) + record.size()));
  Segment& last = segments_.back();
  std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
  bytes += record;
  if (const Status written = write_all(appending_.get(), bytes); !written.ok()) {
    // Half a record must not be followed by a whole one.
    is_broken_ = ::ftruncate(appending_.get(), static_cast<off_t>(last.bytes)) != 0;
    return written.error().in(path_of(last.number));
  }
  last.bytes += bytes.size();
  bytes_ += bytes.size();
  appended_ += bytes.size();
  return {};
}

// One of those that wait syncs for all. What a failed sync leaves is not known, and the next one of the same file says
// nothing of it: all that the file was given and that was not synced before is refused, also what came meanwhile, and
// it is not appended to any more.
Status Spool::settle() {
  uint64_t end = 0;
  {
    const std::lock_guard guard(mutex_);
    end = appended_;
  }
  return settle(end);
}

// Lost is looked at first: what was appended to the next segment and synced says nothing of what came before.
Status Spool::settle(uint64_t end) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (end > lost_from_ && end <= lost_) {
      return Error(Errc::kIo, fmt::format("{}: the disk did not take it", options_.directory));
    }
    if (synced_ >= end) return {};
    if (is_syncing_) {
      settled_.wait(lock);
    } else {
      sync(lock);
    }
  }
}

// From the first failure on: what was synced between two of them is refused, too, where it is not settled yet.
void Spool::lose() {
  if (lost_ == 0) lost_from_ = synced_;
  lost_ = appended_;
  is_broken_ = true;
}

void Spool::sync(std::unique_lock<std::mutex>& lock) {
  is_syncing_ = true;
  const uint64_t end = appended_;
  const int file = appending_.get();  // is not exchanged meanwhile
  lock.unlock();
  const bool is_synced = options_.sync(file) == 0;
  lock.lock();
  is_syncing_ = false;
  if (is_synced) {
    synced_ = std::max(synced_, end);
  } else {
    lose();
  }
  settled_.notify_all();
}

Result<bool> Spool::read(Place& place, Fd& file, uint64_t& file_number, std::string& record, uint64_t& damaged) const {
  for (;;) {
    uint64_t end = 0, following = 0;
    {
      const std::lock_guard guard(mutex_);
      for (const Segment& one : segments_) {
        if (one.number == place.segment) end = one.bytes;
        if (one.number > place.segment) {
          following = one.number;
          break;
        }
      }
    }
    place.offset = std::max<uint64_t>(place.offset, kMagic.size());
    if (place.offset < end) {
      if (!file.valid() || file_number != place.segment) {
        auto opened = open_segment(place.segment);
        INGERO_TRY(opened);
        file = std::move(*opened);
        file_number = place.segment;
      }
      const auto is_whole = read_record(file.get(), place.offset, end, record);
      INGERO_TRY(is_whole);
      if (*is_whole) {
        place.offset += sizeof(Header) + record.size();
        return true;
      }
      const auto next = next_whole(file.get(), place.offset, end);
      INGERO_TRY(next);
      damaged += *next - place.offset;
      place.offset = *next;
      continue;
    }
    if (following == 0) return false;
    place = {following, kMagic.size()};
  }
}

Result<std::vector<std::string>> Spool::next(size_t max_bytes) {
  std::vector<std::string> records;
  Fd file;
  uint64_t file_number = 0, damaged = 0;
  size_t bytes = 0;
  Place place;
  {
    const std::lock_guard guard(mutex_);
    place = done_;
  }
  while (bytes < max_bytes) {
    std::string record;
    const auto found = read(place, file, file_number, record, damaged);
    INGERO_TRY(found);
    if (!*found) break;
    bytes += record.size();
    records.push_back(std::move(record));
  }
  const std::lock_guard guard(mutex_);
  read_ = place;
  damaged_ahead_ = damaged;
  if (records.empty()) pass(place);  // of what was damaged nothing will be done
  return records;
}

Status Spool::done(const std::string& note) {
  Place place;
  {
    const std::lock_guard guard(mutex_);
    place = read_;
  }
  const std::string text = dump(Json{{"segment", place.segment}, {"offset", place.offset}, {"note", note}});
  const std::string path = options_.directory + kNewPlace;
  {
    const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.valid()) return errno_error(fmt::format("{}: open", path));
    INGERO_TRY(write_all(file.get(), text));
    if (::fdatasync(file.get()) != 0) return errno_error(fmt::format("{}: sync", path));
  }
  if (::rename(path.c_str(), (options_.directory + kPlace).c_str()) != 0)
    return errno_error(fmt::format("{}: rename", path));
  const std::lock_guard guard(mutex_);
  note_ = note;
  pass(place);
  drop_old();
  return {};
}

void Spool::pass(const Place& place) {
  done_ = place;
  const uint64_t damaged = std::exchange(damaged_ahead_, 0);
  if (damaged == 0) return;
  damaged_bytes_ += damaged;
  log_warning("{}: {} that nodes sent could not be read: the disk or somebody changed them", options_.directory,
              format_bytes(damaged));
}

Status Spool::each(const std::function<void(std::string_view record, bool is_done)>& take) {
  Place place{0, 0}, done;
  {
    const std::lock_guard guard(mutex_);
    done = done_;
  }
  Fd file;
  uint64_t file_number = 0, damaged = 0;
  std::string record;
  for (;;) {
    const auto found = read(place, file, file_number, record, damaged);
    INGERO_TRY(found);
    if (!*found) return {};
    take(record, place <= done);
  }
}

uint64_t Spool::waiting_bytes() const {
  const std::lock_guard guard(mutex_);
  uint64_t waiting = 0;
  for (const Segment& one : segments_) {
    if (one.number < done_.segment) continue;
    const uint64_t begin = one.number == done_.segment ? done_.offset : kMagic.size();
    waiting += one.bytes - std::min(begin, one.bytes);
  }
  return waiting;
}

uint64_t Spool::damaged_bytes() const {
  const std::lock_guard guard(mutex_);
  return damaged_bytes_;
}

}  // namespace ingero::fleet::store
