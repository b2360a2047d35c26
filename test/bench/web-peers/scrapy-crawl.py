"""A crawl of the Web with Scrapy and the settings of its chapter "Broad Crawls".

Usage: scrapy-crawl.py SEED NAME-SERVER CONNECTIONS TIMEOUT-SECONDS DEPTH
"""

import sys
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.exceptions import IgnoreRequest
from scrapy.http import HtmlResponse
from twisted.internet import defer
from twisted.names.client import Resolver

seed, name_server, connections, timeout, depth = sys.argv[1:]
most_failures = 3


class NameServer(Resolver):
    """Asks one name server, and keeps its answers."""

    def __init__(self, reactor):
        host, port = name_server.split(":")
        super().__init__(servers=[(host, int(port))], reactor=reactor)
        self.answers = {}

    @classmethod
    def from_crawler(cls, crawler, reactor):
        return cls(reactor)

    def install_on_reactor(self):
        self._reactor.installResolver(self)

    def getHostByName(self, name, *args, **kwargs):
        if name in self.answers:
            return defer.succeed(self.answers[name])

        def keep(records):
            self.answers[name] = records[0][0].payload.dottedQuad()
            return self.answers[name]

        return self.lookupAddress(name).addCallback(keep)


class FailedHosts:
    """A host that fails so often in a row is left."""

    def __init__(self):
        self.failures = {}

    def process_request(self, request):
        if self.failures.get(urlsplit(request.url).netloc, 0) >= most_failures:
            raise IgnoreRequest()

    def process_response(self, request, response):
        self.failures.pop(urlsplit(request.url).netloc, None)
        return response

    def process_exception(self, request, exception):
        if not isinstance(exception, IgnoreRequest):
            host = urlsplit(request.url).netloc
            self.failures[host] = self.failures.get(host, 0) + 1


class Broad(Spider):
    name = "broad"

    async def start(self):
        yield Request(seed)

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        for href in dict.fromkeys(response.xpath("//a/@href").getall()):
            url = urljoin(response.url, href)
            if url.startswith("http://"):
                yield Request(url)


process = CrawlerProcess(
    {
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "CONCURRENT_REQUESTS": int(connections),
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "DOWNLOAD_DELAY": 0,
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "LOG_LEVEL": "ERROR",
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "REDIRECT_ENABLED": False,
        "DOWNLOAD_TIMEOUT": int(timeout),
        "TELNETCONSOLE_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "DNS_RESOLVER": NameServer,
        "DOWNLOADER_MIDDLEWARES": {FailedHosts: 50},
        # In order of breadth, as the chapter says of memory.
        "DEPTH_LIMIT": int(depth),
        "DEPTH_PRIORITY": 1,
        "SCHEDULER_DISK_QUEUE": "scrapy.squeues.PickleFifoDiskQueue",
        "SCHEDULER_MEMORY_QUEUE": "scrapy.squeues.FifoMemoryQueue",
    }
)
process.crawl(Broad)
process.start()
