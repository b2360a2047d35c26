import { Buffer } from "node:buffer";
import { closeSync, fdatasyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { wrapSystemError } from "../../core/index.ts";
import { writeWhole } from "../../fs/index.ts";
import { corrupt, openRecord, readAt, sealRecord } from "./record-file.ts";

const pendingBytes = 1024 * 1024;
const guessBytes = 8 * 1024;
const maxOpenFiles = 64;

/** Where a block lies. */
export interface BlockPlace {
  readonly segment: number;
  readonly offset: number;
}

/** A segment as a checkpoint names it. */
export interface NamedSegment {
  readonly segment: number;
  /** Blocks that it has, and those of them that count. */
  readonly blocks: number;
  readonly live: number;
}

interface Segment {
  blocks: number;
  live: number;
}

/** Blocks of bytes in files that are only written at their ends. A file goes when none of its blocks counts any more. */
export class BlockFiles {
  readonly #folder: string;
  readonly #segmentBytes: number;
  readonly #segments = new Map<number, Segment>();
  /** Files that are open, the one that was used longest ago first. */
  readonly #open = new Map<number, number>();
  /** The segment that is written; undefined until there is a block to write. */
  #current: number | undefined;
  #next: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #sizeBytes = 0;
  #isDurable = true;

  /** @param next - number of the next segment: no file of that number or a higher one counts */
  constructor(folder: string, segmentBytes: number, segments: readonly NamedSegment[], next: number) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
    this.#next = next;
    for (const { segment, blocks, live } of segments) this.#segments.set(segment, { blocks, live });
  }

  get nextSegment(): number {
    return this.#next;
  }

  /** The segments that count. */
  get segments(): NamedSegment[] {
    return [...this.#segments].filter(([, { live }]) => live > 0).map(([segment, counts]) => ({ segment, ...counts }));
  }

  /** Whether a file of the folder is a segment that does not count. */
  isLeftOver(name: string): boolean {
    const match = /^blocks-(\d+)$/.exec(name);
    if (match === null || Number(match[1]) === this.#current) return false;
    return (this.#segments.get(Number(match[1]))?.live ?? 0) === 0;
  }

  append(bytes: Uint8Array): BlockPlace {
    if (this.#current === undefined || this.#sizeBytes >= this.#segmentBytes) this.#begin();
    const segment = this.#current as number;
    const record = sealRecord(bytes);
    const offset = this.#sizeBytes;
    this.#pending.push(record);
    this.#pendingBytes += record.length;
    this.#sizeBytes += record.length;
    this.restore(segment);
    if (this.#pendingBytes >= pendingBytes) this.#write();
    return { segment, offset };
  }

  /** Counts a block that was written before. */
  restore(segment: number): void {
    const counts = this.#segments.get(segment) ?? { blocks: 0, live: 0 };
    counts.blocks++;
    counts.live++;
    this.#segments.set(segment, counts);
    this.#next = Math.max(this.#next, segment + 1);
  }

  /** @throws TidemarkError `state-corrupt` if it is not what was written */
  read({ segment, offset }: BlockPlace): Buffer {
    if (segment === this.#current) this.#write();
    const fd = this.#fdOf(segment);
    let record = readAt(fd, offset, guessBytes);
    const length = record.length < 8 ? 0 : 8 + record.readUInt32LE(0);
    if (length > record.length) record = readAt(fd, offset, length);
    const bytes = openRecord(record, 0);
    if (bytes === undefined) throw corrupt(this.#pathOf(segment));
    return bytes;
  }

  /** Notes that a block does not count any more. */
  release(segment: number): void {
    const counts = this.#segments.get(segment);
    if (counts !== undefined) counts.live--;
  }

  /** Segments of which so few blocks count that it is worth writing those again. */
  sparse(): Set<number> {
    const found = [...this.#segments].filter(([at, { blocks, live }]) => at !== this.#current && live * 4 < blocks);
    return new Set(found.filter(([, { live }]) => live > 0).map(([at]) => at));
  }

  /** Makes all blocks durable. */
  flush(): void {
    this.#write();
    if (this.#isDurable || this.#current === undefined) return;
    fdatasyncSync(this.#fdOf(this.#current));
    this.#isDurable = true;
  }

  /** Forgets segments that do not count. */
  forget(): void {
    for (const [segment, { live }] of this.#segments) {
      if (live > 0 || segment === this.#current) continue;
      this.#segments.delete(segment);
      this.#close(segment);
    }
  }

  close(): void {
    for (const segment of [...this.#open.keys()]) this.#close(segment);
  }

  #begin(): void {
    this.flush();
    this.#current = this.#next++;
    this.#sizeBytes = 0;
    this.#segments.set(this.#current, { blocks: 0, live: 0 });
  }

  #write(): void {
    if (this.#pendingBytes === 0 || this.#current === undefined) return;
    const path = this.#pathOf(this.#current);
    try {
      writeWhole(this.#fdOf(this.#current), Buffer.concat(this.#pending));
    } catch (error) {
      throw wrapSystemError(error, `write ${path}`, { path });
    }
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#isDurable = false;
  }

  #fdOf(segment: number): number {
    const known = this.#open.get(segment);
    if (known !== undefined) {
      this.#open.delete(segment);
      this.#open.set(segment, known);
      return known;
    }
    const path = this.#pathOf(segment);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < maxOpenFiles) break;
      if (oldest !== this.#current) this.#close(oldest);
    }
    try {
      const fd = openSync(path, segment === this.#current ? "a+" : "r", 0o644);
      this.#open.set(segment, fd);
      return fd;
    } catch (error) {
      throw wrapSystemError(error, `open ${path}`, { path });
    }
  }

  #close(segment: number): void {
    const fd = this.#open.get(segment);
    if (fd !== undefined) closeSync(fd);
    this.#open.delete(segment);
  }

  #pathOf(segment: number): string {
    return join(this.#folder, `blocks-${segment}`);
  }
}
