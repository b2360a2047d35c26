import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { BlockFiles } from "./block-files.ts";
import { noBlock } from "./block-table.ts";
import { EntryWriter, type QueueEntry, readEntries } from "./queue-entry.ts";
import { QueueFolder, readCheckpoint } from "./queue-folder.ts";
import { QueueLanes } from "./queue-lanes.ts";
import { RecordFile, readRecords } from "./record-file.ts";
import { hashUrl, SeenUrls } from "./seen-urls.ts";
import { LoadedBlocks, maxUrlBytes, type UrlLane } from "./url-lane.ts";

export interface QueuedUrl {
  readonly url: string;
  /** The site that it belongs to, as the caller groups them. */
  readonly site: string;
  /** Its priority among those of its site, 0 to 255, the least first: its depth, or its rank in so many steps. */
  readonly priority: number;
  /** A word without spaces that is given back with it, such as how it was found. Default: none. */
  readonly note?: string;
}

export interface UrlQueueOptions {
  /**
   * Memory for URLs and their numbers, in bytes. Beyond that a queue takes about 500 bytes a site and 40 a block of up to 64
   * URLs on disk.
   *
   * @default 268435456
   */
  readonly memoryBytes?: number | undefined;
  /** Size of a file of blocks, in bytes. Default 134,217,728. */
  readonly segmentBytes?: number | undefined;
  /** Size at which the journal gives way to a checkpoint, in bytes. Default 268,435,456. */
  readonly journalBytes?: number | undefined;
}

interface Taken {
  readonly url: string;
  readonly note: string;
  readonly lane: UrlLane;
  readonly block: number;
  readonly place: number;
}

const mebibyte = 1024 * 1024;
const urlsABlock = 64;
const urlsAPiece = 10_000;
/** In the journal: the URL was seen before. */
const unhashed = 0;
/** Priority before age. */
const priorityStep = 2 ** 44;

/**
 * URLs that wait, by site and priority, beyond what memory holds, each once. It is what `SitePages` of the frontier asks for: a page is the
 * number of its URL, counted in the order in which they came.
 *
 * A URL is kept as soon as {@link flush} says so, and from then on given until it is {@link finish}ed, also to another process after
 * a kill; what was finished since the last flush may be given again. Of URLs that were ever added none is taken in again, but for
 * the chance that {@link hashUrl} names that a new one is taken for one of them.
 */
