import type { Change } from "../../src/core/change.ts";
import type { Page } from "../../src/core/page.ts";
import type { EpochSeconds } from "../../src/core/time.ts";
import { mergeIntervals } from "../../src/exporter/publish/interval-merge.ts";
import type { Base, Interval } from "../../src/exporter/publish/ledger.ts";
import { toIndex } from "../../src/exporter/publish/published-files.ts";
import { type PartitionOptions, SegmentWriter } from "../../src/exporter/publish/segment-writer.ts";
import { compareIntervals, isBaseDue, planMerge, planRetention } from "../../src/exporter/publish/tiers.ts";
import { compareChangesByPath } from "../../src/formats/archive/archive.ts";
import {
  type ArchiveEntry,
  type ArchiveIndex,
  formatArchiveIndex,
  formatBaseList,
  indexFileName,
  publishedFolder,
} from "../../src/formats/archive/archive-index.ts";
import { baseGroup, formatArchiveName } from "../../src/formats/archive/archive-name.ts";
import { formatRobotsBlock } from "../../src/formats/robots/robots-block.ts";
import { encodeText } from "../experiment/byte-text.ts";
import type { LabPorts } from "../experiment/ports.ts";
import { ArchiveMemory } from "./archive-memory.ts";

const defaultOrigin = "https://lab.example";
const epoch = "bGFib3JhdG9yeS4u";
const partition: PartitionOptions = { segmentSize: 2000, minGroup: 50 };
const maxAnnounced = 400;

/** What a site shows after a publication. Sizes are bytes as they are served. */
export interface Publication {
  readonly index: ArchiveIndex;
  readonly indexBytes: number;
  /** When the base was published. */
  readonly basePublication: EpochSeconds;
  readonly indexContent: Uint8Array;
  /** The block in robots.txt; others than before only with a new base. */
  readonly robotsText: string;
  readonly robotsBytes: number;
  /** Archives of the base, without their list. */
  readonly baseArchives: readonly ArchiveEntry[];
}

/** A publication whose index is packed once somebody asks for it: most of those that a site makes nobody sees. */
class MadePublication implements Publication {
  readonly index: ArchiveIndex;
  readonly basePublication: EpochSeconds;
  readonly baseArchives: readonly ArchiveEntry[];
  readonly robotsText: string;
  readonly #pack: LabPorts["pack"];
  #packed: ReturnType<LabPorts["pack"]> | undefined;

  constructor(
    index: ArchiveIndex,
    basePublication: EpochSeconds,
    baseArchives: readonly ArchiveEntry[],
    robotsText: string,
    pack: LabPorts["pack"],
  ) {
    this.index = index;
    this.basePublication = basePublication;
    this.baseArchives = baseArchives;
    this.robotsText = robotsText;
    this.#pack = pack;
  }

  get indexBytes(): number {
    return this.#packIndex().sizeBytes;
  }

  get indexContent(): Uint8Array {
    return this.#packIndex().bytes;
  }

  get robotsBytes(): number {
    return this.robotsText.length;
  }

  #packIndex(): ReturnType<LabPorts["pack"]> {
    this.#packed ??= this.#pack(encodeText(formatArchiveIndex(this.index)), "index");
    return this.#packed;
  }
}

/**
 * The exporter in virtual time: the production code cuts, merges, packs and retains archives, and only the folder is in memory.
 *
 * `test/lab/brandman/virtual-publisher.test.ts` holds what it lists against what the real exporter leaves on a disk.
 */
export class VirtualPublisher {
  readonly #folder: ArchiveMemory;
  readonly #pack: LabPorts["pack"];
  readonly #origin: string;
  #intervals: readonly Interval[] = [];
  #base: Base | undefined;
  #baseArchives: readonly ArchiveEntry[] = [];
  #robotsText = "";
  #changesSinceBase = 0;
  #latest: Publication | undefined;

  constructor(pack: LabPorts["pack"], origin: string = defaultOrigin) {
    this.#origin = origin;
    this.#pack = pack;
    this.#folder = new ArchiveMemory(pack);
  }

