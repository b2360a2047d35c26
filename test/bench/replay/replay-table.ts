import type { ReplayResult } from "./replay-history.ts";
import type { Visitor } from "./visitor.ts";

/** Most bytes of index and robots.txt that a daily visit should cost on average. */
export const mutableBytesBound = 3000;
/** Most intervals that should be published at once. */
export const intervalsBound = 150;

const columns = [
  "visitor",
  "visits",
  "changed",
  "archives B",
  "floor B",
  "ratio",
  "bound",
  "literal",
  "index B",
  "robots B",
  "requests",
] as const;

function formatRow(cells: readonly string[]): string {
  return `${cells.map((cell, at) => (at === 0 ? cell.padEnd(8) : cell.padStart(10))).join(" ")}\n`;
}

function visitorRow({ rhythm, sums }: Visitor): string {
  const mean = (sum: number): string => (sum / sums.visits).toFixed(1);
  const ratio = (bytes: number): string => (bytes / sums.floorBytes).toFixed(3);
  return formatRow([
    rhythm.name,
    `${sums.visits}`,
    `${sums.changedVisits}`,
    mean(sums.archiveBytes),
    mean(sums.floorBytes),
    ratio(sums.archiveBytes),
    `${rhythm.bound}`,
    ratio(sums.literalBytes),
    mean(sums.indexBytes),
    mean(sums.robotsBytes),
    (sums.requests / sums.visits).toFixed(2),
  ]);
}

/** The bounds that a replay misses, in words; none if it keeps them all. */
export function findMissedBounds(result: ReplayResult): string[] {
  const missed: string[] = [];
  for (const { rhythm, sums } of result.visitors) {
    const ratio = sums.archiveBytes / sums.floorBytes;
    if (ratio > rhythm.bound) missed.push(`${rhythm.name}: ${ratio.toFixed(3)} times the floor, not ${rhythm.bound}`);
    const mutable = (sums.indexBytes + sums.robotsBytes) / sums.visits;
    if (rhythm.everyDays === 1 && mutable > mutableBytesBound)
      missed.push(`${rhythm.name}: ${mutable.toFixed(0)} bytes of index and robots.txt, not ${mutableBytesBound}`);
    if (sums.baseReadings > 0) missed.push(`${rhythm.name}: the base was read again ${sums.baseReadings} times`);
  }
  if (result.mostIntervals > intervalsBound)
    missed.push(`${result.mostIntervals} intervals at once, not ${intervalsBound}`);
  return missed;
}

/** Writes what a replay came to. Bytes and requests are means of all visits, changed or not; ratios are of sums. */
export function formatReplay(result: ReplayResult): string {
  const { name, days, publications, changes, firstPages, lastPages, withheld, skippedEvents } = result;
  let text = `${name}: ${days} days, ${publications} publications of ${changes} changes, `;
  text += `${firstPages} pages at first, ${lastPages} at last; ${withheld} files are withheld`;
  if (skippedEvents > 0) text += `; ${skippedEvents} events of names that no file can have were left out`;
  text += `\n${formatRow(columns)}${result.visitors.map(visitorRow).join("")}`;
  text += `at once at most ${result.mostIntervals} intervals, ${result.mostArchives} archives with the base's; `;
  text += `${result.newBases} new bases\n`;
  const missed = findMissedBounds(result);
  return `${text}${missed.length === 0 ? "all bounds kept" : `MISSED: ${missed.join("; ")}`}\n`;
}
