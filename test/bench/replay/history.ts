import { cutDays as cutEvents, type HistoryDay } from "../../../src/lab/history-days.ts";
import type { HistoryEvent } from "../../../src/lab/index.ts";
import { readHistory as readEvents } from "../../../src/lab-history.ts";

export { daySeconds, type HistoryDay } from "../../../src/lab/history-days.ts";
export type { HistoryEvent } from "../../../src/lab/index.ts";

/** A site's changes, oldest first. */
export interface History {
  readonly name: string;
  readonly events: readonly HistoryEvent[];
}

/** Reads a history. */
export async function readHistory(file: string, name: string): Promise<History> {
  return { name, events: await readEvents(file) };
}

/** Cuts a history into days; see the lab's own. */
export function cutDays(history: History, count: number): HistoryDay[] {
  return cutEvents(history.events, count);
}
