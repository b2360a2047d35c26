import { constants } from "node:fs";
import { type FileHandle, open, rename } from "node:fs/promises";
import { join } from "node:path";
import { syncFolder } from "../export/index.ts";
import { type Cursor, type EpochSeconds, fetchFailures, wrapSystemError } from "../model/index.ts";
import { readBeginning, readFully } from "./bounded-file.ts";
import { parseCursor } from "./position-file.ts";

/** What a call to an IndexNow endpoint came to. */
export const callResults = ["begun", "told", "refused", "again"] as const;

/** One line of the record of what search engines were told. */
export interface CallRecord {
  /** ISO 8601, UTC. */
  readonly time: string;
  /** `begun` is no call: it says from where on changes are told. `again` will be repeated. */
  readonly result: (typeof callResults)[number];
  readonly endpoint: string;
  /** What the endpoint answered, or why there is no answer; absent for `begun`. */
  readonly status?: number | string;
  /** Number of URLs. */
  readonly urls: number;
  /** The publication that the URLs lead to. */
  readonly publication: EpochSeconds;
  /** Everything until here had been told or refused before. */
  readonly after: Cursor;
  /** The first of URLs that were refused. */
  readonly firstUrl?: string;
}

const fileName = "calls.jsonl";
const olderFileName = "calls-older.jsonl";
/** The log and the older one have at most this many bytes each. */
export const maxLogBytes: number = 256 * 1024;

/** Adds a line, durably. A line that a crash left torn is ended first. */
export async function appendCall(folder: string, record: CallRecord): Promise<void> {
  const path = join(folder, fileName);
  let handle: FileHandle | undefined;
  try {
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
    const line = `${JSON.stringify(record)}\n`;
    handle = await open(path, flags, 0o600);
    let { size } = await handle.stat();
    if (size > 0 && size + line.length + 1 > maxLogBytes) {
      await rename(path, join(folder, olderFileName));
      await handle.close();
      handle = await open(path, flags, 0o600);
      size = 0;
    }
    const last = Buffer.alloc(1);
    const isTorn = size > 0 && (await readFully(handle, last, size - 1)) === 1 && last[0] !== 0x0a;
    await handle.writeFile(isTorn ? `\n${line}` : line);
    await handle.sync();
    if (size === 0) await syncFolder(folder);
  } catch (error) {
    throw wrapSystemError(error, `write ${path}`, { path });
  } finally {
    await handle?.close();
  }
}

/**
 * The record of what search engines were told, the oldest first. Lines that make no sense are passed over.
 *
 * @param folder - where the teller remembers; need not be there
 */
export async function readCalls(folder: string): Promise<CallRecord[]> {
  const texts = [olderFileName, fileName].map((name) => readBeginning(join(folder, name), maxLogBytes));
  const records: CallRecord[] = [];
  for (const text of await Promise.all(texts)) {
    for (const line of text?.split("\n") ?? []) {
      const record = parseRecord(line);
      if (record !== undefined) records.push(record);
    }
  }
  return records;
}

function parseRecord(line: string): CallRecord | undefined {
  let value: Readonly<Record<string, unknown>>;
  try {
    value = JSON.parse(line) ?? {};
  } catch {
    return undefined;
  }
  const { time, endpoint, urls, publication, status, firstUrl } = value;
  const result = callResults.find((known) => known === value.result);
  const after = parseCursor(value.after);
  const isStatus = typeof status === "number" || fetchFailures.some((known) => known === status);
  if (result === undefined || after === undefined || typeof time !== "string" || Number.isNaN(Date.parse(time))) return;
  if (typeof endpoint !== "string" || !isCount(urls) || !isCount(publication)) return undefined;
  const refused = typeof firstUrl === "string" ? { firstUrl } : {};
  return {
    time,
    result,
    endpoint,
    ...(isStatus ? { status } : {}),
    urls,
    publication,
    after,
    ...refused,
  } as CallRecord;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
