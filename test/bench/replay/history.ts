import { cutDays as cutEvents, type HistoryDay } from "../../../lab/brandman/history-days.ts";
import type { HistoryEvent } from "../../../lab/experiment/ports.ts";
import { readHistory as readEvents } from "../../../lab/program/lab-history.ts";

export { daySeconds, type HistoryDay } from "../../../lab/brandman/history-days.ts";
export type { HistoryEvent } from "../../../lab/experiment/ports.ts";

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
