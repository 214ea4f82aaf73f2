// What tools (serve/tools) ask of the commands: reports through the engine, the check of this machine, demonstrations.
//
// Each runs the same computation as its command. Thread-safe. Failure: the command's.
#pragma once

#include "cli/app.h"
#include "serve/tools/tool.h"

namespace ingero::cli {

class CommandFindings final : public serve::tools::Findings {
 public:
  // `context` is copied from where it matters: clock and environment.
  explicit CommandFindings(const Context& context) : clock_(context.clock), environment_(context.environment) {}

  Result<serve::tools::Json> report(const store::Reader& reader, const store::Selection& selection,
                                    const serve::tools::ReportParts& parts, uint64_t time_ns) const override;
  Result<serve::tools::Json> check() const override;
  Result<serve::tools::Json> demo(const std::string& scenario) const override;
  std::vector<std::string> frames(std::string_view stored) const override;

 private:
  // The JSON that the command prints, whatever its exit status.
  Result<serve::tools::Json> printed(std::vector<std::string> arguments) const;

  const Clock* clock_;
  store::Environment environment_;
};

}  // namespace ingero::cli
