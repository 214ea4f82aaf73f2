// Makes OTLP metrics for tests of their receiver, as protobuf (field by field, so that it can be wrong too) and as
// JSON. Shares no code with the receiver.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <protozero/pbf_writer.hpp>

namespace ingero::fleet {

class Message {
 public:
  Message& text(uint32_t field, const std::string& value) {
    protozero::pbf_writer(bytes_).add_string(field, value);
    return *this;
  }
  Message& fixed(uint32_t field, uint64_t value) {
    protozero::pbf_writer(bytes_).add_fixed64(field, value);
    return *this;
  }
  Message& whole(uint32_t field, int64_t value) {
    protozero::pbf_writer(bytes_).add_int64(field, value);
    return *this;
  }
  Message& real(uint32_t field, double value) {
    protozero::pbf_writer(bytes_).add_double(field, value);
    return *this;
  }
  Message& message(uint32_t field, const Message& value) {
    protozero::pbf_writer(bytes_).add_message(field, value.bytes_);
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

inline Message attribute(const std::string& key, const std::string& value) {
  return Message().text(1, key).message(2, Message().text(1, value));
}
inline Message attribute(const std::string& key, int64_t value) {
  return Message().text(1, key).message(2, Message().whole(3, value));
}

inline Message gauge_point(uint64_t time_ns, double value, uint64_t start_ns = 0) {
  return Message().fixed(2, start_ns).fixed(3, time_ns).real(4, value);
}

inline Message resource(const std::string& cluster, const std::string& node) {
  return Message().message(1, attribute("ingero.cluster.id", cluster)).message(1, attribute("ingero.node.id", node));
}

// One request of one resource, from whole metrics.
inline std::string request(const Message& of, const std::vector<Message>& metrics) {
  Message scope;
  for (const Message& metric : metrics) scope.message(2, metric);
  return Message().message(1, Message().message(1, of).message(2, scope)).bytes();
}
inline Message gauge(const std::string& name, const Message& point) {
  return Message().text(1, name).message(5, Message().message(1, point));
}
inline Message sum(const std::string& name, const Message& point) {
  return Message().text(1, name).message(7, Message().message(1, point));
}
inline Message histogram(const std::string& name, const Message& point) {
  return Message().text(1, name).message(9, Message().message(1, point));
}

}  // namespace ingero::fleet
