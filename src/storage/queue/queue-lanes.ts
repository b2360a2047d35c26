import { Buffer } from "node:buffer";
import type { BlockFiles, BlockPlace } from "./block-files.ts";
import { BlockTable, noBlock } from "./block-table.ts";
import { joinUrls, UrlLane } from "./url-lane.ts";

const placesABlock = 65_536;
/** A block of fewer URLs is written again together with those that follow. */
const fewUrls = 16;

interface QueuedSite {
  readonly name: string;
  /** URLs that were ever added. */
  added: number;
  /** By priority, the first first. */
  readonly lanes: UrlLane[];
}

/** The sites of a queue with the URLs that wait for each, and the blocks that are not finished. */
export class QueueLanes {
  readonly table: BlockTable = new BlockTable();
  readonly files: BlockFiles;
  readonly #sites: QueuedSite[] = [];
  readonly #numbers = new Map<string, number>();
  /** Lanes with URLs that no block has. */
  readonly tails: Set<UrlLane> = new Set();
  /** Blocks all of whose URLs were taken, and not all are finished. */
  readonly open: Map<number, UrlLane> = new Map();
  /** URLs that were finished before others of their block which came first: block and place in one number. */
  readonly ahead: Set<number> = new Set();
  /** Blocks that a journal names and that are not where it says, with what they had; undefined if that is not known. */
  readonly #lost = new Map<number, Buffer | undefined>();
  nextNumber = 0;
  tailBytes = 0;
  backlog = 0;

  constructor(files: BlockFiles) {
    this.files = files;
  }

  get sites(): readonly QueuedSite[] {
    return this.#sites;
  }

  numberOf(name: string): number | undefined {
    return this.#numbers.get(name);
  }

  addSite(name: string, added = 0): number {
    const site = this.#sites.push({ name, added, lanes: [] }) - 1;
    this.#numbers.set(name, site);
    return site;
  }

  countAdded(site: number): void {
    (this.#sites[site] as QueuedSite).added++;
  }

  laneOf(site: number, lane: number): UrlLane {
    const lanes = this.#sites[site]?.lanes;
    if (lanes === undefined) throw new RangeError(`there is no site ${site}`);
    let at = 0;
    for (; at < lanes.length; at++) {
      const one = lanes[at] as UrlLane;
      if (one.lane === lane) return one;
      if (one.lane > lane) break;
    }
    const made = new UrlLane(site, lane);
    lanes.splice(at, 0, made);
    return made;
  }

  addUrl(lane: UrlLane, url: Buffer, number: number = this.nextNumber): void {
    this.tailBytes -= lane.tail?.capacity ?? 0;
    lane.add(number, url);
    this.tailBytes += lane.tail?.capacity ?? 0;
    this.nextNumber = number + 1;
    this.tails.add(lane);
    this.backlog++;
  }

  /**
   * Makes a block of a lane's tail, or adds the tail to the last block if that is short: with so many sites that memory holds a URL
   * or two of each, blocks would otherwise have no more.
   *
   * @param at - where the block was written, and its number, if it was; the number of the lane's last block means that block. One
   *   that is not there is kept for {@link restoreLost}
   */
  seal(lane: UrlLane, at?: BlockPlace & { readonly block: number }): number {
    const { tail } = lane;
    if (tail?.first === undefined) throw new RangeError("there is nothing to make a block of");
    const joined = at === undefined ? this.#joinLast(lane, tail.bytes) : undefined;
    const place = at ?? this.files.append(joined ?? tail.bytes);
    let block = lane.lastBlock;
    if (at !== undefined) {
      if (!this.files.has(at)) this.#lost.set(at.block, this.#contentOf(at.block === block, at.block, tail.bytes));
      else this.#lost.delete(at.block);
      this.files.restore(at.segment);
    }
    if (joined !== undefined || (at !== undefined && at.block === block)) {
      this.files.release(this.table.placeOf(block).segment);
      this.table.extend(block, place, tail.count);
    } else {
      block = this.table.add(place, tail.count, tail.first, at?.block);
      lane.append(block, this.table);
    }
    this.tailBytes -= tail.capacity;
    lane.tail = undefined;
    this.tails.delete(lane);
    return block;
  }

  /** What a block has that is not where the journal says. @param isJoined - with what the block had before */
  #contentOf(isJoined: boolean, block: number, behind: Buffer): Buffer | undefined {
    if (!isJoined) return Buffer.from(behind);
    const place = this.table.placeOf(block);
    if (this.#lost.has(block)) {
      const before = this.#lost.get(block);
      return before && joinUrls(before, behind);
    }
    // Of a block that was written elsewhere later, nothing else is needed.
    return this.files.has(place) ? joinUrls(this.files.read(place), behind) : undefined;
  }

