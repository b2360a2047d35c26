import { resolve } from "node:path";
import { type Clock, type EpochMs, TidemarkError } from "../../core/index.ts";
import { findStateFile, type PlannedSite, StateReader } from "../../storage/index.ts";
import { findSite } from "../site-address.ts";
import { readFollowStatus } from "./follow-files.ts";
import { readFollowedList } from "./followed-list.ts";
import type { SiteDecision } from "./site-decision.ts";
import { defaultPriority } from "./site-scheduler.ts";

/** A followed site and its current state. */
export interface ListedSite {
  readonly site: string;
  /** When the next visit is due; undefined before the first visit, which starts as soon as possible. */
  readonly nextMs: EpochMs | undefined;
  /** When the last successful visit began. */
  readonly lastMs: EpochMs | undefined;
  /** Failed visits in a row. */
  readonly failures: number;
  readonly priority: number;
  readonly isPaused: boolean;
  /** Whether it is being visited; known for at most a hundred sites. */
  readonly isUnderWay: boolean;
}

function visitingNow(into: string, now: Clock): ReadonlySet<string> {
  try {
    return new Set(readFollowStatus(into, now).status.visiting.map(({ site }) => site));
  } catch (error) {
    if (error instanceof TidemarkError) return new Set();
    throw error;
  }
}

/**
 * Lists the sites that are followed into a folder, or were followed last.
 *
 * @param stateFile - default: in the folder
 * @returns in the order of their origins
 * @throws TidemarkError `not-found` if sites were never followed; `state-corrupt`, `state-version`, `no-permission`
 */
export function listSites(into: string, stateFile: string | undefined, now: Clock): ListedSite[] {
  const listed = readFollowedList(into);
  if (listed === undefined)
    throw new TidemarkError("not-found", `Nobody ever followed sites into ${resolve(into)}.`, {
      hint: "Name the folder that `tidemark crawl --sites FILE --forever` is given with --into.",
      details: { into: resolve(into) },
    });
  using reader = new StateReader(findStateFile(stateFile ?? into));
  const planned = new Map(reader.readPlans().map((plan) => [plan.origin, plan]));
  const visiting = visitingNow(into, now);
  const sites = [...listed.values()].sort((one, other) => (one.site < other.site ? -1 : 1));
  return sites.map(({ site, priority }) => followedOf(site, priority, planned.get(site), visiting.has(site)));
}

function followedOf(site: string, listed: number, plan: PlannedSite | undefined, isUnderWay: boolean): ListedSite {
  const { at: nextMs, lookedAt: lastMs, failures = 0, isPaused = false } = plan ?? {};
  return {
    site,
    nextMs,
    lastMs,
    failures,
    priority: plan?.priority ?? listed ?? defaultPriority,
    isPaused,
    isUnderWay,
  };
}

/** The followed site that a URL names. @throws TidemarkError `bad-option` if it is not followed */
export function chooseFollowed(sites: readonly ListedSite[], url: string): ListedSite {
  return findSite(
    sites,
    ({ site }) => site,
    url,
    (origin) => `${origin} is not followed.`,
  );
}

/** A site after a decision. */
export function withDecision(site: ListedSite, { isPaused, priority }: SiteDecision): ListedSite {
  return { ...site, isPaused: isPaused ?? site.isPaused, priority: priority ?? site.priority };
}
