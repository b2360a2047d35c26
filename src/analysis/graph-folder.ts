import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import type { Graph, LinkRows } from "../graph/index.ts";
import { pause } from "./pause.ts";
import { SharedArrays } from "./shared-arrays.ts";

/** What a file of links begins with; the digit is the version. */
export const linksMagic = "tmgraph1";
/** The magic, and two numbers of 32 bits: nodes and links. */
export const linksHeadBytes: number = 16;
/** At once read or written. */
export const blockBytes: number = 1 << 20;
const blockNumbers = blockBytes / 4;

/** The links of a graph's folder, in compressed sparse rows. See docs/format.md. */
export function linksFileOf(folder: string): string {
  return join(folder, "links.csr");
}

/** The names of its nodes. */
export function namesFileOf(folder: string): string {
  return join(folder, "names.txt.gz");
}

/** Whether the nodes of a graph's folder have names. */
export function hasNames(folder: string): boolean {
  return existsSync(namesFileOf(folder));
}

/** The texts of its links, where they were kept. */
export function anchorsFileOf(folder: string): string {
  return join(folder, "anchors.tsv.gz");
}

/** The list of visits of a graph that was made of a crawl, as `graph rank --visits` reads it. */
export function visitsFileOf(folder: string): string {
  return join(folder, "visits.tsv");
}

/** The graph of such a graph's pages as the visits before the last found them, as `graph rank --previous` reads it. */
export function previousFolderOf(folder: string): string {
  return join(folder, "previous");
}

/** All files that a graph's folder can have; the one that makes it a graph is first. */
export function ownFilesOf(folder: string): string[] {
  const before = linksFileOf(previousFolderOf(folder));
  return [linksFileOf(folder), namesFileOf(folder), anchorsFileOf(folder), visitsFileOf(folder), before];
}

function corrupt(file: string, what: string): TidemarkError {
  return new TidemarkError("state-corrupt", `${file}: ${what}.`, {
    hint: "Import the graph again from its lists.",
    details: { file },
  });
}

/** Rows that follow each other. */
export interface LinkBlock {
  /** The node of the first row. */
  readonly first: number;
  /** By number from `first` on. */
  readonly rows: LinkRows;
}

/** A graph in memory that threads share, and to which more arrays can be added. */
export interface SharedGraph extends Graph {
  readonly arrays: SharedArrays;
}

/** An open file of links. */
export class LinksFile implements Disposable {
  readonly #file: string;
  readonly #fd: number;
  readonly nodes: number;
  readonly links: number;
  readonly sizeBytes: number;

