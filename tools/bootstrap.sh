#!/bin/sh
# Installs the Debian packages that are missing for the named purposes (see packages.txt): bootstrap.sh build test ...
#
# Only what is missing is installed. Without root and without a password-less sudo it says in one sentence what needs
# root, and leaves the rest to whatever is already there: the exit status is 0, because the build itself says best what
# it cannot do without.
set -u
here=$(dirname "$0")
purposes=" $* "

wanted=
while read -r purpose package; do
  case "$purpose" in '' | '#'*) continue ;; esac
  case "$purposes" in *" $purpose "*) wanted="$wanted $package" ;; esac
done <"$here/packages.txt"

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "bootstrap: this is not a Debian system; provide the counterparts of:$wanted" >&2
  exit 0
fi

missing=
for package in $wanted; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root='sudo -n'
  else
    echo "bootstrap: installing$missing needs root, because apt-get writes to the system (run 'sudo make packages'" \
      "once); going on with what is here" >&2
    exit 0
  fi
fi

echo "bootstrap: installing$missing"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# The package names are words.
# shellcheck disable=SC2086
if { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  exit 0
fi
grep -E '^(E|W):' "$log" | head -5 >&2
echo "bootstrap: apt-get could not install$missing; going on with what is here" >&2
exit 0
