import { type Change, composeChanges, type ExportEvent, TidemarkError } from "../../core/index.ts";
import { compareChangesByPath } from "../../formats/archive/index.ts";
import type { ArchiveFolder } from "./archive-files.ts";
import type { Interval } from "./ledger.ts";
import { type PartitionOptions, SegmentWriter } from "./segment-writer.ts";
import { compareIntervals, countChanges, planMerge } from "./tiers.ts";
import type { Yielder } from "./yielder.ts";

/** Reads an interval's changes in path order, a segment at a time. */
export async function* readInterval(folder: ArchiveFolder, interval: Interval): AsyncGenerator<Change[]> {
  const segments = new Map<number, Interval["archives"][number][]>();
  for (const archive of interval.archives) {
    const segment = segments.get(archive.segment);
    if (segment === undefined) segments.set(archive.segment, [archive]);
    else segment.push(archive);
  }
  for (const number of [...segments.keys()].sort((a, b) => a - b)) {
    const groups = await Promise.all((segments.get(number) ?? []).map((archive) => folder.read(archive.name)));
    yield groups.flat().sort(compareChangesByPath);
  }
}

/** Steps through an interval's changes one by one, without a promise for each. */
class ChangeReader {
  readonly #segments: AsyncGenerator<Change[]>;
  #segment: Change[] = [];
  #at = 0;

  constructor(segments: AsyncGenerator<Change[]>) {
    this.#segments = segments;
  }

  get head(): Change | undefined {
    return this.#segment[this.#at];
  }

  /** Goes to the next change. @returns whether {@link fill} must be awaited */
  step(): boolean {
    this.#at += 1;
    return this.#at >= this.#segment.length;
  }

  async fill(): Promise<void> {
    const next = await this.#segments.next();
    this.#segment = next.done === true ? [] : next.value;
    this.#at = 0;
  }
}

/**
 * Merges two consecutive intervals of one tier into one of the next: one streaming merge, in which
 * the last change of a path wins. Memory is a segment of each.
 */
export async function mergeIntervals(
  folder: ArchiveFolder,
  older: Interval,
  newer: Interval,
  options: PartitionOptions,
): Promise<Interval> {
  const span = { from: older.from, to: newer.to };
  await using writer = new SegmentWriter(folder, options, () => span);
  const left = new ChangeReader(readInterval(folder, older));
  const right = new ChangeReader(readInterval(folder, newer));
  await left.fill();
  await right.fill();
  for (;;) {
    const first = left.head;
    const second = right.head;
    if (first === undefined && second === undefined) break;
    const order = first === undefined ? 1 : second === undefined ? -1 : compareChangesByPath(first, second);
    const change =
      order < 0
        ? first
        : order > 0 || first === undefined || second === undefined
          ? second
          : composeChanges(first, second);
    if (change !== undefined && writer.add(change)) await writer.drain();
    if (order <= 0 && left.step()) await left.fill();
    if (order >= 0 && right.step()) await right.fill();
  }
  return { tier: older.tier + 1, ...span, archives: await writer.end(), merged: false };
}

/**
 * The binary carry: merges as long as two intervals of one tier wait for it.
 *
 * @returns all intervals, those that were merged marked; two of which one is damaged are left out
 * @throws TidemarkError `aborted`
 */
export async function carryIntervals(
  folder: ArchiveFolder,
  intervals: readonly Interval[],
  options: PartitionOptions & { readonly onEvent: (event: ExportEvent) => void },
  yielder: Yielder,
): Promise<readonly Interval[]> {
  let carried = intervals;
  for (let pair = planMerge(carried); pair !== undefined; pair = planMerge(carried)) {
    const [older, newer] = pair;
    yielder.stopIfAsked();
    const total = countChanges(older) + countChanges(newer);
    options.onEvent({ event: "progress", phase: "merge", done: 0, total });
    const mark = (interval: Interval) =>
      interval === older || interval === newer ? { ...interval, merged: true } : interval;
    try {
      const merger = await mergeIntervals(folder, older, newer, options);
      carried = [...carried.map(mark), merger].sort(compareIntervals);
    } catch (error) {
      if (!(error instanceof TidemarkError && error.code === "archive-corrupt")) throw error;
      // What cannot be read here cannot be read by a crawler either: neither of the two stays listed.
      options.onEvent({ event: "warning", code: error.code, message: error.message });
      carried = carried.filter((interval) => interval !== older && interval !== newer);
    }
  }
  return carried;
}
