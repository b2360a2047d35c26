import { daySeconds } from "./history.ts";

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
