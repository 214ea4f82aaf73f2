// Answers questions: checks the input, opens the recording, runs the tool, and bounds and sanitizes the answer. Every
// interface uses it, so that the same question has the same answer everywhere.
//
// An answer is a JSON object: the tool's own members, then `recording`, `lost` (what the recording lost) and `cut`
// (what this answer leaves out). Text in it may come from traced processes: it is printable, without control, direction
// or invisible characters, and bounded. Thread-safe: several questions at once, each on a connection of its own.
// Failure: classified by the error's code (fault_name in tool.h).
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "serve/tools/remote.h"
#include "serve/tools/tool.h"

namespace ingero::serve::tools {

struct QueryServiceOptions {
  std::string database;             // the recording; it may come to be later
  std::vector<std::string> others;  // recordings that "compare" may name, by their file names
  uint64_t time_ns = 30'000'000'000;
  size_t answer_bytes = 1 << 20;
  std::shared_ptr<const Nodes> nodes = nullptr;  // null: the tools that ask them are not there
  std::shared_ptr<Pager> pager = nullptr;        // null: nor those that page
  MachineQuestions machine = {};
};

class QueryService {
 public:
  QueryService(QueryServiceOptions options, const report::VendorNames& names, const Clock& clock);
  ~QueryService();
  QueryService(const QueryService&) = delete;
  QueryService& operator=(const QueryService&) = delete;

  // The tools that are available, in the order of all_tools().
  std::vector<const Tool*> tools() const;
  // Null: the tool is unknown or not available.
  const Tool* find(std::string_view tool) const;
  // kNotFound: no tool of that name. `cancel`, set by another thread, ends it with kBusy.
  Result<Json> ask(std::string_view tool, const Json& input, const std::atomic<bool>* cancel = nullptr);
  // The answer in the form that `input` asks for: itself, or with "tsc" the short one.
  static Json shown(std::string_view tool, const Json& input, const Json& answer);

  const QueryServiceOptions& options() const;
  const Clock& clock() const;
  // A connection for other reads (resources, other endpoints); its destructor returns it to the query service.
  class Lease;
  Result<Lease> acquire();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

class QueryService::Lease {
 public:
  Lease(QueryService& service, std::unique_ptr<store::Reader> reader, std::string path);
  Lease(Lease&&) noexcept;
  Lease& operator=(Lease&&) = delete;
  ~Lease();
  const store::Reader& operator*() const { return *reader_; }
  const store::Reader* operator->() const { return reader_.get(); }

 private:
  QueryService* service_;
  std::unique_ptr<store::Reader> reader_;
  std::string path_;
};

// {"error": "the sentence", "class": "bad_input"}: the same on every interface.
Json error_json(const Error& error);

}  // namespace ingero::serve::tools
