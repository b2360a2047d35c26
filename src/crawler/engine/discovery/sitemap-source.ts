import { type FoundUrl, ok, parseUrl, type Result, type TrackedUrl, type UrlChoice } from "../../../core/index.ts";
import { type Robots, robotsSitemaps } from "../../../formats/robots/index.ts";
import type { SitemapEntry } from "../../../formats/sitemap/index.ts";
import {
  adviseLook,
  isFutureLastmod,
  type LastmodRecord,
  noLastmodRecord,
  noteLook,
} from "../revisit/lastmod-trust.ts";
import type { PollPlan, SourceVisit } from "./crawl-visit.ts";
import { type SitemapCopy, type SitemapProgress, type SitemapRound, SitemapTree } from "./sitemap-tree.ts";
import { type ChangeSource, failLook, type SourceLook } from "./source.ts";
import type { UrlScope } from "./url-scope.ts";

interface ListedUrl extends FoundUrl {
  readonly isFuture: boolean;
}

const usualPath = "/sitemap.xml";

/** What is remembered of the sitemaps of a site. */
interface SitemapState {
  readonly copies: Readonly<Record<string, SitemapCopy>>;
  readonly trust: LastmodRecord;
  /** Pages that changed silently at the last look, up to a bound. */
  readonly silent: readonly string[];
  /** Which pages were wanted; absent for all. */
  readonly filterKey?: string;
}

const maxSilentPaths = 1000;

/** Pages that come before further lists of a round, and before another round. */
const beforeLists: readonly UrlChoice[] = ["new", "hinted"];
const beforeRound: readonly UrlChoice[] = ["new", "doubted", "unconfirmed", "moved"];

function readState(value: unknown): SitemapState {
  return { copies: {}, trust: noLastmodRecord, silent: [], ...(value as Partial<SitemapState> | undefined) };
}

function roundsOf({ copies }: SitemapState): number[] {
  return Object.values(copies).map(({ round }) => round ?? 0);
}

/** Counts how polls agree with the `lastmod`s of one look. */
class LookTally {
  readonly silent: string[] = [];
  movedPolled = 0;
  movedChanged = 0;
  unmovedPolled = 0;
  unmovedChanged = 0;

  observe(url: TrackedUrl, hasChanged: boolean): void {
    if (url.lastmod === undefined) return;
    if (url.lastmod !== url.askedLastmod) {
      this.movedPolled += 1;
      if (hasChanged) this.movedChanged += 1;
      return;
    }
    this.unmovedPolled += 1;
    if (!hasChanged) return;
    this.unmovedChanged += 1;
    if (this.silent.length < maxSilentPaths) this.silent.push(url.path);
  }
}

/** Sitemaps: those that robots.txt names, or the one at the usual place. */
export class SitemapSource implements ChangeSource {
  readonly name = "sitemap";
  readonly #scope: UrlScope;

  constructor(scope: UrlScope) {
    this.#scope = scope;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const { memory, urls } = visit.ports;
    const kept = readState(memory.readSource(this.name));
    const isSameFilter = (kept.filterKey ?? "") === visit.filter.key;
    // What an unchanged sitemap names and was skipped then may be wanted now.
    const state = isSameFilter ? kept : { ...kept, copies: {}, filterKey: visit.filter.key };
    let named = 0;
    let future = 0;
    const begun = memory.readSource("sitemap-round") as SitemapRound | null | undefined;
    const rest = isSameFilter ? this.#planRest(visit, state, begun != null) : undefined;
    if (rest !== undefined) return ok(rest);
    const round = begun ?? { number: 1 + Math.max(0, ...roundsOf(state)), failed: {} };
    const save = ({ copies, failed }: SitemapProgress): void => {
      if (Object.keys(copies).length > 0) memory.rememberSource(this.name, { ...state, copies });
      memory.rememberSource("sitemap-round", { ...round, failed });
      memory.flush();
    };
    const tree = new SitemapTree(visit, state.copies, round, {
      begin: () => urls.beginList(),
      take: (entries, mark, list) => {
        const found = this.#urlsOf(visit, entries, list);
        const early = found.filter(({ isFuture }) => isFuture).length;
        named += found.length;
        future += early;
        urls.note(found, mark);
        return early === 0;
      },
      save,
    });
    const isAnnounced = this.isAnnounced(visit.robots);
    let look = await tree.read(robotsSitemaps(visit.robots, `${visit.origin}/robots.txt`));
    if (look.read + look.unchanged === 0 && !look.isPartial && look.firstProblem?.code !== "site-unavailable")
      look = await tree.read([usualPath]);
    if (look.isPartial) save(look);
    else if (memory.readSource("sitemap-round") != null) memory.rememberSource("sitemap-round", null);
    const isExpected = isAnnounced || Object.keys(kept.copies).length > 0;
    // Indexes may name nothing but indexes, as far as this visit came.
    const isBegun = look.isPartial && !look.isInTrouble && look.read > 0;
    if (look.unchanged === 0 && named === 0 && !isBegun) {
      const { code, message } = look.firstProblem ?? { code: "no-sitemap", message: "it names no page of the site" };
      return failLook({ code, message: isAnnounced ? message : `${usualPath}: ${message}` }, isExpected);
    }
    if (look.isComplete && (look.read > 0 || begun != null))
      urls.endLists(Object.values(look.copies).map(({ mark }) => mark));
    memory.rememberSource(this.name, { ...state, copies: look.copies });
    visit.progress.noteIndex();
    const plan = this.#plan(visit, { ...state, copies: look.copies }, future);
    if (!look.isPartial) return ok({ kind: "polls", plan });
    // An incomplete look proves nothing.
    return ok({
      kind: "polls",
      plan: { ...plan, conclude: () => undefined },
      left: look.isInTrouble ? "trouble" : "bounded",
    });
  }

