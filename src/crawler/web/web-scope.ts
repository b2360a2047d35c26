import { isIP } from "node:net";
import { getDomain } from "tldts";
import { type EpochMs, type MediaTypes, type PageFilter, parseUrl, TidemarkError } from "../../core/index.ts";
import { TrapGuard } from "../engine/discovery/trap-guard.ts";
import { pageUrlOf, UrlScope } from "../engine/discovery/url-scope.ts";
import type { HeldBackReason, WebScopeOptions } from "./web-options.ts";

/** How a page was found. */
export interface Found {
  /** Links from a seed. */
  readonly depth: number;
  /** Links within its site from where that was entered. */
  readonly inSite: number;
  /** Sites on the way from a seed. */
  readonly hops: number;
}

/** The page that has a link. */
export interface LinkOrigin extends Found {
  readonly url: string;
  readonly origin: string;
  /** Its language, in lower case, if it names one. */
  readonly language?: string | undefined;
}

export const seedFound: Found = { depth: 0, inSite: 0, hops: 0 };

/** As a word without spaces. */
export function formatFound({ depth, inSite, hops }: Found): string {
  return `${depth}.${inSite}.${hops}`;
}

/** What {@link formatFound} wrote. */
export function parseFound(text: string): Found {
  const [depth = 0, inSite = 0, hops = 0] = text.split(".").map(Number);
  return { depth, inSite, hops };
}

/** The origin of an absolute URL in the URL parser's form. */
export function originOf(url: string): string {
  const end = url.indexOf("/", url.indexOf("//") + 2);
  return end === -1 ? url : url.slice(0, end);
}

/** The URLs that are asked for when links are followed, each once, in the order of the links. */
export function pageUrlsOf(links: readonly string[]): string[] {
  return [...new Set(links.flatMap((link) => pageUrlOf(link) ?? []))];
}

/**
 * A domain as links have it: in ASCII and lower case, without `*.` before it and a dot at its end.
 *
 * @throws TidemarkError `bad-option`
 */
