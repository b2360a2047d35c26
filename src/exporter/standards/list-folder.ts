import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { EpochMs, EpochSeconds } from "../../core/index.ts";
import { placeFile, syncFiles } from "../../fs/index.ts";
import type { Retired } from "../publish/ledger.ts";
import type { PageLookup } from "../publish/page-lookup.ts";
import { planRetired } from "../publish/retired-files.ts";
import type { Yielder } from "../publish/yielder.ts";
import type { ListSite } from "./site-lists.ts";

const ownName =
  /^(?:(?:sitemap|resourcelist)(?:-[0-9a-f]{16})?\.xml|changelist(?:-\d{8}-\d{4})?\.xml|changedump(?:\.xml|-\d{8}-\d{4}\.zip)|resourcedump(?:\.xml|-\d{8}T\d{6}Z-\d{4}\.zip)|(?:capabilitylist|description)\.xml)$/;

/** Whether a file of the published folder is a document of sitemaps or ResourceSync, or a package, by its name. */
export function isListName(name: string): boolean {
  return ownName.test(name);
}

/** What lists are written from, and where. */
export interface ListInputs {
  readonly site: ListSite;
  readonly files: ListFolder;
  readonly pages: PageLookup;
  readonly yielder: Yielder;
}

/** Documents of sitemaps and ResourceSync as files of the published folder. */
export class ListFolder {
  readonly #folder: string;
  readonly #there: Set<string>;
  readonly #listed = new Set<string>();
  readonly #publication: EpochSeconds;
  readonly #yielder: Yielder;
  #unsynced: string[] = [];
  #bytesWritten = 0;

  private constructor(folder: string, names: readonly string[], publication: EpochSeconds, yielder: Yielder) {
    this.#yielder = yielder;
    this.#folder = folder;
    this.#there = new Set(names.filter(isListName));
    this.#publication = publication;
  }

  /** @param publication - what is written is given no earlier time than this */
  static async open(folder: string, publication: EpochSeconds, yielder: Yielder): Promise<ListFolder> {
    return new ListFolder(folder, await readdir(folder).catch(() => []), publication, yielder);
  }

  get bytesWritten(): number {
    return this.#bytesWritten;
  }

  /** Whether there is no document and no package. */
  get isEmpty(): boolean {
    return this.#there.size === 0;
  }

  /** Names of all files that are listed from now on. */
  get listed(): ReadonlySet<string> {
    return this.#listed;
  }

  has(name: string): boolean {
    return this.#there.has(name);
  }

  /** Where a file lies. */
  pathOf(name: string): string {
    return join(this.#folder, name);
  }

  /** Says that a file is to stay as it is. */
  keep(name: string): void {
    this.#listed.add(name);
  }

  /** Says that a file was written here. */
  wrote(name: string, sizeBytes: number): void {
    this.#there.add(name);
    this.#listed.add(name);
    this.#unsynced.push(name);
    this.#bytesWritten += sizeBytes;
  }

  /** Reads a file; undefined if it is not there or is larger than that. */
  async read(name: string, maxBytes: number): Promise<Buffer | undefined> {
    try {
      const path = this.pathOf(name);
      return (await stat(path)).size > maxBytes ? undefined : await readFile(path);
    } catch {
      return undefined;
    }
  }

  /** Writes a document, unless it is there with these bytes. @throws TidemarkError `aborted` */
  async write(name: string, content: Uint8Array): Promise<void> {
    this.#yielder.stopIfAsked();
    const path = this.pathOf(name);
    const status = this.#there.has(name) ? await stat(path).catch(() => undefined) : undefined;
    if (status?.size === content.length && (await this.read(name, content.length))?.equals(content) === true) {
      this.#listed.add(name);
      // What was there may not have been synced: a killed run may have left it.
      this.#unsynced.push(name);
      return;
    }
    // Servers make validators of time and size, in whole seconds: it must not stay the same.
    const later = status === undefined ? 0 : Math.floor(status.mtimeMs / 1000) + 1;
    placeFile(path, content, { mtimeSeconds: Math.max(this.#publication, later) });
    this.wrote(name, content.length);
  }

  /** Makes what was written durable. */
  async sync(): Promise<void> {
    const names = this.#unsynced;
    this.#unsynced = [];
    if (names.length > 0) await syncFiles(names.map((name) => join(this.#folder, name)));
  }

  /**
   * Says which files nothing lists any more, those also that a killed run left; they stay for readers on their way.
   *
   * @param earlier - what was retired before
   */
  planRetired(earlier: readonly Retired[], isPublication: boolean, now: EpochMs): Retired[] {
    const there = earlier.filter(({ name }) => this.#there.has(name));
    const known = new Set(there.map(({ name }) => name));
    const fresh = [...this.#there].filter((name) => !known.has(name)).sort();
    return planRetired(there, fresh, this.#listed, isPublication, now);
  }
}
