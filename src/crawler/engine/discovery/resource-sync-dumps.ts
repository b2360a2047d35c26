import type { EpochSeconds } from "../../../core/index.ts";
import type { ResourceSyncEntry } from "../../../formats/resourcesync/index.ts";
import type { CrawlVisit } from "../visit/crawl-visit.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import { type PackageOffer, readOffers } from "./package-offer.ts";
import { type ChangeTimes, type FetchPackages, fewestPackedPages } from "./package-plan.ts";
import { type Lists, readChanges, timeOfChange } from "./resource-sync-changes.ts";
import { SyncDocuments } from "./resource-sync-documents.ts";
import type { TargetScope } from "./target-scope.ts";

/** Where a smaller share of the site is due, packages of all its pages are not looked at. */
const leastShareOfSite = 0.1;

/** What packages are looked for with. */
export interface DumpSearch {
  readonly source: SourceVisit;
  readonly scope: TargetScope;
  readonly documents: SyncDocuments;
  readonly lists: Lists;
  /** When pages changed, if this visit took changes in. */
  readonly taken: ChangeTimes | undefined;
  /** Up to when everything is taken in. */
  readonly until: EpochSeconds;
  /** Keys of packages that have given what they can. */
  readonly used: readonly string[];
}

/**
 * Keeps pages that are due from packages, where the site offers such as are worth it.
 *
 * @param fetchPackages - is given the packages that are worth it
 * @returns keys of those that have given what they can, of all that are offered still
 * @see ANSI/NISO Z39.99-2017 sections 11 and 13
 */
export async function fetchFromDumps(
  visit: CrawlVisit,
  search: DumpSearch,
  fetchPackages: FetchPackages,
): Promise<readonly string[]> {
  const { packages, work } = visit.ports;
  const { pending, held } = work.counts();
  if (packages === undefined || Math.min(pending, visit.budget) < fewestPackedPages) return search.used;
  const { lists, scope } = search;
  const ofChanges = await findOffers(search, lists.get("changedump"));
  const ofPages =
    pending < (pending + held) * leastShareOfSite ? [] : await findOffers(search, lists.get("resourcedump"));
  const offered = [...ofChanges, ...ofPages];
  const used = new Set(offered.map(({ key }) => key).filter((key) => search.used.includes(key)));
  const offers = offered.filter(({ key }) => !used.has(key));
  if (offers.length === 0) return [...used];
  const times = search.taken ?? (await findTimes(search, offers));
  const pathOf = (location: string): string | undefined => scope.pathOf(location, visit.origin);
  const onUsed = ({ key }: PackageOffer): void => void used.add(key);
  await fetchPackages({ offers, times, pathOf, onUsed });
  return [...used];
}

async function findOffers({ documents }: DumpSearch, location: string | undefined): Promise<PackageOffer[]> {
  const dump = location === undefined ? undefined : await documents.readNamed(location);
  return dump?.ok === true ? readOffers(dump.value, documents) : [];
}

/** When pages changed, as far back as the packages go if the lists of changes do. */
async function findTimes(search: DumpSearch, offers: readonly PackageOffer[]): Promise<ChangeTimes> {
  const { source, scope, lists, until } = search;
  const byPath = new Map<string, EpochSeconds>();
  // What was read before comes without its pages where it is asked for with its validators.
  const documents = new SyncDocuments(source, scope, {});
  const oldest = offers.map((offer) => (offer.of === "pages" ? offer.until : offer.from));
  const changes = await readChanges(documents, lists, Math.min(...oldest));
  if (!changes.ok || changes.value === undefined) return { since: until, byPath };
  const { since, parts } = changes.value;
  for (const { pages } of parts)
    for (const entry of pages) noteTime(byPath, scope.pathOf(entry.location, source.origin), entry);
  return { since, byPath };
}

/** Notes when a page changed last. */
export function noteTime(byPath: Map<string, EpochSeconds>, path: string | undefined, entry: ResourceSyncEntry): void {
  if (path !== undefined) byPath.set(path, Math.max(timeOfChange(entry), byPath.get(path) ?? 0));
}
