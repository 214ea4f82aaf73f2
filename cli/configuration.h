// The settings of ingero.yaml. Looked for as $INGERO_CONFIG, ./ingero.yaml, /etc/ingero/ingero.yaml and
// ~/.config/ingero/ingero.yaml; the first that has the key wins.
//
// A file is trusted if it belongs to the user or root and no other user can write it: a file that happens to be in the
// current folder must not decide where secrets are sent. Others are skipped with a warning. Threads: one at a time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/environment.h"
#include "base/result.h"
#include "cli/parser.h"

namespace ingero::cli {

struct ConfiguredNodes {
  std::vector<std::string> nodes;  // of fleet.nodes; empty: no file has it
  std::string file;
  bool empty() const { return nodes.empty(); }
};

struct ConfigurationFile;  // read, and parsed as far as it can be

class Configuration {
 public:
  Configuration() = default;  // no files
  // Each file is read once. The one that INGERO_CONFIG names must be there.
  static Result<Configuration> read(const Environment& environment);

  // kInvalid of these: a file that cannot be understood, with line and column.
  Result<ConfiguredNodes> nodes() const;
  // The flags of a command that the file sets, in the section of the command's name: what is typed counts instead.
  //
  //   trace:
  //     max-db: 20g
  //     library: [/opt/a/libfirst.so, /opt/b/libsecond.so]
  Result<std::vector<FlagSetting>> flags(const std::string& command) const;
  // agent.node: how this machine is called in event ids and in the cluster. Empty: no file has it.
  Result<std::string> node() const;

 private:
  std::vector<std::shared_ptr<const ConfigurationFile>> files_;  // those that are trusted, in the order that counts
};

// Where it is looked for, in words.
std::string configuration_places();

}  // namespace ingero::cli
