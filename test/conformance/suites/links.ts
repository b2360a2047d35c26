import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readLinks } from "../../../src/formats/html/page-links.ts";
import { findByScrapy, findByWget2, linkFolder, missingPeer } from "../link-peers.ts";
import type { Suite, SuiteResult } from "../suite.ts";

/** A link that stands in one of the pages. */
interface ExpectedLink {
  readonly page: string;
  /** Path and query. */
  readonly url: string;
  readonly kind: string;
}

function readExpectedLinks(): ExpectedLink[] {
  const lines = readFileSync(join(linkFolder, "expected.jsonl"), "utf8").trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as ExpectedLink);
}

const origin = "http://links.example";

/** What we find in the pages. */
function findOwnLinks(expected: readonly ExpectedLink[]): ExpectedLink[] {
  return [...new Set(expected.map(({ page }) => page))].flatMap((page) => {
    const { links } = readLinks(readFileSync(join(linkFolder, page)), "text/html", `${origin}/${page}`);
    return links.map(({ url, kind }) => ({ page, url: url.replace(origin, ""), kind }));
  });
}

const nameOf = ({ page, url, kind }: ExpectedLink): string => `${page}: ${kind} ${url}`;

/** Every kind of link that HTML allows, each a case; a link that is found and is none is a case that did not pass. */
const linkSuite: Suite = {
  name: "links",
  least: 150,
  source: "fixtures/conformance/links, after the HTML Living Standard, HTML 4.01, SVG 2 and CSS",
  run: (): SuiteResult => {
    const expected = readExpectedLinks();
    const found = new Set(findOwnLinks(expected).map(nameOf));
    const known = new Set(expected.map(nameOf));
    const missed = [...known].filter((name) => !found.has(name)).map((name) => ({ name, why: undefined }));
    const wrong = [...found].filter((name) => !known.has(name));
    return {
      total: known.size + wrong.length,
      passed: known.size - missed.length,
      differences: [...missed, ...wrong.map((name) => ({ name: `${name} is none`, why: undefined }))],
    };
  },
};

/** The same links, whatever is thought to be their kind, as others find them; what each finds is told as a difference. */
export const peerSuite: Suite = {
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

export const suites: readonly Suite[] = [linkSuite, peerSuite];
