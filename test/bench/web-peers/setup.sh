#!/usr/bin/env bash
# Installs the crawlers that the benchmark web-peers compares with, beside those of test/interop/setup.sh (Scrapy).
# Does nothing where everything is there already.
set -euo pipefail
cache="${TIDEMARK_INTEROP_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tidemark/interop}"
here="$(cd "$(dirname "$0")" && pwd)"

if ! cmp -s "$here/colly/main.go" "$cache/colly-1/main.go"; then
  echo "setup: building colly's crawler in $cache/colly-1" >&2
  rm -rf "$cache/colly-1"
  mkdir -p "$cache/colly-1"
  (cd "$here/colly" && timeout 300 go build -o "$cache/colly-1/crawl" .)
  cp "$here/colly/main.go" "$cache/colly-1/"
  touch "$cache/colly-1.complete"
fi

if ! cmp -s "$here/heritrix/HeritrixCrawl.java" "$cache/heritrix-1/HeritrixCrawl.java"; then
  echo "setup: fetching Heritrix into $cache/heritrix-1" >&2
  rm -rf "$cache/heritrix-1"
  timeout 600 mvn --quiet --batch-mode --file "$here/heritrix/pom.xml" dependency:copy-dependencies \
    "-DoutputDirectory=$cache/heritrix-1/lib" >/dev/null
  javac -cp "$cache/heritrix-1/lib/*" -d "$cache/heritrix-1/classes" "$here/heritrix/HeritrixCrawl.java"
  cp "$here/heritrix/HeritrixCrawl.java" "$cache/heritrix-1/"
  touch "$cache/heritrix-1.complete"
fi
