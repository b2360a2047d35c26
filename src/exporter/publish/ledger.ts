import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { type EpochMs, type EpochSeconds, TidemarkError, wrapSystemError } from "../../core/index.ts";
import type { ArchiveEntry } from "../../formats/archive/index.ts";
import { writeDurably } from "../../fs/index.ts";

/** An archive of a tier, with its place in the order of paths. */
export interface SegmentArchive extends ArchiveEntry {
  /** Number of its segment in the interval, from 0: all paths of a segment are below those of the next. */
  readonly segment: number;
}

/** The changes between two publications, published as archives. */
export interface Interval {
  /** 0 for the changes of one publication; a merger of two intervals of tier n is of tier n + 1. */
  readonly tier: number;
  readonly from: EpochSeconds;
  readonly to: EpochSeconds;
  readonly archives: readonly SegmentArchive[];
  /** Whether it was merged into an interval of the next tier already. */
  readonly merged: boolean;
}

/** The whole site at one publication. */
export interface Base {
  readonly publication: EpochSeconds;
  /** The immutable list of its archives. */
  readonly list: ArchiveEntry;
  /** How many archives it has. */
  readonly archives: number;
  /** Names of its newest archives, for robots.txt. */
  readonly announced: readonly string[];
}

/** A file that nothing lists any more and that is kept for readers on their way. */
export interface Retired {
  readonly name: string;
  /** Publications since it was listed last. */
  readonly publications: number;
  readonly since: EpochMs;
}

/** A file of remembered pages in the state folder. */
export interface PageFile {
  readonly name: string;
  /** Pages that it says something of. */
  readonly records: number;
}

/** What the ledger remembers of server-side includes. */
export interface IncludeMemory {
  /** The mode in which all pages were searched. */
  readonly mode: string;
  /** Encoded folders of the files that pages include, sorted; `*` alone if there are too many. */
  readonly folders: readonly string[];
}

/** All that an exporter knows beside the pages. Immutable; each run that changes something writes the next. */
export interface Ledger {
  readonly site: string;
  readonly epoch: string;
  readonly publication: EpochSeconds;
  readonly pages: number;
  readonly base: Base;
  /** Oldest first; of one end, lower tiers first. */
  readonly intervals: readonly Interval[];
  /** Lines of change that were published after the base. */
  readonly changesSinceBase: number;
  readonly retired: readonly Retired[];
  /** Options that listed pages which are no files; none if it is not there. */
  readonly lists?: readonly string[];
  /** Where server-side includes were looked for, and what was found; not there if they were not looked for. */
  readonly includes?: IncludeMemory;
  /** What is remembered of pages: a list of all of them, and later ones of what became of some. Oldest first. */
  readonly pageFiles: readonly PageFile[];
}

/** File name of the ledger in the state folder. Its rename is the moment at which a publication is decided. */
export const ledgerFileName = "ledger.json.gz";
/** Version of the state's format; an older program refuses a newer state. */
const stateVersion = 2;
/** Since version 2, lists of pages may say what a page includes. */
const oldestVersion = 1;

/** Reads the ledger; undefined if there is none. @throws TidemarkError `state-corrupt`, `state-version` */
export async function readLedger(folder: string): Promise<Ledger | undefined> {
  const path = join(folder, ledgerFileName);
  let packed: Buffer;
  try {
    packed = await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw wrapSystemError(error, `read ${path}`, { path });
  }
  let document: { version?: unknown; ledger?: Ledger };
  try {
    document = JSON.parse(gunzipSync(packed).toString("utf8")) ?? {};
  } catch (error) {
    throw stateCorrupt("exporter's state", path, error);
  }
  if (typeof document.version === "number" && document.version > stateVersion) {
    throw new TidemarkError(
      "state-version",
      `${path} was written by a newer Tidemark (state version ${document.version}).`,
      {
        hint: "Use that version, or move the state folder away to begin a new epoch.",
        details: { path, version: document.version },
      },
    );
  }
  const { ledger } = document;
  if (typeof document.version !== "number" || document.version < oldestVersion)
    throw stateCorrupt(
      "exporter's state",
      path,
      new TypeError(`it is of version ${document.version}, not ${stateVersion}`),
    );
  if (!isLedger(ledger)) throw stateCorrupt("exporter's state", path, new TypeError("fields are missing"));
  return ledger;
}

/** Writes the ledger: what it says is decided from here on. The folder is still to be synced. */
export async function writeLedger(folder: string, ledger: Ledger): Promise<void> {
  const text = JSON.stringify({ version: stateVersion, ledger });
  await writeDurably(join(folder, ledgerFileName), gzipSync(text, { level: 6 }), { mode: 0o600 });
}

// It is our own file, guarded by gzip's checksum: this tells a foreign file from ours, no more.
function isLedger(value: unknown): value is Ledger {
  if (typeof value !== "object" || value === null) return false;
  const ledger = value as Partial<Ledger>;
  return (
    typeof ledger.epoch === "string" &&
    typeof ledger.site === "string" &&
    Array.isArray(ledger.pageFiles) &&
    Number.isSafeInteger(ledger.publication) &&
    Number.isSafeInteger(ledger.pages) &&
    Number.isSafeInteger(ledger.changesSinceBase) &&
    Array.isArray(ledger.intervals) &&
    Array.isArray(ledger.retired) &&
    typeof ledger.base === "object" &&
    ledger.base !== null
  );
}

/** A file of the state that cannot be read. @param what - which file: `exporter's state` */
export function stateCorrupt(what: string, path: string, cause: unknown): TidemarkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TidemarkError("state-corrupt", `The ${what} ${path} cannot be read: ${why}.`, {
    hint: "Move the state folder away; the next export begins a new epoch.",
    details: { path },
    cause,
  });
}

/** The lists of a run. */
export interface ListGuardOptions {
  /** Options of this run that list pages without a file. */
  readonly lists?: readonly string[];
  /** Whether lists of earlier runs may be left out, and their pages deleted. */
  readonly allowFewerLists?: boolean;
}

/**
 * Refuses a run that leaves out a list which the last one had: all pages that only it names would be deleted,
 * by an option that somebody forgot.
 *
 * @throws TidemarkError `bad-option`
 */
export function refuseFewerLists(ledger: Ledger, { lists = [], allowFewerLists = false }: ListGuardOptions): void {
  const missing = (ledger.lists ?? []).filter((list) => !lists.includes(list));
  if (missing.length === 0 || allowFewerLists) return;
  throw new TidemarkError(
    "bad-option",
    `The last export had ${missing.join(" and ")}; without, the pages that stand only there would be deleted. ` +
      "Nothing was changed.",
    { hint: `Say ${missing.join(" and ")} again, or --allow-fewer-lists if they are to go.`, details: { missing } },
  );
}
