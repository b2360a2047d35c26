#!/usr/bin/env bash
# Makes a Debian package of the project as it is built: npm run build && scripts/build-deb.sh [FOLDER [VERSION]]
# It has what `npm pack` has, the packages it needs, the units, the man page and completion for three shells. VERSION is one of Debian's.
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
out=$(cd "${1:-.}" && pwd)
# To Debian only what follows a tilde comes before a release: 1.0.0~rc.1 is older than 1.0.0, and 1.0.0-rc.1 is newer.
version=${2:-$(node -p 'require(process.argv[1]).version.replace("-", "~")' "$here/package.json")}
architecture=$(dpkg --print-architecture)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
root=$work/root
program=$root/usr/lib/tidemark
mkdir -p "$program" "$root"/usr/{bin,lib/systemd/system,share/man/man1,share/doc/tidemark} "$root/DEBIAN" \
  "$root"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d} "$root/etc/tidemark"

(cd "$here" && npm pack --ignore-scripts --silent --pack-destination "$work" >/dev/null)
tar -xzf "$work"/tidemark-*.tgz -C "$program" --strip-components=1 --no-same-owner
cp "$here/package-lock.json" "$program/"
(cd "$program" && npm ci --omit=dev --ignore-scripts --prefer-offline --no-audit --no-fund --silent)
# npm cannot tell the C libraries apart, so it installs SQLite for both: Debian has glibc.
rm -rf "$program"/node_modules/@libsql/*-musl* "$program/package-lock.json" "$program/node_modules/.package-lock.json" \
  "$program/node_modules/.bin" "$program/dist/types"

mv "$program"/systemd/* "$root/usr/lib/systemd/system/"
rmdir "$program/systemd"
gzip -9 -n <"$program/dist/man/tidemark.1" >"$root/usr/share/man/man1/tidemark.1.gz"
rm -r "$program/dist/man"
gzip -9 -n <"$program/CHANGELOG.md" >"$root/usr/share/doc/tidemark/changelog.gz"
cp "$program/LICENSE" "$root/usr/share/doc/tidemark/copyright"
ln -s ../../../lib/tidemark/docs "$root/usr/share/doc/tidemark/docs"
node "$program/bin/tidemark.js" completion bash >"$root/usr/share/bash-completion/completions/tidemark"
node "$program/bin/tidemark.js" completion zsh >"$root/usr/share/zsh/vendor-completions/_tidemark"
node "$program/bin/tidemark.js" completion fish >"$root/usr/share/fish/vendor_completions.d/tidemark.fish"

cat >"$root/usr/bin/tidemark" <<'END'
#!/bin/sh
# Node may lie where the search path of a unit or of cron does not lead.
PATH="${PATH:-/usr/bin:/bin}:/usr/local/bin:/usr/bin:/bin"
if ! command -v node >/dev/null; then
  echo "tidemark: Node is not installed: 20.19 or later is needed, from Debian, NodeSource or nodejs.org." >&2
  exit 4
fi
exec node /usr/lib/tidemark/bin/tidemark.js "$@"
END
chmod 755 "$root/usr/bin/tidemark"

cat >"$root/DEBIAN/control" <<END
Package: tidemark
Version: $version
Architecture: $architecture
Maintainer: The Tidemark project <tidemark@localhost>
Section: web
Priority: optional
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: libc6, passwd
Recommends: nodejs (>= 20.19)
Description: publishes what changed on a web site, and fetches only the changed pages
 A web site publishes what changed as small static files; a crawler fetches
 only that. Brings units for nightly exports and crawls.
END

cat >"$root/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
[ "$1" = configure ] || exit 0
getent group tidemark >/dev/null || groupadd --system tidemark
getent passwd tidemark-crawl >/dev/null ||
  useradd --system --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin tidemark-crawl
if [ -d /run/systemd/system ]; then
  # A unit that does not start, such as one whose document root is gone, must not leave the package half installed.
  systemctl daemon-reload || true
  # After an upgrade: what watches goes on with the new program.
  [ -z "$2" ] || systemctl try-restart 'tidemark-watch@*.service' || true
fi
PATH="$PATH:/usr/local/bin"
node -e 'const [a, b] = process.versions.node.split("."); process.exit(+a > 20 || (+a === 20 && +b >= 19) ? 0 : 1)' 2>/dev/null ||
  echo "tidemark: Node 20.19 or later is needed and not found: install it from Debian, NodeSource or nodejs.org." >&2
END

cat >"$root/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl stop 'tidemark-export@*' 'tidemark-watch@*' 'tidemark-crawl@*' || true
fi
END

cat >"$root/DEBIAN/postrm" <<'END'
#!/bin/sh
set -e
if [ "$1" = purge ]; then
  rm -f /etc/systemd/system/*.wants/tidemark-export@* /etc/systemd/system/*.wants/tidemark-watch@* \
    /etc/systemd/system/*.wants/tidemark-crawl@*
  # Links to document roots are removed, not what they lead to, nor what somebody mounted in their place. Mirrors and
  # published files stay, and so do the user and the group that own them.
  if [ -d /etc/tidemark ]; then
    find /etc/tidemark -mindepth 1 -maxdepth 1 ! -type d -delete
    rmdir --ignore-fail-on-non-empty /etc/tidemark
  fi
  rm -rf /var/lib/tidemark /var/lib/private/tidemark
fi
if [ -d /run/systemd/system ]; then systemctl daemon-reload || true; fi
END
chmod 755 "$root"/DEBIAN/{postinst,prerm,postrm}

chmod -R u=rwX,go=rX "$root/usr"
file=$out/tidemark_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz -z3 --build "$root" "$file" >/dev/null
echo "$file"
