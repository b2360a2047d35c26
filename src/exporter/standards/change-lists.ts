import { type Change, type EpochSeconds, pathOf } from "../../core/index.ts";
import { type ResourceSyncEntry, ResourceSyncReader } from "../../formats/resourcesync/index.ts";
import { maxSitemapBytes } from "../../formats/sitemap/index.ts";
import { contentId } from "../publish/archive-files.ts";
import type { ListFolder } from "./list-folder.ts";
import { formatDay, formatPart, type ListSite, listNames, renderList } from "./site-lists.ts";
import type { ChangeListPart } from "./standards-state.ts";

const secondsOfDay = 86_400;
/** A list of more changes is closed before the next publication's are written. */
const manyEntries = 5000;
/** Most changes of a list: one publication's may be very many. */
const mostEntries = 25_000;
/** Most bytes of a list's entries, by {@link entryBytes}. */
const mostBytes = maxSitemapBytes - 65_536;
/** A closed list is kept for this long, in seconds, if intervals are. */
const keptSeconds = 90 * secondsOfDay;

/** Changes of one day, or a part of them: what is written of it, and what is still to be. */
interface OpenPart {
  readonly name: string;
  readonly from: EpochSeconds;
  readonly entries: ResourceSyncEntry[];
  sizeBytes: number;
}

/**
 * The lists of changes, by days of UTC. The last one is open: it is written again at each publication, with as many
 * entries as it has. The first publication of a later day closes it for ever.
 *
 * @see ANSI/NISO Z39.99-2017 section 12
 */
export class ChangeLists {
  readonly #site: ListSite;
  readonly #files: ListFolder;
  readonly #closed: ChangeListPart[];
  #open: OpenPart;
  readonly #knownTo: EpochSeconds;
  readonly #closedNow: ChangeListPart[] = [];

  private constructor(
    site: ListSite,
    files: ListFolder,
    closed: readonly ChangeListPart[],
    open: OpenPart,
    knownTo: EpochSeconds,
  ) {
    this.#site = site;
    this.#knownTo = knownTo;
    this.#files = files;
    this.#closed = [...closed];
    this.#open = open;
  }

  /**
   * Begins with no change known.
   *
   * @param from - the publication that is known by other means
   * @param first - the one whose day the first list is of
   */
  static anew(site: ListSite, files: ListFolder, from: EpochSeconds, first: EpochSeconds = from): ChangeLists {
    let number = 1;
    // A list that was closed once never changes, also if it is not listed any more.
    while (files.has(nameOf(first, number))) number += 1;
    return new ChangeLists(site, files, [], openPart(from, first, number), from);
  }

  /**
   * Goes on with what is published.
   *
   * @param parts - oldest first; what was written of the last one after that, by a run that was killed, is forgotten
   * @param publication - the last one whose changes are in them
   * @returns undefined if they are not there as they were written
   */
  static async resume(
    site: ListSite,
    files: ListFolder,
    parts: readonly ChangeListPart[],
    publication: EpochSeconds,
  ): Promise<ChangeLists | undefined> {
    const last = parts.at(-1);
    if (last === undefined || last.until !== undefined || parts.some(({ name }) => !files.has(name))) return undefined;
    const all = await readChangeEntries(files, last.name);
    const entries = all?.filter(({ changedAt }) => changedAt !== undefined && changedAt <= publication) ?? [];
    const open: OpenPart = { name: last.name, from: last.from, entries, sizeBytes: 0 };
    for (const entry of entries) open.sizeBytes += entryBytes(entry);
    try {
      if (entries.length !== last.entries || contentId(renderPart(site, open, undefined)) !== last.digest)
        return undefined;
    } catch {
      return undefined;
    }
    return new ChangeLists(site, files, parts.slice(0, -1), open, publication);
  }

  /** Lists that were closed since this was made: they have `until`. */
  get closedNow(): readonly ChangeListPart[] {
    return this.#closedNow;
  }

  /** Whether changes of a publication are in lists that are listed already, or older than all of them. */
  knows(publication: EpochSeconds): boolean {
    return publication <= this.#knownTo;
  }

  /** Says that changes of a publication follow. @param from - the publication before it */
  async begin(from: EpochSeconds, publication: EpochSeconds): Promise<void> {
    const { name, entries } = this.#open;
    const isSameDay = name.startsWith(dayPrefix(publication));
    if (!isSameDay || entries.length >= manyEntries) await this.#close(from, publication);
  }

