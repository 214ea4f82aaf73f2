// Collects what libbpf would print on stderr, so that an error can give it as the reason.
//
// One per operation, on the stack. Thread-safe: each thread collects the messages of its own operation.
#pragma once

#include <string>

namespace ingero::kernelside {

// Whether all that libbpf and the verifier say is also printed on standard error, for developers of the programs. It is
// not, unless this is called.
void print_libbpf_messages(bool is_wanted);

class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;
  // The line of libbpf's or the verifier's output that explains the error, or `otherwise` when there was no output.
  std::string reason(const std::string& otherwise) const;
  // Whether the verifier refused a program: it says so in a log that ends with its statistics.
  bool is_of_verifier() const;

 private:
  std::string* previous_;
  std::string words_;
};

}  // namespace ingero::kernelside
