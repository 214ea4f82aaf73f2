// libbpf talks on stderr unless told otherwise; here its words become the reason in an error.
//
// One per operation, on the stack. Thread-safe: each thread collects its own operation's words.
#pragma once

#include <string>

namespace ingero::kernelside {

class LibbpfLog {
 public:
  LibbpfLog();
  ~LibbpfLog();
  LibbpfLog(const LibbpfLog&) = delete;
  LibbpfLog& operator=(const LibbpfLog&) = delete;
  // The telling line of what libbpf or the verifier said, or `otherwise` when they said nothing.
  std::string reason(const std::string& otherwise) const;

 private:
  std::string* previous_;
  std::string words_;
};

}  // namespace ingero::kernelside
