#!/bin/sh
# Installs the Debian packages that are missing for the named purposes (see packages.txt): bootstrap.sh build test ...
#
# Only what is missing is installed: a package whose command (third column) is there from elsewhere is not. Without root and without a password-less sudo it says in one sentence what needs
# root, and leaves the rest to whatever is already there: the exit status is 0, because the build itself says best what
# it cannot do without.
set -u
here=$(dirname "$0")
purposes=" $* "

wanted=
while read -r purpose package command; do
  case "$purpose" in '' | '#'*) continue ;; esac
  [ -z "$command" ] || ! command -v "$command" >/dev/null || continue
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
install() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; }
# shellcheck disable=SC2086
if $as_root apt-get update >"$log" 2>&1 && install $missing >>"$log" 2>&1; then
  exit 0
fi
# One that cannot be installed keeps back only itself.
refused=
for package in $missing; do
  install "$package" >>"$log" 2>&1 || refused="$refused $package"
done
[ -n "$refused" ] || exit 0
grep -E '^(E|W):' "$log" | sort -u | head -5 >&2
echo "bootstrap: apt-get could not install$refused; going on with what is here" >&2
exit 0
