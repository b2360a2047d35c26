import type { EpochSeconds, Page } from "../../../core/index.ts";
import type { PackageOffer } from "./package-offer.ts";

/** What packages are fetched with. */
export interface PackageSupply {
  readonly offers: readonly PackageOffer[];
  readonly times: ChangeTimes;
  /** The path of a URL of the site; undefined if it is of another. */
  readonly pathOf: (location: string) => string | undefined;
  /** Is told of a package that has given what it can, or can give nothing. */
  readonly onUsed: (offer: PackageOffer) => void;
}

/** Keeps many of the pages that are due at once, from what packages are offered. */
export type FetchPackages = (supply: PackageSupply) => Promise<void>;

/** Fewer pages than this are asked for one by one. */
export const fewestPackedPages = 4;
/** A package may have so many times the bytes that are needed of it. */
const maxWaste = 2;
/** What a page's own request and answer cost beside the body, in bytes. */
const requestBytes = 1024;
/** A page of which nobody said how large it is is taken to have so many bytes. */
const unsaidBytes = 16 * 1024;

/** When pages changed last, as lists of changes say. */
export interface ChangeTimes {
  /** Of every change since then it is known. */
  readonly since: EpochSeconds;
  readonly byPath: ReadonlyMap<string, EpochSeconds>;
}

/** A package that is worth its bytes. */
export interface ChosenPackage {
  readonly offer: PackageOffer;
  /** More bytes than this it must not have. */
  readonly maxBytes: number;
}

interface Need {
  readonly offer: PackageOffer;
  pages: number;
  bytes: number;
}

/**
 * Whether a package of pages as they were at a time shows a page as it is recorded.
 *
 * @param at - of the package
 */
export function isShownAt(page: Page, at: EpochSeconds, times: ChangeTimes): boolean {
  // A digest says it better than times.
  if (page.digest !== undefined) return page.lastModified <= at;
  const changedAt = times.byPath.get(page.path);
  return page.lastModified <= at && (changedAt === undefined ? times.since <= at : changedAt <= at);
}

/** Decides which packages are worth fetching. Times: O(packages) a page. */
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
    // What ends where the next begins holds what changed then.
    const before = around.filter(({ offer }) => offer.from < at || offer.until === at);
    const changes = before.length > 0 ? before : around;
    const needs =
      changes.length > 0 ? changes : this.#pages.filter(({ offer }) => isShownAt(page, offer.until, this.#times));
    // Which of them holds it shows only when they are there.
    for (const need of needs) {
      need.pages += 1 / needs.length;
      need.bytes += ((page.sizeBytes ?? unsaidBytes) + requestBytes) / needs.length;
    }
  }

  /**
   * Packages of changes each for itself, those of all pages together.
   *
   * @param budget - page requests that may be made; packages must not bring more pages than they would
   * @param maxBytes - most bytes of a package
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
