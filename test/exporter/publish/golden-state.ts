import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readLedger } from "../../../src/exporter/publish/ledger.ts";
import { PageLookup } from "../../../src/exporter/publish/page-lookup.ts";
import type { PublishedPage } from "../../../src/exporter/publish/published-page.ts";
import { writePages } from "./published-pages.ts";
import { TestSite } from "./test-site.ts";

/** Pages that use every form that a record can take, as `odd-pages.blocks` holds them. */
export const oddPages: readonly PublishedPage[] = [
  {
    path: "/",
    sizeBytes: 0,
    mtimeUs: 0,
    ctimeUs: 0,
    lastModified: 1,
    mediaType: "text/html",
    digest: undefined,
    racy: false,
  },
  {
    path: "/%FF%00?q='",
    sizeBytes: 127,
    mtimeUs: 1_700_000_000_123_456,
    ctimeUs: 1_700_000_000_123_456,
    lastModified: 1_700_000_000,
    mediaType: "text/html",
    digest: "AAECAwQFBgc",
    racy: false,
  },
  {
    path: "/a/b",
    sizeBytes: 128,
    mtimeUs: 1_600_000_000_000_000,
    ctimeUs: 1_700_000_000_000_001,
    lastModified: 1_500_000_000,
    mediaType: "application/vnd.oasis.opendocument.text",
    digest: "_____-----8",
    racy: true,
  },
  {
    path: "/a/c",
    sizeBytes: Number.MAX_SAFE_INTEGER,
    mtimeUs: Number.MAX_SAFE_INTEGER,
    ctimeUs: Number.MAX_SAFE_INTEGER - 1,
    lastModified: 253_402_300_799,
    mediaType: "text/html",
    digest: undefined,
    racy: true,
  },
];

/** Reads all remembered pages. @param paths - the oldest list first */
export function readPages(...paths: readonly string[]): PublishedPage[] {
  using lookup = new PageLookup(paths);
  return [...lookup.below("/")];
}

/** Makes the fixture of a version of the state: a site, what was published of it, and what was remembered. */
async function makeFixture(folder: string): Promise<void> {
  using site = new TestSite();
  site.nowMs = Date.UTC(2026, 10, 20, 2);
  const partition = { segmentSize: 4, minGroup: 2 };
  for (let at = 0; at < 9; at++) site.write(`page-${at}.html`, `first ${at}\n`, 1_600_000_000 + at);
  site.write("café/ü.txt", "text\n", 1_000_000_000);
  site.write("robots.txt", "User-agent: *\nDisallow: /none\n");
  await site.export(partition);
  for (const at of [1, 2, 3]) {
    site.write(`page-${at}.html`, `changed ${at}\n`, 1_700_000_000 + at);
    if (at === 2) site.remove("page-8.html");
    await site.export(partition);
  }
  const ledger = await readLedger(site.stateDir);
  if (ledger === undefined) throw new TypeError("there is no ledger");
  const pages = readPages(...ledger.pageFiles.map(({ name }) => join(site.stateDir, name)));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  cpSync(site.docroot, join(folder, "site"), { recursive: true });
  cpSync(site.stateDir, join(folder, "state"), { recursive: true });
  writeFileSync(join(folder, "state.json"), `${JSON.stringify({ ledger, pages }, undefined, 2)}\n`);
  await writePages(folder, oddPages, "odd-pages.blocks");
  process.stdout.write(`${readdirSync(folder).join(" ")}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await makeFixture(process.argv[2] ?? "");
