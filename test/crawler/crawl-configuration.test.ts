import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { formatConfigurationSchema } from "../../src/config/configuration.ts";
import { TidemarkError } from "../../src/core/error.ts";
import { readCrawlConfiguration } from "../../src/crawler/crawl-configuration.ts";
import { type CrawlSettings, crawlSettings } from "../../src/crawler/crawl-settings.ts";

import { repositoryFolder } from "../repository-folder.ts";
import { makeTempFolder } from "../temp-folder.ts";

async function read(content: string, given: Partial<CrawlSettings> = {}) {
  using folder = makeTempFolder();
  const file = join(folder.path, "crawl.json");
  writeFileSync(file, content);
  return { folder: folder.path, sites: await readCrawlConfiguration(file, given) };
}

async function refusal(content: string): Promise<string> {
  try {
    await read(content);
  } catch (error) {
    assert.ok(error instanceof TidemarkError, String(error));
    assert.equal(error.code, "bad-option");
    assert.match(error.hint ?? "", /docs\/tidemark-crawl\.schema\.json/);
    return error.message.replaceAll(/\/[^ ]*\/crawl\.json/g, "FILE");
  }
  return assert.fail(`accepted: ${content}`);
}

const site = '"url": "https://a.example/", "into": "a"';
const two = (second: string) => `{"sites": [\n{${site}},\n{${second}}\n]}`;

const mistakes: ReadonlyArray<readonly [string, string, string]> = [
  [
    "a number out of its range",
    two('"url": "https://b.example/", "into": "b", "concurrency": 65'),
    "FILE: line 3: sites[1].concurrency: must be a whole number from 1 to 64, not 65",
  ],
  [
    "a least time between visits beyond the most",
    two('"url": "https://b.example/", "into": "b", "maxIntervalMs": 2,\n "minIntervalMs": 3'),
    "FILE: line 4: sites[1].minIntervalMs: must be no more than maxIntervalMs",
  ],
  [
    "a key of an earlier version beside its new one",
    two('"url": "https://b.example/", "into": "b", "minIntervalMs": 3,\n "lookLeastMs": 3'),
    "FILE: line 4: sites[1].lookLeastMs: is the former name of minIntervalMs, which stands here too",
  ],
  [
    "what is no media type",
    `{"sites": [{${site}, "types": ["text/html",\n "html"]}]}`,
    'FILE: line 2: sites[0].types[1]: must be a media type such as text/html or image/*, not "html"',
  ],
  [
    "types with commas",
    `{"sites": [{${site}, "types": "text/html,image/*"}]}`,
    'FILE: line 1: sites[0].types: must be a list of media types, not "text/html,image/*"',
  ],
  [
    "a source that is none",
    `{"sites": [{${site}, "sources": ["rumours"]}]}`,
    'FILE: line 1: sites[0].sources[0]: must be one of archives, resourcesync, sitemap, links, list, not "rumours"',
  ],
  [
    "no source",
    `{"sites": [{${site}, "sources": []}]}`,
    "FILE: line 1: sites[0].sources: must be a list of one or more of archives, resourcesync, sitemap, links, list, not []",
  ],
  [
    "a day that is none",
    `{"sites": [{${site}, "since": "2026-02-30"}]}`,
    'FILE: line 1: sites[0].since: must be a date such as 2026-11-20 or 2026-11-20T02:00:00Z, not "2026-02-30"',
  ],
  [
    "an option's name",
    `{"sites": [{${site}, "crawl-delay": 3}]}`,
    "FILE: line 1: sites[0].crawl-delay: is no key here; did you mean crawlDelaySeconds?",
  ],
  [
    "what is an export's",
    `{"sites": [{${site}, "docroot": "x"}]}`,
    "FILE: line 1: sites[0].docroot: is no key here; there are url, into,",
  ],
  [
    "a site's key among the defaults",
    `{"defaults": {"url": "https://c.example/"}, "sites": [{${site}}]}`,
    "FILE: line 1: defaults.url: belongs to a site, not to the defaults",
  ],
  [
    "what holds for all sites together in one of them",
    two('"url": "https://b.example/", "into": "b", "peers": ["https://peer.example/"]'),
    "FILE: line 3: sites[1].peers: belongs to the defaults, not to a site",
  ],
  [
    "a peer that is no URL",
    `{"defaults": {"peers": ["https://a.example/",\n "peer"]}, "sites": [{${site}}]}`,
    'FILE: line 2: defaults.peers[1]: must be an http or https URL, not "peer"',
  ],
  [
    "a rho that is none",
    `{"defaults": {"rho": 1.5}, "sites": [{${site}}]}`,
    "FILE: line 1: defaults.rho: must be a number from 0 to 1, not 1.5",
  ],
  [
    "an address that is none",
    `{"defaults": {"shareContact": "me"}, "sites": [{${site}}]}`,
    'FILE: line 1: defaults.shareContact: must be a mail address, not "me"',
  ],
  [
    "nowhere to keep it",
    two('"url": "https://b.example/"'),
    "FILE: line 3: sites[1].into: is missing, and there is no default",
  ],
  [
    "a path in the address",
    '{"sites": [{"url": "https://a.example/x", "into": "a"}]}',
    "FILE: line 1: sites[0].url: must be an origin without a path, such as https://a.example/",
  ],
  [
    "one site twice",
    two('"url": "https://a.example", "into": "b"'),
    "FILE: line 3: sites[1].url: is that of sites[0] already",
  ],
  ["no JSON", '{"sites": [,]}', 'FILE: line 1, column 12: a value is missing, here is ","'],
];

