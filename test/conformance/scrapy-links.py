"""Prints, as JSON, the links that Scrapy finds in a folder's pages: as it is set, and as widely as its options go."""

import json
import sys
from pathlib import Path
from urllib.parse import urlsplit

from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.utils.response import get_meta_refresh

ORIGIN = "http://links.example"
TAGS = (
    "a area link img image source video audio track bgsound embed object iframe frame script input body table tr td "
    "form button blockquote q ins del html head use feimage mrow"
).split()
ATTRIBUTES = (
    "href src data poster action formaction cite longdesc background lowsrc dynsrc manifest profile xlink:href"
).split()


def path_of(url):
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def find(extractor):
    found = set()
    for file in sorted(Path(sys.argv[1]).glob("*.html")):
        url = f"{ORIGIN}/{file.name}"
        response = HtmlResponse(url, body=file.read_bytes(), headers={"Content-Type": "text/html"})
        found.update(path_of(link.url) for link in extractor.extract_links(response) if link.url.startswith(ORIGIN))
        _, refresh = get_meta_refresh(response)
        if refresh:
            found.add(path_of(refresh))
    return sorted(found)


print(
    json.dumps(
        {
            "usual": find(LinkExtractor(deny_extensions=[])),
            "widest": find(LinkExtractor(deny_extensions=[], tags=TAGS, attrs=ATTRIBUTES)),
        }
    )
)
