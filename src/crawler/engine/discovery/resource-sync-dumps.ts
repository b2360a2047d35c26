import type { EpochSeconds } from "../../../core/index.ts";
import type { ResourceSyncEntry } from "../../../formats/resourcesync/index.ts";
import type { CrawlVisit, SourceVisit } from "./crawl-visit.ts";
import {
  type ChangeTimes,
  type FetchPackages,
  fewestPackedPages,
  type PackageOffer,
  readOffers,
} from "./package-plan.ts";
import { type Lists, readChanges, SyncDocuments, timeOfChange } from "./resource-sync-documents.ts";
import type { UrlScope } from "./url-scope.ts";

/** If a smaller share of the site is due, packages of all its pages are not considered. */
const leastShareOfSite = 0.1;

/** What the search for packages needs. */
export interface DumpSearch {
  readonly source: SourceVisit;
  readonly scope: UrlScope;
  readonly documents: SyncDocuments;
  readonly lists: Lists;
  /** When pages changed, if this visit took in changes. */
  readonly taken: ChangeTimes | undefined;
  /** Every change up to then is taken in. */
  readonly until: EpochSeconds;
  /** Keys of packages that have nothing more to give. */
  readonly used: readonly string[];
}

/**
 * Fetches pages that are due in packages, if the site offers any that are worth it.
 *
 * @param fetchPackages - receives the packages to choose from
 * @returns keys of the offered packages that have nothing more to give
 * @see ANSI/NISO Z39.99-2017 sections 11 and 13
 */
export async function fetchFromDumps(
  visit: CrawlVisit,
  search: DumpSearch,
  fetchPackages: FetchPackages,
): Promise<readonly string[]> {
  const { packages, urls } = visit.ports;
  const { pending, held } = urls.counts();
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

/** When pages changed, as far back as the packages and the change lists go. */
async function findTimes(search: DumpSearch, offers: readonly PackageOffer[]): Promise<ChangeTimes> {
  const { source, scope, lists, until } = search;
  const byPath = new Map<string, EpochSeconds>();
  // Without validators: an unchanged document (304) comes without its pages.
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
