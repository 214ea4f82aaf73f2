// The compiled backends, made from backends.def, and those of manifests, which are added while the program runs.
#include "backends/registry.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "backends/manifest_meanings.h"
#include "backends/shipped_manifests.h"
#include "base/folder.h"
#include "base/text.h"
#include "hal/wait.h"

namespace ingero::backends {

#define BACKEND(name)                 \
  namespace name {                    \
  extern const hal::Backend kBackend; \
  }
#include "backends/backends.def"
#undef BACKEND

namespace {

constexpr size_t kMaxEntries = 1 << 16;  // of a folder of descriptions

constexpr const hal::Backend* kBackends[] = {
#define BACKEND(name) &name::kBackend,
#include "backends/backends.def"
#undef BACKEND
};

// The shipped backend that would be left out for its source number alone: what `added` describes is something else.
const hal::Backend* displaced_by(const hal::Backend& added) {
  for (const hal::Backend* known : known_backends().subspan(std::size(kBackends))) {
    bool is_same = known->name == added.name, has_source = false;
    for (const hal::Library& library : known->libraries) {
      for (const hal::Library& mine : added.libraries) {
        is_same = is_same || library.name == mine.name;
        has_source = has_source || library.source == mine.source;
      }
    }
    if (has_source && !is_same) return known;
  }
  return nullptr;
}

void publish_all() {
  std::vector<std::span<const hal::SlowSetting>> settings;
  std::vector<std::span<const std::string_view>> threads;
  for (const hal::Backend* backend : kBackends) {
    settings.push_back(backend->slow_settings);
    threads.push_back(backend->completion_threads);
  }
  hal::publish_slow_settings(settings);
  hal::publish_completion_threads(threads);
}

}  // namespace

std::span<const std::span<const hal::StatusMeaning>> all_meanings() {
  static const std::vector<std::span<const hal::StatusMeaning>> all = [] {
    std::vector<std::span<const hal::StatusMeaning>> made{manifests::kMeanings};
    for (const hal::Backend* backend : kBackends) {
      if (!backend->meanings.empty()) made.push_back(backend->meanings);
    }
    return made;
  }();
  return all;
}

std::span<const hal::Backend* const> all_backends() { return kBackends; }

std::span<const hal::Backend* const> known_backends() {
  static const Registry registry = [] {
    Registry made;
    made.add_shipped();
    return made;
  }();
  return registry.all();
}

Registry::Registry() : all_(all_backends().begin(), all_backends().end()) {
  hal::publish_status_meanings(all_meanings());
  publish_all();
}

Status Registry::add_file(const std::string& path, std::vector<ManifestProblem>* problems) {
  auto manifest = Manifest::read(path, problems);
  if (!manifest.ok()) return manifest.error();
  if (const hal::Backend* shipped = displaced_by((*manifest)->backend())) {
    return Error(Errc::kInvalid,
                 fmt::format("{}: the backend {}, which is part of ingero, has this source number", (*manifest)->file(),
                             shipped->name),
                 fmt::format("take another (64 to 255), or describe a library of {}'s in its place", shipped->name));
  }
  return add(std::move(*manifest));
}

std::vector<Error> Registry::add_folder(const std::string& folder) {
  std::vector<Error> errors;
  const auto names = list_folder(folder, kMaxEntries);
  if (!names.ok()) {
    if (names.error().code() != Errc::kNotFound) errors.push_back(names.error());
    return errors;
  }
  for (const std::string& name : *names) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (path.extension() != ".yaml") continue;
    if (const Status added = add_file(path); !added.ok()) errors.push_back(added.error());
  }
  return errors;
}

void Registry::add_shipped() {
  for (const ShippedManifest& shipped : shipped_manifests()) {
    auto manifest = Manifest::parse(shipped.text, fmt::format("{}.yaml (part of ingero)", shipped.name));
    if (manifest.ok()) (void)add(std::move(*manifest));  // a test parses each
  }
}

Status Registry::add(std::unique_ptr<Manifest> manifest) {
  const hal::Backend& added = manifest->backend();
  const auto taken = [&](std::string_view what, auto value) {
    return Error(Errc::kInvalid,
                 fmt::format("{}: another backend already has the {} {}", manifest->file(), what, value));
  };
  for (const hal::Backend* known : all_) {
    if (known->name == added.name) return taken("name", added.name);
    for (const hal::Library& library : known->libraries) {
      for (const hal::Library& mine : added.libraries) {
        if (library.name == mine.name) return taken("library", mine.name);
        if (library.source == mine.source) return taken("source", mine.source);
      }
    }
  }
  all_.push_back(&added);
  manifests_.push_back(std::move(manifest));
  return {};
}

std::string Registry::file_of(const hal::Backend& backend) const {
  for (const auto& manifest : manifests_) {
    if (&manifest->backend() == &backend) return manifest->file();
  }
  return {};
}

}  // namespace ingero::backends
