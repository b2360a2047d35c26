import {
  type EpochSeconds,
  ok,
  type Problem,
  type Result,
  type SitePosition,
  type SourceName,
} from "../../../core/index.ts";
import type { Robots } from "../../../formats/robots/index.ts";
import type { CrawlVisit, PollPlan, SourceVisit } from "./crawl-visit.ts";
import type { FetchPackages } from "./package-plan.ts";

/** Looks for packages of pages that are due, and has them fetched. */
export type SeekPackages = (visit: CrawlVisit, fetch: FetchPackages) => Promise<void>;

/** What a source knows. */
export type SourceLook =
  /** Changes are announced work by now. */
  | {
      readonly kind: "work";
      readonly position: SitePosition | undefined;
      /** Times of the newest publications, ascending, none of them missing; absent if nothing new was told of them. */
      readonly publications?: readonly EpochSeconds[];
      /** Keeps many of the pages that are due at once, where the site offers them so. */
      readonly fetchPackages?: SeekPackages;
    }
  /** URLs are known by now and to be polled. */
  | {
      readonly kind: "polls";
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
