import { join } from "node:path";
import { syncFolder, writeDurably } from "../export/index.ts";
import type { Cursor, EpochMs } from "../model/index.ts";
import { readBeginning } from "./bounded-file.ts";

/** URLs that were read from the archives and are being told. */
export interface Backlog {
  /** Where they lead to. */
  readonly to: Cursor;
  /** Name of their file. */
  readonly file: string;
  readonly sizeBytes: number;
  readonly urls: number;
  /** Of the file, this much has been told or refused. */
  readonly doneBytes: number;
  readonly doneUrls: number;
}

/** How far search engines have been told. */
export interface Position {
  /** Everything until here has been told or refused. */
  readonly cursor: Cursor;
  readonly backlog?: Backlog;
  /** Runs in a row that ended in trouble. */
  readonly failedRuns: number;
  /** Which endpoint is not asked before what time. */
  readonly pause?: { readonly endpoint: string; readonly until: EpochMs };
}

const positionFileName = "position.json";
const maxPositionBytes = 16 * 1024;
const backlogName = /^urls-[0-9a-f]{16}\.txt$/;
const epochForm = /^[A-Za-z0-9_-]{8,64}$/;

/** Whether a file's name is one of a backlog. */
export function isBacklogName(name: string): boolean {
  return backlogName.test(name);
}

/** Reads the position; undefined if there is none yet, "corrupt" if the file holds something else. */
export async function readPosition(folder: string): Promise<Position | "corrupt" | undefined> {
  const text = await readBeginning(join(folder, positionFileName), maxPositionBytes);
  return text === undefined ? undefined : (parsePosition(text) ?? "corrupt");
}

/** Replaces the position: the old one or the new one is there, whatever happens. */
export async function writePosition(folder: string, position: Position): Promise<void> {
  const text = `${JSON.stringify({ version: 1, ...position })}\n`;
  await writeDurably(join(folder, positionFileName), Buffer.from(text), { mode: 0o600 });
  await syncFolder(folder);
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

/** Reads a cursor out of what JSON gave. */
export function parseCursor(value: unknown): Cursor | undefined {
  if (!isFields(value)) return undefined;
  const { epoch, publication } = value;
  return typeof epoch === "string" && epochForm.test(epoch) && isCount(publication)
    ? { epoch, publication }
    : undefined;
}

function parseBacklog(value: unknown): Backlog | undefined {
  if (!isFields(value)) return undefined;
  const { file, sizeBytes, urls, doneBytes, doneUrls } = value;
  const to = parseCursor(value.to);
  if (to === undefined || typeof file !== "string" || !isBacklogName(file)) return undefined;
  if (!isCount(sizeBytes) || !isCount(urls) || !isCount(doneBytes) || !isCount(doneUrls)) return undefined;
  return doneBytes < sizeBytes && doneUrls < urls ? { to, file, sizeBytes, urls, doneBytes, doneUrls } : undefined;
}

function parsePosition(text: string): Position | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isFields(value) || value.version !== 1) return undefined;
  const cursor = parseCursor(value.cursor);
  const { failedRuns, pause } = value;
  if (cursor === undefined || !isCount(failedRuns)) return undefined;
  // What is wrong with the rest costs only that it is read or asked again.
  const backlog = parseBacklog(value.backlog);
  const isPause = isFields(pause) && typeof pause.endpoint === "string" && isCount(pause.until);
  return {
    cursor,
    failedRuns,
    ...(backlog === undefined ? {} : { backlog }),
    ...(isPause ? { pause: { endpoint: pause.endpoint as string, until: pause.until as number } } : {}),
  };
}