  /**
   * Publishes what changed; the first publication is a base. If nothing changed nothing is published.
   *
   * @param pages - all of the site as it is now
   * @param changes - since the publication before, in path order, each path once
   * @param time - after that of the publication before
   */
  async publish(
    pages: ReadonlyMap<string, Page>,
    changes: readonly Change[],
    time: EpochSeconds,
  ): Promise<Publication> {
    if (this.#latest !== undefined && changes.length === 0) return this.#latest;
    if (this.#latest !== undefined) await this.#addInterval(changes, this.#latest.index.publication, time);
    if (this.#base === undefined || isBaseDue(this.#changesSinceBase, pages.size, partition.segmentSize))
      await this.#writeBase(pages, time);
    const base = this.#base;
    if (base === undefined) throw new TypeError("there is no base");
    this.#intervals = planRetention(this.#intervals, base.publication, time).kept;
    this.#folder.keep([...this.#baseArchives, base.list, ...this.#intervals.flatMap(({ archives }) => archives)]);
    const facts = {
      site: `${this.#origin}/`,
      epoch,
      publication: time,
      pages: pages.size,
      base,
      intervals: this.#intervals,
    };
    const index = toIndex(facts);
    this.#latest = new MadePublication(index, base.publication, this.#baseArchives, this.#robotsText, this.#pack);
    return this.#latest;
  }

  /** What was published last. */
  get latest(): Publication | undefined {
    return this.#latest;
  }

  /** A published archive as it is served, by its file name; undefined if there is none. */
  serve(fileName: string): Uint8Array | undefined {
    return this.#folder.serve(fileName);
  }

  async #addInterval(changes: readonly Change[], from: EpochSeconds, to: EpochSeconds): Promise<void> {
    const writer = new SegmentWriter(this.#folder, partition, () => ({ from, to }));
    for (const change of changes) if (writer.add(change)) await writer.drain();
    const newest: Interval = { tier: 0, from, to, archives: await writer.end(), merged: false };
    let intervals: readonly Interval[] = [...this.#intervals, newest];
    for (let pair = planMerge(intervals); pair !== undefined; pair = planMerge(intervals)) {
      const [older, newer] = pair;
      const merger = await mergeIntervals(this.#folder, older, newer, partition);
      const marked = intervals.map((one) => (one === older || one === newer ? { ...one, merged: true } : one));
      intervals = [...marked, merger].sort(compareIntervals);
    }
    this.#intervals = intervals;
    this.#changesSinceBase += changes.length;
  }

  async #writeBase(pages: ReadonlyMap<string, Page>, time: EpochSeconds): Promise<void> {
    const sorted = [...pages.values()]
      .map((page): Change & { kind: "created" } => ({ kind: "created", page }))
      .sort((a, b) => a.page.lastModified - b.page.lastModified || compareChangesByPath(a, b));
    const writer = new SegmentWriter(this.#folder, partition, (segment, lines) => {
      const at = segment * partition.segmentSize;
      const first = sorted[at]?.page.lastModified ?? 1;
      return { from: segment === 0 ? 0 : first - 1, to: sorted[at + lines - 1]?.page.lastModified ?? 1 };
    });
    for (const change of sorted) if (writer.add(change)) await writer.drain();
    const archives = (await writer.end()).map(({ segment: _, ...entry }) => entry).reverse();
    const text = formatBaseList({ publication: time, pages: pages.size, archives });
    const name = { from: 0, to: time, group: baseGroup };
    const list = await this.#folder.write(name, encodeText(text), pages.size);
    const announced = archives.slice(0, maxAnnounced).map((entry) => formatArchiveName(entry.name));
    this.#base = { publication: time, list, archives: archives.length, announced };
    this.#baseArchives = archives;
    const published = this.#origin + publishedFolder;
    this.#robotsText = formatRobotsBlock({
      indexUrl: published + indexFileName,
      archiveUrls: announced.map((one) => published + one),
    });
    this.#changesSinceBase = 0;
  }
}
