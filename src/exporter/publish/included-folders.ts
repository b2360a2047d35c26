import type { PublishedPage } from "./published-page.ts";
import type { SiteParts } from "./site-parts.ts";

/** What the ledger remembers of server-side includes. */
export interface IncludeMemory {
  /** The mode in which all pages were looked into. */
  readonly mode: string;
  /** Encoded folders of the files that pages include, sorted; `*` alone if there are too many. */
  readonly folders: readonly string[];
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
