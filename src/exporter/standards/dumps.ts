import { createHash } from "node:crypto";
import { digestBytes, type EpochMs, type EpochSeconds, formatCompactTime } from "../../core/index.ts";
import { formatSha256Hash, type ResourceSyncEntry, type ResourceSyncHeader } from "../../formats/resourcesync/index.ts";
import type { PageLookup } from "../publish/page-lookup.ts";
import type { PublishedPage } from "../publish/published-page.ts";
import { readChangeEntries } from "./change-lists.ts";
import { DumpPackage } from "./dump-package.ts";
import type { ListInputs } from "./list-folder.ts";
import { formatPart, listNames, renderList } from "./site-lists.ts";
import type { ChangeListPart, PublishedPackage, PublishedResourceDump } from "./standards-state.ts";

/** Contents of a package, unpacked; a ZIP file of less than 4 GiB is read by every reader. */
const mostPackageBytes = 512 * 1024 * 1024;
const mostPackageEntries = 20_000;
/** Larger pages are in no dump. */
const mostContentBytes: number = 64 * 1024 * 1024;
/** Days for which packages of changes are kept, in seconds. */
const keptSeconds = 14 * 86_400;

/** Gives the bytes of a page; undefined if there are none, or more than that. */
export type ReadPage = (path: string, maxBytes: number) => Promise<Buffer | undefined>;

/** What dumps are written from. */
export interface DumpInputs extends ListInputs {
  readonly readPage: ReadPage;
  /** Most bytes of a package's contents, for tests. */
  readonly packageBytes?: number | undefined;
}

/** Writes packages one after the other, each as large as it may be. */
class PackageSeries implements AsyncDisposable {
  readonly #inputs: DumpInputs;
  readonly #nameOf: (number: number) => string;
  readonly #headerOf: (from: EpochSeconds, until: EpochSeconds) => ResourceSyncHeader;
  readonly #packages: PublishedPackage[] = [];
  #package: DumpPackage | undefined;
  #entries: ResourceSyncEntry[] = [];
  #from: EpochSeconds;

  constructor(
    inputs: DumpInputs,
    from: EpochSeconds,
    nameOf: (number: number) => string,
    headerOf: (from: EpochSeconds, until: EpochSeconds) => ResourceSyncHeader,
  ) {
    this.#inputs = inputs;
    this.#from = from;
    this.#nameOf = nameOf;
    this.#headerOf = headerOf;
  }

