import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type Change, composeChanges, pathOf } from "../../src/core/change.ts";
import { digestBytes, type Page } from "../../src/core/page.ts";
import { parseCompactTime } from "../../src/core/time.ts";
import { compareChangesByPath, formatArchive, formatChangeLine } from "../../src/formats/archive/archive.ts";
import {
  type ArchiveEntry,
  type ArchiveIndex,
  type BaseList,
  formatArchiveIndex,
  formatBaseList,
  indexFileName,
  publishedFolder,
} from "../../src/formats/archive/archive-index.ts";
import {
  type ArchiveName,
  baseGroup,
  formatArchiveName,
  groupOfMediaType,
  otherGroup,
} from "../../src/formats/archive/archive-name.ts";
import { formatRobotsBlock } from "../../src/formats/robots/robots-block.ts";

// The published set that fixtures/format/v1 holds: a base of five pages, two publications after it,
// and the interval that both were merged into. Groups of fewer than two lines join `other`.

const site = "https://www.example.org/";
const minGroup = 2;
const seconds = (text: string): number => parseCompactTime(text) ?? Number.NaN;

const bodies = {
  about: "<!doctype html>\n<title>About</title>\n<p>A site of five pages.\n",
  home: '<!doctype html>\n<title>Home</title>\n<p><a href="about.html">About</a>\n',
  newHome: '<!doctype html>\n<title>Home</title>\n<p><a href="news/caf%C3%A9.html">News</a>\n',
  news: '<!doctype html>\n<meta charset="utf-8">\n<title>News</title>\n<p>The café is open.\n',
  old: "<!doctype html>\n<title>Old</title>\n<p>Soon gone.\n",
  logo: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><path d="M0 1q1-2 2 0"/></svg>\n',
  map: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><circle cx="1" cy="1" r="1"/></svg>\n',
  style: "body { font: 1em/1.5 serif }\n",
};

function page(path: string, body: string, lastModified: string, mediaType: string): Page {
  const bytes = Buffer.from(body);
  const digest = createHash("sha256").update(bytes).digest().subarray(0, digestBytes).toString("base64url");
  return { path, sizeBytes: bytes.length, lastModified: seconds(lastModified), mediaType, digest };
}

const created = (of: Page): Change => ({ kind: "created", page: of });
const updated = (of: Page): Change => ({ kind: "updated", page: of });

const times = ["20261120T020000Z", "20261121T020000Z", "20261122T020000Z"].map(seconds) as [number, number, number];

const base: readonly Change[] = [
  created(page("/style.css", bodies.style, "20240229T235959Z", "text/css")),
  created(page("/old.html", bodies.old, "20250101T000000Z", "text/html")),
  created(page("/about.html", bodies.about, "20260704T093000Z", "text/html")),
  created(page("/img/logo.svg", bodies.logo, "20260704T093000Z", "image/svg+xml")),
  created(page("/index.html", bodies.home, "20261119T120000Z", "text/html")),
];
const first: readonly Change[] = [
  updated(page("/index.html", bodies.newHome, "20261120T081500Z", "text/html")),
  created(page("/news/caf%C3%A9.html", bodies.news, "20261120T081501Z", "text/html")),
  { kind: "deleted", path: "/old.html" },
];
const second: readonly Change[] = [
  // A script makes it; its size and bytes are not known beforehand.
  created({
    path: "/feed?tag=news",
    sizeBytes: undefined,
    lastModified: seconds("20261121T180000Z"),
    mediaType: "application/atom+xml",
    digest: undefined,
  }),
  // Restored from a backup: last modified long before it was published.
  created(page("/img/site%20map.svg", bodies.map, "20190901T120000Z", "image/svg+xml")),
];

function merge(older: readonly Change[], newer: readonly Change[]): Change[] {
  const merged = new Map(older.map((change) => [pathOf(change), change]));
  for (const change of newer) {
    const known = merged.get(pathOf(change));
    merged.set(pathOf(change), known === undefined ? change : composeChanges(known, change));
  }
  return [...merged.values()].sort(compareChangesByPath);
}

