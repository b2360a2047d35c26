import { resolve } from "node:path";
import { type Clock, type EpochMs, TidemarkError } from "../../core/index.ts";
import { readSideFile, sideFileIn, writeSideFile } from "../../fs/index.ts";
import { findStateFile, StateReader } from "../../storage/index.ts";
import { findSite } from "../site-address.ts";
import type { SiteDecision } from "./decision-inbox.ts";
import { readFollowStatus } from "./follow-status.ts";
import { defaultPriority, isPriority } from "./site-scheduler.ts";
import { originForm } from "./status-file.ts";

/** A site as listed, before decisions apply. */
export interface Listing {
  readonly site: string;
  readonly priority: number;
}

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

const listName = "followed.txt";
const maxListBytes = 256 * 1024 * 1024;
const lineForm = /^(\S+) (\d{1,2}(?:\.\d{1,3})?)$/;

/** Writes the followed sites, one per line, for programs that read them later. */
export function writeFollowedList(into: string, sites: Iterable<Listing>): void {
  const lines: string[] = [];
  for (const { site, priority } of sites) lines.push(`${site} ${priority}\n`);
  writeSideFile(sideFileIn(resolve(into), listName), lines.join(""));
}

/**
 * Reads which sites are followed, or were followed last.
 *
 * @returns by origin; undefined if sites were never followed into this folder
 * @throws TidemarkError `state-corrupt`, `no-permission`, `io`
 */
export function readFollowedList(into: string): Map<string, Listing> | undefined {
  const file = sideFileIn(resolve(into), listName);
  const read = readSideFile(file, maxListBytes);
  if (read === "missing") return undefined;
  const sites = new Map<string, Listing>();
  const lines = typeof read === "string" ? [""] : read.text.split("\n");
  // A line without a final line feed is incomplete.
  const isWhole = lines.pop() === "" && typeof read !== "string";
  for (const line of lines) {
    const [, site, priority] = lineForm.exec(line) ?? [];
    if (site === undefined || !originForm.test(site) || !isWhole)
      throw new TidemarkError("state-corrupt", `${file} is not what a follower writes.`, {
        hint: "Remove it: it is written anew when sites are followed again.",
        details: { file },
      });
    const number = Number(priority);
    sites.set(site, { site, priority: isPriority(number) ? number : defaultPriority });
  }
  return sites;
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
  return sites.map(({ site, priority: listed }) => {
    const { at: nextMs, lookedAt: lastMs, failures = 0, isPaused = false, priority } = planned.get(site) ?? {};
    return { site, nextMs, lastMs, failures, priority: priority ?? listed, isPaused, isUnderWay: visiting.has(site) };
  });
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
