#!/bin/sh
# Everything that can be said of the sources without running them. lint.sh [FILE.cc ...]: with files, clang-tidy looks at
# those alone. Needs the compile commands and generated headers of one preset ($PRESET, or release), which it makes.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0

for check in layers words files names losses page bpf citations invariants; do
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
preset=${PRESET:-release}
build=build/$preset
cmake --preset "$preset" >/dev/null || exit 1
# The BPF skeletons are headers too.
skeletons=$(ninja -C "$build" -t targets all | sed -n 's/^\(ingero_bpf_[a-z_]*\): phony$/\1/p')
# shellcheck disable=SC2086
[ -z "$skeletons" ] || ninja -C "$build" $skeletons >/dev/null || exit 1
if [ $# -eq 0 ]; then
  # Test bodies are left to the compilers' warnings: the checks cost minutes and GoogleTest's macros trip several.
  sources=$(git ls-files --cached --others --exclude-standard -- '*.cc' ':!tests')
else
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
