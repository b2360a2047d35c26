import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Change } from "../../../src/core/change.ts";
import type { ExportSummary } from "../../../src/core/export-event.ts";
import type { Page } from "../../../src/core/page.ts";
import type { EpochSeconds } from "../../../src/core/time.ts";
import { exportSite } from "../../../src/exporter/export-site.ts";
import { indexFileName, publishedFolder } from "../../../src/formats/archive/archive-index.ts";
import { PublishedReader } from "../../exporter/publish/published-reader.ts";

/** Pages by path. */
export type Pages = ReadonlyMap<string, Page>;

/** A file that readers revalidate. */
export interface MutableFile {
  readonly sizeBytes: number;
  /** Another number whenever the bytes are others. */
  readonly version: number;
}

/** What a site shows after an export. */
export interface PublishedDay {
  readonly time: EpochSeconds;
  /** What of the site is not withheld. */
  readonly pages: Pages;
  /** From the day before to this one, in path order; found by comparing the pages, not read from the archives. */
  readonly changes: readonly Change[];
  readonly index: MutableFile;
  readonly robots: MutableFile;
  readonly published: PublishedReader;
  readonly summary: ExportSummary;
}

/** How a replayed site is exported. */
export interface PublisherOptions {
  /** Default an address that nobody asks. */
  readonly baseUrl?: string;
  readonly signal?: AbortSignal;
}

/** Gives each state of a file a number. */
class VersionedFile {
  readonly #path: string;
  #content: Buffer = Buffer.alloc(0);
  #version = 0;

  constructor(path: string) {
    this.#path = path;
  }

  read(): MutableFile {
    const content = readFileSync(this.#path);
    if (!content.equals(this.#content)) this.#version += 1;
    this.#content = content;
    return { sizeBytes: content.length, version: this.#version };
  }
}

/** Exports a folder each day with the real exporter, and checks what it says of its work. */
export class ReplayedPublisher {
  readonly #docroot: string;
  readonly #stateDir: string;
  readonly #options: PublisherOptions;
  readonly #index: VersionedFile;
  readonly #robots: VersionedFile;
  #pages: Pages = new Map();

  constructor(docroot: string, stateDir: string, options: PublisherOptions) {
    this.#docroot = docroot;
    this.#stateDir = stateDir;
    this.#options = options;
    this.#index = new VersionedFile(join(docroot, publishedFolder, indexFileName));
    this.#robots = new VersionedFile(join(docroot, "robots.txt"));
  }

  /** @param files - all of the site, withheld or not */
  async publish(files: Pages, time: EpochSeconds): Promise<PublishedDay> {
    const withheld = new Set<string>();
    const summary = await exportSite({
      docroot: this.#docroot,
      stateDir: this.#stateDir,
      baseUrl: "https://replay.example/",
      ...this.#options,
      allowEmpty: true,
      clock: () => time * 1000,
      onEvent: (event) => {
        if (event.event === "withheld") withheld.add(event.path);
      },
    });
    const pages = new Map([...files].filter(([path]) => !isWithheld(path, withheld)));
    const changes = comparePages(this.#pages, pages);
    this.#pages = pages;
    const found = summary.created + summary.updated + summary.deleted;
    if (summary.pages !== pages.size || found !== changes.length || summary.errors > 0) {
      throw new Error(
        `the exporter says ${summary.pages} pages and ${found} changes, the site has ${pages.size} and ${changes.length}`,
      );
    }
    const published = new PublishedReader(this.#docroot);
    return { time, pages, changes, index: this.#index.read(), robots: this.#robots.read(), published, summary };
  }
}

function isWithheld(path: string, withheld: ReadonlySet<string>): boolean {
  if (withheld.has(path)) return true;
  for (let slash = path.indexOf("/", 1); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    if (withheld.has(path.slice(0, slash + 1))) return true;
  }
  return false;
}

function comparePages(before: Pages, after: Pages): Change[] {
  const changes = new Map<string, Change>();
  for (const [path, page] of after) {
    const known = before.get(path);
    if (known === undefined) changes.set(path, { kind: "created", page });
    else if (known.digest !== page.digest) changes.set(path, { kind: "updated", page });
  }
  for (const path of before.keys()) if (!after.has(path)) changes.set(path, { kind: "deleted", path });
  return [...changes.keys()].sort().flatMap((path) => changes.get(path) ?? []);
}
