// Encodes rows into database pages as SQLite lays them out, because binding each row is slower for large batches.
#include "store/write/row_image.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace ingero::store {
namespace {

constexpr size_t kPage = 16384;
constexpr size_t kLeafHeader = 8;
constexpr size_t kInteriorHeader = 12;
constexpr uint8_t kInteriorTable = 5;
constexpr uint8_t kLeafTable = 13;
// Record header (its size, a type for seq and for each column), eight bytes a column, two varints before it.
constexpr size_t kMaxCell = 2 + 9 + 1 + 1 + kColumns + kColumns * 8;
static_assert(2 + kColumns < 128, "the header's size is one byte");

void put16(uint8_t* at, size_t value) {
  at[0] = static_cast<uint8_t>(value >> 8);
  at[1] = static_cast<uint8_t>(value);
}

void put32(uint8_t* at, size_t value) {
  put16(at, value >> 16);
  put16(at + 2, value & 0xffff);
}

// SQLite's varint: seven bits a byte, most significant first, the ninth byte whole.
size_t put_sqlite_varint(uint8_t* at, uint64_t value) {
  if (value < 0x80) {
    at[0] = static_cast<uint8_t>(value);
    return 1;
  }
  if (value >> 56 != 0) {
    at[8] = static_cast<uint8_t>(value);
    value >>= 8;
    for (int i = 7; i >= 0; --i, value >>= 7) at[i] = static_cast<uint8_t>(0x80 | (value & 0x7f));
    return 9;
  }
  size_t size = 1;
  for (uint64_t rest = value >> 7; rest != 0; rest >>= 7) ++size;
  for (size_t i = size; i-- > 0; value >>= 7) at[i] = static_cast<uint8_t>(0x80 | (value & 0x7f));
  at[size - 1] &= 0x7f;
  return size;
}

struct Serial {
  uint8_t type;
  uint8_t bytes;
};
// By the number of significant bits, sign included.
constexpr auto kSerials = [] {
  std::array<Serial, 65> serials{};
  for (size_t bits = 0; bits <= 64; ++bits) {
    serials[bits] = bits <= 8    ? Serial{1, 1}
                    : bits <= 16 ? Serial{2, 2}
                    : bits <= 24 ? Serial{3, 3}
                    : bits <= 32 ? Serial{4, 4}
                    : bits <= 48 ? Serial{5, 6}
                                 : Serial{6, 8};
  }
  return serials;
}();

// The record of one row at `out`; its size.
size_t put_record(uint8_t* out, const EventRow& row) {
  constexpr size_t kHeader = 2 + kColumns;
  out[0] = kHeader;
  std::memset(out + 1, 0, kHeader - 1);  // NULL, seq among them: the rowid holds it
  uint8_t* body = out + kHeader;
  for (uint32_t rest = row.present; rest != 0; rest &= rest - 1) {
    const auto column = static_cast<unsigned>(std::countr_zero(rest));
    const int64_t value = row.values[column];
    if (value == 0 || value == 1) {
      out[2 + column] = static_cast<uint8_t>(8 + value);
      continue;
    }
    const auto magnitude = static_cast<uint64_t>(value ^ (value >> 63));
    const Serial serial = kSerials[static_cast<size_t>(std::bit_width(magnitude)) + 1];
    out[2 + column] = serial.type;
    // Written whole, most significant byte first; what lies beyond is overwritten by the next.
    const uint64_t big_endian = __builtin_bswap64(static_cast<uint64_t>(value) << (64 - 8 * serial.bytes));
    std::memcpy(body, &big_endian, 8);
    body += serial.bytes;
  }
  return static_cast<size_t>(body - out);
}

void put_page_header(uint8_t* at, uint8_t type, size_t cells, size_t content_start) {
  at[0] = type;
  put16(at + 1, 0);
  put16(at + 3, cells);
  put16(at + 5, content_start);
  at[7] = 0;
}

// The first page: the file's header, and the one row of sqlite_master, whose table's root is page 2.
void put_first_page(uint8_t* at, size_t pages) {
  std::memcpy(at, "SQLite format 3", 16);
  put16(at + 16, kPage);
  at[18] = at[19] = 1;  // rollback journal
  at[21] = 64;
  at[22] = at[23] = 32;
  put32(at + 24, 1);  // change counter
  put32(at + 28, pages);
  put32(at + 40, 1);  // schema cookie
  put32(at + 44, 4);  // schema format
  put32(at + 56, 1);  // UTF-8
  put32(at + 92, 1);  // the change counter the page count is valid for
  put32(at + 96, SQLITE_VERSION_NUMBER);
  const std::string sql = event_rows_sql();
  constexpr std::string_view kType = "table", kName = "event_rows";
  const auto text_type = [](size_t size) { return 13 + 2 * size; };
  uint8_t header[16];
  size_t header_size = 1;
  for (const size_t type :
       {text_type(kType.size()), text_type(kName.size()), text_type(kName.size()), size_t{1}, text_type(sql.size())}) {
    header_size += put_sqlite_varint(header + header_size, type);
  }
  header[0] = static_cast<uint8_t>(header_size);
  std::string record(reinterpret_cast<const char*>(header), header_size);
  record.append(kType).append(kName).append(kName).append(1, '\x02').append(sql);
  uint8_t prefix[10];
  size_t prefix_size = put_sqlite_varint(prefix, record.size());
  prefix_size += put_sqlite_varint(prefix + prefix_size, 1);
  const size_t content_start = kPage - prefix_size - record.size();
  std::memcpy(at + content_start, prefix, prefix_size);
  std::copy(record.begin(), record.end(), at + content_start + prefix_size);
  put_page_header(at + 100, kLeafTable, 1, content_start);
  put16(at + 100 + kLeafHeader, content_start);
}

}  // namespace

