import { open, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { EpochMs } from "../../core/index.ts";
import { writeDurably } from "../../fs/index.ts";

/** File name of what the last run left to say, in the state folder. */
export const lastRunFileName = "last-run.json";
/** Most troubles of one run that are kept. */
export const maxTroubles = 20;
/** Longest text that is kept of a message, in characters. */
export const maxMessageLength = 500;
const maxFileBytes = 256 * 1024;
const version = 1;

/** One warning, or one file that failed. */
export interface RunTrouble {
  readonly kind: "warning" | "item-error";
  readonly code: string;
  readonly message: string;
  readonly path?: string;
}

/** What the last run of a site's exporter came to, also if it failed. Plain JSON, bounded. */
export interface LastRun {
  readonly site: string;
  readonly docroot: string;
  readonly robotsDir: string;
  /** Whether it was a run of its own, or a publication of a process that watches. */
  readonly kind: "export" | "watch";
  readonly startedMs: EpochMs;
  readonly endedMs: EpochMs;
  readonly outcome: "published" | "unchanged" | "failed";
  /** What stopped it, if it failed. */
  readonly error?: { readonly code: string; readonly message: string; readonly hint?: string };
  /** When a run ended well for the last time. */
  readonly succeededMs?: EpochMs;
  readonly segmentSize: number;
  readonly created: number;
  readonly updated: number;
  readonly deleted: number;
  readonly withheld: number;
  readonly errors: number;
  readonly warnings: number;
  /** The first {@link maxTroubles} of its errors and warnings. */
  readonly troubles: readonly RunTrouble[];
}

/** Reads what the last run left; undefined if there is nothing that can be read. */
export async function readLastRun(stateDir: string): Promise<LastRun | undefined> {
  try {
    const handle = await open(join(stateDir, lastRunFileName));
    try {
      if ((await handle.stat()).size > maxFileBytes) return undefined;
      const { version: written, ...run } = JSON.parse(await readFile(handle, "utf8")) as Readonly<
        Record<string, unknown>
      >;
      return written === version && isLastRun(run) ? run : undefined;
    } finally {
      await handle.close();
    }
  } catch {
    return undefined;
  }
}

/** Replaces what the run before left, durably. @throws TidemarkError if the folder cannot be written */
export async function writeLastRun(stateDir: string, run: LastRun): Promise<void> {
  const text = JSON.stringify({ version, ...run });
  await writeDurably(join(stateDir, lastRunFileName), Buffer.from(`${text}\n`), { mode: 0o600 });
}

const numbers = [
  "startedMs",
  "endedMs",
  "segmentSize",
  "created",
  "updated",
  "deleted",
  "withheld",
  "errors",
  "warnings",
];
const texts = ["site", "docroot", "robotsDir"];
const words: Readonly<Record<string, readonly unknown[]>> = {
  kind: ["export", "watch"],
  outcome: ["published", "unchanged", "failed"],
};

// It lies in our own folder; still, what is damaged must not become a NaN in somebody's monitoring.
function isLastRun(value: unknown): value is LastRun {
  const run = value as Readonly<Record<string, unknown>>;
  return (
    numbers.every((key) => Number.isSafeInteger(run[key])) &&
    texts.every((key) => typeof run[key] === "string") &&
    Object.entries(words).every(([key, known]) => known.includes(run[key])) &&
    (run.succeededMs === undefined || Number.isSafeInteger(run.succeededMs)) &&
    (run.error === undefined || isTrouble(run.error)) &&
    Array.isArray(run.troubles) &&
    run.troubles.length <= maxTroubles &&
    run.troubles.every(isTrouble)
  );
}

function isTrouble(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { code, message } = value as Readonly<Record<string, unknown>>;
  return typeof code === "string" && typeof message === "string";
}
