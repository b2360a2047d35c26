import type { EpochSeconds, Page } from "../../../core/index.ts";
import type { SyncDocument, SyncDocuments } from "./resource-sync-documents.ts";

/** Packages of a dump that are considered, the newest. */
const maxOffers = 200;

/** A package that a site offers. */
export interface PackageOffer {
  /** `pages`: the pages as they were at a time; `changes`: what changed between two times. */
  readonly of: "changes" | "pages";
  readonly path: string;
  /** 0 for pages. */
  readonly from: EpochSeconds;
  /** For pages: it has every change up to then. */
  readonly until: EpochSeconds;
  /** Undefined where nobody said. */
  readonly sizeBytes: number | undefined;
  /** Distinguishes it from earlier packages at its path. */
  readonly key: string;
}

/** The packages of a change dump or resource dump; empty for other documents. */
export function readOffers(document: SyncDocument, documents: SyncDocuments): PackageOffer[] {
  const { header, named } = document;
  const { capability, kind } = header;
  if (kind !== "urlset" || (capability !== "changedump" && capability !== "resourcedump")) return [];
  const offers: PackageOffer[] = [];
  for (const entry of named) {
    const path = documents.pathOf(entry.location);
    if (path === undefined) continue;
    const times =
      capability === "resourcedump"
        ? { of: "pages" as const, from: 0, until: entry.at ?? header.at }
        : {
            of: "changes" as const,
            from: entry.from ?? header.from ?? 0,
            until: entry.until ?? header.until ?? Number.MAX_SAFE_INTEGER,
          };
    const { until } = times;
    if (until === undefined) continue;
    const { sizeBytes } = entry;
    offers.push({ ...times, until, path, sizeBytes, key: `${path} ${until} ${sizeBytes ?? ""}` });
  }
  return offers.slice(-maxOffers);
}

/** What fetching packages needs. */
export interface PackageSupply {
  readonly offers: readonly PackageOffer[];
  readonly times: ChangeTimes;
  /** The path of a URL of the site; undefined if it is of another. */
  readonly pathOf: (location: string) => string | undefined;
  /** Called for a package that has nothing more to give. */
  readonly onUsed: (offer: PackageOffer) => void;
}

/** Fetches pages that are due in packages. */
export type FetchPackages = (supply: PackageSupply) => Promise<void>;

/** Fewer pages than this are requested one by one. */
export const fewestPackedPages = 4;
/** A package may have this many times the bytes that are needed of it. */
const maxWaste = 2;
/** Cost of a page's own request besides the body, in bytes. */
const requestBytes = 1024;
/** Assumed size of a page of unknown size. */
const unsaidBytes = 16 * 1024;

/** When pages last changed, according to change lists. */
export interface ChangeTimes {
  /** Every change since then is in `byPath`. */
  readonly since: EpochSeconds;
  readonly byPath: ReadonlyMap<string, EpochSeconds>;
}

/** A package that is worth its bytes. */
export interface ChosenPackage {
  readonly offer: PackageOffer;
  readonly maxBytes: number;
}

interface Need {
  readonly offer: PackageOffer;
  pages: number;
  bytes: number;
}

/**
 * Whether a package of pages as they were at a time has a page as it is recorded.
 *
 * @param at - of the package
 */
export function isShownAt(page: Page, at: EpochSeconds, times: ChangeTimes): boolean {
  // The digest is checked later; times need not be exact.
  if (page.digest !== undefined) return page.lastModified <= at;
  const changedAt = times.byPath.get(page.path);
  return page.lastModified <= at && (changedAt === undefined ? times.since <= at : changedAt <= at);
}

/** Decides which packages are worth fetching. O(packages) per page. */
export class PackagePlan {
  readonly #times: ChangeTimes;
  readonly #changes: readonly Need[];
  readonly #pages: readonly Need[];

  constructor(offers: readonly PackageOffer[], times: ChangeTimes) {
    this.#times = times;
    const needs = offers.map((offer) => ({ offer, pages: 0, bytes: 0 }));
    this.#changes = needs.filter(({ offer }) => offer.of === "changes");
    this.#pages = needs.filter(({ offer }) => offer.of === "pages");
  }

  /** Notes a page that is due. */
  note(page: Page): void {
    const at = this.#times.byPath.get(page.path) ?? page.lastModified;
    const around = this.#changes.filter(({ offer }) => offer.from <= at && at <= offer.until);
    // Of two that meet at that time, the earlier has the change.
    const before = around.filter(({ offer }) => offer.from < at || offer.until === at);
    const changes = before.length > 0 ? before : around;
    const needs =
      changes.length > 0 ? changes : this.#pages.filter(({ offer }) => isShownAt(page, offer.until, this.#times));
    // Which of them has the page is known only once they are fetched.
    for (const need of needs) {
      need.pages += 1 / needs.length;
      need.bytes += ((page.sizeBytes ?? unsaidBytes) + requestBytes) / needs.length;
    }
  }

  /**
   * Chooses packages of changes one by one, and those of all pages together.
   *
   * @param budget - page requests that may be made; packages must not bring more pages
   * @param maxBytes - of a package
   */
  choose(budget: number, maxBytes: number): ChosenPackage[] {
    const chosen: ChosenPackage[] = [];
    let left = budget;
    for (const needs of [...this.#changes.map((need) => [need]), this.#pages]) {
      const pages = sum(needs.map((need) => need.pages));
      const bytes = sum(needs.map((need) => need.bytes));
      const offered = sum(needs.map(({ offer }) => offer.sizeBytes ?? 0));
      if (pages < fewestPackedPages || pages > left || offered > maxWaste * bytes) continue;
      left -= pages;
      for (const { offer } of needs)
        if ((offer.sizeBytes ?? 0) <= maxBytes)
          chosen.push({ offer, maxBytes: Math.min(offer.sizeBytes ?? maxWaste * bytes, maxBytes) });
    }
    return chosen;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