/** A published file before and after compression. */
export interface GoldenArchive {
  readonly entry: ArchiveEntry;
  readonly content: string;
  readonly packed: Uint8Array;
}

function publish(name: Omit<ArchiveName, "id">, content: string, changes: number): GoldenArchive {
  const id = createHash("sha256").update(content, "latin1").digest("hex").slice(0, 16);
  const packed = gzipSync(Buffer.from(content, "latin1"), { level: 9 });
  return { entry: { name: { ...name, id }, changes, sizeBytes: packed.length }, content, packed };
}

function publishInterval(from: number, to: number, changes: readonly Change[]): GoldenArchive[] {
  const groupOf = (change: Change): string =>
    change.kind === "deleted" ? otherGroup : groupOfMediaType(change.page.mediaType);
  const groups = new Map<string, string[]>();
  for (const change of changes) {
    const big = changes.filter((other) => groupOf(other) === groupOf(change)).length >= minGroup;
    const group = big ? groupOf(change) : otherGroup;
    groups.set(group, [...(groups.get(group) ?? []), formatChangeLine(change)]);
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([group, lines]) => publish({ from, to, group }, formatArchive(lines), lines.length));
}

/** Everything that fixtures/format/v1 holds. */
export interface GoldenSite {
  readonly index: ArchiveIndex;
  readonly baseList: BaseList;
  readonly baseArchives: readonly GoldenArchive[];
  readonly tierArchives: readonly GoldenArchive[];
  readonly robots: string;
  /** Path below fixtures/format/v1 to bytes. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Makes the published set anew with the code of today. */
export function buildGoldenSite(): GoldenSite {
  const lastModified = base.map((change) => (change.kind === "deleted" ? 0 : change.page.lastModified));
  const baseArchives = publishInterval(0, Math.max(...lastModified), base).reverse();
  const baseList: BaseList = {
    publication: times[0],
    pages: base.length,
    archives: baseArchives.map((archive) => archive.entry),
  };
  const list = publish({ from: 0, to: times[0], group: baseGroup }, formatBaseList(baseList), base.length);
  const tierArchives = [
    ...publishInterval(times[0], times[2], merge(first, second)),
    ...publishInterval(times[1], times[2], second),
    ...publishInterval(times[0], times[1], first),
  ];
  const index: ArchiveIndex = {
    site,
    epoch: "n8Tq0VYc2mXw4RzK",
    publication: times[2],
    pages: 7,
    completeFrom: times[0],
    base: list.entry,
    archives: tierArchives.map((archive) => archive.entry),
  };
  const indexContent = formatArchiveIndex(index);
  const home = new URL(publishedFolder.slice(1), site).href;
  const robots = formatRobotsBlock({
    indexUrl: home + indexFileName,
    archiveUrls: baseArchives.map((archive) => home + formatArchiveName(archive.entry.name)),
  });
  const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
  const files = new Map<string, Uint8Array>([
    ["index.txt", bytes(indexContent)],
    ["base-list.txt", bytes(list.content)],
    ["base-archive.txt", bytes(baseArchives.find((one) => one.entry.name.group !== otherGroup)?.content ?? "")],
    ["tier-archive.txt", bytes(tierArchives.find((one) => one.content.includes("\nD\t"))?.content ?? "")],
    ["robots-block.txt", bytes(robots)],
    ["site/robots.txt", bytes(`User-agent: *\nDisallow: /drafts/\n\n${robots}`)],
    [`site${publishedFolder}${indexFileName}`, gzipSync(bytes(indexContent), { level: 9 })],
    ["site/index.html", Buffer.from(bodies.newHome)],
    ["site/about.html", Buffer.from(bodies.about)],
    ["site/news/café.html", Buffer.from(bodies.news)],
    ["site/style.css", Buffer.from(bodies.style)],
    ["site/img/logo.svg", Buffer.from(bodies.logo)],
    ["site/img/site map.svg", Buffer.from(bodies.map)],
  ]);
  for (const archive of [list, ...baseArchives, ...tierArchives]) {
    files.set(`site${publishedFolder}${formatArchiveName(archive.entry.name)}`, archive.packed);
  }
  return { index, baseList, baseArchives, tierArchives, robots, files };
}
