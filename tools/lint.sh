#!/bin/sh
# Everything that can be said of the sources without running them. lint.sh [FILE.cc ...]: with files, only those are
# compiled and given to clang-tidy. The preset lint builds each file by itself and without precompiled headers: a file that
# leans on what another one includes does not compile.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0

for check in layers words files names losses page bpf citations invariants hiding threads borders; do
  tools/check_$check || failed=1
done
tools/format.sh --check || failed=1
if command -v shellcheck >/dev/null; then
  git ls-files -z -- '*.sh' .ci/run | xargs -0 shellcheck || failed=1
fi

tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || {
  echo "lint: clang-tidy is not installed (make packages installs it)" >&2
  exit 1
}
build=build/lint
cmake --preset lint >/dev/null || exit 1
if [ $# -eq 0 ]; then
  ninja -C "$build" || failed=1
  # Test bodies are left to the compilers' warnings: the checks cost minutes and GoogleTest's macros trip several.
  sources=$(git ls-files --cached --others --exclude-standard -- '*.cc' ':!tests')
else
  # To ninja FILE^ is what is compiled from FILE.
  # shellcheck disable=SC2046
  ninja -C "$build" $(printf "$PWD/%s^ " "$@") || failed=1
  sources=$*
fi
# A file that no target compiles has no flags to be checked with.
known=$(for source in $sources; do
  grep -q "\"file\": \"$PWD/$source\"" "$build/compile_commands.json" && echo "$source"
done)
echo "clang-tidy: $(echo "$known" | wc -w) files"
# shellcheck disable=SC2086
# gcc has warnings that clang does not know; libbpf's LIBBPF_OPTS is a GNU extension.
printf '%s\n' $known | xargs -P "$(nproc)" -n 2 "$tidy" -p "$build" --quiet \
  --extra-arg=-Wno-unknown-warning-option --extra-arg=-Wno-c99-extensions \
  --extra-arg=-Wno-gnu-statement-expression 2>/dev/null || failed=1
[ $failed -eq 0 ] && echo "lint: clean"
exit $failed
