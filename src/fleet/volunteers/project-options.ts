import { randomBytes } from "node:crypto";
import { type Clock, type EpochMs, omitUndefined } from "../../core/index.ts";
import type { WorkResult, WorkUnit } from "../../formats/work-unit/index.ts";
import type { VolunteerStore } from "./volunteer-store.ts";
import type { WorkSource } from "./work-source.ts";

/** What units say, and how results are checked. */
export interface ProjectOptions {
  /** What volunteers send as User-Agent: it says whose crawl it is. */
  readonly userAgent: string;
  /** Least time between two requests to a site. @default 1000 */
  readonly crawlDelayMs?: number | undefined;
  /** Most bytes of a page. @default 4194304 */
  readonly pageBytes?: number | undefined;
  /** Most links that are told of a page. @default 2000 */
  readonly pageLinks?: number | undefined;
  /** From the assignment of a unit to its deadline. @default 3600000 */
  readonly deadlineMs?: number | undefined;
  /** A site's rest after each copy of a unit. @default 15000 */
  readonly restMs?: number | undefined;
  /** Two copies are compared if the second comes so long after the first at most. @default 3600000 */
  readonly slotMs?: number | undefined;
  /** A result that is not checked waits so long at most for the next check of its volunteer. @default 21600000 */
  readonly holdMs?: number | undefined;
  /** Most units that one volunteer has at once. @default 4 */
  readonly maxOut?: number | undefined;
  /** Share of units that the project's own visit looks at, whatever volunteers say. @default 0.01 */
  readonly auditShare?: number | undefined;
  /** Most pages of such a visit. @default 5 */
  readonly auditPages?: number | undefined;
  /** A page is not visited again before. @default 86400000 */
  readonly revisitMs?: number | undefined;
  /** URLs of the project's own pages, on hosts that are no part of the crawl. Default: none. */
  readonly knownPages?: readonly string[] | undefined;
}

const volunteerForm = /^[a-z0-9_-]{1,64}$/;

export function checkVolunteerName(volunteer: string): void {
  if (!volunteerForm.test(volunteer)) throw new TypeError(`not the name of a volunteer: ${JSON.stringify(volunteer)}`);
}

/** What a project runs on. */
export interface ProjectMeans {
  readonly store: VolunteerStore;
  readonly work: WorkSource;
  /** The project's own visit. */
  readonly visit: (unit: WorkUnit) => Promise<WorkResult>;
  readonly clock: Clock;
  /** Sites with units of an earlier run, and until when nobody asks them: kept up to date for who chooses work. Default: nobody wants to know. */
  readonly busyUntil?: Map<string, EpochMs> | undefined;
  /** From 0 to 1. Default: `Math.random`. */
  readonly random?: (() => number) | undefined;
  readonly onEvent?: ((event: ProjectEvent) => void) | undefined;
}

/** What happened to units. */
export type ProjectEvent =
  | { readonly event: "unit-assigned"; readonly unit: string; readonly volunteer: string; readonly site: string }
  | { readonly event: "unit-ended"; readonly site: string; readonly pages: number; readonly links: number }
  | { readonly event: "volunteer-judged"; readonly volunteer: string; readonly verdict: "right" | "wrong" };

/** What a project came to so far. */
export interface ProjectCounts {
  /** Copies that were given out, results that were accepted, and results by what was wrong with them. */
  readonly assigned: number;
  readonly accepted: number;
  readonly refused: number;
  /** Pages that are in the graph, and their links. */
  readonly pages: number;
  readonly links: number;
  /** Links to new sites that only volunteers without a record reported, and that wait. */
  readonly quarantined: number;
  /** Pages that the project's own visits requested. */
  readonly ownPages: number;
}

/** Options with nothing left out. */
export type ProjectSettings = {
  readonly [K in keyof Omit<ProjectOptions, "knownPages" | "userAgent">]-?: number;
} & Pick<ProjectOptions, "userAgent">;

const defaults: Omit<ProjectSettings, "userAgent"> = {
  crawlDelayMs: 1000,
  pageBytes: 4 * 1024 * 1024,
  pageLinks: 2000,
  deadlineMs: 3_600_000,
  restMs: 15_000,
  slotMs: 3_600_000,
  holdMs: 6 * 3_600_000,
  maxOut: 4,
  auditShare: 0.01,
  auditPages: 5,
  revisitMs: 86_400_000,
};

export function settingsOf({ knownPages: _, userAgent, ...given }: ProjectOptions): ProjectSettings {
  return { ...defaults, ...omitUndefined(given), userAgent };
}

/** The unit of some pages of a site, with a nonce of its own. */
export function makeUnit(settings: ProjectSettings, origin: string, paths: readonly string[], now: EpochMs): WorkUnit {
  const { userAgent, crawlDelayMs, pageBytes, pageLinks, deadlineMs } = settings;
  const issuedAt = Math.floor(now / 1000);
  const deadline = Math.max(issuedAt + 1, Math.floor((now + deadlineMs) / 1000));
  return {
    nonce: randomBytes(16).toString("hex"),
    ...{ issuedAt, deadline, origin, userAgent, crawlDelayMs },
    ...{ pageBytes, timeMs: deadlineMs, pageLinks, paths },
  };
}
