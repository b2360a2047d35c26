import type { HistoryEvent } from "../experiment/ports.ts";

/** Seconds of a day. */
export const daySeconds = 86_400;

/** A UTC day of a history, and what is left of its events: of each path the last. */
export interface HistoryDay {
  /** Days since 1970. */
  readonly day: number;
  readonly events: readonly HistoryEvent[];
}

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
export function cutDays(events: readonly HistoryEvent[], count: number): HistoryDay[] {
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
