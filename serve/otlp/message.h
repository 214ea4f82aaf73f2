// A message of OTLP as protobuf or as JSON, written by the same code: a Field is its number in one and its name in the
// other. For this folder only.
//
// A message, or a list of messages, is open from its construction to its destruction; while a child is open its parent
// must not be used. Strings are made printable: both forms must be UTF-8.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <protozero/pbf_writer.hpp>

#include "base/text.h"

namespace ingero::serve::otlp {

struct Field {
  uint32_t number;
  std::string_view name;
};

inline constexpr size_t kMaxText = 4096;

class Proto {
 public:
  class List {
   public:
    List(Proto& parent, Field field) : writer_(parent.writer_), number_(field.number) {}
    void add_encoded(std::string_view body) { writer_.add_message(number_, body.data(), body.size()); }

   private:
    friend class Proto;
    protozero::pbf_writer& writer_;
    uint32_t number_;
  };
  explicit Proto(std::string& out) : writer_(out) {}
  Proto(Proto& parent, Field field) : writer_(parent.writer_, field.number) {}
  explicit Proto(List& list) : writer_(list.writer_, list.number_) {}

  void text(Field field, std::string_view text) { writer_.add_string(field.number, printable(text, kMaxText)); }
  void id(Field field, std::span<const uint8_t> id) {
    writer_.add_bytes(field.number, reinterpret_cast<const char*>(id.data()), id.size());
  }
  void fixed64(Field field, uint64_t value) { writer_.add_fixed64(field.number, value); }
  void int64(Field field, int64_t value) { writer_.add_int64(field.number, value); }
  void number(Field field, double value) { writer_.add_double(field.number, value); }
  void boolean(Field field, bool value) { writer_.add_bool(field.number, value); }
  void enumeration(Field field, int32_t value) { writer_.add_enum(field.number, value); }
  void fixed64s(Field field, std::span<const uint64_t> values) {
    writer_.add_packed_fixed64(field.number, values.begin(), values.end());
  }
  void numbers(Field field, std::span<const double> values) {
    writer_.add_packed_double(field.number, values.begin(), values.end());
  }

 private:
  protozero::pbf_writer writer_;
};

class Json {
 public:
  class List {
   public:
    List(Json& parent, Field field) : out_(parent.out_) {
      parent.key(field);
      out_ += '[';
    }
    ~List() { out_ += ']'; }
    List(const List&) = delete;
    List& operator=(const List&) = delete;
    void add_encoded(std::string_view body) {
      next();
      out_ += body;
    }

   private:
    friend class Json;
    void next() {
      if (!is_first_) out_ += ',';
      is_first_ = false;
    }
    std::string& out_;
    bool is_first_ = true;
  };
  explicit Json(std::string& out) : out_(out) { out_ += '{'; }
  Json(Json& parent, Field field) : out_(parent.out_) {
    parent.key(field);
    out_ += '{';
  }
  explicit Json(List& list) : out_(list.out_) {
    list.next();
    out_ += '{';
  }
  ~Json() { out_ += '}'; }
  Json(const Json&) = delete;
  Json& operator=(const Json&) = delete;

  void text(Field field, std::string_view text) {
    key(field);
    out_ += nlohmann::json(printable(text, kMaxText)).dump();
  }
  // Not base64 as the mapping of bytes says, but hexadecimal, as OTLP's does.
  void id(Field field, std::span<const uint8_t> id) {
    key(field);
    out_ += fmt::format("\"{}\"", to_hex(id.data(), id.size()));
  }
  // Integers of 64 bits are strings: a reader's double would round them.
  void fixed64(Field field, uint64_t value) {
    key(field);
    out_ += fmt::format("\"{}\"", value);
  }
  void int64(Field field, int64_t value) {
    key(field);
    out_ += fmt::format("\"{}\"", value);
  }
  void number(Field field, double value) {
    key(field);
    put(value);
  }
  void boolean(Field field, bool value) {
    key(field);
    out_ += value ? "true" : "false";
  }
  void enumeration(Field field, int32_t value) {
    key(field);
    out_ += std::to_string(value);
  }
  void fixed64s(Field field, std::span<const uint64_t> values) {
    key(field);
    out_ += '[';
    for (size_t i = 0; i < values.size(); ++i) out_ += fmt::format("{}\"{}\"", i == 0 ? "" : ",", values[i]);
    out_ += ']';
  }
  void numbers(Field field, std::span<const double> values) {
    key(field);
    out_ += '[';
    for (size_t i = 0; i < values.size(); ++i) {
      if (i > 0) out_ += ',';
      put(values[i]);
    }
    out_ += ']';
  }

 private:
  void key(Field field) {
    out_ += fmt::format("{}\"{}\":", is_first_ ? "" : ",", field.name);
    is_first_ = false;
  }
  void put(double value) {
    if (std::isfinite(value)) {
      out_ += fmt::format("{}", value);
    } else {
      out_ += std::isnan(value) ? "\"NaN\"" : value > 0 ? "\"Infinity\"" : "\"-Infinity\"";
    }
  }
  std::string& out_;
  bool is_first_ = true;
};

}  // namespace ingero::serve::otlp