  /**
   * Writes blocks that a power cut took, which may leave a journal that names them: their URLs were in the journal before.
   *
   * @returns whether there were any: then the journal does not say where they are
   */
  restoreLost(): boolean {
    let isAny = false;
    for (const [block, bytes] of this.#lost) {
      if (bytes === undefined) continue;
      isAny = true;
      this.files.release(this.table.placeOf(block).segment);
      this.table.move(block, this.files.append(bytes));
    }
    this.#lost.clear();
    return isAny;
  }

  /** The last block of a lane joined with what follows, if it is short and nothing of it was taken. */
  #joinLast(lane: UrlLane, behind: Buffer): Buffer | undefined {
    const block = lane.lastBlock;
    if (block === noBlock || this.table.countOf(block) >= fewUrls || this.table.takenOf(block) > 0) return undefined;
    return joinUrls(this.files.read(this.table.placeOf(block)), behind);
  }

  /** Whether a URL of a block that is not finished is. */
  isFinished(block: number, place: number): boolean {
    return place < this.table.doneOf(block) || this.ahead.has(block * placesABlock + place);
  }

  /** Finishes a URL. The block goes with its last. @returns whether it did */
  finish(block: number, place: number): boolean {
    let done = this.table.doneOf(block);
    if (place < done) return false;
    if (place !== done) {
      this.ahead.add(block * placesABlock + place);
      return false;
    }
    done++;
    while (this.ahead.delete(block * placesABlock + done)) done++;
    this.table.finish(block, done);
    if (done < this.table.countOf(block)) return false;
    this.files.release(this.table.placeOf(block).segment);
    this.open.delete(block);
    this.#lost.delete(block);
    this.table.free(block);
    return true;
  }

  /** How many URLs of a block are finished. */
  finishedOf(block: number): number {
    let finished = this.table.doneOf(block);
    for (let place = finished; place < this.table.countOf(block); place++) {
      if (this.ahead.has(block * placesABlock + place)) finished++;
    }
    return finished;
  }

  /** Frees the numbers of blocks that no lane has, once the journal is replayed. */
  freeBlocks(): void {
    // Not a set: JavaScript's hold 2^24 numbers.
    const isUsed = new Uint8Array(this.table.size);
    for (const block of this.#blocks()) isUsed[block] = 1;
    this.table.freeAllBut((block) => isUsed[block] === 1);
  }

  /** Writes the blocks again that alone keep large files. */
  compact(): void {
    const sparse = this.files.sparse();
    if (sparse.size === 0) return;
    const move = (block: number): void => {
      const place = this.table.placeOf(block);
      if (!sparse.has(place.segment)) return;
      this.table.move(block, this.files.append(this.files.read(place)));
      this.files.release(place.segment);
    };
    for (const block of this.#blocks()) move(block);
    for (const block of this.open.keys()) move(block);
  }

  *#blocks(): Generator<number, void, void> {
    for (const { lanes } of this.#sites) for (const lane of lanes) yield* lane.blocks(this.table);
  }
}
