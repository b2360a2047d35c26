import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type Clock, type EpochMs, TidemarkError } from "../../core/index.ts";
import type { LockHolder } from "../../fs/index.ts";
import { parseBaseUrl } from "../base-url.ts";
import type { LastRun } from "../publish/last-run-file.ts";
import { type LedgerState, type PublishedState, readSiteState, type SiteState } from "../publish/site-state.ts";
import { defaultStateDir } from "../state-folder.ts";
import { findNextRun, type NextRun } from "./next-run.ts";
import { findProblems, type StatusProblem } from "./status-problem.ts";

/** Which site is asked after, by its address or its state folder. */
export interface SiteStatusOptions {
  /** The site's origin. Needed if there is no `stateDir`. */
  readonly baseUrl?: string;
  /** Default the one that `exportSite` takes, or else that of the systemd units, `/var/lib/tidemark/<host>`. */
  readonly stateDir?: string;
  /** Default the one of the last run. */
  readonly docroot?: string;
  /** How old the last run that ended well may be, in milliseconds. @default 93600000, 26 hours */
  readonly maxAgeMs?: number;
  /** How many days of changes are counted, 1 to 400. @default 14 */
  readonly days?: number;
  /** @default Date.now */
  readonly clock?: Clock;
}

/** How a site's exporter is doing. Plain JSON. */
export interface SiteStatus {
  /** Undefined if nothing was published and nobody said which site. */
  readonly site: string | undefined;
  readonly stateDir: string;
  readonly now: EpochMs;
  /** The worst of the problems. */
  readonly status: "fine" | "warning" | "critical";
  readonly problems: readonly StatusProblem[];
  /** Undefined if nothing was published. */
  readonly ledger: LedgerState | undefined;
  /** Undefined if the document root is not known, or nothing was published. */
  readonly published: PublishedState | undefined;
  readonly lastRun: LastRun | undefined;
  /** Who is at work on the site now. */
  readonly running: LockHolder | undefined;
  /** If systemd knows of one. */
  readonly nextRun: NextRun | undefined;
}

/** How old the last run that ended well may be unless somebody says otherwise: a night and two hours. */
const defaultMaxAgeMs: number = 26 * 3_600_000;

/**
 * Says how a site's exporter is doing, from what it remembers and what lies in the document root. Writes nothing, and
 * disturbs no run.
 *
 * @throws TidemarkError `bad-option` if it is not said which site, or the state is of another; a state that cannot be
 *   read is a problem
 * @example
 * ```ts
 * const { status, problems } = await readSiteStatus({ baseUrl: "https://example.org/" });
 * if (status !== "fine") console.error(problems);
 * ```
 */
export async function readSiteStatus(options: SiteStatusOptions): Promise<SiteStatus> {
  const { docroot, maxAgeMs = defaultMaxAgeMs, days = 14, clock = Date.now } = options;
  const wanted = options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl);
  const stateDir = findStateDir(options.stateDir, wanted);
  const now = clock();
  let state: SiteState;
  let unreadable: TidemarkError | undefined;
  try {
    state = await readSiteState(stateDir, docroot, Math.floor(now / 1000), days);
  } catch (error) {
    // It is one of the things that monitoring is to tell, and of several sites the others are to be told of too.
    if (!(error instanceof TidemarkError)) throw error;
    unreadable = error;
    state = { ledger: undefined, published: undefined, lastRun: undefined, lock: undefined };
  }
  const { ledger, published, lastRun, lock } = state;
  const site = ledger?.site ?? lastRun?.site ?? wanted;
  if (wanted !== undefined && site !== wanted) {
    throw new TidemarkError("bad-option", `The state in ${stateDir} is of ${site}, not of ${wanted}.`, {
      hint: "Name the state folder of the site with --state.",
      details: { stateDir, site },
    });
  }
  const problems = findProblems(state, { stateDir, unreadable, maxAgeMs, now });
  const isCritical = problems.some(({ severity }) => severity === "critical");
  return {
    site,
    stateDir,
    now,
    status: isCritical ? "critical" : problems.length > 0 ? "warning" : "fine",
    problems,
    ledger,
    published,
    lastRun,
    running: lock,
    nextRun: site === undefined ? undefined : await findNextRun(site),
  };
}

function findStateDir(given: string | undefined, site: string | undefined): string {
  if (given !== undefined) return resolve(given);
  if (site === undefined) {
    throw new TidemarkError("bad-option", "It is not said which site.", {
      hint: "Name it with --base-url, its state folder with --state, or a configuration with --config.",
    });
  }
  const own = defaultStateDir(site);
  const ofUnit = join("/var/lib/tidemark", new URL(site).hostname);
  return !existsSync(own) && existsSync(ofUnit) ? ofUnit : own;
}
