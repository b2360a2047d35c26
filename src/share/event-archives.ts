import { existsSync, rmSync, statSync, utimesSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import type { ChangeKind, EpochSeconds } from "../core/index.ts";
import {
  ArchiveFiles,
  compareIntervals,
  findArchives,
  findCompleteFrom,
  type Interval,
  keptAfterMs,
  planMerge,
  planRetention,
} from "../exporter/index.ts";
import { formatArchiveName, maxArchiveBytes } from "../formats/archive/index.ts";
import { isCanonicalPath } from "../formats/url/index.ts";
import {
  type EventEntry,
  type EventIndex,
  eventDigestLength,
  eventIndexName,
  eventsFolder,
  formatEventIndex,
  parseEventIndex,
  type SiteEvent,
} from "../formats/web-events/index.ts";
import { makeMissingFolder, RecordSort, type SortedRecord } from "../fs/index.ts";
import { mergeEventIntervals } from "./event-intervals.ts";
import { EventWriter } from "./event-writer.ts";

/** Whose events are published, and for how long. */
export interface EventArchivesOptions {
  readonly crawler: string;
  /** That of the crawler's state: the archives of another one are given up. */
  readonly epoch: string;
  readonly now: EpochSeconds;
  readonly days: number;
}

const kindLetters = { created: "C", updated: "U", deleted: "D" } as const;
const kindsByCode = new Map<number, ChangeKind>([
  [67, "created"],
  [85, "updated"],
  [68, "deleted"],
]);
const daySeconds = 86_400;
const numberBytes = 6;
const noDigest = " ".repeat(eventDigestLength);
const maxNumber = 2 ** 48 - 1;

/** The events of a share as archives in tiers: those of one run are an interval, as a publication of a site's exporter is. */
export class EventArchives implements AsyncDisposable {
  readonly #folder: string;
  readonly #options: EventArchivesOptions;
  readonly #files: ArchiveFiles;
  readonly #before: EventIndex | undefined;
  readonly #to: EpochSeconds;
  #sort: RecordSort | undefined;
  #listed: ReadonlySet<string>;

  private constructor(folder: string, options: EventArchivesOptions, before: EventIndex | undefined) {
    this.#folder = folder;
    this.#options = options;
    this.#files = new ArchiveFiles(folder);
    this.#before = before?.epoch === options.epoch && before.crawler === options.crawler ? before : undefined;
    this.#to = Math.max(options.now, (before?.publication ?? 0) + 1);
    this.#listed = new Set(namesOf(before?.archives ?? []));
  }

  /** @param repository - folder of the days' files, which has one for the archives */
  static async open(repository: string, options: EventArchivesOptions): Promise<EventArchives> {
    const folder = join(repository, eventsFolder);
    const file = join(folder, eventIndexName);
    // An index that is damaged is written anew, like one that is not there.
    const index = existsSync(file) ? parseIndex(await readFile(file)) : undefined;
    return new EventArchives(folder, options, index);
  }

  /** Whether nothing is published yet that could be added to: all events are to be added. */
  get isNew(): boolean {
    return this.#before === undefined;
  }

  /** Whether nothing was added. */
  get isEmpty(): boolean {
    return this.#sort === undefined;
  }

  /** Adds an event, each URL once. */
  add(origin: string, { kind, path, sizeBytes, modifiedAt, polledAt, digest = noDigest }: SiteEvent): void {
    if (!isCanonicalPath(path)) return;
    if (this.#sort === undefined) makeMissingFolder(this.#folder);
    this.#sort ??= new RecordSort(this.#folder);
    const { text } = this.#sort;
    text.put(origin);
    text.put("\t");
    text.put(path);
    const seenAt = Math.min(polledAt, this.#to);
    text.put(kindLetters[kind]);
    for (const number of [seenAt, Math.min(modifiedAt, seenAt), Math.min(sizeBytes, maxNumber)])
      text.putUint(number, numberBytes);
    text.put(digest.slice(0, eventDigestLength));
    this.#sort.add(origin.length + 1 + path.length);
  }

  /** Writes the archives durably. @returns the index that names them, gzip'd; undefined if nothing was added */
  async write(): Promise<Uint8Array | undefined> {
    if (this.#sort === undefined) return undefined;
    const { crawler, epoch, days } = this.#options;
    const [from, to] = [this.#before?.publication ?? 0, this.#to];
    const writer = new EventWriter(this.#files, { from, to });
    for (const record of this.#sort.drain()) {
      const [origin, event] = eventOf(record);
      if (writer.add(origin, event)) await writer.cut();
    }
    const newest: Interval = { tier: 0, from, to, archives: await writer.end(), merged: false };
    const carried = await this.#carry([...intervalsOf(this.#before), newest]);
    const oldest = Math.min(...carried.map((interval) => interval.from));
    const { kept } = planRetention(carried, oldest, to);
    const live = kept.filter((interval) => interval.to > to - days * daySeconds);
    await this.#files.sync();
    const archives = live
      .reverse()
      .flatMap(({ tier, merged, archives }) =>
        archives.map(({ segment: _, ...entry }): EventEntry => ({ ...entry, tier, isMerged: merged })),
      );
    const completeFrom = findCompleteFrom(live, to);
    const index = formatEventIndex({ crawler, epoch, publication: to, completeFrom, archives });
    const stale = [...this.#listed];
    this.#listed = new Set(namesOf(archives));
    this.#touch(stale.filter((name) => !this.#listed.has(name)));
    return gzipSync(index);
  }

  /** Removes archives that nothing lists any more, once readers on their way had time to fetch them. */
  async retire(): Promise<void> {
    for (const name of await findArchives(this.#folder)) {
      const file = join(this.#folder, name);
      const modified = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (!this.#listed.has(name) && Date.now() - modified > keptAfterMs) rmSync(file, { force: true });
    }
  }

  /** The binary carry. Intervals that would become longer than an eighth of the days that are kept stay as they are. */
  async #carry(intervals: readonly Interval[]): Promise<readonly Interval[]> {
    const longest = (this.#options.days * daySeconds) / 8;
    let carried = intervals;
    for (let pair = planMerge(carried); pair !== undefined; pair = planMerge(carried)) {
      const [older, newer] = pair;
      const isLong = newer.to - older.from > longest;
      const done: readonly Interval[] = isLong ? [older] : pair;
      carried = carried.map((interval) => (done.includes(interval) ? { ...interval, merged: true } : interval));
      if (isLong) continue;
      const merger = await mergeEventIntervals(this.#files, older, newer);
      carried = [...carried, merger].sort(compareIntervals);
    }
    return carried;
  }

  // From now on a file's age is the time since it was listed.
  #touch(names: readonly string[]): void {
    const now = new Date();
    for (const name of names) {
      const file = join(this.#folder, name);
      if (existsSync(file)) utimesSync(file, now, now);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sort?.[Symbol.dispose]();
  }
}

function namesOf(archives: readonly EventEntry[]): string[] {
  return archives.map(({ name }) => formatArchiveName(name));
}

function parseIndex(packed: Uint8Array): EventIndex | undefined {
  try {
    const index = parseEventIndex(gunzipSync(packed, { maxOutputLength: maxArchiveBytes }));
    return index.ok ? index.value : undefined;
  } catch {
    return undefined;
  }
}

function intervalsOf(index: EventIndex | undefined): Interval[] {
  const intervals = new Map<string, Interval>();
  for (const { tier, isMerged, ...entry } of index?.archives ?? []) {
    const { from, to } = entry.name;
    const key = `${from} ${to} ${tier}`;
    const archives = intervals.get(key)?.archives ?? [];
    const archive = { ...entry, segment: archives.length };
    intervals.set(key, { tier, from, to, archives: [...archives, archive], merged: isMerged });
  }
  return [...intervals.values()].sort(compareIntervals);
}

function eventOf({ bytes, start, keyEnd }: SortedRecord): [origin: string, event: SiteEvent] {
  const [origin = "", path = ""] = bytes.toString("latin1", start, keyEnd).split("\t");
  const kind = kindsByCode.get(bytes[keyEnd] ?? 0) ?? "updated";
  const number = (at: number): number => bytes.readUIntBE(keyEnd + 1 + at * numberBytes, numberBytes);
  const digest = bytes.toString(
    "latin1",
    keyEnd + 1 + 3 * numberBytes,
    keyEnd + 1 + 3 * numberBytes + eventDigestLength,
  );
  const event = { kind, path, polledAt: number(0), modifiedAt: number(1), sizeBytes: number(2) };
  return [origin, digest === noDigest ? event : { ...event, digest }];
}
