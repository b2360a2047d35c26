import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type EpochSeconds, pathOf, TidemarkError, wrapSystemError } from "../core/index.ts";
import { ArchiveFiles } from "../exporter/index.ts";
import {
  type ArchiveName,
  baseGroup,
  indexFileName,
  parseArchiveName,
  publishedFolder,
} from "../formats/archive/index.ts";
import { hashBytes } from "./byte-hash.ts";

/** Pages beyond this many are not compared. */
const maxPages = 1_000_000;
const maxChanges = 8_000_000;

/** A change of a page as archives tell it. */
export interface KnownChange {
  readonly at: EpochSeconds;
  /** The archive's interval begins here: other changes of the page since then may be hidden behind this one. */
  readonly from: EpochSeconds;
}

/** What is known of one page. */
export interface KnownPage {
  readonly path: string;
  readonly index: number;
  /** Ascending. */
  readonly changes: KnownChange[];
  isDeleted: boolean;
  sizeBytes: number;
}

/** A site's pages and when they changed, from the archives that it publishes. */
export class SiteHistory {
  readonly #pages = new Map<number, KnownPage>();
  readonly #seed: number;
  /** When pages of a group (a media type) changed, ascending. */
  readonly #groups = new Map<string, EpochSeconds[]>();
  #changes = 0;
  #changeBytes = 0;
  #archivedChanges = 0;
  /** Bytes of the index, and of all archives of the base with their number. */
  readonly indexBytes: number;
  baseBytes = 0;
  baseArchives = 0;
  /** Pages and changes that were left out to keep memory bounded. */
  leftOut = 0;

  private constructor(seed: number, indexBytes: number) {
    this.#seed = seed;
    this.indexBytes = indexBytes;
  }

  /**
   * @param folder - a document root that was exported, or the folder of the archives
   * @throws TidemarkError `no-archives`, `archive-corrupt`
   */
  static async read(folder: string, seed: number): Promise<SiteHistory> {
    const inside = join(folder, publishedFolder.slice(1));
    const place = statSync(join(inside, indexFileName), { throwIfNoEntry: false }) ? inside : folder;
    const index = statSync(join(place, indexFileName), { throwIfNoEntry: false });
    if (index === undefined)
      throw new TidemarkError("no-archives", `There are no archives in ${folder}.`, {
        hint: "Name the document root that `tidemark export` was given.",
      });
    const history = new SiteHistory(seed, index.size);
    const files = new ArchiveFiles(place);
    try {
      for (const file of readdirSync(place)) {
        const name = parseArchiveName(file);
        if (name.ok && name.value.group !== baseGroup)
          await history.#take(name.value, files, statSync(join(place, file)).size);
      }
    } catch (error) {
      throw wrapSystemError(error, `read the archives in ${place}`, { folder: place });
    }
    history.#finish();
    return history;
  }

  async #take(name: ArchiveName, files: ArchiveFiles, sizeBytes: number): Promise<void> {
    const changes = await files.read(name);
    if (name.from === 0) {
      this.baseArchives++;
      this.baseBytes += sizeBytes;
    }
    this.#changeBytes += sizeBytes;
    this.#archivedChanges += changes.length;
    for (const change of changes) {
      const path = Buffer.from(pathOf(change), "latin1");
      const key = hashBytes(path, 0, path.length, this.#seed) || 1;
      let page = this.#pages.get(key);
      if (page === undefined) {
        if (this.#pages.size >= maxPages) {
          this.leftOut++;
          continue;
        }
        page = { path: pathOf(change), index: this.#pages.size, changes: [], isDeleted: false, sizeBytes: 0 };
        this.#pages.set(key, page);
      }
      const modified = change.kind === "deleted" ? name.to : change.page.lastModified;
      const isWithin = name.from === 0 || (modified > name.from && modified <= name.to);
      this.#add(page, { at: isWithin ? modified : name.to, from: name.from }, change.kind === "deleted", name.group);
      if (change.kind !== "deleted" && change.page.sizeBytes !== undefined) page.sizeBytes = change.page.sizeBytes;
    }
  }

  #add(page: KnownPage, change: KnownChange, isDeletion: boolean, group: string): void {
    const held = page.changes.findIndex(({ at }) => at === change.at);
    if (held >= 0) {
      // A merged interval tells the same change again, and hides more.
      if ((page.changes[held] as KnownChange).from < change.from) page.changes[held] = change;
      return;
    }
    if (this.#changes >= maxChanges) {
      this.leftOut++;
      return;
    }
    this.#changes++;
    const newest = page.changes.at(-1);
    if (newest === undefined || newest.at < change.at) page.isDeleted = isDeletion;
    page.changes.push(change);
    page.changes.sort((a, b) => a.at - b.at);
    const times = this.#groups.get(group) ?? [];
    this.#groups.set(group, times);
    times.push(change.at);
  }

  #finish(): void {
    for (const times of this.#groups.values()) times.sort((a, b) => a - b);
  }

  get size(): number {
    return this.#pages.size;
  }

  /** @param targetHash - of a {@link LogRequest} with the same seed */
  find(targetHash: number): KnownPage | undefined {
    return this.#pages.get(targetHash);
  }

  pages(): IterableIterator<KnownPage> {
    return this.#pages.values();
  }

  /** What a reader downloads that applied all changes up to `from`: the index, and archives of the groups with changes. */
  costBetween(from: EpochSeconds, to: EpochSeconds): { readonly requests: number; readonly bytes: number } {
    if (from === 0) return { requests: 2 + this.baseArchives, bytes: this.indexBytes + this.baseBytes };
    let changed = 0;
    let archives = 0;
    for (const times of this.#groups.values()) {
      const count = countUpTo(times, to) - countUpTo(times, from);
      changed += count;
      if (count > 0) archives++;
    }
    const bytesPerChange = this.#changeBytes / Math.max(1, this.#archivedChanges);
    return { requests: 1 + archives, bytes: this.indexBytes + Math.round(changed * bytesPerChange) };
  }
}

/** How many of ascending times are at most `time`. */
function countUpTo(times: readonly EpochSeconds[], time: EpochSeconds): number {
  let from = 0;
  let to = times.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((times[middle] as number) <= time) from = middle + 1;
    else to = middle;
  }
  return from;
}
