#!/bin/sh
# Makes a tarball that runs on another Linux machine with glibc and libstdc++: ingero and the check on a real GPU.
# bundle.sh [OUT.tar.gz, default build/ingero-bundle.tar.gz]
#
# There: tar xf ingero-bundle.tar.gz && sudo ingero/tests/gpu/run.sh
set -eu
cd "$(dirname "$0")/.."
out=${1:-build/ingero-bundle.tar.gz}
build=build/portable

cmake --preset release -B "$build" -DINGERO_PORTABLE=ON -DINGERO_TESTS=OFF -DINGERO_BENCH=OFF >/dev/null
cmake --build "$build" --target ingero

stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/ingero/bin" "$stage/ingero/tests" "$(dirname "$out")"
# Debug sections are nine tenths of the file; symbols stay.
objcopy --strip-debug "$build/cli/ingero" "$stage/ingero/bin/ingero"
cp -R tests/gpu tests/truth "$stage/ingero/tests/"
rm -rf "$stage"/ingero/tests/*/__pycache__
cp -R backends/manifests "$stage/ingero/"
cp LICENSE "$stage/ingero/"
cp -R LICENSES "$stage/ingero/"

# Libraries without archives go along (the HTTP server and what it needs), and libcurl, which the program opens when it
# sends something, with all that Debian's build of it needs. The program's own DT_RPATH finds them there.
needed() {
  ldd "$1" | awk '$2 == "=>" && $1 !~ /^(ld-linux|linux-vdso|lib(c|m|pthread|dl|rt|resolv|stdc\+\+|gcc_s)\.so)/ {print $3}'
}
mkdir -p "$stage/ingero/lib"
curl=$(ldconfig -p | awk '$1 == "libcurl.so.4" {print $NF; exit}')
[ -n "$curl" ] || { echo "bundle: no libcurl.so.4 here: install libcurl4" >&2; exit 1; }
{
  needed "$build/cli/ingero"
  echo "$curl"
  needed "$curl"
} | sort -u | xargs -r cp -Lt "$stage/ingero/lib"
elsewhere=$(needed "$stage/ingero/bin/ingero" | grep -v "^$stage/" || true)
if [ -n "$elsewhere" ]; then
  echo "bundle: ingero takes $elsewhere from this machine, not from the bundle" >&2
  exit 1
fi
newest() {
  objdump -T "$stage/ingero/bin/ingero" | grep -o "$1_[0-9.]*" | sort -uV | tail -1
}
"$stage/ingero/bin/ingero" version >/dev/null
tar -C "$stage" -czf "$out" ingero
echo "$out: $(du -h "$out" | cut -f1), for $(uname -m) with $(newest GLIBC), $(newest GLIBCXX) or newer"
