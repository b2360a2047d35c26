import type { ScannedFile } from "../walk/scanned-file.ts";
import type { IncludeMemory } from "./ledger.ts";
import type { ListedCandidate } from "./listed-diff.ts";
import type { PageLookup } from "./page-lookup.ts";
import type { PublishedPage } from "./published-page.ts";
import type { FileReader, SourceBatch } from "./site-comparison.ts";

/** Parts of a site that may have changed: encoded paths of folders, `/` at both ends. */
export interface SiteParts {
  /** Folders whose own entries are looked at; a folder that came or went is looked at wholly. */
  readonly folders: readonly string[];
  /** Folders of which all is looked at that is below them. */
  readonly trees: readonly string[];
}

/** What a folder's own entries are, as far as they may be published. */
export interface FolderEntries extends SourceBatch {
  /** Encoded paths, `/` at their end. */
  readonly folders: readonly string[];
}

/** Where parts of a site are looked at. */
export interface PartSource extends FileReader {
  /** Looks at one folder; one that is not there has no entries. */
  look(folder: string): Promise<FolderEntries>;
  /** Looks at all that is below a folder. */
  below(folder: string): AsyncIterable<SourceBatch>;
}

/** What parts of a site have and had, both in path order. */
export interface GatheredParts extends SourceBatch {
  readonly before: readonly PublishedPage[];
}

/** More pages than this are not gathered: then the whole site is gone through, in bounded memory. */
export const maxGatheredPages = 200_000;

/**
 * Gathers what parts of a site have and what was published of them. Costs what lies in these folders,
 * not what the site has.
 *
 * @returns undefined if it is more than {@link maxGatheredPages}
 */
export async function gatherParts(
  source: PartSource,
  lookup: PageLookup,
  parts: SiteParts,
): Promise<GatheredParts | undefined> {
  const gathering = new Gathering(source, lookup);
  for (const tree of [...parts.trees].sort()) if (!(await gathering.addTree(tree))) return undefined;
  // A folder comes before those in it: one that came or went is known as a whole before they are met.
  for (const folder of [...parts.folders].sort()) if (!(await gathering.addFolder(folder))) return undefined;
  return gathering.result();
}

class Gathering {
  readonly #source: PartSource;
  readonly #lookup: PageLookup;
  readonly #pages: (ScannedFile | ListedCandidate)[] = [];
  readonly #gaps: { readonly path: string }[] = [];
  readonly #before: PublishedPage[] = [];
  /** Folders of which all was gathered. */
  readonly #whole = new Set<string>();

  constructor(source: PartSource, lookup: PageLookup) {
    this.#source = source;
    this.#lookup = lookup;
  }

  async addTree(tree: string): Promise<boolean> {
    if (this.#isCovered(tree)) return true;
    this.#whole.add(tree);
    return (await this.#addFilesBelow(tree)) && this.#addPublishedBelow(tree);
  }

  async addFolder(folder: string): Promise<boolean> {
    if (this.#isCovered(folder)) return true;
    const { pages, folders, gaps } = await this.#source.look(folder);
    const published = this.#lookup.listFolder(folder);
    this.#pages.push(...pages);
    this.#gaps.push(...gaps);
    this.#before.push(...published.pages);
    const there = new Set(folders);
    const were = new Set(published.folders);
    for (const gone of published.folders) {
      if (there.has(gone) || this.#isCovered(gone)) continue;
      this.#whole.add(gone);
      if (!this.#addPublishedBelow(gone)) return false;
    }
    for (const came of folders) {
      if (were.has(came) || this.#isCovered(came)) continue;
      this.#whole.add(came);
      if (!(await this.#addFilesBelow(came))) return false;
    }
    return this.#hasRoom();
  }

  result(): GatheredParts {
    const byPath = (a: { readonly path: string }, b: { readonly path: string }) => (a.path < b.path ? -1 : 1);
    return { pages: this.#pages.sort(byPath), gaps: this.#gaps, before: this.#before.sort(byPath) };
  }

  async #addFilesBelow(folder: string): Promise<boolean> {
    for await (const { pages, gaps } of this.#source.below(folder)) {
      for (const page of pages) this.#pages.push(page);
      this.#gaps.push(...gaps);
      if (!this.#hasRoom()) return false;
    }
    return true;
  }

  #addPublishedBelow(folder: string): boolean {
    for (const page of this.#lookup.below(folder)) {
      this.#before.push(page);
      if (!this.#hasRoom()) return false;
    }
    return true;
  }

  #hasRoom(): boolean {
    return this.#pages.length + this.#before.length <= maxGatheredPages;
  }

  #isCovered(folder: string): boolean {
    for (let end = folder.length; end > 1; end = folder.lastIndexOf("/", end - 2) + 1)
      if (this.#whole.has(folder.slice(0, end))) return true;
    return this.#whole.has("/");
  }
}

/** More folders than this are not told apart: then any change may be one of an included file. */
const maxFolders = 256;
const anyFolder = "*";

/** Gathers the folders of files that pages include: who looks at parts of a site must know when to look at all. */
export class IncludedFolders {
  readonly #folders: Set<string>;

  /** @param known - of pages that are not looked at in this run */
  constructor(known: readonly string[]) {
    this.#folders = new Set(known);
  }

  /** Takes a page as it is from now on. */
  add({ includes }: PublishedPage): void {
    for (const part of includes?.parts ?? [])
      if (this.#folders.size <= maxFolders && !this.#folders.has(anyFolder))
        this.#folders.add(part.slice(0, part.lastIndexOf("/") + 1));
  }

  /** What is to be remembered. */
  memory(mode: string): IncludeMemory {
    const isAny = this.#folders.size > maxFolders || this.#folders.has(anyFolder);
    return { mode, folders: isAny ? [anyFolder] : [...this.#folders].sort() };
  }
}

/** Whether pages elsewhere may include what changed in some parts of a site. */
export function mayBeIncluded({ folders, trees }: SiteParts, { folders: included }: IncludeMemory): boolean {
  // A folder that came or went may be on the way to one.
  const changed = [...folders, ...trees];
  return included.some((folder) => folder === anyFolder || changed.some((one) => folder.startsWith(one)));
}
