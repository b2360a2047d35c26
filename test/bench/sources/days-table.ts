import { formatTable } from "../../../src/cli/terminal/text-layout.ts";
import type { DayVisit, FollowedDays } from "./run-days.ts";

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/**
 * The look at which a `lastmod` was found out: the first, counted from 1, after which it was believed no more.
 *
 * @param from - the first day on which it lies
 */
export function findLookOfLie(visits: readonly DayVisit[], from: number): number | undefined {
  const at = visits.findIndex(({ trust }, day) => day >= from && (trust === "distrusted" || trust === "false-alarms"));
  return at === -1 ? undefined : at - from + 1;
}

/** Pages missed on the days after the look at which the lie was found out. */
export function countMissedAfter(visits: readonly DayVisit[], from: number, look: number): number {
  return sum(visits.slice(from + look).map(({ missed }) => missed));
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(2);
}

function percent(share: number): string {
  return `${(share * 100).toFixed(3)} %`;
}

const columns = [
  "",
  "first visit",
  "requests",
  "MB",
  "s",
  "a day: requests",
  "MB",
  "s",
  "fresh before",
  "fresh after",
  "missed",
  "left over",
  "lie found",
  "missed after",
];

/** Lines up a row for each who followed. */
export function formatDays(followed: readonly FollowedDays[]): string {
  const rows = followed.map(({ name, visits, liedOn: from }) => {
    const [first, ...days] = visits;
    const mean = (pick: (visit: DayVisit) => number): number => sum(days.map(pick)) / days.length;
    const look = from === undefined ? undefined : findLookOfLie(visits, from);
    return [
      name,
      first === undefined ? "" : percent(first.freshAfter),
      `${first?.requests ?? ""}`,
      megabytes(first?.bytes ?? 0),
      ((first?.wallMs ?? 0) / 1000).toFixed(1),
      mean(({ requests }) => requests).toFixed(1),
      mean(({ bytes }) => bytes / 1e6).toFixed(3),
      mean(({ wallMs }) => wallMs / 1000).toFixed(2),
      percent(mean(({ freshBefore }) => freshBefore)),
      percent(mean(({ freshAfter }) => freshAfter)),
      `${sum(days.map(({ missed }) => missed))}`,
      `${sum(days.map(({ leftOver }) => leftOver))}`,
      from === undefined ? "" : look === undefined ? "never" : `look ${look}`,
      from === undefined || look === undefined ? "" : `${countMissedAfter(visits, from, look)}`,
    ];
  });
  return formatTable([columns, ...rows], `l${"r".repeat(columns.length - 1)}`);
}
