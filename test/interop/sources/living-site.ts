import { createHash } from "node:crypto";
import { appendFileSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EpochSeconds } from "../../../src/core/time.ts";
import type { HistoryEvent } from "../../bench/replay/history.ts";
import { ContentsPages } from "./contents-pages.ts";

/** A page of the site as it is now. */
export interface LivingPage {
  /** Hexadecimal SHA-256 of its bytes. */
  readonly digest: string;
  readonly lastModified: EpochSeconds;
  /** Changes since the copy from the packages; the last is named in the bytes. */
  readonly version: number;
}

/** Paths of pages by what a day did to them. */
export interface DayChanges {
  readonly created: ReadonlySet<string>;
  readonly updated: ReadonlySet<string>;
  readonly deleted: ReadonlySet<string>;
}

const largestAddedBytes = 64 * 1024;
const unknownSizeBytes = 512;

/** Hexadecimal SHA-256. */
function digestOf(body: Buffer): string {
  return createHash("sha256").update(body).digest("hex");
}

/**
 * Real pages that live through the days of a history. Each path of the history stands for one page: a path that exists
 * when the days begin for a page of the packages, chosen by its hash, any other for a page that is new.
 */
export class LivingSite {
  readonly #docroot: string;
  readonly #originals: readonly string[];
  readonly #existing: ReadonlySet<string>;
  readonly #pageOf = new Map<string, string>();
  readonly #taken = new Set<string>();
  readonly #contents: ContentsPages;
  /** Every page by its path. */
  readonly pages: Map<string, LivingPage> = new Map();
  /** Pages that were and are not any more. */
  readonly deleted: Set<string> = new Set();

  /**
   * @param originals - paths of files that are there
   * @param before - what happened before the days
   * @param at - when the first pages of contents are written
   */
  constructor(docroot: string, originals: readonly string[], before: readonly HistoryEvent[], at: EpochSeconds) {
    this.#docroot = docroot;
    this.#originals = originals;
    this.#existing = new Set(before.filter(({ sizeBytes }) => sizeBytes !== undefined).map(({ path }) => path));
    for (const path of originals) this.#write(path, readFileSync(join(docroot, path)), at - 86_400, 0);
    this.#contents = new ContentsPages(originals.length);
    this.#writeContents(originals, at);
  }

  /** Lets a day pass. @param shiftSeconds - added to the times of events */
  apply(events: readonly HistoryEvent[], shiftSeconds: number, endsAt: EpochSeconds): DayChanges {
    const changes = { created: new Set<string>(), updated: new Set<string>(), deleted: new Set<string>() };
    for (const { path: historyPath, sizeBytes, time } of events) {
      const path = this.#find(historyPath);
      const page = this.pages.get(path);
      if (sizeBytes === undefined) {
        if (page === undefined) continue;
        this.#delete(path);
        changes.deleted.add(path);
      } else if (page === undefined) {
        this.#create(path, sizeBytes, time + shiftSeconds);
        changes.created.add(path);
      } else {
        this.#change(path, page, time + shiftSeconds);
        changes.updated.add(path);
      }
    }
    const comeAndGone = [...changes.created, ...changes.deleted];
    for (const path of this.#writeContents(comeAndGone, endsAt)) changes.updated.add(path);
    return changes;
  }

  #find(historyPath: string): string {
    const known = this.#pageOf.get(historyPath);
    if (known !== undefined) return known;
    const hash = createHash("sha256").update(historyPath, "latin1").digest();
    const path = this.#findOriginal(historyPath, hash) ?? `/added/${hash.toString("hex", 0, 8)}.html`;
    this.#pageOf.set(historyPath, path);
    return path;
  }

  #findOriginal(historyPath: string, hash: Buffer): string | undefined {
    const count = this.#originals.length;
    if (!this.#existing.has(historyPath) || this.#taken.size === count) return undefined;
    for (let at = hash.readUInt32BE() % count; ; at = (at + 1) % count) {
      const path = this.#originals[at];
      if (path === undefined || this.#taken.has(path)) continue;
      this.#taken.add(path);
      return path;
    }
  }

  #create(path: string, listedBytes: number, at: EpochSeconds): void {
    const version = 1;
    const sizeBytes = Math.min(listedBytes === 0 ? unknownSizeBytes : listedBytes, largestAddedBytes);
    const text = `${path} ${at}\n`.repeat(Math.ceil(sizeBytes / (path.length + 12))).slice(0, sizeBytes);
    const body = `<!doctype html><title>${path}</title><pre>${text}</pre>\n<!-- change ${version} -->\n`;
    this.#writeFile(path, body);
    this.deleted.delete(path);
    this.#write(path, Buffer.from(body), at, version);
  }

  #change(path: string, page: LivingPage, at: EpochSeconds): void {
    const version = page.version + 1;
    const file = join(this.#docroot, path);
    appendFileSync(file, `\n<!-- change ${version} -->\n`);
    this.#write(path, readFileSync(file), at, version);
  }

  #delete(path: string): void {
    rmSync(join(this.#docroot, path));
    this.pages.delete(path);
    this.deleted.add(path);
  }

  #writeContents(comeAndGone: readonly string[], at: EpochSeconds): string[] {
    const written: string[] = [];
    for (const [path, text] of this.#contents.render(comeAndGone, this.pages)) {
      const version = (this.pages.get(path)?.version ?? -1) + 1;
      const body = version === 0 ? text : `${text}<!-- change ${version} -->\n`;
      this.#writeFile(path, body);
      this.#write(path, Buffer.from(body), at, version);
      written.push(path);
    }
    return written;
  }

  #writeFile(path: string, body: string): void {
    const file = join(this.#docroot, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body);
  }

  // nginx makes Last-Modified and ETag of the time of the file: it is the day's.
  #write(path: string, body: Buffer, lastModified: EpochSeconds, version: number): void {
    utimesSync(join(this.#docroot, path), lastModified, lastModified);
    this.pages.set(path, { digest: digestOf(body), lastModified, version });
  }
}

/** Counts pages that a copy has not as they are, and those that it has and that are there no more. */
export function compareCopy(folder: string, site: LivingSite): { readonly missed: number; readonly leftOver: number } {
  const isFile = (path: string): boolean => statSync(join(folder, path), { throwIfNoEntry: false })?.isFile() === true;
  const missed = [...site.pages].filter(
    ([path, { digest }]) => !isFile(path) || digestOf(readFileSync(join(folder, path))) !== digest,
  );
  return { missed: missed.length, leftOver: [...site.deleted].filter(isFile).length };
}
