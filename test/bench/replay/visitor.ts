import { gzipSync } from "node:zlib";
import { type Change, type Cursor, composeChanges, pathOf } from "../../../src/core/change.ts";
import type { EpochSeconds } from "../../../src/core/time.ts";
import { planReading } from "../../../src/crawler/engine/discovery/reading-plan.ts";
import { formatChangeLine } from "../../../src/formats/archive/archive.ts";
import type { ArchiveEntry } from "../../../src/formats/archive/archive-index.ts";
import type { LiteralScheme } from "./literal-scheme.ts";
import type { PublishedDay } from "./replayed-publisher.ts";

/** How often a visitor comes. */
export interface Rhythm {
  readonly name: string;
  readonly everyDays: number;
  /** Most bytes of archives that it should read, as a multiple of the floor. */
  readonly bound: number;
}

/** The three visitors of the table. */
export const rhythms: readonly Rhythm[] = [
  { name: "daily", everyDays: 1, bound: 1.05 },
  { name: "weekly", everyDays: 7, bound: 1.3 },
  { name: "monthly", everyDays: 30, bound: 1.6 },
];

/** Sums over all visits but the first, which reads the whole site. */
export interface VisitSums {
  visits: number;
  /** Visits before which the site changed. */
  changedVisits: number;
  archiveBytes: number;
  floorBytes: number;
  literalBytes: number;
  indexBytes: number;
  robotsBytes: number;
  requests: number;
  /** Visits that read the base anew because no chain led on from the cursor. */
  baseReadings: number;
}

/**
 * The least that a reader needs to be told: the net changes as archive lines in path order, each ended by LF,
 * without a header, in one gzip file of level 6.
 */
function floorBytesOf(changes: ReadonlyMap<string, Change>): number {
  const lines = [...changes.keys()].sort().map((path) => `${formatChangeLine(changes.get(path) as Change)}\n`);
  return lines.length === 0 ? 0 : gzipSync(Buffer.from(lines.join(""), "latin1"), { level: 6 }).length;
}

/** A crawler that comes at regular times, counts what it reads, and holds the digests of all pages. */
export class Visitor {
  readonly rhythm: Rhythm;
  readonly sums: VisitSums = {
    visits: 0,
    changedVisits: 0,
    archiveBytes: 0,
    floorBytes: 0,
    literalBytes: 0,
    indexBytes: 0,
    robotsBytes: 0,
    requests: 0,
    baseReadings: 0,
  };
  #cursor: Cursor | undefined;
  #visitedAt: EpochSeconds = 0;
  #held = new Map<string, string | undefined>();
  /** What became of each path since the last visit. */
  #pending = new Map<string, Change>();
  #versions = { index: 0, robots: 0 };

  constructor(rhythm: Rhythm) {
    this.rhythm = rhythm;
  }

  /** Notes what is published while it is away. */
  note(changes: readonly Change[]): void {
    for (const change of changes) {
      const earlier = this.#pending.get(pathOf(change));
      this.#pending.set(pathOf(change), earlier === undefined ? change : composeChanges(earlier, change));
    }
  }

  /** @throws Error if it does not come to hold exactly the site */
  visit(day: PublishedDay, literal: LiteralScheme): void {
    const isFirst = this.#cursor === undefined;
    const isChanged = this.#versions.index !== day.index.version;
    const archives = isChanged ? this.#read(day) : [];
    this.#compare(day);
    if (!isFirst) this.#count(day, archives, literal);
    this.#versions = { index: day.index.version, robots: day.robots.version };
    this.#visitedAt = day.time;
    this.#pending.clear();
  }

  #read({ published }: PublishedDay): ArchiveEntry[] {
    const { index } = published;
    const wanted = { filter: { key: "", matches: () => true }, cursor: this.#cursor, since: undefined };
    const plan = planReading(index, wanted, { intervals: new Set(), chain: false });
    if (plan.kind !== "chain" && plan.kind !== "base")
      throw new Error(`${this.rhythm.name}: no way to read: ${plan.kind}`);
    const read: ArchiveEntry[] = [];
    if (plan.kind === "base") {
      this.#held.clear();
      read.push(index.base, ...published.base.archives);
      for (const [path, page] of published.readBase()) this.#held.set(path, page.digest);
      if (this.#cursor !== undefined) this.sums.baseReadings += 1;
    }
    for (const entry of plan.chain.flat()) {
      read.push(entry);
      for (const change of published.changes(entry)) {
        if (change.kind === "deleted") this.#held.delete(change.path);
        else this.#held.set(change.page.path, change.page.digest);
      }
    }
    this.#cursor = { epoch: index.epoch, publication: index.publication };
    return read;
  }

  #compare({ pages, time }: PublishedDay): void {
    const wrong = [...pages.values()].filter(({ path, digest }) => this.#held.get(path) !== digest);
    if (wrong.length === 0 && this.#held.size === pages.size) return;
    const when = new Date(time * 1000).toISOString();
    throw new Error(
      `${when}: the ${this.rhythm.name} visitor holds ${this.#held.size} pages of ${pages.size}, ` +
        `${wrong.length} of them not as they are (${wrong[0]?.path ?? "deleted pages are left"})`,
    );
  }

  #count(day: PublishedDay, archives: readonly ArchiveEntry[], literal: LiteralScheme): void {
    const { sums } = this;
    sums.visits += 1;
    sums.requests += 2 + archives.length;
    sums.archiveBytes += archives.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    if (day.index.version !== this.#versions.index) sums.indexBytes += day.index.sizeBytes;
    if (day.robots.version !== this.#versions.robots) sums.robotsBytes += day.robots.sizeBytes;
    if (this.#pending.size === 0) return;
    sums.changedVisits += 1;
    sums.floorBytes += floorBytesOf(this.#pending);
    sums.literalBytes += literal.bytesNewerThan(this.#visitedAt);
  }
}
