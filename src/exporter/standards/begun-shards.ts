import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { writeDurably } from "../../fs/index.ts";

/** Of shards that are being written, in the state folder; it is there only until all of them are. */
export const begunFileName = "standards-begun.json";
const maxBegunBytes = 64 * 1024 * 1024;

/** Pages from a path to before another. */
export interface PathRange {
  /** Empty: from the first page on. */
  readonly start: string;
  /** Undefined: to the last page. */
  readonly end: string | undefined;
}

/** What the documents of shards may hold, by the boundaries that name them; see {@link rangesOf}. */
export type ShardRanges = ReadonlyMap<string, PathRange>;

/** The ranges of shards that are in path order. */
export function rangesOf(shards: readonly { readonly from: string }[]): Map<string, PathRange> {
  return new Map(
    shards.map(({ from }, at) => [from, { start: at === 0 ? "" : from, end: shards[at + 1]?.from }] as const),
  );
}

/** The least range that has all pages of two that share a page, or of the one that there is. */
export function joinRanges(a: PathRange, b: PathRange | undefined): PathRange {
  if (b === undefined) return a;
  const start = a.start < b.start ? a.start : b.start;
  return { start, end: a.end === undefined || b.end === undefined ? undefined : a.end > b.end ? a.end : b.end };
}

/** Whether two ranges are the same. */
export function isSameRange(a: PathRange, b: PathRange): boolean {
  return a.start === b.start && a.end === b.end;
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
