import { join } from "node:path";
import { type Change, type Page, TidemarkError } from "../../core/index.ts";
import { groupOfMediaType, otherGroup, parseArchiveName } from "../../formats/archive/index.ts";
import type { ArchiveFiles } from "../publish/archive-files.ts";
import { readInterval } from "../publish/interval-merge.ts";
import type { Ledger } from "../publish/ledger.ts";
import { PageLookup } from "../publish/page-lookup.ts";
import type { PublishedPage } from "../publish/published-page.ts";
import { namesOfBase } from "../publish/retired-files.ts";
import { findCompleteFrom, planFinestChain } from "../publish/tiers.ts";

const mediaType = "text/html";
/** Archives of the base that are read at most: a site need not have many HTML pages. */
const mostBaseArchives = 64;

/**
 * The HTML pages that changed last: by publication, then by last-modified, then by path. Pages that have not changed
 * in the kept publications follow by last-modified. Memory is a segment, whatever number of pages changed.
 *
 * @throws TidemarkError `state-corrupt`
 */
export async function findLatestPages(
  archives: ArchiveFiles,
  ledger: Ledger,
  stateDir: string,
  count: number,
): Promise<readonly PublishedPage[]> {
  const { intervals, publication, pageFiles } = ledger;
  using pages = new PageLookup(pageFiles.map(({ name }) => join(stateDir, name)));
  const found = new Map<string, PublishedPage>();
  const take = (latest: LatestPages): void => {
    for (const { path } of latest.sorted) {
      if (found.size === count || found.has(path)) continue;
      // It may have been deleted since.
      pages.seek(path);
      if (pages.head?.path === path && pages.head.mediaType === mediaType) found.set(path, pages.head);
    }
  };
  const chain = planFinestChain(intervals, findCompleteFrom(intervals, publication), publication) ?? [];
  for (const interval of chain.reverse()) {
    if (found.size === count) break;
    const latest = new LatestPages(4 * count);
    await unlessDamaged(async () => {
      for await (const changes of readInterval(archives, interval)) latest.add(changes);
    });
    take(latest);
  }
  if (found.size < count) take(await readBase(archives, ledger, 4 * count));
  return [...found.values()];
}

/** The newest pages of the base, whose archives are in the order of last-modified. */
async function readBase(archives: ArchiveFiles, { base }: Ledger, count: number): Promise<LatestPages> {
  const groups = [groupOfMediaType(mediaType), otherGroup];
  const names = ((await namesOfBase(archives, base.list.name)) ?? [])
    .flatMap((text) => {
      const name = parseArchiveName(text);
      return name.ok && groups.includes(name.value.group) ? [name.value] : [];
    })
    .sort((a, b) => b.to - a.to || b.from - a.from);
  const latest = new LatestPages(count);
  for (const name of names.slice(0, mostBaseArchives)) {
    if (latest.isFull && name.to < latest.oldest) break;
    await unlessDamaged(async () => latest.add(await archives.read(name)));
  }
  return latest;
}

// The next run of the archives mends what is damaged.
async function unlessDamaged(read: () => Promise<void>): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (!(error instanceof TidemarkError && error.code === "archive-corrupt")) throw error;
  }
}

/** The latest HTML pages of many changes. */
class LatestPages {
  readonly #count: number;
  #pages: Page[] = [];

  constructor(count: number) {
    this.#count = count;
  }

  add(changes: readonly Change[]): void {
    for (const change of changes) {
      if (change.kind === "deleted" || change.page.mediaType !== mediaType) continue;
      this.#pages.push(change.page);
      if (this.#pages.length >= 2 * this.#count) this.#cut();
    }
  }

  get isFull(): boolean {
    return this.#pages.length >= this.#count;
  }

  get oldest(): number {
    return this.sorted.at(-1)?.lastModified ?? 0;
  }

  get sorted(): readonly Page[] {
    this.#cut();
    return this.#pages;
  }

  #cut(): void {
    this.#pages.sort((a, b) => b.lastModified - a.lastModified || (a.path < b.path ? -1 : 1));
    this.#pages = this.#pages.slice(0, this.#count);
  }
}
