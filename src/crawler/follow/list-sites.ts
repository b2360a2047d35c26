import { resolve } from "node:path";
import { type Clock, type EpochMs, TidemarkError } from "../../core/index.ts";
import { findStateFile, type PlannedSite, StateReader } from "../../storage/index.ts";
import { parseSiteAddress } from "../site-address.ts";
import { readFollowStatus } from "./follow-files.ts";
import { readFollowedList } from "./followed-list.ts";
import type { SiteDecision } from "./site-decision.ts";
import { defaultPriority } from "./site-scheduler.ts";

/** A site that is followed, as it stands. */
export interface ListedSite {
  readonly site: string;
  /** When it is visited next; undefined if it never was, so that its turn comes as soon as it can. */
  readonly nextMs: EpochMs | undefined;
  /** When the last visit began that could look at it. */
  readonly lastMs: EpochMs | undefined;
  /** Visits in vain in a row. */
  readonly failures: number;
  readonly priority: number;
  readonly isPaused: boolean;
  /** Whether it is being visited; known of a hundred sites at most. */
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
 * Tells which sites are followed into a folder, or were when somebody followed last.
 *
 * @param stateFile - default: in the folder
 * @returns in the order of origins
 * @throws TidemarkError `not-found` if nobody ever followed; `state-corrupt`, `state-version`, `no-permission`
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

/**
 * The site that is followed and that a URL names.
 *
 * @throws TidemarkError `bad-option` if it is none
 */
export function chooseFollowed(sites: readonly ListedSite[], url: string): ListedSite {
  const origin = parseSiteAddress(url, undefined);
  const found = sites.find(({ site }) => site === origin);
  if (found !== undefined) return found;
  const shown = sites.slice(0, 5).map(({ site }) => site);
  throw new TidemarkError("bad-option", `${origin} is not followed.`, {
    hint: shown.length === 0 ? "No site is." : `Followed are ${shown.join(", ")}${sites.length > 5 ? ", ..." : ""}`,
    details: { site: origin },
  });
}

/** A site as it is after a decision. */
export function withDecision(site: ListedSite, { isPaused, priority }: SiteDecision): ListedSite {
  return { ...site, isPaused: isPaused ?? site.isPaused, priority: priority ?? site.priority };
}
