import { ok, type Result } from "../../../core/index.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import type { ChangeSource, SourceLook } from "./source.ts";
import type { TargetScope } from "./target-scope.ts";

/** The links of the site's pages, followed from some of them. */
export class LinkSource implements ChangeSource {
  readonly name = "links";
  readonly #scope: TargetScope;
  readonly #starts: readonly string[];

  /** @param starts - URLs or paths of the site from which links are followed */
  constructor(scope: TargetScope, starts: readonly string[]) {
    this.#scope = scope;
    this.#starts = starts;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const paths = this.#starts.map((start) => this.#scope.pathOf(start, visit.origin));
    const found = paths.filter((path) => path !== undefined).map((path) => ({ path, depth: 0, lastmod: undefined }));
    visit.ports.targets.note(found, visit.ports.targets.beginList());
    return ok({ kind: "targets", plan: { followsLinks: true, asks: "all", sampled: 0 } });
  }
}
