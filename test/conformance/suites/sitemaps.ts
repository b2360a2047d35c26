import { gunzipSync, gzipSync } from "node:zlib";
import { PageListReader } from "../../../src/formats/sitemap/page-list-reader.ts";
import type { SitemapEntry } from "../../../src/formats/sitemap/sitemap-document.ts";
import { formatW3cDate } from "../../../src/formats/time/w3c-date.ts";
import { Assertions, readCases, type Suite, type SuiteResult } from "../suite.ts";

interface Case {
  readonly name: string;
  readonly content: string;
  /** What is found, in its order; null if that is not said. */
  readonly locations: readonly string[] | null;
  readonly kind?: string;
  /** In UTC; null where there is none that can be read. */
  readonly dates?: readonly (string | null)[];
  /** Whether the document is refused, or read in part. */
  readonly fails?: boolean;
  /** What every location matches. */
  readonly pattern?: string;
  readonly gzip?: boolean;
  readonly maxEntries?: number;
  readonly maxBytes?: number;
  /** Why ours is meant to come out otherwise. */
  readonly why?: string;
}

function check(assertions: Assertions, test: Case): void {
  const { maxEntries, maxBytes } = test;
  const reader = new PageListReader({
    ...(maxEntries === undefined ? {} : { maxEntries }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  });
  const content = Buffer.from(test.content);
  const bytes = test.gzip === true ? gunzipSync(gzipSync(content)) : content;
  const entries: SitemapEntry[] = [...reader.write(new Uint8Array(bytes)), ...reader.end()];
  const locations = entries.map(({ location }) => location);
  const isFound = test.locations === null || JSON.stringify(locations) === JSON.stringify(test.locations);
  const isRefused = test.fails !== true || reader.problem !== undefined;
  assertions.check(test.name, isFound && isRefused, test.why);
  if (test.kind !== undefined) assertions.check(`${test.name}: kind`, reader.kind === test.kind);
  if (test.pattern !== undefined) {
    const pattern = new RegExp(test.pattern);
    assertions.check(`${test.name}: whole`, locations.length > 0 && locations.every((one) => pattern.test(one)));
  }
  for (const [at, date] of (test.dates ?? []).entries()) {
    const seconds = entries[at]?.lastModified;
    const found = seconds === undefined ? null : formatW3cDate(seconds);
    assertions.check(`${test.name}: date ${at + 1}`, found === date);
  }
}

export const suites: readonly Suite[] = [
  {
    name: "sitemaps and feeds",
    source: "crawler-commons, SiteMapParserTest, SiteMapParserLimitsTest, AbstractSiteMapTest and their files",
    least: 60,
    run(): SuiteResult {
      const assertions = new Assertions();
      for (const test of readCases<Case>("sitemaps.jsonl")) check(assertions, test);
      return assertions.result();
    },
  },
];
