import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import type { EpochSeconds } from "../../../src/model/index.ts";

/** Seconds of a day. */
export const daySeconds = 86_400;

/** What happened to one file of a site. */
export interface HistoryEvent {
  /** Never earlier than that of the event before. */
  readonly time: EpochSeconds;
  /** Relative to the site's root, one character a byte. */
  readonly path: string;
  /** Size afterwards; 0 where it is not known; undefined if the file was deleted. */
  readonly sizeBytes: number | undefined;
}

/** A site's changes, oldest first. */
export interface History {
  readonly name: string;
  readonly events: readonly HistoryEvent[];
}

/** A UTC day of a history, and what is left of its events: of each path the last. */
export interface HistoryDay {
  /** Days since 1970. */
  readonly day: number;
  readonly events: readonly HistoryEvent[];
}

const line = /^(-?\d+)\t([AMD])\t(\d+)\t(.+)$/;

/**
 * Reads a history: a gzip'd line an event, of seconds since 1970, `A`, `M` or `D`, size and path, TAB between.
 * Clocks of those who committed differ by minutes; the order of the lines is the order of the events.
 */
export async function readHistory(file: string, name: string): Promise<History> {
  const events: HistoryEvent[] = [];
  let time = 0;
  const addLine = (text: string): void => {
    if (text.startsWith("#") || text === "") return;
    const [, seconds, kind, size, path = ""] = line.exec(text) ?? [];
    if (kind === undefined) throw new Error(`${file}: not an event: ${text.slice(0, 200)}`);
    time = Math.max(time, Number(seconds));
    events.push({ time, path, sizeBytes: kind === "D" ? undefined : Number(size) });
  };
  const unpacked = await unpack(await readFile(file), { maxOutputLength: maxHistoryBytes });
  for (const text of unpacked.toString("latin1").split("\n")) addLine(text);
  if (events.length === 0) throw new Error(`${file} holds no event`);
  return { name, events };
}

const unpack = promisify(gunzip);
/** A history of ten million events; what is longer is no history of a site's. */
const maxHistoryBytes = 512 * 1024 * 1024;

/** Of each path the last event, in the order of the events. */
function lastOfEachPath(events: readonly HistoryEvent[]): HistoryEvent[] {
  const last = new Map<string, HistoryEvent>();
  for (const event of events) {
    last.delete(event.path);
    last.set(event.path, event);
  }
  return [...last.values()];
}

/**
 * Cuts a history into days. The first holds all that happened before the others, and is dated by the last
 * event in it.
 *
 * @param count - days after the first, the last of which is the day of the history's last event; fewer if the
 *   history is shorter
 */
export function cutDays(history: History, count: number): HistoryDay[] {
  const { events } = history;
  const dayOf = (event: HistoryEvent | undefined): number => Math.floor((event?.time ?? 0) / daySeconds);
  const end = dayOf(events.at(-1));
  const start = Math.max(end - count, dayOf(events[0]));
  const days: HistoryDay[] = [];
  let at = 0;
  for (let day = start; day <= end; day++) {
    const from = at;
    while (at < events.length && dayOf(events[at]) <= day) at++;
    days.push({ day, events: lastOfEachPath(events.slice(from, at)) });
  }
  return days;
}
