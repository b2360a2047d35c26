import { type FoundUrl, ok, problem, type Result, type TrackedUrl } from "../../../core/index.ts";
import { throwIfAborted } from "../visit/reading-visit.ts";
import type { SourceVisit } from "./crawl-visit.ts";
import type { ChangeSource, SourceLook } from "./source.ts";
import type { UrlScope } from "./url-scope.ts";

/** The links of the site's pages, from some start pages on. */
export class LinkSource implements ChangeSource {
  readonly name = "links";
  readonly #scope: UrlScope;
  readonly #starts: readonly string[];

  /** @param starts - URLs or paths of the site; with none, its known pages are polled */
  constructor(scope: UrlScope, starts: readonly string[]) {
    this.#scope = scope;
    this.#starts = starts;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const paths = this.#starts.map((start) => this.#scope.pageOf(start, visit.origin));
    const found = paths.filter((path) => path !== undefined).map((path) => ({ path, depth: 0, lastmod: undefined }));
    if (found.length === 0 && this.#starts.length > 0)
      return problem(
        "no-start",
        "no page to start from is wanted: give a URL that is, such as that of a folder that ends with /",
      );
    visit.ports.urls.note(found, visit.ports.urls.beginList());
    const starts = new Set(found.map(({ path }) => path));
    const isStart = ({ path }: TrackedUrl): boolean => starts.has(path);
    return ok({ kind: "polls", plan: { followsLinks: true, asks: "all", sampled: 0, isStart } });
  }
}

const urlsAtATime = 1000;

/** A list of URLs from the user; those of other sites are skipped. */
export class ListSource implements ChangeSource {
  readonly name = "list";
  readonly #scope: UrlScope;
  readonly #urls: AsyncIterable<string> | Iterable<string>;

  constructor(scope: UrlScope, urls: AsyncIterable<string> | Iterable<string>) {
    this.#scope = scope;
    this.#urls = urls;
  }

  async look(visit: SourceVisit): Promise<Result<SourceLook>> {
    const { urls } = visit.ports;
    const list = urls.beginList();
    let found: FoundUrl[] = [];
    let count = 0;
    const note = (): void => {
      throwIfAborted(visit);
      urls.note(found, list);
      count += found.length;
      found = [];
    };
    for await (const url of this.#urls) {
      if (url.trim() === "") continue;
      const path = this.#scope.pageOf(url, visit.origin);
      if (path === undefined) continue;
      found.push({ path, depth: 0, lastmod: undefined });
      if (found.length >= urlsAtATime) note();
    }
    note();
    if (count === 0) return problem("empty-list", `the list names no URL of ${visit.origin}`);
    urls.endLists([list]);
    const isStart = ({ depth }: TrackedUrl): boolean => depth === 0;
    return ok({ kind: "polls", plan: { followsLinks: false, asks: "all", sampled: 0, isStart } });
  }
}
