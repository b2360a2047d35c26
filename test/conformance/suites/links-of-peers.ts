import { findOwnLinks, readExpectedLinks } from "../link-pages.ts";
import { findByScrapy, findByWget2, missingPeer } from "../link-peers.ts";
import type { Suite, SuiteResult } from "../suite.ts";

/** The same links, whatever is thought to be their kind, as others find them; what each finds is told as a difference. */
export const suite: Suite = {
  name: "links beside wget2 and Scrapy",
  source: "the same pages: wget2 -r -p by the server's log, Scrapy's LinkExtractor",
  external: true,
  run: async (): Promise<SuiteResult> => {
    const expected = readExpectedLinks();
    const urls = new Set(expected.map(({ url }) => url));
    const count = (found: Iterable<string>): number => new Set([...found].filter((url) => urls.has(url))).size;
    const own = count(findOwnLinks(expected).map(({ url }) => url));
    const skipped = missingPeer();
    if (skipped !== undefined) return { total: urls.size, passed: own, differences: [], skipped };
    const { usual, widest } = await findByScrapy(urls);
    const peers: ReadonlyArray<readonly [string, Iterable<string>, string]> = [
      ["wget2 -r -p", await findByWget2(), "what it asked for"],
      ["Scrapy, as it is set", usual, "LinkExtractor(), and the refresh that its middleware follows"],
      ["Scrapy, all elements and attributes that hold one URL", widest, "LinkExtractor(tags, attrs) widened"],
    ];
    return {
      total: urls.size,
      passed: own,
      differences: peers.map(([name, found, why]) => ({ name: `${name}: ${count(found)} of ${urls.size}`, why })),
    };
  },
};