export function parseScopeDomain(domain: string): string {
  const name = domain.replace(/^\*?\./, "");
  const host = /[\s/?#@:\\]/.test(name) ? "" : (parseUrl(`http://${name}/`)?.hostname ?? "");
  if (host === "")
    throw new TidemarkError("bad-option", `${JSON.stringify(domain)} is no domain.`, {
      hint: "Give a name such as example.org, without a scheme and a path.",
    });
  return host.replace(/\.$/, "");
}

export function hostOf(origin: string): string {
  return new URL(origin).hostname.replace(/^\[|\]$/g, "");
}

/**
 * The domain that somebody registered, as the public suffix list has it, whatever labels the host has; of an IPv6 address its network of
 * 64 bits, which one subscriber has (RFC 6177), and of what has no domain the host itself.
 *
 * @param host - as {@link hostOf} gives it
 */
export function domainOf(host: string): string {
  const version = isIP(host);
  if (version === 6) return networkOf(host);
  return version === 4 ? host : (getDomain(host, { allowPrivateDomains: true, extractHostname: false }) ?? host);
}

/** The first 64 bits of an IPv6 address in the URL parser's form. */
function networkOf(address: string): string {
  const [first = [], last = []] = address.split("::").map((groups) => (groups === "" ? [] : groups.split(":")));
  const zeros = Array<string>(8 - first.length - last.length).fill("0");
  return `${[...first, ...zeros, ...last].slice(0, 4).join(":")}::/64`;
}

/** A page that may be crawled. */
export interface AdmittedPage {
  readonly url: string;
  readonly origin: string;
  readonly found: Found;
}

export interface ScopeMeans {
  /** Which pages are wanted. */
  readonly filter: PageFilter;
  readonly mediaTypes: MediaTypes;
  /** The middle of calendars. */
  readonly now: EpochMs;
  /** Paths with query under which a path of a site is known from earlier runs, at most so many. Default: none. */
  readonly queriesOf?: ((origin: string, path: string, limit: number) => readonly string[]) | undefined;
}

/** What the scope asks of what is known already. */
interface KnownSites {
  /** Whether a site is known, and how many there are. */
  readonly has: (origin: string) => boolean;
  readonly count: () => number;
  /** The address of a site that was looked up, as a number. */
  readonly addressOf: (origin: string) => number | undefined;
  /** Pages of a site that were admitted. */
  readonly pagesOf: (origin: string) => number;
}

/** All sites of an address bring as many new sites as so many domains: a farm may have a domain for each page. */
const domainsAnAddress = 10;
/** URLs that were admitted lately, in any number up to this, and their characters. */
const maxRecent = 100_000;
const maxRecentCharacters = 16 * 1024 * 1024;

/**
 * Decides which links are followed, in memory that grows with the registrable domains of the known sites. A URL may be admitted
 * twice; who keeps them keeps each once.
 */
export class WebScope {
  readonly #options: WebScopeOptions;
  readonly #domains: readonly string[];
  readonly #languages: readonly string[];
  readonly #scope: UrlScope;
  readonly #traps: TrapGuard;
  readonly #known: KnownSites;
  readonly #sitesOfDomain = new Map<string, number>();
  readonly #newSitesOfDomain = new Map<string, number>();
  readonly #newSitesOfAddress: number[] = [];
  readonly #recent = new Set<string>();
  #recentCharacters = 0;
  /** Links that were held back, by reason. */
  readonly heldBack: Partial<Record<HeldBackReason, number>> = {};

  constructor(options: WebScopeOptions, { filter, mediaTypes, now, queriesOf }: ScopeMeans, known: KnownSites) {
    this.#options = options;
    this.#domains = (options.scopeDomains ?? []).map(parseScopeDomain);
    this.#languages = (options.languages ?? []).map((range) => range.toLowerCase());
    this.#scope = new UrlScope(filter, mediaTypes);
    this.#traps = new TrapGuard(now, (url, limit) => {
      const origin = originOf(url);
      const [path = ""] = url.slice(origin.length).split("?", 1);
      const paths = queriesOf?.(origin, path, limit) ?? [];
      return paths.map((known) => known.slice(path.length));
    });
    this.#known = known;
  }

  /** Forgets what was admitted lately: what came of it may be lost. */
  forgetRecent(): void {
    this.#recent.clear();
    this.#recentCharacters = 0;
  }

  /** Counts a site that is known. */
  noteSite(origin: string): void {
    const domain = domainOf(hostOf(origin));
    this.#sitesOfDomain.set(domain, (this.#sitesOfDomain.get(domain) ?? 0) + 1);
  }

  /** Counts what is held back for a reason. */
  holdBack(reason: HeldBackReason): undefined {
    this.heldBack[reason] = (this.heldBack[reason] ?? 0) + 1;
  }

  /**
   * Whether a link is followed.
   *
   * @param link - absolute, in the URL parser's form, without fragment
   * @param from - the page with the link; undefined for a seed
   * @returns undefined if it is not, or was admitted lately
   */
  admit(link: string, from: LinkOrigin | undefined, steps = 1): AdmittedPage | undefined {
    if (this.#recent.has(link)) return undefined;
    if (from?.language !== undefined && !this.#isWantedLanguage(from.language)) return this.holdBack("language");
    const origin = originOf(link);
    if (origin.includes("@")) return this.holdBack("out-of-scope");
    if (!this.#isInDomains(origin)) return this.holdBack("out-of-scope");
    const isKnown = this.#known.has(origin);
    const found = this.#findingOf(origin, from, steps);
    const { maxDepth = Infinity, maxHops = Infinity, maxPages = Infinity } = this.#options;
    if (found.inSite > maxDepth) return this.holdBack("depth");
    if (found.hops > maxHops) return this.holdBack("hops");
    // Seeds are what somebody asked for.
    const followed = from === undefined ? link : this.#traps.admit(link);
    if (followed === undefined) return this.holdBack("trap");
    const path = this.#scope.pageOf(followed, origin);
    if (path === undefined || !(this.#scope.mayBeWanted(path) || this.#scope.mayLeadOn(path)))
      return this.holdBack("out-of-scope");
    if (this.#known.pagesOf(origin) >= maxPages) return this.holdBack("pages");
    if (!isKnown && !this.#admitSite(origin, from?.origin)) return undefined;
    if (this.#recent.size >= maxRecent || this.#recentCharacters >= maxRecentCharacters) this.forgetRecent();
    this.#recent.add(link);
    this.#recentCharacters += link.length;
    return { url: origin + path, origin, found };
  }

  #findingOf(origin: string, from: (Found & { readonly origin: string }) | undefined, steps: number): Found {
    if (from === undefined) return seedFound;
    const depth = from.depth + steps;
    if (origin === from.origin) return { depth, inSite: from.inSite + steps, hops: from.hops };
    // A seed that redirects to https or www is one site with it.
    const isSame = depth === 0 && domainOf(hostOf(origin)) === domainOf(hostOf(from.origin));
    return { depth, inSite: 0, hops: isSame ? from.hops : from.hops + 1 };
  }

  // The basic filtering of RFC 4647, section 3.3.1.
  #isWantedLanguage(language: string): boolean {
    return this.#languages.length === 0 || this.#languages.some((range) => `${language}-`.startsWith(`${range}-`));
  }

  #isInDomains(origin: string): boolean {
    if (this.#domains.length === 0) return true;
    const host = hostOf(origin).replace(/\.$/, "");
    return this.#domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
  }

  #admitSite(origin: string, by: string | undefined): boolean {
    const { maxSites = 1_000_000, maxDomainSites = 1000, maxNewSites = 10_000 } = this.#options;
    const domain = domainOf(hostOf(origin));
    const refuse = (reason: HeldBackReason): boolean => this.holdBack(reason) ?? false;
    if (this.#known.count() >= maxSites) return refuse("sites");
    if ((this.#sitesOfDomain.get(domain) ?? 0) >= maxDomainSites) return refuse("domain-sites");
    if (by !== undefined) {
      const bringing = domainOf(hostOf(by));
      const brought = this.#newSitesOfDomain.get(bringing) ?? 0;
      const address = this.#known.addressOf(by);
      const broughtAtAddress = this.#newSitesOfAddress[address ?? -1] ?? 0;
      if (brought >= maxNewSites || broughtAtAddress >= maxNewSites * domainsAnAddress) return refuse("new-sites");
      this.#newSitesOfDomain.set(bringing, brought + 1);
      if (address !== undefined) this.#newSitesOfAddress[address] = broughtAtAddress + 1;
    }
    this.noteSite(origin);
    return true;
  }
}
