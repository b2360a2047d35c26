import { closeSync, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import type { Graph } from "../graph/index.ts";

/** What a file of links begins with; the digit is the version. */
export const linksMagic = "tmgraph1";
/** The magic, and two numbers of 32 bits: nodes and links. */
export const linksHeadBytes: number = 16;
/** At once read or written. */
export const blockBytes: number = 1 << 20;

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

function corrupt(file: string, what: string): TidemarkError {
  return new TidemarkError("state-corrupt", `${file}: ${what}.`, {
    hint: "Import the graph again from its lists.",
    details: { file },
  });
}

/** An open file of links. */
export class LinksFile implements Disposable {
  readonly #file: string;
  readonly #fd: number;
  readonly nodes: number;
  readonly links: number;

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
      if (size !== wanted) throw corrupt(this.#file, `it has ${size} bytes instead of ${wanted}`);
    } catch (error) {
      closeSync(this.#fd);
      throw error;
    }
  }

  /** Fills numbers from a place of the offsets, or behind them of the targets. */
  readNumbers(numbers: Uint32Array, firstIndex: number): void {
    const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
    const position = linksHeadBytes + 4 * firstIndex;
    for (let at = 0; at < bytes.length; ) {
      const came = readSync(this.#fd, bytes, at, Math.min(bytes.length - at, blockBytes), position + at);
      if (came === 0) throw corrupt(this.#file, "it is cut off");
      at += came;
    }
  }

  /** All rows in order, without more than some of them in memory: a node, and the nodes it links to until the next is asked for. */
  *rows(): Generator<{ readonly node: number; readonly targets: Uint32Array }, void, void> {
    const room = blockBytes / 4;
    const ends = new Uint32Array(room);
    let targets = new Uint32Array(room);
    let [from, to, begin] = [0, 0, 0];
    for (let node = 0; node < this.nodes; node++) {
      const inBlock = node % room;
      if (inBlock === 0) this.readNumbers(ends.subarray(0, Math.min(room, this.nodes - node)), node + 1);
      const end = ends[inBlock] as number;
      if (end < begin || end > this.links) throw corrupt(this.#file, `the row of node ${node} ends before it begins`);
      if (end > to) {
        if (end - begin > targets.length) targets = new Uint32Array(end - begin);
        from = begin;
        to = Math.min(this.links, begin + targets.length);
        this.readNumbers(targets.subarray(0, to - from), this.nodes + 1 + from);
      }
      yield { node, targets: targets.subarray(begin - from, end - from) };
      begin = end;
    }
  }

  /** Reads all of it into memory that threads may share: 4 bytes a link and 4 a node. @throws TidemarkError `state-corrupt` */
  readGraph(): Graph {
    const offsets = new Uint32Array(new SharedArrayBuffer(4 * (this.nodes + 1)));
    const targets = new Uint32Array(new SharedArrayBuffer(4 * this.links));
    const head = Buffer.alloc(linksHeadBytes);
    readSync(this.#fd, head, 0, linksHeadBytes, 0);
    this.readNumbers(offsets, 0);
    this.readNumbers(targets, offsets.length);
    const sum = new Uint32Array(1);
    this.readNumbers(sum, offsets.length + targets.length);
    if (checksumOf(head, checksumOf(bytesOf(targets), checksumOf(bytesOf(offsets)))) !== sum[0])
      throw corrupt(this.#file, "its checksum is wrong");
    this.#check(offsets, targets);
    return { nodes: this.nodes, offsets, targets };
  }

  /** A checksum proves no intent: what reads the graph relies on rows that ascend and nodes that exist. */
  #check(offsets: Uint32Array, targets: Uint32Array): void {
    if (offsets[0] !== 0 || offsets[this.nodes] !== this.links)
      throw corrupt(this.#file, "its rows do not hold its links");
    for (let node = 0; node < this.nodes; node++) {
      const end = offsets[node + 1] as number;
      if (end < (offsets[node] as number) || end > this.links)
        throw corrupt(this.#file, `the row of node ${node} ends before it begins`);
      let last = -1;
      for (let at = offsets[node] as number; at < end; at++) {
        const target = targets[at] as number;
        if (target <= last || target >= this.nodes)
          throw corrupt(this.#file, `the row of node ${node} has ${target} after ${last}`);
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

function bytesOf(numbers: Uint32Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** Reads the graph of a folder. @throws TidemarkError `not-found`, `no-permission`, `state-corrupt` */
export function readGraph(folder: string): Graph {
  using file = new LinksFile(folder);
  return file.readGraph();
}