  isAnnounced({ sitemaps }: Robots): boolean {
    return sitemaps.length > 0;
  }

  /**
   * The plan for what is left of the pages of lists that an earlier visit read, where the site's delay grants a request or
   * two a visit: new ones come before further lists, and all that are due before another round of lists. A visit after one that was
   * ended in order goes on with the pages of a whole round, and reads no list.
   *
   * @returns undefined if none is left
   */
  #planRest(visit: SourceVisit, state: SitemapState, isPartial: boolean): SourceLook | undefined {
    const { isIndexRead, areListsRead } = visit.progress;
    const isGoneOn = areListsRead && !isPartial;
    if (!(isIndexRead || isGoneOn) || visit.ports.memory.read().writer !== this.name) return undefined;
    // What a few pages show says nothing of a list.
    const plan = { ...this.#plan(visit, state, 0), conclude: () => undefined };
    // What a sample showed was noted with the look that drew it.
    if (isGoneOn) return { kind: "polls", plan: { ...plan, sampled: 0 } };
    const known: readonly UrlChoice[] = plan.asks === "all" ? ["known"] : [];
    const { progress, ports } = visit;
    const isLeft = (choice: UrlChoice): boolean =>
      ports.urls.take(choice, progress.pollsSince, undefined, 1).length > 0;
    if (!(isPartial ? beforeLists : [...beforeRound, ...known]).some(isLeft)) return undefined;
    return { kind: "polls", plan, ...(isPartial ? { left: "bounded" as const } : {}) };
  }

  #plan(visit: SourceVisit, state: SitemapState, future: number): PollPlan {
    const { memory, urls } = visit.ports;
    const { moved, unmoved } = urls.countListed();
    const late = state.silent.length === 0 ? 0 : urls.countMoved(state.silent);
    const advice = adviseLook(state.trust, unmoved);
    const tally = new LookTally();
    const isSelective = advice.unmovedSample < unmoved;
    return {
      followsLinks: false,
      asks: isSelective ? "moved" : "all",
      sampled: isSelective ? advice.unmovedSample : 0,
      trust: advice.trust,
      observe: (url, hasChanged) => tally.observe(url, hasChanged),
      conclude: () => {
        const { movedPolled, movedChanged, unmovedPolled, unmovedChanged, silent } = tally;
        // On the first visit there is nothing to compare.
        if (moved + unmoved === 0) return;
        const trust = noteLook(state.trust, {
          listed: moved + unmoved + future,
          future,
          unmoved,
          movedPolled,
          movedChanged,
          unmovedPolled,
          unmovedChanged,
          late,
        });
        memory.rememberSource(this.name, { ...state, trust, silent } satisfies SitemapState);
      },
    };
  }

  #urlsOf(visit: SourceVisit, entries: readonly SitemapEntry[], list: string): ListedUrl[] {
    // On another host a sitemap is the site's all the same.
    const listBase = list.startsWith(`${visit.origin}/`) ? list : visit.origin;
    const now = visit.ports.timing.now();
    const found: ListedUrl[] = [];
    for (const { location, bases = [], lastModifiedText, lastModified } of entries) {
      const base = bases.reduce((outer, inner) => parseUrl(inner, outer)?.href ?? outer, listBase);
      const path = this.#scope.pageOf(location, visit.origin, base);
      if (path === undefined || !this.#scope.mayBeWanted(path)) continue;
      const isFuture = lastModified !== undefined && isFutureLastmod(lastModified, now);
      // A date in the future is ignored.
      found.push({ path, depth: 0, lastmod: isFuture ? undefined : lastModifiedText, isFuture });
    }
    return found;
  }
}
