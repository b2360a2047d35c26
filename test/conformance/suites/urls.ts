import { normaliseUrl } from "../../../src/formats/url/url-normal.ts";
import { Assertions, readCases, type Suite, type SuiteResult } from "../suite.ts";

interface StandardCase {
  readonly input: string;
  readonly base?: string;
  /** What a browser makes of it; null if it is no URL. */
  readonly href: string | null;
}

interface NormalCase {
  readonly name: string;
  readonly input: string;
  readonly normal: string;
  readonly differs?: string;
}

// What the standard's own answer says: http or https, and no user or password before the host.
const crawled = /^https?:\/\/(?![^/?#]*@)/;
const respelt = /[%#]|\?$|\?#/;

function runStandard(): SuiteResult {
  const assertions = new Assertions();
  for (const { input, base, href } of readCases<StandardCase>("url-whatwg.jsonl")) {
    const name = `${JSON.stringify(input)}${base === undefined ? "" : ` from ${base}`}`;
    const normal = normaliseUrl(input, base);
    if (href === null || !crawled.test(href)) {
      assertions.check(`${name}: is not crawled`, normal === undefined);
      continue;
    }
    const same = respelt.test(href) ? normal === normaliseUrl(href) : normal === href;
    assertions.check(`${name}: is ${href}`, normal !== undefined && same);
    assertions.check(`${name}: twice is once`, normal !== undefined && normaliseUrl(normal) === normal);
  }
  return assertions.result();
}

function runCrawlerCommons(): SuiteResult {
  const assertions = new Assertions();
  for (const { name, input, normal, differs } of readCases<NormalCase>("url-crawler-commons.jsonl"))
    assertions.check(`${name}: ${JSON.stringify(input)}`, normaliseUrl(input) === normal, differs);
  return assertions.result();
}

export const suites: readonly Suite[] = [
  {
    name: "URLs in one spelling: crawler-commons",
    source: "github.com/crawler-commons/crawler-commons, BasicURLNormalizerTest.java",
    run: runCrawlerCommons,
  },
  {
    name: "URLs in one spelling: WHATWG URL",
    source: "github.com/web-platform-tests/wpt, url/resources/urltestdata.json; taken or not, the same URL, idempotent",
    run: runStandard,
  },
];
