import { parseUrl } from "../../../core/index.ts";
/** Which of the links that are found are followed. */
export interface ScopeOptions {
  /** Where the crawl begins; each URL's host, and its folder where `isPathBound`, is in scope. */
  readonly seeds: readonly string[];
  /**
   * Which other hosts are in scope: none; the one with or without `www.`; or all below the seed's, and the one with or
   * without `www.`. Default `twin`.
   */
  readonly hosts?: "same" | "twin" | "subdomains";
  /** Whether only what lies below a seed's folder is in scope. Default false. */
  readonly isPathBound?: boolean;
  /** How many links may lie between a seed and a page. Default: no bound. */
  readonly maxDepth?: number;
  /** Where there are any, a URL must match one of them. Default none. */
  readonly include?: readonly ((url: string) => boolean)[];
  /** What matches one of them is out of scope. Default none. */
  readonly exclude?: readonly ((url: string) => boolean)[];
  /** Whether links are followed that say `nofollow`. Default false. */
  readonly followsNofollow?: boolean;
}

/** Why a URL is not followed. */
export const scopeRefusals = [
  "not-a-page-address",
  "other-host",
  "other-path",
  "too-deep",
  "nofollow",
  "not-included",
  "excluded",
] as const;

/** See {@link scopeRefusals}. */
export type ScopeRefusal = (typeof scopeRefusals)[number];

const bareHost = (host: string): string => (host.startsWith("www.") ? host.slice(4) : host);
const isAddress = (host: string): boolean => host.startsWith("[") || /^[0-9.]+(?::[0-9]+)?$/.test(host);

interface Seed {
  readonly host: string;
  readonly folder: string;
}

/**
 * Judges whether a URL belongs to a crawl. `http:` and `https:` of a host are one site, as they are for nearly all; its
 * ports are not.
 */
export class LinkScope {
  readonly #options: ScopeOptions;
  readonly #seeds: readonly Seed[];

  /** @throws TypeError if a seed is no URL */
  constructor(options: ScopeOptions) {
    this.#options = options;
    this.#seeds = options.seeds.map((text) => {
      const { host, pathname } = new URL(text);
      return { host, folder: pathname.slice(0, pathname.lastIndexOf("/") + 1) };
    });
  }

  /**
   * @param url - absolute
   * @param depth - links from the seed to it: 0 for a seed itself
   * @param isNofollow - whether the link, or the page that it stands on, says so
   */
  judge(url: string, depth: number, isNofollow = false): "in" | ScopeRefusal {
    const parsed = parseUrl(url);
    if (parsed === undefined) return "not-a-page-address";
    const { protocol, host, pathname } = parsed;
    if (protocol !== "http:" && protocol !== "https:") return "not-a-page-address";
    const seeds = this.#seeds.filter((seed) => this.#isOfHost(host, seed.host));
    if (seeds.length === 0) return "other-host";
    if (this.#options.isPathBound === true && !seeds.some(({ folder }) => pathname.startsWith(folder)))
      return "other-path";
    const { maxDepth, include = [], exclude = [], followsNofollow = false } = this.#options;
    if (maxDepth !== undefined && depth > maxDepth) return "too-deep";
    if (isNofollow && !followsNofollow) return "nofollow";
    if (exclude.some((matches) => matches(url))) return "excluded";
    return include.length === 0 || include.some((matches) => matches(url)) ? "in" : "not-included";
  }

  #isOfHost(host: string, seed: string): boolean {
    if (host === seed) return true;
    const { hosts = "twin" } = this.#options;
    if (hosts === "same" || isAddress(seed)) return false;
    const [own, other] = [bareHost(seed), bareHost(host)];
    return own === other || (hosts === "subdomains" && other.endsWith(`.${own}`));
  }
}
