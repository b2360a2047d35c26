import { join } from "node:path";
import { TidemarkError } from "../core/index.ts";
import type { ArchiveFiles, Interval } from "../exporter/index.ts";
import { formatArchiveName } from "../formats/archive/index.ts";
import { type EventArchive, parseEventArchive, type SiteEvent } from "../formats/web-events/index.ts";
import { EventWriter } from "./event-writer.ts";

/** Steps through the events of an interval, in the order of origins and paths. Memory is one archive. */
class EventReader {
  readonly #files: ArchiveFiles;
  readonly #archives: Interval["archives"];
  #next = 0;
  #archive: EventArchive | undefined;
  #site = 0;
  #at = 0;
  #event: SiteEvent | undefined;

  constructor(files: ArchiveFiles, archives: Interval["archives"]) {
    this.#files = files;
    this.#archives = archives;
  }

  get origin(): string | undefined {
    return this.#archive?.sites[this.#site]?.origin;
  }

  get event(): SiteEvent | undefined {
    return this.#event;
  }

  /** Goes to the next event. @returns whether {@link fill} must be awaited */
  step(): boolean {
    this.#at += 1;
    this.#read();
    return this.#event === undefined;
  }

  async fill(): Promise<void> {
    const entry = this.#archives[this.#next++];
    this.#archive = undefined;
    this.#site = 0;
    this.#at = 0;
    this.#event = undefined;
    if (entry === undefined) return;
    const parsed = parseEventArchive(await this.#files.readContent(entry.name), entry.name.to, () => true);
    if (parsed.ok) {
      this.#archive = parsed.value;
      this.#read();
    } else {
      const file = join(this.#files.folder, formatArchiveName(entry.name));
      throw new TidemarkError("archive-corrupt", `The archive ${file} cannot be used: ${parsed.error.message}`, {
        hint: "Remove its folder, and share again.",
        details: { file },
      });
    }
  }

  // Sites without events are passed over.
  #read(): void {
    for (; this.#at >= (this.#archive?.sites[this.#site]?.to ?? Infinity); this.#site++);
    this.#event = this.origin === undefined ? undefined : this.#archive?.eventAt(this.#at);
  }
}

function compareHeads(left: EventReader, right: EventReader): number {
  const [a, b] = [left.origin, right.origin];
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  if (a !== b) return a < b ? -1 : 1;
  const [first, second] = [left.event?.path ?? "", right.event?.path ?? ""];
  return first === second ? 0 : first < second ? -1 : 1;
}

/** Merges two consecutive intervals of a tier into one of the next: of a URL the newer event stays. */
export async function mergeEventIntervals(files: ArchiveFiles, older: Interval, newer: Interval): Promise<Interval> {
  const span = { from: older.from, to: newer.to };
  const writer = new EventWriter(files, span);
  const [left, right] = [new EventReader(files, older.archives), new EventReader(files, newer.archives)];
  await left.fill();
  await right.fill();
  while (left.origin !== undefined || right.origin !== undefined) {
    const order = compareHeads(left, right);
    const { origin, event } = order < 0 ? left : right;
    if (origin !== undefined && event !== undefined && writer.add(origin, event)) await writer.cut();
    if (order <= 0 && left.step()) await left.fill();
    if (order >= 0 && right.step()) await right.fill();
  }
  return { tier: older.tier + 1, ...span, archives: await writer.end(), merged: false };
}
