// How --help reads: the whole command in the usage line, one plain type word per flag, descriptions wrapped.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace ingero::cli {

// "ingero query", from the root down.
std::string full_name(const CLI::App& app);

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_usage(const CLI::Option* option) const override;
};

}  // namespace ingero::cli