export class UrlQueue implements Disposable {
  readonly #folder: QueueFolder;
  readonly #tailBytes: number;
  readonly #journalBytes: number;
  readonly #lanes: QueueLanes;
  readonly #loaded: LoadedBlocks;
  readonly #seen: SeenUrls;
  readonly #salt: string;
  readonly #taken = new Map<number, Taken>();
  #journal: RecordFile;
  readonly #entries: EntryWriter = new EntryWriter((record) => {
    // Blocks are not synced before the next checkpoint: those that a power cut takes are made again of the journal.
    this.#lanes.files.write();
    this.#journal.append(record);
  });

  /**
   * Opens a queue, or begins one. O(sites + blocks + journal).
   *
   * @throws TidemarkError `locked` if another process has it, `state-corrupt` if it is damaged
   */
  constructor(folder: string, options: UrlQueueOptions = {}) {
    const { memoryBytes = 256 * mebibyte, segmentBytes = 128 * mebibyte, journalBytes = 256 * mebibyte } = options;
    this.#tailBytes = memoryBytes / 4;
    this.#loaded = new LoadedBlocks(memoryBytes / 4);
    this.#journalBytes = journalBytes;
    this.#folder = new QueueFolder(folder);
    try {
      const { checkpoint } = this.#folder;
      const { lanes, facts } =
        checkpoint === undefined
          ? {
              lanes: new QueueLanes(new BlockFiles(folder, segmentBytes, [], 0)),
              facts: { salt: randomBytes(16).toString("hex"), runs: [] },
            }
          : readCheckpoint(checkpoint, folder, segmentBytes);
      this.#lanes = lanes;
      this.#salt = facts.salt;
      this.#seen = new SeenUrls(folder, memoryBytes / 2, facts.runs);
      if (checkpoint === undefined) this.#folder.write(lanes, facts);
      let isSpilled = false;
      for (const record of readRecords(this.#folder.journal)) {
        for (const entry of readEntries(record)) isSpilled = replayEntry(entry, lanes, this.#seen) || isSpilled;
      }
      const isRestored = lanes.restoreLost();
      lanes.freeBlocks();
      this.#journal = new RecordFile(this.#folder.journal);
      // The runs of the checkpoint, which are left over then, are needed until there is another.
      if (isSpilled || isRestored) this.checkpoint();
      else this.#clean();
    } catch (error) {
      this.#folder.release();
      throw error;
    }
  }

  get backlog(): number {
    return this.#lanes.backlog;
  }

  /** URLs that wait or were taken, each as often as it was added. */
  get unfinished(): number {
    return this.backlog + this.#taken.size;
  }

  get sites(): number {
    return this.#lanes.sites.length;
  }

  get known(): number {
    return this.#seen.size;
  }

  siteName(site: number): string | undefined {
    return this.#lanes.sites[site]?.name;
  }

  /** The number of a site; undefined if no URL of it was ever added. */
  siteOf(name: string): number | undefined {
    return this.#lanes.numberOf(name);
  }

  /**
   * Adds those URLs that were never added. Many at a time cost less: those on disk are looked up in order.
   *
   * @returns the sites of those that are new, as numbers, one for each
   * @throws RangeError if a URL is longer than 8192 bytes, or a priority is none
   */
  add(urls: readonly QueuedUrl[]): number[] {
    const sites: number[] = [];
    const atATime = Math.min(urlsAPiece, this.#seen.capacity);
    for (let from = 0; from < urls.length; from += atATime) {
      const piece = urls.slice(from, from + atATime);
      for (const one of piece) checkUrl(one);
      if (this.#seen.room < piece.length || this.#journal.sizeBytes > this.#journalBytes) this.checkpoint();
      const hashes = Float64Array.from(piece, ({ url }) => hashUrl(url, this.#salt));
      const isNew = this.#seen.admit(hashes);
      for (const [at, one] of piece.entries()) {
        if (isNew[at] === 1) sites.push(this.#keep(one, hashes[at] as number));
      }
      if (this.#lanes.tailBytes > this.#tailBytes) this.#sealTails();
    }
    return sites;
  }

  /**
   * Adds URLs once more that were added before, with another priority; others are left out. Such a URL is given once for each time: who
   * takes them knows what is done.
   *
   * @returns the sites of those that were added, as numbers, one for each
   */
  addAgain(urls: readonly QueuedUrl[]): number[] {
    if (this.#journal.sizeBytes > this.#journalBytes) this.checkpoint();
    const isSeen = this.findAdded(urls);
    const known = urls.filter((_, at) => isSeen[at] === 1);
    for (const one of known) checkUrl(one);
    const sites = known.map((one) => this.#keep(one, unhashed));
    if (this.#lanes.tailBytes > this.#tailBytes) this.#sealTails();
    return sites;
  }

  /** Which of some URLs were added before: 1 for each that was. */
  findAdded(urls: readonly QueuedUrl[]): Uint8Array {
    return this.#seen.find(Float64Array.from(urls, ({ url }) => hashUrl(url, this.#salt)));
  }

  count(site: number): number {
    return this.#lanes.sites[site]?.lanes.reduce((sum, { count }) => sum + count, 0) ?? 0;
  }

  /** URLs of a site that were ever added. */
  added(site: number): number {
    return this.#lanes.sites[site]?.added ?? 0;
  }

  /** What orders sites by their first URLs: priority, then age. Infinity if none waits. */
  firstKey(site: number): number {
    const lane = this.#firstLane(site);
    return lane === undefined
      ? Number.POSITIVE_INFINITY
      : lane.lane * priorityStep + lane.firstNumber(this.#lanes.table);
  }

  /** Takes the number of a site's next URL; undefined if none waits. */
  take(site: number): number | undefined {
    const lane = this.#firstLane(site);
    if (lane === undefined) return undefined;
    const { table } = this.#lanes;
    if (lane.firstBlock === noBlock) this.#seal(lane);
    const block = lane.firstBlock;
    const { urls } = this.#loaded.of(lane, (one) => this.#lanes.files.read(table.placeOf(one)));
    let place = table.takenOf(block);
    while (this.#lanes.isFinished(block, place)) place++;
    const { number, url } = urls[place] as (typeof urls)[number];
    let next = place + 1;
    while (next < urls.length && this.#lanes.isFinished(block, next)) next++;
    table.take(block, next, urls[next]?.number ?? number);
    if (next >= urls.length) {
      this.#loaded.drop(lane);
      lane.remove(block, table);
      this.#lanes.open.set(block, lane);
    }
    lane.count--;
    this.#lanes.backlog--;
    const space = url.lastIndexOf(" ");
    const note = url.slice(0, Math.max(0, space));
    this.#taken.set(number, { url: url.slice(space + 1), note, lane, block, place });
    return number;
  }

  /** The URL of a number that was taken and is not finished. */
  urlOf(number: number): string | undefined {
    return this.#taken.get(number)?.url;
  }

  /** The note of such a URL; empty if it has none. */
  noteOf(number: number): string | undefined {
    return this.#taken.get(number)?.note;
  }

  /** Notes that a URL that was taken need not be given again. */
  finish(number: number): void {
    const taken = this.#taken.get(number);
    if (taken === undefined) throw new RangeError(`URL ${number} was not taken`);
    this.#taken.delete(number);
    const { lane, block, place } = taken;
    this.#entries.write({ kind: "finished", site: lane.site, lane: lane.lane, block, place });
    this.#lanes.finish(block, place);
  }

  /** Hands on what happened so far to the system, so that a kill, though not a power cut, leaves it as it is. */
  write(): void {
    this.#entries.flush();
    this.#journal.write();
  }

  flush(): void {
    this.#entries.flush();
    this.#journal.flush();
    if (this.#journal.sizeBytes > this.#journalBytes) this.checkpoint();
  }

  /** Writes all down anew, so that the journal can begin again. It is done when it is due; O(sites + blocks). */
  checkpoint(): void {
    this.#entries.flush();
    this.#journal.flush();
    this.#seen.spill();
    this.#lanes.compact();
    this.#lanes.files.flush();
    this.#folder.write(this.#lanes, { salt: this.#salt, runs: this.#seen.runs });
    this.#journal.close();
    this.#journal = new RecordFile(this.#folder.journal);
    this.#lanes.files.forget();
    this.#clean();
  }

  close(): void {
    this.flush();
    this[Symbol.dispose]();
  }

  /** Lets go of files and lock without writing what is pending. */
  [Symbol.dispose](): void {
    this.#journal.close();
    this.#seen.close();
    this.#lanes.files.close();
    this.#folder.release();
  }

  #keep({ url, site: name, priority, note }: QueuedUrl, hashed: number): number {
    const bytes = Buffer.from(note === undefined ? url : `${note} ${url}`);
    let site = this.#lanes.numberOf(name);
    if (site === undefined) {
      site = this.#lanes.addSite(name);
      this.#entries.write({ kind: "site", name });
    }
    this.#entries.write({ kind: "url", site, lane: priority, url: bytes, hashed });
    const lane = this.#lanes.laneOf(site, priority);
    this.#lanes.addUrl(lane, bytes);
    if (hashed !== unhashed) this.#lanes.countAdded(site);
    if ((lane.tail?.count ?? 0) >= urlsABlock) this.#seal(lane);
    return site;
  }

  #firstLane(site: number): UrlLane | undefined {
    return this.#lanes.sites[site]?.lanes.find(({ count }) => count > 0);
  }

  #seal(lane: UrlLane): void {
    const block = this.#lanes.seal(lane);
    const place = this.#lanes.table.placeOf(block);
    this.#entries.write({ kind: "block", site: lane.site, lane: lane.lane, block, ...place });
  }

  /** Writes the larger tails to disk, until half of the memory for them is free. */
  #sealTails(): void {
    while (this.#lanes.tailBytes > this.#tailBytes / 2 && this.#lanes.tails.size > 0) {
      const mean = this.#lanes.tailBytes / this.#lanes.tails.size;
      for (const lane of this.#lanes.tails) {
        if ((lane.tail?.capacity ?? 0) >= mean) this.#seal(lane);
        if (this.#lanes.tailBytes <= this.#tailBytes / 2) return;
      }
    }
  }

  #clean(): void {
    this.#folder.clean((name) => this.#seen.isLeftOver(name) || this.#lanes.files.isLeftOver(name));
  }
}

/** @throws RangeError if it cannot be kept */
function checkUrl({ url, site, priority, note = "" }: QueuedUrl): void {
  for (const text of [note + url, site]) {
    if (text.length * 3 <= maxUrlBytes || Buffer.byteLength(text) <= maxUrlBytes) continue;
    throw new RangeError(`longer than ${maxUrlBytes} bytes: ${text.slice(0, 100)}`);
  }
  if (!(Number.isInteger(priority) && priority >= 0 && priority < 256))
    throw new RangeError(`not a priority: ${priority}`);
}

/** Applies what happened since a checkpoint to its lanes. @returns whether numbers of URLs had to go to disk for it */
function replayEntry(entry: QueueEntry, lanes: QueueLanes, seen: SeenUrls): boolean {
  if (entry.kind === "site") {
    lanes.addSite(entry.name);
    return false;
  }
  const lane = lanes.laneOf(entry.site, entry.lane);
  if (entry.kind === "block") lanes.seal(lane, entry);
  else if (entry.kind === "finished") {
    lane.count--;
    lanes.backlog--;
    if (lanes.finish(entry.block, entry.place)) lane.remove(entry.block, lanes.table);
  } else {
    lanes.addUrl(lane, entry.url);
    if (entry.hashed === unhashed) return false;
    const isFull = seen.room === 0;
    if (isFull) seen.spill();
    seen.restore(entry.hashed);
    lanes.countAdded(entry.site);
    return isFull;
  }
  return false;
}
