import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { type Clock, type EpochMs, TidemarkError } from "../../core/index.ts";
import type { LockHolder } from "../../fs/index.ts";
import { parseBaseUrl } from "../export-checks.ts";
import type { LastRun } from "../last-run.ts";
import { findStateDirOrLink } from "../state-folder.ts";
import { type LedgerState, type PublishedState, readSiteState, type SiteState } from "./site-state.ts";
import { findProblems, type StatusProblem } from "./status-problem.ts";

/** The site, by its address or its state folder. */
export interface SiteStatusOptions {
  /** The site's origin. Required without `stateDir`. */
  readonly baseUrl?: string;
  /** Default: the default of `exportSite`, else that of the systemd units, `/var/lib/tidemark/<host>`. */
  readonly stateDir?: string;
  /** Default the one of the last run. */
  readonly docroot?: string;
  /** Allowed age of the last successful run, in milliseconds. @default 93600000, 26 hours */
  readonly maxAgeMs?: number;
  /** Number of days whose changes are counted, 1 to 400. @default 14 */
  readonly days?: number;
  /** @default Date.now */
  readonly clock?: Clock;
}

/** When systemd will run an export, and by which timer. */
export interface NextRun {
  readonly timer: string;
  readonly atMs: EpochMs;
}

/** Status of a site's exporter. Plain JSON. */
export interface SiteStatus {
  /** Undefined if nothing was published and no site was named. */
  readonly site: string | undefined;
  readonly stateDir: string;
  readonly now: EpochMs;
  /** The severity of the worst problem. */
  readonly status: "fine" | "warning" | "critical";
  readonly problems: readonly StatusProblem[];
  /** Undefined if nothing was published. */
  readonly ledger: LedgerState | undefined;
  /** Undefined if the document root is unknown, or nothing was published. */
  readonly published: PublishedState | undefined;
  readonly lastRun: LastRun | undefined;
  /** The export that is running now. */
  readonly running: LockHolder | undefined;
  /** Present if systemd knows one. */
  readonly nextRun: NextRun | undefined;
}

/** Default for the allowed age of the last successful run: a night and two hours. */
const defaultMaxAgeMs: number = 26 * 3_600_000;

/**
 * Reads the status of a site's exporter from its state and the document root. Writes nothing, and does not disturb a
 * run.
 *
 * @throws TidemarkError `bad-option` if no site is named, or the state belongs to another; an unreadable state is
 * reported as a problem instead
 * @example
 * ```ts
 * const { status, problems } = await readSiteStatus({ baseUrl: "https://example.org/" });
 * if (status !== "fine") console.error(problems);
 * ```
 */
export async function readSiteStatus(options: SiteStatusOptions): Promise<SiteStatus> {
  const { docroot, maxAgeMs = defaultMaxAgeMs, days = 14, clock = Date.now } = options;
  const wanted = options.baseUrl === undefined ? undefined : parseBaseUrl(options.baseUrl);
  const stateDir = chooseStateDir(options.stateDir, wanted);
  const now = clock();
  let state: SiteState;
  let unreadable: TidemarkError | undefined;
  try {
    state = await readSiteState(stateDir, docroot, Math.floor(now / 1000), days);
  } catch (error) {
    // Monitoring has to report this, and must not stop at one of several sites.
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

function chooseStateDir(given: string | undefined, site: string | undefined): string {
  if (given !== undefined) return resolve(given);
  if (site === undefined) {
    throw new TidemarkError("bad-option", "It is not said which site.", {
      hint: "Name it with --base-url, its state folder with --state, or a configuration with --config.",
    });
  }
  return findStateDirOrLink(site);
}

const property = "NextElapseUSecRealtime";

/**
 * Asks systemd when the timer of `systemd/tidemark-export@.timer` for a site elapses next.
 *
 * @param site - an origin; its host is the timer's instance
 * @returns undefined without systemd, without such a timer, or without an answer within two seconds
 */
async function findNextRun(site: string): Promise<NextRun | undefined> {
  const { hostname } = new URL(site);
  if (!/^[a-z0-9][a-z0-9.-]*$/.test(hostname)) return undefined;
  const timer = `tidemark-export@${hostname}.timer`;
  const text = await new Promise<string>((resolve) => {
    execFile(
      "systemctl",
      ["show", timer, `--property=${property}`, "--timestamp=unix", "--no-pager"],
      { timeout: 2000, maxBuffer: 64 * 1024, windowsHide: true },
      (error, stdout) => resolve(error === null ? stdout : ""),
    );
  });
  const atMs = parseNextElapse(text);
  return atMs === undefined ? undefined : { timer, atMs };
}

/** Parses the output of `systemctl show --timestamp=unix` for a timer; a disabled one has no time. */
export function parseNextElapse(text: string): EpochMs | undefined {
  const seconds = new RegExp(`^${property}=@(\\d{1,12})$`, "m").exec(text)?.[1];
  return seconds === undefined || Number(seconds) === 0 ? undefined : Number(seconds) * 1000;
}
