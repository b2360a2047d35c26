import { createHash } from "node:crypto";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type ExportRunOptions, runExport } from "../../../src/exporter/export-run.ts";
import type { PageSource } from "../../../src/exporter/publish/site-comparison.ts";
import type { ScannedFile } from "../../../src/exporter/walk/scanned-file.ts";
import { makeTempFolder } from "../../temp-folder.ts";
import { type Holding, PublishedReader } from "./published-reader.ts";

/** A site whose pages are numbers in memory, so that very many of them cost little; what is published is real. */
export class MemorySite implements Disposable {
  readonly #folder = makeTempFolder();
  readonly docroot: string = join(this.#folder.path, "site");
  readonly stateDir: string = join(this.#folder.path, "state");
  readonly publishedFolder: string = join(this.docroot, ".well-known/tidemark");
  /** Version of each page, by its path. */
  readonly pages: Map<string, number> = new Map();
  /** The exporter's clock. */
  nowMs: number = Date.UTC(2026, 0, 1);

  constructor() {
    mkdirSync(this.docroot);
  }

  async export(options: Partial<ExportRunOptions>): Promise<void> {
    await runExport({
      site: "https://example.org/",
      docroot: this.docroot,
      stateDir: this.stateDir,
      robotsDir: this.docroot,
      digestMode: "all",
      dryRun: false,
      allowEmpty: true,
      clock: () => this.nowMs,
      signal: undefined,
      onEvent: () => undefined,
      segmentSize: 2000,
      minGroup: 50,
      openSource: () => this.#open(),
      standards: { sitemap: true, resourceSync: true, changeDumps: false, resourceDump: false },
      readPage: async (path) => {
        const version = this.pages.get(path);
        return version === undefined ? undefined : contentOf(path, version);
      },
      ...options,
    });
  }

  /** What a newcomer holds: the base, and the chain from it. */
  hold(): Holding {
    const reader = new PublishedReader(this.docroot);
    const holding = reader.readBase();
    reader.follow(holding, reader.index.base.name.to, "shortest");
    return holding;
  }

  /** Inode and time of a published file. */
  stamp(name: string): string {
    const { ino, mtimeMs, ctimeMs } = statSync(join(this.publishedFolder, name));
    return `${ino} ${mtimeMs} ${ctimeMs}`;
  }

  #open(): PageSource {
    const files = [...this.pages]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, version]) => this.#file(path, version));
    return {
      batches: async function* () {
        while (files.length > 0) yield { pages: files.splice(0, 1000), gaps: [] };
      },
      digestAll: async (asked) =>
        asked.map(({ path, sizeBytes, mtimeUs, ctimeUs }) => {
          const content = contentOf(path, this.pages.get(path) ?? 0);
          const digest = createHash("sha256").update(content).digest().subarray(0, 8).toString("base64url");
          return { kind: "digested", digest, sizeBytes, mtimeUs, ctimeUs };
        }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }

  #file(path: string, version: number): ScannedFile {
    const times = (1_700_000_000 + version) * 1_000_000;
    const sizeBytes = contentOf(path, version).length;
    return { path, location: path, sizeBytes, mtimeUs: times, ctimeUs: times, mediaType: "text/html" };
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

function contentOf(path: string, version: number): Buffer {
  return Buffer.from(`${path} ${version}`);
}
