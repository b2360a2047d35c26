import type { SitemapEntry } from "../format/index.ts";
import { type FoundTarget, ok, problem, type Result } from "../model/index.ts";
import type { ChangeSource, SourceLook, SourceVisit } from "./source.ts";
import { type SitemapCopy, SitemapTree } from "./sitemap-tree.ts";
import type { TargetScope } from "./target-scope.ts";

const usualPath = "/sitemap.xml";

interface SitemapState {
  readonly copies: Readonly<Record<string, SitemapCopy>>;
}

function readState(value: unknown): SitemapState {
  return (value as SitemapState | undefined) ?? { copies: {} };
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
    const tree = new SitemapTree(visit, state.copies, (entries) => {
      const found = this.#targetsOf(visit, entries);
      named += found.length;
      targets.note(found, list);
    });
    const announced = visit.robots.sitemaps;
    const look = await tree.read(announced.length > 0 ? announced : [usualPath]);
    if (look.read === 0 && look.unchanged === 0) {
      const { code, message } = look.firstProblem ?? { code: "no-sitemap", message: "robots.txt names none of its own" };
      return problem(code, announced.length > 0 ? message : `there is none at ${usualPath}: ${message}`);
    }
    if (named === 0 && look.unchanged === 0) return problem("no-sitemap", "the sitemap names no page of the site");
    // What is unchanged names what it named; only a look at all of them says what is named no more.
    if (look.isComplete && look.unchanged === 0) targets.endList(list);
    memory.rememberSource(this.name, { ...state, copies: look.copies });
    return ok({ kind: "targets", plan: { followsLinks: false, asks: "all", sampled: 0 } });
  }

  #targetsOf(visit: SourceVisit, entries: readonly SitemapEntry[]): FoundTarget[] {
    const found: FoundTarget[] = [];
    for (const { location, lastModifiedText } of entries) {
      const path = this.#scope.pathOf(location, visit.origin);
      if (path === undefined || !this.#scope.mayBeWanted(path)) continue;
      found.push({ path, depth: 0, lastmod: lastModifiedText });
    }
    return found;
  }
}
