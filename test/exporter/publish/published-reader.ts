import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import type { Change } from "../../../src/core/change.ts";
import type { Page } from "../../../src/core/page.ts";
import type { EpochSeconds } from "../../../src/core/time.ts";
import { contentId } from "../../../src/exporter/publish/archive-files.ts";
import { parseArchive } from "../../../src/formats/archive/archive.ts";
import {
  type ArchiveEntry,
  type ArchiveIndex,
  type BaseList,
  parseArchiveIndex,
  parseBaseList,
} from "../../../src/formats/archive/archive-index.ts";
import { formatArchiveName } from "../../../src/formats/archive/archive-name.ts";

/** What a reader holds: pages by path. */
export type Holding = Map<string, Page>;

/** The plainest reader of a published folder that is right; slow, and independent of the crawler. */
export class PublishedReader {
  readonly #folder: string;
  readonly index: ArchiveIndex;
  readonly base: BaseList;

  constructor(docroot: string) {
    this.#folder = join(docroot, ".well-known/tidemark");
    const index = parseArchiveIndex(gunzipSync(readFileSync(join(this.#folder, "index.gz"))));
    assert.ok(index.ok, JSON.stringify(index));
    this.index = index.value;
    const base = parseBaseList(this.#content(this.index.base));
    assert.ok(base.ok, JSON.stringify(base));
    this.base = base.value;
  }

  #content(entry: ArchiveEntry): Buffer {
    const packed = readFileSync(join(this.#folder, formatArchiveName(entry.name)));
    assert.equal(packed.length, entry.sizeBytes);
    const content = gunzipSync(packed);
    assert.equal(contentId(content), entry.name.id);
    return content;
  }

  /** Names of archives that the index names, by way of the base's list too, and of that list. */
  get listed(): string[] {
    return [this.index.base, ...this.index.archives, ...this.base.archives].map(({ name }) => formatArchiveName(name));
  }

  changes(entry: ArchiveEntry): Change[] {
    const changes = parseArchive(this.#content(entry));
    assert.ok(changes.ok, JSON.stringify(changes));
    assert.equal(changes.value.length, entry.changes);
    return changes.value;
  }

  /** The whole site at the base's publication. */
  readBase(): Holding {
    const pages: Holding = new Map();
    for (const entry of this.base.archives) {
      for (const change of this.changes(entry)) {
        assert.ok(change.kind === "created" && !pages.has(change.page.path));
        pages.set(change.page.path, change.page);
      }
    }
    assert.equal(pages.size, this.base.pages);
    return pages;
  }

  /** Whether a cursor stands where intervals lead on from. */
  canFollow(from: EpochSeconds): boolean {
    return (
      from === this.index.publication ||
      (from >= this.index.completeFrom && this.index.archives.some(({ name }) => name.from === from))
    );
  }

  /** Applies a chain that tiles (from, publication], at each fork the longest interval or the shortest. */
  follow(holding: Holding, from: EpochSeconds, prefer: "longest" | "shortest"): void {
    for (let at = from; at !== this.index.publication; ) {
      const ends = this.index.archives.filter((entry) => entry.name.from === at).map((entry) => entry.name.to);
      assert.ok(ends.length > 0, `no interval leads on from ${at}`);
      const to = prefer === "longest" ? Math.max(...ends) : Math.min(...ends);
      const seen = new Set<string>();
      for (const entry of this.index.archives.filter(({ name }) => name.from === at && name.to === to)) {
        for (const change of this.changes(entry)) {
          const path = change.kind === "deleted" ? change.path : change.page.path;
          assert.ok(!seen.has(path), `${path} stands twice in one interval`);
          seen.add(path);
          if (change.kind === "deleted") holding.delete(path);
          else holding.set(path, change.page);
        }
      }
      at = to;
    }
  }
}
