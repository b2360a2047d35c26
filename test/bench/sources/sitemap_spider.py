"""Keeps a copy of a site with Scrapy's SitemapSpider, asking only for pages whose lastmod is another than last time.

Arguments: URL of robots.txt, folder of the copy, JSON file of the lastmods.
"""

import json
import pathlib
import sys
import urllib.parse

from scrapy.crawler import CrawlerProcess
from scrapy.spiders import SitemapSpider

robots_url, copy, state = sys.argv[1:]
folder = pathlib.Path(copy)
state_file = pathlib.Path(state)
known = json.loads(state_file.read_text()) if state_file.exists() else {}


class Copier(SitemapSpider):
    name = "copier"
    sitemap_urls = [robots_url]

    def sitemap_filter(self, entries):
        for entry in entries:
            url, lastmod = entry["loc"], entry.get("lastmod")
            # Entries of an index are asked for as the pages are: when they say that they changed.
            if lastmod is None or known.get(url) != lastmod:
                known[url] = lastmod
                yield entry

    def parse(self, response):
        path = urllib.parse.unquote(urllib.parse.urlsplit(response.url).path)
        file = folder / path.lstrip("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(response.body)


process = CrawlerProcess({"LOG_LEVEL": "ERROR", "TELNETCONSOLE_ENABLED": False})
process.crawl(Copier)
process.start()
state_file.write_text(json.dumps(known))
