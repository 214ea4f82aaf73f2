// Every backend this program was built with: tables compiled into it (adding one is a folder and a line in
// backends.def, nothing here), and the manifests that come with it.
//
// The returned data is constant, lives for the whole program, owns nothing; thread-safe.
// A Registry adds backends from files to them, for one run. It owns those, so that they live as long as it does; filled
// at start, constant after that.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backends/manifest.h"
#include "base/result.h"
#include "hal/prototype.h"
#include "hal/status_meaning.h"

namespace ingero::backends {

// What return codes of consequence mean, by backend; published when a registry is made.
std::span<const std::span<const hal::StatusMeaning>> all_meanings();
// The compiled ones, in the order of backends.def.
std::span<const hal::Backend* const> all_backends();
// Those and the shipped manifests, which are read on the first call. Lives for the whole program.
std::span<const hal::Backend* const> known_backends();

class Registry {
 public:
  Registry();  // the compiled backends

  // Adds the manifest at `path`. A name, a library or a source id that another backend has is refused; of a shipped one
  // a source id alone (see add_shipped). `problems` as in manifest.h.
  Status add_file(const std::string& path, std::vector<ManifestProblem>* problems = nullptr);
  // Adds every *.yaml in `folder`, by name. A missing folder is not an error; a file that cannot be added is one, and
  // the others are added.
  std::vector<Error> add_folder(const std::string& folder);

  // Adds the shipped manifests, but those whose name or library another backend has: a user's description takes the
  // place of a shipped one.
  void add_shipped();

  // In the order they were added. The span is valid until the next add.
  std::span<const hal::Backend* const> all() const { return all_; }
  // The file a backend came from, or empty.
  std::string file_of(const hal::Backend& backend) const;

 private:
  Status add(std::unique_ptr<Manifest> manifest);

  std::vector<std::unique_ptr<Manifest>> manifests_;
  std::vector<const hal::Backend*> all_;
};

}  // namespace ingero::backends
