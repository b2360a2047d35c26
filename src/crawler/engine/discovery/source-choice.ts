import { type EpochSeconds, type SourceName, sourceNames } from "../../../core/index.ts";
import { ArchiveSource } from "./archive-source.ts";
import { ResourceSyncSource } from "./resource-sync-source.ts";
import { SitemapSource } from "./sitemap-source.ts";
import type { ChangeSource } from "./source.ts";
import type { UrlScope } from "./url-scope.ts";
import { LinkSource, ListSource } from "./url-sources.ts";

/** Which sources of changes a visit tries, and what they start from. */
export interface SourceOptions {
  /** Where changes are learned from; the first that works is used. Default: all, the best first. */
  readonly sources?: readonly SourceName[];
  /** Where links are followed from: paths with query. Default `/`. */
  readonly starts?: readonly string[];
  /** URLs that are asked for where the source is `list`; those of other sites are passed over. */
  readonly urls?: AsyncIterable<string> | Iterable<string>;
  /** On the first visit, pages last modified before this are not asked for. Default: all pages are. */
  readonly since?: EpochSeconds;
}

/** The sources that a visit tries, in their order. */
export function makeSources(options: SourceOptions, scope: UrlScope): ChangeSource[] {
  const all: Readonly<Record<SourceName, () => ChangeSource | undefined>> = {
    archives: () => new ArchiveSource(options.since),
    resourcesync: () => new ResourceSyncSource(scope),
    sitemap: () => new SitemapSource(scope),
    links: () => new LinkSource(scope, options.starts ?? ["/"]),
    list: () => (options.urls === undefined ? undefined : new ListSource(scope, options.urls)),
  };
  return (options.sources ?? sourceNames).map((name) => all[name]()).filter((source) => source !== undefined);
}