describe("a configuration file of crawls", () => {
  it("gives each site its settings, with paths relative to the file", async () => {
    const { folder, sites } = await read(
      `{"$schema": "x", "defaults": {"into": "mirrors", "types": ["text/html"], "restSeconds": 2, "stateFile": "s.db"},
        "sites": [
          {"url": "https://a.example/", "types": ["image/*"], "ca": "ca.pem", "urls": "../list"},
          {"url": "https://b.example", "into": "/srv/b", "since": "2026-11-20", "restOnLoopback": true}]}`,
    );
    assert.deepEqual(sites, [
      {
        url: "https://a.example/",
        into: join(folder, "mirrors"),
        types: ["image/*"],
        restMs: 2000,
        stateFile: join(folder, "s.db"),
        ca: join(folder, "ca.pem"),
        urls: join(folder, "../list"),
      },
      {
        url: "https://b.example",
        into: "/srv/b",
        types: ["text/html"],
        restMs: 2000,
        stateFile: join(folder, "s.db"),
        since: Date.UTC(2026, 10, 20),
        loopbackRests: true,
      },
    ]);
  });

  it("says what is merged and shared, for all sites together", async () => {
    const given = { rho: "model" as const, shareSpecial: ["https://near.example/"] };
    const { folder, sites } = await read(
      `{"defaults": {"peers": ["https://peer.example/"], "mode": "sharing-hybrid", "rho": 0.85, "exchangeMs": 60000,
          "shareInto": "docroot", "shareUrl": "https://crawler.example/", "shareSpecial": ["https://far.example/"],
          "shareContact": "me@crawler.example", "shareSign": "key.pem", "sharePeers": true},
        "sites": [{${site}}]}`,
      given,
    );
    const exchange = {
      ...{ peers: ["https://peer.example/"], mode: "sharing-hybrid", exchangeMs: 60_000 },
      ...{ shareInto: join(folder, "docroot"), shareUrl: "https://crawler.example/" },
      ...{ shareContact: "me@crawler.example", shareSign: join(folder, "key.pem"), isNaming: true },
    };
    assert.deepEqual(sites, [{ ...exchange, url: "https://a.example/", into: join(folder, "a"), ...given }]);
  });

  it("comes after what is given, whose paths stay as they are", async () => {
    const { sites } = await read('{"sites": [{"url": "https://a.example/", "keep": "warc"}]}', {
      into: "here",
      keep: "metadata",
    });
    assert.deepEqual(sites, [{ url: "https://a.example/", into: "here", keep: "metadata" }]);
  });

  for (const [what, content, message] of mistakes) {
    it(`is refused with its place: ${what}`, async () => {
      assert.ok((await refusal(content)).startsWith(message), await refusal(content));
    });
  }

  it("has the JSON Schema that is published; TIDEMARK_WRITE_SCHEMA=1 writes it", async () => {
    const file = join(repositoryFolder(), "docs/tidemark-crawl.schema.json");
    const schema = await formatConfigurationSchema(crawlSettings, "Configuration of tidemark crawl");
    if (process.env.TIDEMARK_WRITE_SCHEMA === "1") writeFileSync(file, schema);
    assert.equal(readFileSync(file, "utf8"), schema);
    const { properties } = JSON.parse(schema);
    const own = properties.sites.items;
    const ofSites = Object.entries(crawlSettings).filter(([, { ofRun }]) => ofRun !== true);
    const keys = ofSites.flatMap(([name, { key = name, former }]) => [key, former?.key ?? []]);
    assert.deepEqual(Object.keys(own.properties), keys.flat());
    assert.deepEqual(own.required, ["url"]);
    assert.deepEqual(own.properties.keep.enum, ["mirror", "warc", "wacz", "objects", "none"]);
    assert.deepEqual(own.properties.sources.items.enum, ["archives", "resourcesync", "sitemap", "links", "list"]);
    assert.ok("listen" in properties.defaults.properties);
    assert.ok("into" in properties.defaults.properties && !("url" in properties.defaults.properties));
  });
});

describe("settings of a crawl", () => {
  it("are the options of a crawl, in its units", async () => {
    const { sites } = await read(`{"sites": [{
      "url": "https://a.example/", "into": "/m", "keep": "none", "since": "2026-11-20T02:00", "poll": "planned",
      "distrustDays": 2, "maxPackage": 3, "maxPage": 1, "maxSite": 2, "maxVisit": 4, "timeoutSeconds": 3, "leastRate": 64,
      "budget": 0, "http1": true, "pagesBeforeRest": 5, "restSeconds": 0, "crawlDelaySeconds": 2, "restOnLoopback": true,
      "maxWaitSeconds": 60, "lookLeastMs": 3, "lookMostMs": 4}]}`);
    assert.deepEqual(sites, [
      {
        url: "https://a.example/",
        into: "/m",
        keep: "metadata",
        since: Date.UTC(2026, 10, 20, 2),
        isPlanned: true,
        distrustMs: 172_800_000,
        packageBytes: 3_145_728,
        pageBytes: 1_048_576,
        siteBytes: 2_097_152,
        visitBytes: 4_194_304,
        timeoutMs: 3000,
        leastBytesPerSecond: 65_536,
        budget: 0,
        http1: true,
        pagesBeforeRest: 5,
        restMs: 0,
        crawlDelayMs: 2000,
        loopbackRests: true,
        maxWaitMs: 60_000,
        minIntervalMs: 3,
        maxIntervalMs: 4,
      },
    ]);
  });
});
