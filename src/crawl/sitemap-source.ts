import { robotsSitemaps, type SitemapEntry } from "../format/index.ts";
import { type FoundTarget, ok, problem, type Result, type Target } from "../model/index.ts";
import { adviseLook, isFutureLastmod, type LastmodRecord, noLastmodRecord, noteLook } from "../revisit/index.ts";
import { type SitemapCopy, SitemapTree } from "./sitemap-tree.ts";
import type { ChangeSource, PollPlan, SourceLook, SourceVisit } from "./source.ts";
import type { TargetScope } from "./target-scope.ts";

interface ListedTarget extends FoundTarget {
  readonly isFuture: boolean;
}

const usualPath = "/sitemap.xml";

/** What is remembered of a site's sitemaps. */
interface SitemapState {
  readonly copies: Readonly<Record<string, SitemapCopy>>;
  readonly trust: LastmodRecord;
  /** Pages that changed in silence at the last look, as far as they are remembered. */
  readonly silent: readonly string[];
}

const maxSilentPaths = 1000;

function readState(value: unknown): SitemapState {
  return { copies: {}, trust: noLastmodRecord, silent: [], ...(value as Partial<SitemapState> | undefined) };
}

/** Counts what polls say of the `lastmod`s of one look. */
class LookTally {
  readonly silent: string[] = [];
  movedPolled = 0;
  movedChanged = 0;
  unmovedPolled = 0;
  unmovedChanged = 0;

  observe(target: Target, hasChanged: boolean): void {
    if (target.lastmod === undefined) return;
    if (target.lastmod !== target.askedLastmod) {
      this.movedPolled += 1;
      if (hasChanged) this.movedChanged += 1;
      return;
    }
    this.unmovedPolled += 1;
    if (!hasChanged) return;
    this.unmovedChanged += 1;
    if (this.silent.length < maxSilentPaths) this.silent.push(target.path);
  }
}

/** The site's sitemaps: those that robots.txt names, or the one at the usual place. */
export class SitemapSource implements ChangeSource {
  readonly name = "sitemap";
  readonly #scope: TargetScope;

  constructor(scope: TargetScope) {
    this.#scope = scope;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const { memory, targets } = visit.ports;
    const state = readState(memory.readSource(this.name));
    const list = targets.beginList();
    let named = 0;
    let future = 0;
    const tree = new SitemapTree(visit, state.copies, (entries) => {
      const found = this.#targetsOf(visit, entries);
      named += found.length;
      future += found.filter(({ isFuture }) => isFuture).length;
      targets.note(found, list);
    });
    const announced = robotsSitemaps(visit.robots, `${visit.origin}/robots.txt`);
    const look = await tree.read(announced.length > 0 ? announced : [usualPath]);
    if (look.read === 0 && look.unchanged === 0) {
      const { code, message } = look.firstProblem ?? {
        code: "no-sitemap",
        message: "robots.txt names none of its own",
      };
      return problem(code, announced.length > 0 ? message : `there is none at ${usualPath}: ${message}`);
    }
    if (named === 0 && look.unchanged === 0) return problem("no-sitemap", "the sitemap names no page of the site");
    // What is unchanged names what it named; only a look at all of them says what is named no more.
    if (look.isComplete && look.unchanged === 0) targets.endList(list);
    memory.rememberSource(this.name, { ...state, copies: look.copies });
    return ok({ kind: "targets", plan: this.#plan(visit, { ...state, copies: look.copies }, future) });
  }

  #plan(visit: SourceVisit, state: SitemapState, future: number): PollPlan {
    const { memory, targets } = visit.ports;
    const { moved, unmoved } = targets.countListed();
    const late = state.silent.length === 0 ? 0 : targets.countMoved(state.silent);
    const advice = adviseLook(state.trust, unmoved);
    const tally = new LookTally();
    const isSelective = advice.unmovedSample < unmoved;
    return {
      followsLinks: false,
      asks: isSelective ? "moved" : "all",
      sampled: isSelective ? advice.unmovedSample : 0,
      trust: advice.trust,
      observe: (target, hasChanged) => tally.observe(target, hasChanged),
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

  #targetsOf(visit: SourceVisit, entries: readonly SitemapEntry[]): ListedTarget[] {
    const now = visit.ports.timing.now();
    const found: ListedTarget[] = [];
    for (const { location, lastModifiedText, lastModified } of entries) {
      const path = this.#scope.pathOf(location, visit.origin);
      if (path === undefined || !this.#scope.mayBeWanted(path)) continue;
      const isFuture = lastModified !== undefined && isFutureLastmod(lastModified, now);
      // A date that cannot be says nothing: the page is asked for as one without.
      found.push({ path, depth: 0, lastmod: isFuture ? undefined : lastModifiedText, isFuture });
    }
    return found;
  }
}
