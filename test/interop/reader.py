#!/usr/bin/env python3
"""Lists the pages of a site that publishes archives: reader.py URL. See docs/format.md."""
import gzip, hashlib, re, sys, urllib.request
from urllib.parse import urljoin

def get(url):
    request = urllib.request.Request(url, headers={"Accept-Encoding": "identity"})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read(64 << 20)

def unpack(body):  # a proxy may have removed the gzip coding
    return gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body

def sections(text, header):
    head, _, tail = text.partition("\n\n") if "\n\n" in text else (text.rstrip("\n"), "", "")
    lines = head.split("\n")
    if lines[0] != header:
        sys.exit(f"not a {header!r}: {lines[0]!r}")
    fields = dict(line.split("\t", 1) for line in lines[1:])
    return fields, [line.split("\t") for line in tail.splitlines()]

def load(index_url, name):
    content = unpack(get(urljoin(index_url, name)))
    if hashlib.sha256(content).hexdigest()[:16] != name.split(".")[-2]:
        sys.exit(f"{name} does not hold what its name says")
    return content.decode("ascii")

def changes(index_url, name):
    header, *lines = load(index_url, name).splitlines()
    if header != "tm1":
        sys.exit(f"{name} is not an archive")
    return [line.split("\t") for line in lines]

def main(site):
    robots = get(urljoin(site, "/robots.txt")).decode("utf-8", "replace")
    index_url = urljoin(site, re.search(r"(?im)^archive-index:[ \t]*([^\s#]+)", robots).group(1))
    fields, entries = sections(unpack(get(index_url)).decode("ascii"), "tidemark-index 1")
    base = fields["base"].split("\t")[0]
    _, archives = sections(load(index_url, base), "tidemark-base 1")
    pages = {}
    for name, *_ in archives:
        for _, modified, size, mime, digest, path in changes(index_url, name):
            pages[path] = (modified, size, mime, digest)
    steps = {}  # interval -> its archives
    for name, *_ in entries:
        start, end = name.split(".")[0].split("_")
        steps.setdefault(start, {}).setdefault(end, []).append(name)
    here, now = base.split(".")[0].split("_")[1], fields["publication"]
    while here != now:  # the longest step: intervals nest, so it never leads astray
        here, names = max(steps[here].items())
        for name in names:
            for kind, modified, size, mime, digest, path in changes(index_url, name):
                pages.pop(path, None) if kind == "D" else pages.update({path: (modified, size, mime, digest)})
    if len(pages) != int(fields["pages"]):
        sys.exit(f"{len(pages)} pages, but the index says {fields['pages']}")
    for path in sorted(pages):
        print(*pages[path], path, sep="\t")

main(sys.argv[1])
