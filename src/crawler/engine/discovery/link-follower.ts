import { type FetchedOutcome, type FoundUrl, parseUrl, type TrackedUrl } from "../../../core/index.ts";
import { type FoundLink, pageKinds, readLinks, readStyleLinks } from "../../../formats/html/index.ts";
import type { CrawlVisit } from "./crawl-visit.ts";
import { TrapGuard } from "./trap-guard.ts";

/** URLs whose judgement is remembered: most links of a site lead to a few of its pages. */
const maxKnownUrls = 200_000;
/** Damping factor of PageRank. */
const damping = 0.85;

/**
 * Finds the URLs of a site that its pages link to, as far as they may be wanted or may link to wanted ones, each once. If
 * pages are requested by rank, every link of a new page is returned, with what it adds to the rank of its target.
 */
export class LinkFollower {
  readonly #visit: CrawlVisit;
  readonly #traps: TrapGuard;
  readonly #isRanked: boolean;
  /** URLs that were judged, with the path to request; undefined if none. */
  readonly #known = new Map<string, { readonly path: string | undefined; readonly depth: number }>();

  constructor(visit: CrawlVisit) {
    this.#visit = visit;
    this.#isRanked = visit.order === "partial";
    this.#traps = new TrapGuard(visit.ports.timing.now(), (url, limit) => this.#knownQueries(url, limit));
  }

  /**
   * The URLs that a page or a style sheet links to, without those that were found before in this visit and get no rank
   * from it.
   *
   * @param path - of the received page, after redirects
   * @param body - without content coding
   */
  find(
    from: TrackedUrl,
    path: string,
    body: Uint8Array,
    { contentType, link, refresh, usage }: Pick<FetchedOutcome, "contentType" | "link" | "refresh" | "usage">,
  ): FoundUrl[] {
    const url = this.#visit.origin + path;
    const isStyle = /^text\/css\b/i.test(contentType ?? "");
    const page = isStyle
      ? undefined
      : readLinks(body, contentType, url, { robotsNames: this.#visit.agent, fields: { link, refresh, usage } });
    const links = page?.links ?? readStyleLinks(body, url, contentType);
    const found: FoundUrl[] = [];
    let hasNew = false;
    const share = this.#isRanked && from.askedAt === undefined ? shareOf(from, links) : undefined;
    const given = new Set<string>();
    for (const link of links) {
      // A form with fields needs input.
      if (link.kind === "form") continue;
      const leads = pageKinds.has(link.kind);
      // Parts of a page are as deep as the page.
      const depth = leads ? from.depth + 1 : from.depth;
      const known = this.#known.get(link.url);
      // By a shorter path it may be near enough, and so may what it links to.
      const isKnown = known !== undefined && known.depth <= depth;
      if (isKnown && share === undefined) continue;
      // The same URL may be linked elsewhere without nofollow.
      const isNofollow = leads && (link.isNofollow || page?.isNofollow === true);
      const next = isKnown ? known.path : this.#judge(link, depth, leads, isNofollow);
      if (!isKnown && !isNofollow) this.#remember(link.url, next, depth);
      if (next === undefined) continue;
      hasNew ||= known === undefined;
      const gives = share !== undefined && leads && !isNofollow && !given.has(link.url);
      if (gives) given.add(link.url);
      if (gives || !isKnown) found.push({ path: next, depth, lastmod: undefined, ...(gives ? { share } : {}) });
    }
    this.#traps.learn(url, hasNew || from.askedAt === undefined);
    return found;
  }

  #knownQueries(url: string, limit: number): string[] {
    const { origin, ports, scope } = this.#visit;
    const [path] = scope.pathOf(url, origin)?.split("?") ?? [];
    return path === undefined ? [] : ports.urls.findQueries(path, limit).map((known) => known.slice(path.length));
  }

  /**
   * The path by which a page of the site is known that a redirect leads to: as it would be if a page linked to it.
   *
   * @param path - with query, as it was requested
   * @returns undefined if no page is to be known by it: it seems to be part of a trap, or is not wanted
   */
  findTarget(path: string): string | undefined {
    const { origin, scope, ports } = this.#visit;
    const page = scope.pageOf(origin + path, origin);
    if (page === undefined) return undefined;
    const followed = this.#traps.admit(origin + page);
    if (followed !== undefined) return scope.pageOf(followed, origin);
    // A trap does not grow by a page that is known already, such as one that a list names.
    return ports.urls.find(page) === undefined ? undefined : page;
  }

  #remember(url: string, path: string | undefined, depth: number): void {
    if (this.#known.size >= maxKnownUrls) this.#known.clear();
    this.#known.set(url, { path, depth });
  }

  /** The path to request for a link; undefined if it is not followed. */
  #judge({ url }: FoundLink, depth: number, leads: boolean, isNofollow: boolean): string | undefined {
    const { origin, scope, maxDepth } = this.#visit;
    if (parseUrl(url)?.origin !== origin || depth > maxDepth || isNofollow) return undefined;
    const followed = this.#traps.admit(url);
    const path = followed === undefined ? undefined : scope.pageOf(followed, origin);
    if (path === undefined) return undefined;
    return scope.mayBeWanted(path) || (leads && scope.mayLeadOn(path)) ? path : undefined;
  }
}

/** What a page adds to the rank of each page that it links to, on other sites too: an even share of its own rank. */
function shareOf({ rank }: TrackedUrl, links: readonly FoundLink[]): number {
  const urls = new Set<string>();
  for (const { url, kind } of links) if (pageKinds.has(kind)) urls.add(url);
  return (1 - damping + damping * rank) / Math.max(1, urls.size);
}
