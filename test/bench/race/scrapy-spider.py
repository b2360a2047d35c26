"""Follows all links of a site, keeps nothing: scrapy runspider scrapy-spider.py -a start=URL -a requests=N"""

from urllib.parse import urlsplit

from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule


class RaceSpider(CrawlSpider):
    name = "race"
    rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

    def __init__(self, start, **more):
        super().__init__(**more)
        self.start_urls = [start]
        self.allowed_domains = [urlsplit(start).hostname]

    def parse_page(self, response):
        return None
