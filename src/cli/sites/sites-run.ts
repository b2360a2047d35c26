import { setTimeout as wait } from "node:timers/promises";
import type { SiteDecision } from "../../crawler/index.ts";
import { chooseFollowed, decideSite, type ListedSite, listSites, withDecision } from "../../crawler/index.ts";
import { formatDecided } from "../crawl/follow-printer.ts";
import type { RunContext } from "../terminal/command.ts";
import { type ExitCode, exitCodes } from "../terminal/exit-code.ts";
import { formatMoment } from "../terminal/quantity.ts";
import { formatTable } from "../terminal/text-layout.ts";

/** What the command line says about sites that are followed. */
export interface SitesArguments {
  /** Folder of the mirrors. */
  readonly into: string;
  /** Only this one. */
  readonly url?: string;
  readonly stateFile?: string;
  /** Undefined leaves it as it is. */
  readonly isPaused?: boolean;
  readonly priority?: number;
}

/** Lists sites that are followed, or decides of one of them. */
export async function runSites(options: SitesArguments, context: RunContext): Promise<ExitCode> {
  const { into, url, stateFile, isPaused, priority } = options;
  const { out, json, quiet } = context;
  const all = listSites(into, stateFile, Date.now);
  const chosen = url === undefined ? undefined : chooseFollowed(all, url);
  if (chosen !== undefined && (isPaused !== undefined || priority !== undefined)) {
    const { site } = chosen;
    const decision = {
      site,
      ...(isPaused === undefined ? {} : { isPaused }),
      ...(priority === undefined ? {} : { priority }),
    };
    await decide(decision, chosen, options, context);
    return exitCodes.done;
  }
  const sites = chosen === undefined ? all : [chosen];
  if (json) {
    for (const site of sites) out.writeJson({ event: "followed-site", ...site });
    out.writeJson({ event: "summary", sites: sites.length, paused: sites.filter((site) => site.isPaused).length });
  } else if (!quiet) out.write(formatFollowed(sites, Date.now()));
  return exitCodes.done;
}

async function decide(
  decision: SiteDecision,
  known: ListedSite,
  { into, stateFile }: SitesArguments,
  { out, err, json, quiet, signal }: RunContext,
): Promise<void> {
  const holds = await decideSite(decision, {
    into,
    stateFile,
    now: Date.now,
    delay: (delayMs) => wait(delayMs, undefined, { signal }),
    onRefused: (message) => err.write(`warning: ${message}\n`),
  });
  if (json) out.writeJson({ event: "summary", ...withDecision(known, decision), holds });
  else if (!quiet) {
    const later = holds === "now" ? "" : " (when the crawl that holds the state looks, or at the next start)";
    out.write(`${known.site}: ${formatDecided(decision)}${later}\n`);
  }
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
