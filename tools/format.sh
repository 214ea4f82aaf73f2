#!/bin/sh
# clang-format over the project's C and C++: format.sh rewrites, format.sh --check only complains.
set -u
cd "$(dirname "$0")/.." || exit 1
format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "format: clang-format is not installed (make packages installs it)" >&2
  exit 1
}
files() { git ls-files -z --cached --others --exclude-standard -- '*.cc' '*.h' '*.c'; }
if [ "${1:-}" = --check ]; then
  # One line per file: what is wrong in it, `make format` knows.
  unformatted=$(files | xargs -0 -n 20 "$format" --dry-run 2>&1 | sed -n 's/^\([^: ]*\):[0-9]*:.*clang-format-violations.*/\1/p' |
    sort | uniq -c)
  [ -z "$unformatted" ] && exit 0
  printf 'format: not as clang-format would have it (make format mends it); lines and files:\n%s\n' "$unformatted"
  exit 1
fi
files | xargs -0 -n 20 "$format" -i
