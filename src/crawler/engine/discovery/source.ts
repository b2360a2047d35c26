import {
  type EpochSeconds,
  ok,
  type Problem,
  type Result,
  type SitePosition,
  type SourceName,
  type TrackedUrl,
} from "../../../core/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import type { LastmodTrust } from "../revisit/lastmod-trust.ts";
import type { CrawlVisit } from "../visit/crawl-visit.ts";
import type { SourceVisit } from "../visit/source-visit.ts";
import type { FetchPackages } from "./package-plan.ts";

/** How pages are asked for of a site that does not publish its changes. */
export interface PollPlan {
  /** Whether links of pages are followed. */
  readonly followsLinks: boolean;
  /**
   * `all` asks for every page that is due; `moved` only for those of which the list says that they changed, and for
   * `sampled` others that show whether it tells the truth.
   */
  readonly asks: "all" | "moved";
  readonly sampled: number;
  /** What the list's `lastmod` is worth, where it has one. */
  readonly trust?: LastmodTrust;
  /** Is told of each answer for a page that was known before. */
  readonly observe?: (target: TrackedUrl, hasChanged: boolean) => void;
  /** Is told when the polling ends, to remember what was observed. */
  readonly conclude?: () => void;
}

/** Looks for packages of pages that are due, and has them fetched. */
export type SeekPackages = (visit: CrawlVisit, fetch: FetchPackages) => Promise<void>;

/** What a source knows. */
export type SourceLook =
  /** Changes are work by now. */
  | {
      readonly kind: "work";
      readonly position: SitePosition | undefined;
      /** Times of the newest publications, ascending, none of them missing; absent if nothing new was told of them. */
      readonly publications?: readonly EpochSeconds[];
      /** Keeps many of the pages that are due at once, where the site offers them so. */
      readonly fetchPackages?: SeekPackages;
    }
  /** URLs are targets by now. */
  | {
      readonly kind: "targets";
      readonly plan: PollPlan;
      /** Whether lists are left that were not read yet, by the bounds of a visit or because the site is in trouble. */
      readonly left?: "bounded" | "trouble" | undefined;
    }
  /** The source is the right one and cannot be used today; no other is asked instead. */
  | { readonly kind: "trouble"; readonly problem: Problem };

/** A way to learn what changed at a site. */
export interface ChangeSource {
  readonly name: SourceName;
  /** Whether robots.txt says that there is one. */
  isAnnounced?(robots: Robots): boolean;
  /** Looks what changed. A problem says why it cannot be used; the next source is tried then. */
  look(visit: SourceVisit): Promise<Result<SourceLook>>;
}

/** What the first source that works knows. */
export interface FoundSource {
  readonly name: SourceName;
  readonly look: Exclude<SourceLook, { kind: "trouble" }>;
}

/**
 * What a look that failed says. A server in trouble is a reason to wait where the source is known to be there; where
 * nobody knows, some servers answer so whatever they are asked for.
 */
export function failLook(error: Problem, isExpected: boolean): Result<SourceLook> {
  return isExpected && error.code === "site-unavailable"
    ? ok({ kind: "trouble", problem: error })
    : { ok: false, error };
}