  /**
   * Opens the links of a graph's folder.
   *
   * @throws TidemarkError `not-found`, `no-permission`; `state-corrupt` if it is no such file
   */
  constructor(folder: string) {
    this.#file = linksFileOf(folder);
    try {
      this.#fd = openSync(this.#file, "r");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT")
        throw new TidemarkError("not-found", `There is no graph in ${folder}.`, {
          hint: "Make one with `tidemark graph import`.",
          details: { folder },
        });
      throw wrapSystemError(error, `read ${this.#file}`, { file: this.#file });
    }
    try {
      const head = Buffer.alloc(linksHeadBytes);
      if (readSync(this.#fd, head, 0, linksHeadBytes, 0) < linksHeadBytes) throw corrupt(this.#file, "it is cut off");
      if (head.toString("latin1", 0, 8) !== linksMagic) throw corrupt(this.#file, "it is no file of links");
      this.nodes = head.readUInt32LE(8);
      this.links = head.readUInt32LE(12);
      const wanted = linksHeadBytes + 4 * (this.nodes + 1) + 4 * this.links + 4;
      const { size } = fstatSync(this.#fd);
      this.sizeBytes = size;
      if (size !== wanted) throw corrupt(this.#file, `it has ${size} bytes instead of ${wanted}`);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /** Fills numbers from a place of the offsets, or behind them of the targets. */
  readNumbers(numbers: Uint32Array, firstIndex: number): void {
    let position = linksHeadBytes + 4 * firstIndex;
    for (const bytes of bytesOf(numbers))
      for (let at = 0; at < bytes.length; ) {
        const came = readSync(this.#fd, bytes, at, Math.min(bytes.length - at, blockBytes), position);
        if (came === 0) throw corrupt(this.#file, "it is cut off");
        at += came;
        position += came;
      }
  }

  /**
   * Rows in order, in blocks of some 1 MiB of links: a row that is longer is a block of its own.
   *
   * @param from - first node; to: the one behind the last
   * @returns blocks in memory that the next one takes
   */
  *blocks(from = 0, to: number = this.nodes): Generator<LinkBlock, void, void> {
    const room = blockNumbers;
    const bounds = new Uint32Array(room + 1);
    const inBlock = new Uint32Array(room + 1);
    let targets = new Uint32Array(room);
    for (let window = from; window < to; window += room) {
      const count = Math.min(room, to - window);
      this.readNumbers(bounds.subarray(0, count + 1), window);
      for (let at = 0; at < count; ) {
        const begin = bounds[at] as number;
        let end = at;
        do {
          end++;
          if ((bounds[end] as number) < (bounds[end - 1] as number) || (bounds[end] as number) > this.links)
            throw corrupt(this.#file, `the row of node ${window + end - 1} ends before it begins`);
        } while (end < count && (bounds[end + 1] as number) - begin <= room);
        const length = (bounds[end] as number) - begin;
        if (length > targets.length) targets = new Uint32Array(length);
        this.readNumbers(targets.subarray(0, length), this.nodes + 1 + begin);
        const rows = end - at;
        for (let row = 0; row <= rows; row++) inBlock[row] = (bounds[at + row] as number) - begin;
        yield {
          first: window + at,
          rows: {
            starts: inBlock.subarray(0, rows),
            ends: inBlock.subarray(1, rows + 1),
            targets: targets.subarray(0, length),
            count: rows,
            members: undefined,
          },
        };
        at = end;
      }
    }
  }

  /** All rows in order, without more than some of them in memory: a node, and the nodes it links to until the next is asked for. */
  *rows(): Generator<{ readonly node: number; readonly targets: Uint32Array }, void, void> {
    for (const { first, rows } of this.blocks())
      for (let row = 0; row < rows.count; row++)
        yield { node: first + row, targets: rows.targets.subarray(rows.starts[row], rows.ends[row]) };
  }

  /** Where a node's links begin among all. */
  offsetOf(node: number): number {
    const offset = new Uint32Array(1);
    this.readNumbers(offset, node);
    return offset[0] as number;
  }

  /**
   * Reads all blocks, and checks what they hold, without more than some of it in memory.
   *
   * @throws TidemarkError `aborted`; `state-corrupt`, at the end if only the checksum is wrong
   */
  async *checkedBlocks(signal: AbortSignal | undefined): AsyncGenerator<LinkBlock, void, void> {
    const numbers = new Uint32Array(blockNumbers);
    let sum = 0;
    for (let at = 0; at <= this.nodes; at += numbers.length) {
      const some = numbers.subarray(0, Math.min(numbers.length, this.nodes + 1 - at));
      this.readNumbers(some, at);
      if (at === 0 && some[0] !== 0) throw this.#isOutOfPlace();
      sum = sumNumbers(some, sum);
      await pause(signal);
    }
    if (this.offsetOf(this.nodes) !== this.links) throw this.#isOutOfPlace();
    for (const block of this.blocks()) {
      this.#checkRows(block.first, block.rows);
      sum = sumNumbers(block.rows.targets, sum);
      yield block;
      await pause(signal);
    }
    this.#checkSum(sum);
  }

  /** Reads all of it into memory that threads may share: 4 bytes a link and 4 a node. @throws TidemarkError `aborted`, `state-corrupt` */
  async readGraph(signal: AbortSignal | undefined): Promise<SharedGraph> {
    const arrays = new SharedArrays();
    const offsets = arrays.integers(this.nodes + 1);
    const targets = arrays.integers(this.links);
    let [sum, place] = [0, 0];
    for (const numbers of [offsets, targets])
      for (let at = 0; at < numbers.length; at += blockNumbers) {
        const some = numbers.subarray(at, at + blockNumbers);
        this.readNumbers(some, place);
        sum = sumNumbers(some, sum);
        place += some.length;
        await pause(signal);
      }
    this.#checkSum(sum);
    if (offsets[0] !== 0 || offsets[this.nodes] !== this.links) throw this.#isOutOfPlace();
    for (let first = 0; first < this.nodes; first += blockNumbers) {
      const count = Math.min(blockNumbers, this.nodes - first);
      const [starts, ends] = [offsets.subarray(first), offsets.subarray(first + 1)];
      this.#checkRows(first, { starts, ends, targets, count, members: undefined });
      await pause(signal);
    }
    return { nodes: this.nodes, offsets, targets, arrays };
  }

  #isOutOfPlace(): TidemarkError {
    return corrupt(this.#file, "its rows do not hold its links");
  }

  /** @param sum - of offsets and targets */
  #checkSum(sum: number): void {
    const head = Buffer.alloc(linksHeadBytes);
    readSync(this.#fd, head, 0, linksHeadBytes, 0);
    const said = new Uint32Array(1);
    this.readNumbers(said, this.nodes + 1 + this.links);
    if (checksumOf(head, sum) !== said[0]) throw corrupt(this.#file, "its checksum is wrong");
  }

  /** A checksum proves no intent: what reads the graph relies on rows that ascend and nodes that exist. */
  #checkRows(first: number, { starts, ends, targets, count }: LinkRows): void {
    for (let row = 0; row < count; row++) {
      const end = ends[row] as number;
      if (end < (starts[row] as number) || end > targets.length)
        throw corrupt(this.#file, `the row of node ${first + row} ends before it begins`);
      let last = -1;
      for (let at = starts[row] as number; at < end; at++) {
        const target = targets[at] as number;
        if (target <= last || target >= this.nodes)
          throw corrupt(this.#file, `the row of node ${first + row} has ${target} after ${last}`);
        last = target;
      }
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

/** The CRC-32 of bytes that follow others. Of no bytes zlib's own is 0, whatever comes before. */
export function checksumOf(bytes: Uint8Array, before = 0): number {
  return bytes.length === 0 ? before : crc32(bytes, before);
}

/** More bytes than Node 20 gives to one array, in parts. */
const partNumbers = 2 ** 28;

function* bytesOf(numbers: Uint32Array): Generator<Uint8Array, void, void> {
  for (let at = 0; at < numbers.length; at += partNumbers) {
    const part = numbers.subarray(at, at + partNumbers);
    yield new Uint8Array(part.buffer, part.byteOffset, part.byteLength);
  }
}

function sumNumbers(numbers: Uint32Array, before: number): number {
  let sum = before;
  for (const bytes of bytesOf(numbers)) sum = checksumOf(bytes, sum);
  return sum;
}

/** Reads the graph of a folder. @throws TidemarkError `not-found`, `no-permission`, `state-corrupt`, `aborted` */
export async function readGraph(folder: string, signal?: AbortSignal): Promise<SharedGraph> {
  using file = new LinksFile(folder);
  return await file.readGraph(signal);
}
