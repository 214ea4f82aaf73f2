// ingero completion: shell scripts made from the tree of commands itself, so that they cannot lag behind it.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "serve/tools/tool.h"

namespace ingero::cli {
namespace {

struct ShellFlag {
  std::vector<std::string> long_names;   // without dashes
  std::vector<std::string> short_names;  // without the dash
  std::string help;                      // its first sentence
  bool takes_value = false;
  bool takes_file = false;
};

struct ShellCommand {
  std::string name;
  std::string help;
  std::vector<ShellFlag> flags;
  std::vector<std::string> words;  // fixed values of its positional, if it has such
};

std::string first_sentence(const std::string& text) {
  const size_t end = text.find_first_of(":;\n(");
  return std::string(trim(std::string_view(text).substr(0, end)));
}

std::vector<ShellFlag> flags_of(const CommandFacts& command) {
  std::vector<ShellFlag> flags;
  for (const FlagFacts& facts : command.flags) {
    flags.push_back({facts.long_names, facts.short_names, first_sentence(facts.description), !facts.type.empty(),
                     facts.type.find("FILE") != std::string::npos});
  }
  return flags;
}

std::vector<ShellCommand> commands_of(const CommandFacts& root) {
  std::vector<ShellCommand> commands;
  for (const CommandFacts& facts : root.commands) {
    ShellCommand command{facts.name, first_sentence(facts.description), flags_of(facts), {}};
    if (command.name == "completion") command.words = {"bash", "zsh", "fish"};
    if (command.name == "ask") {
      for (const auto& tool : serve::tools::all_tools()) command.words.emplace_back(tool.name);
    }
    for (const CommandFacts& below : facts.commands) {
      command.words.push_back(below.name);
      for (ShellFlag& flag : flags_of(below)) {
        const bool is_there = std::any_of(command.flags.begin(), command.flags.end(),
                                          [&](const ShellFlag& other) { return other.long_names == flag.long_names; });
        if (!is_there) command.flags.push_back(std::move(flag));
      }
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

std::string all_flags(const std::vector<ShellFlag>& flags) {
  std::string text;
  for (const ShellFlag& flag : flags) {
    for (const auto& name : flag.long_names) text += (text.empty() ? "--" : " --") + name;
    for (const auto& name : flag.short_names) text += (text.empty() ? "-" : " -") + name;
  }
  return text;
}

std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string bash_script(const std::vector<ShellCommand>& commands, const std::vector<ShellFlag>& root_flags) {
  std::string names;
  std::string cases;
  for (const ShellCommand& command : commands) {
    names += (names.empty() ? "" : " ") + command.name;
    cases +=
        fmt::format("    {}) words={} ;;\n", command.name,
                    shell_quoted(all_flags(command.flags) + (command.words.empty() ? "" : " " + join(command.words))));
  }
  return fmt::format(R"(# bash completion for ingero; load it with: source <(ingero completion bash)
_ingero() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command= words= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in -*) ;; *) command=${{COMP_WORDS[i]}}; break ;; esac
  done
  case $command in
    '') words={} ;;
{}  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _ingero ingero
)",
                     shell_quoted(names + " " + all_flags(root_flags)), cases);
}

// zsh gives brackets and colons in a description a meaning of their own.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_flags(const std::vector<ShellFlag>& flags) {
  std::string text;
  for (const ShellFlag& flag : flags) {
    const std::string value = !flag.takes_value ? "" : flag.takes_file ? ":file:_files" : ":value: ";
    const auto spec = [&](const std::string& spelling) {
      text += " \\\n        " + shell_quoted(spelling + "[" + zsh_text(flag.help) + "]" + value);
    };
    for (const auto& name : flag.long_names) spec("--" + name);
    for (const auto& name : flag.short_names) spec("-" + name);
  }
  return text;
}

std::string zsh_script(const std::vector<ShellCommand>& commands, const std::vector<ShellFlag>& root_flags) {
  std::string names;
  std::string cases;
  for (const ShellCommand& command : commands) {
    names += "        " + shell_quoted(zsh_text(command.name) + ":" + zsh_text(command.help)) + "\n";
    const std::string rest =
        command.words.empty() ? "'*:file:_files'" : shell_quoted("1:word:(" + join(command.words) + ")");
    cases += fmt::format("      {}) _arguments{} {} ;;\n", command.name, zsh_flags(command.flags), rest);
  }
  return fmt::format(R"(#compdef ingero
# zsh completion for ingero; load it with: source <(ingero completion zsh)
_ingero() {{
  local context state state_descr line
  typeset -A opt_args
  _arguments -C{} '1:command:->command' '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
{}      )
      _describe command commands ;;
    argument)
      case $words[1] in
{}      esac ;;
  esac
}}
compdef _ingero ingero
)",
                     zsh_flags(root_flags), names, cases);
}

std::string fish_flags(const std::vector<ShellFlag>& flags, const std::string& condition) {
  std::string text;
  for (const ShellFlag& flag : flags) {
    text += "complete -c ingero -n " + shell_quoted(condition);
    for (const auto& name : flag.long_names) text += " -l " + name;
    for (const auto& name : flag.short_names) text += " -s " + name;
    if (flag.takes_value) text += flag.takes_file ? " -rF" : " -x";
    text += " -d " + shell_quoted(flag.help) + "\n";
  }
  return text;
}

std::string fish_script(const std::vector<ShellCommand>& commands, const std::vector<ShellFlag>& root_flags) {
  std::string text = "# fish completion for ingero; load it with: ingero completion fish | source\n";
  for (const ShellCommand& command : commands) {
    text += "complete -c ingero -f -n __fish_use_subcommand -a " + command.name + " -d " + shell_quoted(command.help) +
            "\n";
  }
  text += fish_flags(root_flags, "__fish_use_subcommand");
  for (const ShellCommand& command : commands) {
    const std::string condition = "__fish_seen_subcommand_from " + command.name;
    text += fish_flags(command.flags, condition);
    if (!command.words.empty()) {
      text += "complete -c ingero -f -n " + shell_quoted(condition) + " -a " + shell_quoted(join(command.words)) + "\n";
    }
  }
  return text;
}

}  // namespace

void add_completion(Command root, Context& context) {
  const Command command = root.add_command("completion", "Print a shell's completion script");
  auto shell = std::make_shared<std::string>();
  command.add_option("shell", *shell, "bash, zsh or fish").required().one_of({"bash", "zsh", "fish"});
  command.footer(
      "Examples:\n"
      "  source <(ingero completion bash)\n"
      "  ingero completion fish > ~/.config/fish/completions/ingero.fish");
  command.on_parsed([root, &context, shell] {
    context.action = [root, &context, shell]() -> Result<int> {
      const CommandFacts facts = root.facts();
      const auto commands = commands_of(facts);
      const auto flags = flags_of(facts);
      if (*shell == "bash") context.out << bash_script(commands, flags);
      if (*shell == "zsh") context.out << zsh_script(commands, flags);
      if (*shell == "fish") context.out << fish_script(commands, flags);
      return kExitDone;
    };
  });
}

}  // namespace ingero::cli
