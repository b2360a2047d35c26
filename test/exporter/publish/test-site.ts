import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExportEvent, ExportSummary } from "../../../src/core/export-event.ts";
import type { ExportSiteOptions } from "../../../src/exporter/export-settings.ts";
import { exportRound, exportSite } from "../../../src/exporter/export-site.ts";
import type { SiteParts } from "../../../src/exporter/publish/site-parts.ts";
import { makeTempFolder, type TempFolder } from "../../temp-folder.ts";
import { type Holding, PublishedReader } from "./published-reader.ts";

/** What an export came to, and what it said on the way. */
export interface Run {
  readonly summary: ExportSummary;
  readonly events: readonly ExportEvent[];
}

/** A document root, the exporter's state beside it, and a clock that a test turns. */
export class TestSite implements Disposable {
  readonly #folder: TempFolder = makeTempFolder();
  readonly docroot: string = join(this.#folder.path, "site");
  readonly stateDir: string = join(this.#folder.path, "state");
  /** An hour after the files are written, so that none is racy. */
  nowMs: number = Date.now() + 3_600_000;

  constructor() {
    mkdirSync(this.docroot);
  }

  /** The folder that holds document root and state. */
  get folder(): string {
    return this.#folder.path;
  }

  /** Writes a page, with its folders. */
  write(name: string, content: string | Uint8Array, mtimeSeconds?: number): void {
    const path = join(this.docroot, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    if (mtimeSeconds !== undefined) utimesSync(path, mtimeSeconds, mtimeSeconds);
  }

  remove(name: string): void {
    rmSync(join(this.docroot, name), { recursive: true });
  }

  /**
   * Exports, a day after the last time unless the clock is turned.
   *
   * @param parts - the only ones to look at, as a watch does; default the whole site
   */
  async export(options: Partial<ExportSiteOptions> = {}, parts?: SiteParts): Promise<Run> {
    const events: ExportEvent[] = [];
    this.nowMs += 86_400_000;
    const all: ExportSiteOptions = {
      docroot: this.docroot,
      baseUrl: "https://example.org/",
      stateDir: this.stateDir,
      clock: () => this.nowMs,
      onEvent: (event) => events.push(event),
      ...options,
    };
    const summary = await (parts === undefined ? exportSite(all) : exportRound(all, { parts }));
    return { summary, events };
  }

  get publishedFolder(): string {
    return join(this.docroot, ".well-known/tidemark");
  }

  reader(): PublishedReader {
    return new PublishedReader(this.docroot);
  }

  /** What a newcomer holds: the base, and the chain from it. */
  hold(): Holding {
    const reader = this.reader();
    const holding = reader.readBase();
    reader.follow(holding, reader.index.base.name.to, "shortest");
    return holding;
  }

  /** Checks that a newcomer comes to exactly these pages, byte for byte. */
  check(names: readonly string[]): void {
    const holding = this.hold();
    assert.deepEqual([...holding.keys()].sort(), names.map((name) => encodeURI(`/${name}`)).sort());
    for (const name of names) {
      const page = holding.get(encodeURI(`/${name}`));
      const content = readFileSync(join(this.docroot, name));
      assert.equal(page?.sizeBytes, content.length, name);
      if (page?.digest !== undefined) assert.equal(page.digest, digestOf(content), name);
    }
  }

  /**
   * Files of a folder: bytes, inode and times of each, so that a file written anew shows. Of folders without
   * times, which a lock moves that comes and goes.
   */
  snapshot(folder: string = this.publishedFolder): Record<string, string> {
    const files: Record<string, string> = {};
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" }).sort()) {
      if (name.endsWith("last-run.json")) continue; // Each run leaves its own.
      const path = join(folder, name);
      const { ino, mtimeMs, ctimeMs, mode } = statSync(path);
      files[name] = statSync(path).isFile()
        ? `${digestOf(readFileSync(path))} ${ino} ${mtimeMs} ${ctimeMs} ${mode.toString(8)}`
        : `folder ${ino} ${mode.toString(8)}`;
    }
    return files;
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

/** The digest that a page of these bytes is published with. */
export function digestOf(content: Uint8Array | string): string {
  return createHash("sha256").update(content).digest().subarray(0, 8).toString("base64url");
}

/** Codes of the warnings of a run. */
export function warningsOf({ events }: Run): string[] {
  return events.flatMap((event) => (event.event === "warning" ? [event.code] : []));
}

/** Counts that most tests look at. */
export function countsOf({ summary }: Run): string {
  const { pages, created, updated, deleted, touched } = summary;
  return `${pages} pages: ${created} created, ${updated} updated, ${deleted} deleted, ${touched} touched`;
}