  /** Adds an entry and its bytes; a deletion has none. */
  async add(entry: ResourceSyncEntry, content: Buffer | undefined): Promise<void> {
    const most = this.#inputs.packageBytes ?? mostPackageBytes;
    const isFull =
      this.#entries.length >= mostPackageEntries ||
      (this.#entries.length > 0 && (this.#package?.sizeBytes ?? 0) + (content?.length ?? 0) > most);
    if (isFull) {
      const until = entry.changedAt ?? this.#from;
      await this.#close(until);
      this.#from = until;
    }
    if (content === undefined) {
      this.#entries.push(entry);
      return;
    }
    const hash = formatSha256Hash(createHash("sha256").update(content).digest());
    const path = await (await this.#open()).add(content);
    this.#entries.push({ ...entry, sizeBytes: content.length, hash, path });
  }

  /** @returns all packages */
  async end(until: EpochSeconds): Promise<readonly PublishedPackage[]> {
    await this.#close(until);
    return this.#packages;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#package?.[Symbol.asyncDispose]();
  }

  async #open(): Promise<DumpPackage> {
    this.#package ??= await DumpPackage.open(this.#inputs.files.pathOf(this.#nameOf(this.#packages.length + 1)));
    return this.#package;
  }

  async #close(until: EpochSeconds): Promise<void> {
    const manifest = renderList(this.#headerOf(this.#from, until), this.#entries);
    const sizeBytes = await (await this.#open()).end(manifest);
    const name = this.#nameOf(this.#packages.length + 1);
    this.#inputs.files.wrote(name, sizeBytes);
    this.#packages.push({ name, from: this.#from, until, sizeBytes });
    this.#package = undefined;
    this.#entries = [];
  }
}

/** Reads a page's bytes, if they are still what was published. */
async function readPublished(inputs: DumpInputs, page: PublishedPage): Promise<Buffer | undefined> {
  if (page.digest === undefined || page.sizeBytes === undefined || page.sizeBytes > mostContentBytes) return undefined;
  const content = await inputs.readPage(page.path, mostContentBytes);
  if (content === undefined || content.length !== page.sizeBytes) return undefined;
  const digest = createHash("sha256").update(content).digest().subarray(0, digestBytes).toString("base64url");
  return digest === page.digest ? content : undefined;
}

/**
 * Packs the changes of lists that are closed now, a series of packages for each day. What is not there any more as it was published is left out.
 *
 * @see ANSI/NISO Z39.99-2017 section 13
 */
export async function packChanges(
  inputs: DumpInputs,
  parts: readonly ChangeListPart[],
): Promise<readonly PublishedPackage[]> {
  const { site } = inputs;
  const packages: PublishedPackage[] = [];
  const days = new Map<string, ChangeListPart[]>();
  for (const part of parts) {
    const day = part.name.split("-")[1] ?? "";
    const known = days.get(day);
    if (known === undefined) days.set(day, [part]);
    else known.push(part);
  }
  for (const [day, ofDay] of days) {
    const first = ofDay[0];
    const last = ofDay.at(-1);
    if (first === undefined || last?.until === undefined || ofDay.every(({ entries }) => entries === 0)) continue;
    await using series = new PackageSeries(
      inputs,
      first.from,
      (number) => `changedump-${day}-${formatPart(number)}.zip`,
      (from, until) => ({ kind: "urlset", capability: "changedump-manifest", from, until, links: [site.up] }),
    );
    for (const { name } of ofDay) {
      for (const entry of (await readChangeEntries(inputs.files, name)) ?? []) {
        inputs.yielder.stopIfAsked();
        if (entry.change === "deleted") await series.add(entry, undefined);
        else await addChange(inputs, series, entry);
      }
    }
    packages.push(...(await series.end(last.until)));
  }
  return packages;
}

async function addChange(inputs: DumpInputs, series: PackageSeries, entry: ResourceSyncEntry): Promise<void> {
  const { site, pages } = inputs;
  const location = entry.location.slice(site.base.length);
  // Lists escape what archives need not: both are the same page to a server.
  const page = findPage(pages, location) ?? findPage(pages, location.replace(/%5B|%5D|%7C/g, decodeURIComponent));
  const isThat = page?.sizeBytes === entry.sizeBytes && page?.lastModified === entry.lastModified;
  const content = page !== undefined && isThat ? await readPublished(inputs, page) : undefined;
  if (content !== undefined) await series.add(entry, content);
}

function findPage(pages: PageLookup, path: string): PublishedPage | undefined {
  pages.seek(path);
  return pages.head?.path === path ? pages.head : undefined;
}

/** Writes the document that names packages of changes. @returns the packages that are kept */
export async function listChangeDumps(
  { site, files }: DumpInputs,
  packages: readonly PublishedPackage[],
  oldest: EpochSeconds,
  publication: EpochSeconds,
): Promise<readonly PublishedPackage[]> {
  const bound = Math.max(oldest, publication - keptSeconds);
  const kept = packages.filter(({ until, name }) => until >= bound && files.has(name));
  const [first] = kept;
  if (first === undefined) return [];
  for (const { name } of kept) files.keep(name);
  await files.sync();
  const header = { kind: "urlset", capability: "changedump", from: first.from, links: [site.up] } as const;
  const entries = kept.map(({ name, from, until, sizeBytes }) => ({
    location: site.urlOf(name),
    from,
    until,
    sizeBytes,
    mediaType: "application/zip",
  }));
  await files.write(listNames.changeDump, renderList(header, entries));
  return kept;
}

/** Packs all pages as they are published. @see ANSI/NISO Z39.99-2017 section 11 */
export async function packPages(
  inputs: DumpInputs,
  at: EpochSeconds,
  clock: () => EpochMs,
): Promise<PublishedResourceDump> {
  const { site, pages, yielder } = inputs;
  await using series = new PackageSeries(
    inputs,
    at,
    (number) => `resourcedump-${formatCompactTime(at)}-${formatPart(number)}.zip`,
    () => ({ kind: "urlset", capability: "resourcedump-manifest", at, links: [site.up] }),
  );
  for (const page of pages.between("", undefined)) {
    yielder.stopIfAsked();
    if (!site.lists(page.path)) continue;
    const content = await readPublished(inputs, page);
    if (content !== undefined) await series.add(site.entryOf(page), content);
  }
  const packages = await series.end(at);
  return { at, completed: Math.max(at, Math.floor(clock() / 1000)), packages };
}

/** Writes the document that names the packages of all pages. */
export async function listResourceDump({ site, files }: DumpInputs, dump: PublishedResourceDump): Promise<void> {
  const { at, completed, packages } = dump;
  for (const { name } of packages) files.keep(name);
  await files.sync();
  const header = { kind: "urlset", capability: "resourcedump", at, completed, links: [site.up] } as const;
  const entries = packages.map(({ name, sizeBytes }) => ({
    location: site.urlOf(name),
    at,
    sizeBytes,
    mediaType: "application/zip",
  }));
  await files.write(listNames.resourceDump, renderList(header, entries));
}
