#!/bin/sh
# Unpacks Debian's arm64 packages into a folder outside of the tree: libraries to build with (make arm64), programs for
# the guests of tests/kernels.
# arm64_sysroot.sh FOLDER [PACKAGE...]
#
# Without packages: the libraries that packages.txt names for `build`, and those of C and C++. With packages: those.
# Either way with all that they depend on, of this machine's release and mirror. apt works in a root of its own
# (FOLDER.apt), so that the system's lists and status stay as they are; nothing is installed or configured. The same
# request again is done already.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
folder=${1:?arm64_sysroot.sh: name the folder to unpack into}
shift
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
root=$folder.apt
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")

wanted=$*
[ -n "$wanted" ] || wanted="libc6-dev libstdc++-12-dev $(awk '$1 == "build" && $2 ~ /-dev$/ {print $2}' "$tools/packages.txt")"
# shellcheck disable=SC2086
request=$(printf '%s\n' "$suite" $wanted)
[ "$request" != "$(cat "$folder/request" 2>/dev/null)" ] || exit 0

mkdir -p "$root/lists/partial" "$root/cache/archives/partial"
: >"$root/status"
mirror=$(cat /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null |
  sed -n 's/^URIs: *\([^ ]*\).*/\1/p; s/^deb *\(\[[^]]*\]\)* *\([^ ]*\).*/\2/p' | grep '/debian/*$' | head -n 1)
[ -n "$mirror" ] || { echo "arm64_sysroot.sh: /etc/apt names no Debian mirror" >&2; exit 1; }
# non-free: a vendor's runtime, for the ground truth of the guests
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main contrib non-free" \
  >"$root/sources.list"
apt() {
  command=$1
  shift
  "$command" -q -o Dir::Etc::SourceList="$root/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$root/lists" -o Dir::Cache="$root/cache" -o Dir::State::status="$root/status" \
    -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root \
    -o APT::Install-Recommends=0 -o Acquire::Check-Valid-Until=false "$@"
}
fail() {
  grep -E '^(E|W):|Depends' "$root/log" | head -n 5 >&2
  echo "arm64_sysroot.sh: $*; all of it is in $root/log" >&2
  exit 1
}
if [ -z "$(find "$root/lists" -name '*Packages*' -mtime -7 2>/dev/null)" ]; then
  apt apt-get update >"$root/log" 2>&1 || fail "no package lists of $suite for arm64"
fi
# shellcheck disable=SC2086
apt apt-get -y -s install $wanted >"$root/log" 2>&1 || fail "apt finds no way to $(echo "$wanted" | head -c 200)"
plan=$(sed -n 's/^Inst \([^ ]*\) (\([^ ]*\).*/\1=\2/p' "$root/log")

rm -f "$folder/request"
# One /usr, as an installed system has it.
for name in bin sbin lib; do
  mkdir -p "$folder/usr/$name"
  ln -sfn "usr/$name" "$folder/$name"
done
cd "$root/cache/archives"
for package in $plan; do
  file() { find . -name "${package%%=*}_$(echo "${package#*=}" | sed 's/:/%3a/')_*.deb"; }
  [ -n "$(file)" ] || apt apt-get download "$package" >"$root/log" 2>&1 || fail "$package cannot be fetched"
  dpkg-deb --fsys-tarfile "$(file)" | tar -x -C "$folder" --keep-directory-symlink --no-same-owner
done
printf '%s\n' "$plan" >"$folder/packages"
printf '%s\n' "$request" >"$folder/request"
echo "$folder: $(wc -l <"$folder/packages") packages"
