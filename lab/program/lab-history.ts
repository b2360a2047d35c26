import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../../src/core/error.ts";
import type { HistoryEvent } from "../experiment/ports.ts";

const unpack = promisify(gunzip);
/** A history of ten million events; what is longer is no history of a site's. */
const maxHistoryBytes = 512 * 1024 * 1024;
const line = /^(-?\d{1,15})\t([AMD])\t(\d{1,15})\t(.+)$/;

/**
 * Reads a site's changes: a gzip'd line an event, of seconds since 1970, `A`, `M` or `D`, size in bytes and path, TAB between. Lines
 * that begin with `#` are remarks. Clocks of those who committed differ by minutes; the order of the lines is the order of the
 * events.
 *
 * @throws TidemarkError `not-found`; `bad-option` for what is no history
 */
export async function readHistory(file: string): Promise<HistoryEvent[]> {
  const packed = await readFile(file).catch((error: unknown) => {
    throw wrapSystemError(error, `read the history ${file}`, { file });
  });
  const unpacked = await unpack(packed, { maxOutputLength: maxHistoryBytes }).catch((cause: unknown) => {
    throw new TidemarkError("bad-option", `${file} is no gzip file of a size that a history has.`, { cause });
  });
  const events: HistoryEvent[] = [];
  let time = 0;
  for (const text of unpacked.toString("latin1").split("\n")) {
    if (text.startsWith("#") || text === "") continue;
    const [, seconds, kind, size, path = ""] = line.exec(text) ?? [];
    if (kind === undefined) throw new TidemarkError("bad-option", `${file}: not an event: ${text.slice(0, 200)}`);
    time = Math.max(time, Number(seconds));
    events.push({ time, path, sizeBytes: kind === "D" ? undefined : Number(size) });
  }
  if (events.length === 0) throw new TidemarkError("bad-option", `${file} holds no event.`);
  return events;
}
