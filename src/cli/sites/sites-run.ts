import { setTimeout as wait } from "node:timers/promises";
import { omitUndefined } from "../../core/index.ts";
import {
  chooseFollowed,
  decideSite,
  type ListedSite,
  listSites,
  type SiteDecision,
  withDecision,
} from "../../crawler/index.ts";
import { formatDecided } from "../crawl/crawl-printer.ts";
import { printSummary, type RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatMoment } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

/** What the command line says about sites that are followed. */
interface SitesArguments {
  /** Folder of the mirrors. */
  readonly into: string;
  /** Only this one. */
  readonly url?: string;
  readonly stateFile?: string;
  /** Undefined leaves it as it is. */
  readonly isPaused?: boolean;
  readonly priority?: number;
  readonly isDue?: true;
}

/** Lists sites that are followed, or decides of one of them. */
export async function runSites(options: SitesArguments, context: RunContext): Promise<ExitCode> {
  const { into, url, stateFile, isPaused, priority, isDue } = options;
  const { out, json } = context;
  const all = listSites(into, stateFile, Date.now);
  const chosen = url === undefined ? undefined : chooseFollowed(all, url);
  if (chosen !== undefined && (isPaused !== undefined || priority !== undefined || isDue !== undefined)) {
    await decide({ site: chosen.site, ...omitUndefined({ isPaused, priority, isDue }) }, chosen, options, context);
    return exitCodes.done;
  }
  const sites = chosen === undefined ? all : [chosen];
  if (json) for (const site of sites) out.writeJson({ event: "followed-site", ...site });
  const paused = sites.filter((site) => site.isPaused).length;
  printSummary(context, { sites: sites.length, paused }, () => formatFollowed(sites, Date.now()));
  return exitCodes.done;
}

async function decide(
  decision: SiteDecision,
  known: ListedSite,
  { into, stateFile }: SitesArguments,
  context: RunContext,
): Promise<void> {
  const { err, signal } = context;
  const holds = await decideSite(decision, {
    into,
    stateFile,
    now: Date.now,
    delay: (delayMs) => wait(delayMs, undefined, { signal }),
    onRefused: (message) => err.write(`warning: ${message}\n`),
  });
  const later = holds === "now" ? "" : " (when the crawl that uses the state reads it, or at its next start)";
  printSummary(
    context,
    { ...withDecision(known, decision), holds },
    () => `${known.site}: ${formatDecided(decision)}${later}\n`,
  );
}

function formatTime(ms: number): string {
  return formatMoment(Math.floor(ms / 1000));
}

function nextOf({ nextMs, isPaused, isUnderWay }: ListedSite, now: number): string {
  if (isUnderWay) return "under way";
  if (isPaused) return "paused";
  return nextMs === undefined || nextMs <= now ? "due" : formatTime(nextMs);
}

function formatFollowed(sites: readonly ListedSite[], now: number): string {
  const rows = sites.map((site) => [
    nextOf(site, now),
    site.lastMs === undefined ? "-" : formatTime(site.lastMs),
    String(site.priority),
    String(site.failures),
    site.site,
  ]);
  return formatTable([["next", "last", "priority", "failed", "site"], ...rows], "llrrl");
}
