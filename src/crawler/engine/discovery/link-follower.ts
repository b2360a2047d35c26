import type { FetchedOutcome, FoundTarget, TrackedUrl } from "../../../core/index.ts";
import { type FoundLink, pageKinds, readLinks, readStyleLinks } from "../../../formats/html/index.ts";
import { LinkScope } from "./link-scope.ts";
import type { TargetVisit } from "./target-visit.ts";
import { TrapGuard } from "./trap-guard.ts";

/** Kinds that are named and not asked for: a form with fields wants input. */
const passedOver: ReadonlySet<FoundLink["kind"]> = new Set<FoundLink["kind"]>(["form"]);
/** URLs that were judged already; most links of a site lead to a few of its pages. */
const maxKnownUrls = 200_000;
/** Of PageRank: with what probability its surfer follows a link, and does not begin anew. */
const damping = 0.85;

/**
 * Finds the URLs of a site that its pages lead to, as far as they may be wanted or may lead on, each once. Where pages are
 * asked for by rank it finds all of them again in each page that is new, with what that gives to their rank.
 */
export class LinkFollower {
  readonly #visit: TargetVisit;
  readonly #scope: LinkScope;
  readonly #traps: TrapGuard;
  readonly #isRanked: boolean;
  /** URLs that were judged, with the path of what is to be asked for; undefined if nothing is. */
  readonly #known = new Map<string, { readonly path: string | undefined; readonly depth: number }>();
  /** Links that were not followed, by reason. */
  readonly refused: Map<string, number> = new Map();

  constructor(visit: TargetVisit) {
    const { maxDepth } = visit;
    this.#visit = visit;
    this.#isRanked = visit.order === "partial";
    this.#scope = new LinkScope({
      seeds: [`${visit.origin}/`],
      hosts: "same",
      ...(Number.isFinite(maxDepth) ? { maxDepth } : {}),
    });
    this.#traps = new TrapGuard(visit.ports.timing.now());
  }

  /**
   * The URLs that a page or a style sheet leads to and that were not found before in this visit, or that it gives something to.
   *
   * @param path - of the page that was received, after redirects
   * @param body - without content coding
   */
  find(
    target: TrackedUrl,
    path: string,
    body: Uint8Array,
    { contentType, link, refresh }: Pick<FetchedOutcome, "contentType" | "link" | "refresh">,
  ): FoundTarget[] {
    const url = this.#visit.origin + path;
    const isStyle = /^text\/css\b/i.test(contentType ?? "");
    const page = isStyle
      ? undefined
      : readLinks(body, contentType, url, { robotsNames: this.#visit.agent, fields: { link, refresh } });
    const links = page?.links ?? readStyleLinks(body, url, contentType);
    const found: FoundTarget[] = [];
    let hasNew = false;
    const share = this.#isRanked && target.askedAt === undefined ? shareOf(target, links) : undefined;
    const given = new Set<string>();
    for (const link of links) {
      if (passedOver.has(link.kind)) continue;
      const leads = pageKinds.has(link.kind);
      // Parts of a page are as deep as the page.
      const depth = leads ? target.depth + 1 : target.depth;
      const known = this.#known.get(link.url);
      // By a shorter way it may be near enough, and what it leads to.
      const isKnown = known !== undefined && known.depth <= depth;
      if (isKnown && share === undefined) continue;
      // What is said with nofollow may be said without it elsewhere.
      const isNofollow = leads && (link.isNofollow || page?.isNofollow === true);
      const next = isKnown ? known.path : this.#judge(link, depth, leads, isNofollow);
      if (!isKnown && !isNofollow) this.#remember(link.url, next, depth);
      if (next === undefined) continue;
      hasNew ||= known === undefined;
      const gives = share !== undefined && leads && !isNofollow && !given.has(link.url);
      if (gives) given.add(link.url);
      if (gives || !isKnown) found.push({ path: next, depth, lastmod: undefined, ...(gives ? { share } : {}) });
    }
    this.#traps.learn(url, hasNew || target.askedAt === undefined);
    return found;
  }

  #remember(url: string, path: string | undefined, depth: number): void {
    if (this.#known.size >= maxKnownUrls) this.#known.clear();
    this.#known.set(url, { path, depth });
  }

  #judge(link: FoundLink, depth: number, leads: boolean, isNofollow: boolean): string | undefined {
    const { origin, scope } = this.#visit;
    const verdict = this.#scope.judge(link.url, depth, isNofollow);
    if (verdict !== "in") return this.#refuse(verdict);
    const trap = this.#traps.judge(link.url);
    if (trap.kind === "refused") return this.#refuse(trap.reason);
    const path = scope.pathOf(trap.url, origin);
    if (path === undefined) return this.#refuse("other-host");
    if (scope.mayBeWanted(path) || (leads && scope.mayLeadOn(path))) return path;
    return this.#refuse("unwanted-type");
  }

  #refuse(reason: string): undefined {
    this.refused.set(reason, (this.refused.get(reason) ?? 0) + 1);
    return undefined;
  }
}

/** What a page gives to each that it leads to, other sites' included: an even share of its own rank. */
function shareOf({ rank }: TrackedUrl, links: readonly FoundLink[]): number {
  const urls = new Set<string>();
  for (const { url, kind } of links) if (pageKinds.has(kind)) urls.add(url);
  return (1 - damping + damping * rank) / Math.max(1, urls.size);
}
