#!/usr/bin/env bash
# Installs the servers and downloaders that these tests run against, and unpacks Debian
# documentation packages, without installing them, as real files to publish.
# Does nothing where everything is there already. Needs root, or sudo, only to install.
set -euo pipefail

programs=(nginx apache2 wget wget2 python3)
documents=(openjdk-17-doc python3.11-doc postgresql-doc-15 apache2-doc libstdc++-12-doc)
least=20000
cache="${TIDEMARK_INTEROP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tidemark/interop}"
share="$cache/docs-1/usr/share"
PATH="$PATH:/usr/sbin:/sbin"

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi; }

# Lists of packages are fetched at most once, and only if something has to come from there.
updated=no
update_lists() {
  [ "$updated" = yes ] || as_root apt-get update -qq
  updated=yes
}

missing=()
for program in "${programs[@]}"; do
  command -v "$program" >/dev/null || missing+=("$program")
done
if [ "${#missing[@]}" -gt 0 ]; then
  echo "setup: installing ${missing[*]}" >&2
  update_lists
  # A server that installs itself must not start itself.
  as_root env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 \
    apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ ! -e "$cache/docs-1.complete" ]; then
  echo "setup: unpacking ${documents[*]} into $cache" >&2
  rm -rf "$cache/docs-1" "$cache/packages"
  mkdir -p "$cache/docs-1" "$cache/packages"
  (
    cd "$cache/packages"
    apt-get download -qq "${documents[@]}" 2>/dev/null || {
      update_lists
      apt-get download -qq "${documents[@]}"
    }
  )
  for package in "$cache"/packages/*.deb; do
    dpkg-deb -x "$package" "$cache/docs-1"
  done
  rm -rf "$cache/packages"
  files=$(find "$share" -type f | wc -l)
  if [ "$files" -lt "$least" ]; then
    echo "setup: only $files files below $share, at least $least are needed" >&2
    exit 1
  fi
  touch "$cache/docs-1.complete"
fi