  /** Takes changes of a publication; they come in path order. */
  async add(changes: readonly Change[], publication: EpochSeconds): Promise<void> {
    for (const change of changes) {
      if (!this.#site.lists(pathOf(change))) continue;
      const entry = this.#entryOf(change, publication);
      const sizeBytes = entryBytes(entry);
      if (this.#open.entries.length >= mostEntries || this.#open.sizeBytes + sizeBytes > mostBytes)
        await this.#close(publication, publication);
      this.#open.entries.push(entry);
      this.#open.sizeBytes += sizeBytes;
    }
  }

  /**
   * Writes the open list, and the index of those that are kept.
   *
   * @param completeFrom - lists that end before it go, as intervals do
   * @returns what is published then
   */
  async end(completeFrom: EpochSeconds, publication: EpochSeconds): Promise<readonly ChangeListPart[]> {
    const oldest = Math.max(completeFrom, publication - keptSeconds);
    const kept = this.#closed.filter(({ until }) => until === undefined || until >= oldest);
    const bytes = renderPart(this.#site, this.#open, undefined);
    await this.#files.write(this.#open.name, bytes);
    for (const { name } of kept) this.#files.keep(name);
    await this.#files.sync();
    const { name, from, entries } = this.#open;
    const parts = [...kept, { name, from, until: undefined, entries: entries.length, digest: contentId(bytes) }];
    await this.#files.write(listNames.changeList, this.#renderIndex(parts));
    return parts;
  }

  async #close(until: EpochSeconds, publication: EpochSeconds): Promise<void> {
    const { name, from, entries } = this.#open;
    const bytes = renderPart(this.#site, this.#open, until);
    await this.#files.write(name, bytes);
    const closed = { name, from, until, entries: entries.length, digest: contentId(bytes) };
    this.#closed.push(closed);
    this.#closedNow.push(closed);
    const isSameDay = name.startsWith(dayPrefix(publication));
    this.#open = openPart(until, publication, isSameDay ? Number(name.slice(-8, -4)) + 1 : 1);
  }

  #entryOf(change: Change, changedAt: EpochSeconds): ResourceSyncEntry {
    if (change.kind === "deleted")
      return { location: this.#site.locationOf(change.path), change: "deleted", changedAt };
    return { ...this.#site.entryOf(change.page), change: change.kind, changedAt };
  }

  #renderIndex(parts: readonly ChangeListPart[]): Buffer {
    const header = { kind: "sitemapindex", capability: "changelist", from: parts[0]?.from ?? 0 } as const;
    const entries = parts.map(({ name, from, until }): ResourceSyncEntry => {
      const location = this.#site.urlOf(name);
      return until === undefined ? { location, from } : { location, from, until };
    });
    return renderList({ ...header, links: [this.#site.up] }, entries);
  }
}

/** Reads the entries of a list of changes; undefined if it cannot be read whole. */
export async function readChangeEntries(files: ListFolder, name: string): Promise<ResourceSyncEntry[] | undefined> {
  const bytes = await files.read(name, maxSitemapBytes);
  if (bytes === undefined) return undefined;
  const reader = new ResourceSyncReader();
  const entries = [...reader.write(bytes), ...reader.end()];
  return reader.problem === undefined && reader.header?.capability === "changelist" ? entries : undefined;
}

function dayPrefix(time: EpochSeconds): string {
  return `changelist-${formatDay(time)}-`;
}

function nameOf(time: EpochSeconds, number: number): string {
  return `${dayPrefix(time)}${formatPart(number)}.xml`;
}

function openPart(from: EpochSeconds, publication: EpochSeconds, number: number): OpenPart {
  return { name: nameOf(publication, number), from, entries: [], sizeBytes: 0 };
}

/** What an entry takes in its document, at most. */
function entryBytes({ location, mediaType }: ResourceSyncEntry): number {
  const escaped = location.match(/['&]/g)?.length ?? 0;
  return location.length + 5 * escaped + 6 * (mediaType?.length ?? 0) + 250;
}

function renderPart(site: ListSite, { from, entries }: OpenPart, until: EpochSeconds | undefined): Buffer {
  const links = [site.up, { rel: "index", href: site.urlOf(listNames.changeList) }];
  const header = { kind: "urlset", capability: "changelist", from, links } as const;
  return renderList(until === undefined ? header : { ...header, until }, entries);
}
