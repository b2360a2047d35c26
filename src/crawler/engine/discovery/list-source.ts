import { type FoundTarget, ok, problem, type Result } from "../../../core/index.ts";
import { throwIfAborted } from "../visit/reading-visit.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import type { ChangeSource, SourceLook } from "./source.ts";
import type { TargetScope } from "./target-scope.ts";

const urlsAtATime = 1000;

/** A list of URLs that the user gives; those of other sites are passed over. */
export class ListSource implements ChangeSource {
  readonly name = "list";
  readonly #scope: TargetScope;
  readonly #urls: AsyncIterable<string> | Iterable<string>;

  constructor(scope: TargetScope, urls: AsyncIterable<string> | Iterable<string>) {
    this.#scope = scope;
    this.#urls = urls;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const { targets } = visit.ports;
    const list = targets.beginList();
    let found: FoundTarget[] = [];
    let count = 0;
    const note = (): void => {
      throwIfAborted(visit);
      targets.note(found, list);
      count += found.length;
      found = [];
    };
    for await (const url of this.#urls) {
      if (url.trim() === "") continue;
      const path = this.#scope.pathOf(url, visit.origin);
      if (path === undefined) continue;
      found.push({ path, depth: 0, lastmod: undefined });
      if (found.length >= urlsAtATime) note();
    }
    note();
    if (count === 0) return problem("empty-list", `the list names no URL of ${visit.origin}`);
    targets.endLists([list]);
    return ok({ kind: "targets", plan: { followsLinks: false, asks: "all", sampled: 0 } });
  }
}
