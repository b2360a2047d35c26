import { cutDays as cutEvents, daySeconds, type HistoryDay } from "../../../lab/brandman/history-days.ts";
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

/** Four years with their leap day: a shift by whole spans keeps days of months where they were. */
const spanDays = 1461;

/**
 * Days to add to a history so that it lies ahead of the system's clock. The exporter looks twice at files whose
 * inode changed after its scan began: with its clock in the past, that would be every file on every day.
 *
 * @param firstDay - in days since 1970
 */
export function findShiftDays(firstDay: number): number {
  const today = Math.floor(Date.now() / 1000 / daySeconds);
  return Math.max(0, Math.ceil((today + 2 - firstDay) / spanDays)) * spanDays;
}
