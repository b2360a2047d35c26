import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import type { EpochSeconds } from "../../core/index.ts";
import { writeDurably } from "../../fs/index.ts";
import type { Retired } from "../publish/ledger.ts";
import { isListName } from "./list-folder.ts";

const gzipAsync = promisify(gzip);
const gunzipAsync = promisify(gunzip);

/** Of what is remembered of sitemaps and ResourceSync, in the state folder. */
export const standardsFileName = "standards.json.gz";
const stateVersion = 1;
const maxStateBytes = 256 * 1024 * 1024;
/** Of shards that are being written, in the state folder; it is there only until all of them are. */
export const begunFileName = "standards-begun.json";
const maxBegunBytes = 64 * 1024 * 1024;

/** Pages that share a sitemap, and a resource list; the list of them, in path order, is the whole memory of a site's. */
export interface PublishedShard {
  /**
   * The shard holds every page from this path to before the next shard's; the first holds those before it too. It
   * may have become the path of no page.
   */
  readonly from: string;
  /** Number of pages in it, at least 1. */
  readonly pages: number;
  /** The newest last-modified in it: the shard's own in the sitemap index. */
  readonly lastModified: EpochSeconds;
  /** Of the document's bytes; what the exporter found when it wrote them. */
  readonly digest: string;
  /** The publication at which its documents were written last: the resource list's `at`. */
  readonly at: EpochSeconds;
}

/** A list of changes of one day of UTC, or a part of one. */
export interface ChangeListPart {
  readonly name: string;
  readonly from: EpochSeconds;
  /** Undefined while it is open: it is written again at the next publication then. */
  readonly until: EpochSeconds | undefined;
  readonly entries: number;
  /** Of the document's bytes. */
  readonly digest: string;
}

/** A ZIP package of a dump. */
export interface PublishedPackage {
  readonly name: string;
  readonly from: EpochSeconds;
  readonly until: EpochSeconds;
  readonly sizeBytes: number;
}

/** A dump of all pages, written when it was asked for. */
export interface PublishedResourceDump {
  readonly at: EpochSeconds;
  readonly completed: EpochSeconds;
  readonly packages: readonly PublishedPackage[];
}

/** What is published of ResourceSync beside the resource list. */
export interface PublishedResourceSync {
  /** Oldest first; the last one is open. */
  readonly changeLists: readonly ChangeListPart[];
  /** Oldest first. */
  readonly changeDumps: readonly PublishedPackage[];
  readonly resourceDump: PublishedResourceDump | undefined;
}

/** Pages from a path to before another. */
export interface PathRange {
  /** Empty: from the first page on. */
  readonly start: string;
  /** Undefined: to the last page. */
  readonly end: string | undefined;
}

/** What the documents of shards may hold, by the boundaries that name them; see `rangesOf`. */
export type ShardRanges = ReadonlyMap<string, PathRange>;

/** What sitemaps and ResourceSync say now. Immutable; each run that changes something writes the next. */
export interface StandardsState {
  readonly epoch: string;
  /** They say what the ledger of this publication says. */
  readonly publication: EpochSeconds;
  readonly hasSitemap: boolean;
  readonly resourceSync: PublishedResourceSync | undefined;
  readonly shards: readonly PublishedShard[];
  /** Names of all files that are listed somewhere. */
  readonly listed: readonly string[];
  readonly retired: readonly Retired[];
}

/**
 * Reads the state.
 *
 * @param onUnusable - is told why one that is there is not used
 * @returns undefined if there is none that can be used: all of it can be made anew from the pages
 */
export async function readStandardsState(
  folder: string,
  onUnusable: (message: string) => void,
): Promise<StandardsState | undefined> {
  const path = join(folder, standardsFileName);
  try {
    const packed = await readFile(path);
    const text = (await gunzipAsync(packed, { maxOutputLength: maxStateBytes })).toString("utf8");
    const { version, state } = JSON.parse(text) as { version?: unknown; state?: unknown };
    if (version !== stateVersion) throw new RangeError(`it is of version ${version}, not ${stateVersion}`);
    if (!isStandardsState(state)) throw new RangeError("it has an invalid format");
    return state;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
      onUnusable(`What is remembered of sitemaps and ResourceSync, ${path}, is not used: ${(error as Error).message}.`);
    return undefined;
  }
}

/** Writes the state: sitemaps and ResourceSync are published once it is there. */
export async function writeStandardsState(folder: string, state: StandardsState): Promise<void> {
  const packed = await gzipAsync(JSON.stringify({ version: stateVersion, state }), { level: 6 });
  await writeDurably(join(folder, standardsFileName), packed, { mode: 0o600 });
}

/**
 * Reads which shards earlier runs began to write that did not end.
 *
 * @returns undefined if a file is there that cannot be understood
 */
export async function readBegunShards(stateDir: string): Promise<ShardRanges | undefined> {
  try {
    const content = await readFile(join(stateDir, begunFileName));
    if (content.length > maxBegunBytes) return undefined;
    const lines: unknown = JSON.parse(content.toString("utf8"));
    if (!Array.isArray(lines) || !lines.every(isLine)) return undefined;
    return new Map(lines.map(({ from, start, end }) => [from, { start, end }] as const));
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? new Map() : undefined;
  }
}

function isLine(value: unknown): value is PathRange & { readonly from: string } {
  if (typeof value !== "object" || value === null) return false;
  const { from, start, end } = value as Readonly<Record<string, unknown>>;
  const isEnd = end === undefined || (typeof end === "string" && end > String(from));
  return typeof from === "string" && (start === "" || start === from) && isEnd;
}

/** Writes which shards are other, from now on, than what the state says of them. */
export async function writeBegunShards(stateDir: string, shards: ShardRanges): Promise<void> {
  const lines = [...shards].map(([from, { start, end }]) => ({ from, start, end }));
  await writeDurably(join(stateDir, begunFileName), Buffer.from(JSON.stringify(lines)), { mode: 0o600 });
}

/** Says that all shards are what the state says of them. */
export async function endBegunShards(stateDir: string): Promise<void> {
  await rm(join(stateDir, begunFileName), { force: true });
}

type Fields = Readonly<Record<string, unknown>>;
type Form = (value: unknown) => boolean;

const text: Form = (value) => typeof value === "string";
const count: Form = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const name: Form = (value) => typeof value === "string" && isListName(value);
const listOf =
  (form: Form): Form =>
  (value) =>
    Array.isArray(value) && value.every(form);
const optional =
  (form: Form): Form =>
  (value) =>
    value === undefined || form(value);
const fields =
  (forms: Readonly<Record<string, Form>>): Form =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries(forms).every(([key, form]) => form((value as Fields)[key]));

const dumpPackage = fields({ name, from: count, until: count, sizeBytes: count });

const standardsState = fields({
  epoch: text,
  publication: count,
  hasSitemap: (value) => typeof value === "boolean",
  resourceSync: optional(
    fields({
      changeLists: listOf(fields({ name, from: count, until: optional(count), entries: count, digest: text })),
      changeDumps: listOf(dumpPackage),
      resourceDump: optional(fields({ at: count, completed: count, packages: listOf(dumpPackage) })),
    }),
  ),
  shards: listOf(fields({ from: text, pages: count, lastModified: count, digest: text, at: count })),
  listed: listOf(name),
  retired: listOf(fields({ name, publications: count, since: (value) => Number.isFinite(value) })),
});

/** Whether what was read is a state: one that is not would stop each run at the same place. */
function isStandardsState(value: unknown): value is StandardsState {
  return standardsState(value);
}
