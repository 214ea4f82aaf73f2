#!/bin/sh
# clang-format over the project's C and C++: format.sh rewrites, format.sh --check only complains.
set -u
cd "$(dirname "$0")/.." || exit 1
format=$(command -v clang-format-14 || command -v clang-format) || {
  echo "format: clang-format is not installed (make packages installs it)" >&2
  exit 1
}
if [ "${1:-}" = --check ]; then
  set -- --dry-run --Werror
else
  set -- -i
fi
git ls-files -z --cached --others --exclude-standard -- '*.cc' '*.h' '*.c' | xargs -0 -n 20 "$format" "$@"