uint8_t* RowImage::page(size_t number) { return image_.data() + (number - 1) * kPage; }

void RowImage::add_page() { image_.resize(image_.size() + kPage); }

void RowImage::start_leaf() {
  add_page();
  leaf_ = image_.size() / kPage;
  leaf_rows_ = 0;
  content_start_ = kPage;
}

void RowImage::end_leaf(int64_t last_seq) {
  put_page_header(page(leaf_), kLeafTable, leaf_rows_, content_start_);
  leaves_.emplace_back(leaf_, last_seq);
}

Status RowImage::attach(Database& database) { return database.execute("ATTACH ':memory:' AS staged"); }

Status RowImage::stage(Database& database, const RowBatch& batch, int64_t first_seq) {
  image_.clear();
  leaves_.clear();
  add_page();
  add_page();  // the root: filled in last, when the leaves are known
  start_leaf();
  int64_t seq = first_seq;
  std::array<uint8_t, kMaxCell + 8> record;
  for (const EventRow& row : batch) {
    const size_t size = put_record(record.data(), row);
    uint8_t prefix[18];
    size_t prefix_size = put_sqlite_varint(prefix, size);
    prefix_size += put_sqlite_varint(prefix + prefix_size, static_cast<uint64_t>(seq));
    const size_t cell = prefix_size + size;
    if (kLeafHeader + 2 * (leaf_rows_ + 1) + cell > content_start_) {
      end_leaf(seq - 1);
      start_leaf();
    }
    content_start_ -= cell;
    uint8_t* const at = page(leaf_);
    std::memcpy(at + content_start_, prefix, prefix_size);
    std::memcpy(at + content_start_ + prefix_size, record.data(), size);
    put16(at + kLeafHeader + 2 * leaf_rows_, content_start_);
    ++leaf_rows_;
    ++seq;
  }
  end_leaf(seq - 1);

  if (leaves_.size() == 1) {
    // SQLite calls an interior root without cells corrupt: a single leaf is the root.
    std::memcpy(page(2), page(leaf_), kPage);
    image_.resize(2 * kPage);
  } else {
    put_root();
  }
  put_first_page(page(1), image_.size() / kPage);

  const int code =
      sqlite3_deserialize(database.get(), "staged", image_.data(), static_cast<sqlite3_int64>(image_.size()),
                          static_cast<sqlite3_int64>(image_.size()), SQLITE_DESERIALIZE_READONLY);
  if (code != SQLITE_OK) return database.error(code, "stage the batch");
  return {};
}

void RowImage::put_root() {
  uint8_t* const root = page(2);
  size_t content_start = kPage;
  for (size_t i = 0; i + 1 < leaves_.size(); ++i) {
    uint8_t cell[13];
    put32(cell, leaves_[i].first);
    const size_t size = 4 + put_sqlite_varint(cell + 4, static_cast<uint64_t>(leaves_[i].second));
    content_start -= size;
    std::memcpy(root + content_start, cell, size);
    put16(root + kInteriorHeader + 2 * i, content_start);
  }
  put_page_header(root, kInteriorTable, leaves_.size() - 1, content_start);
  put32(root + 8, leaves_.back().first);
}

}  // namespace ingero::store
