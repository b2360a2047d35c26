import type { Buffer } from "node:buffer";
import { closeSync, existsSync, fdatasyncSync, openSync } from "node:fs";
import { join } from "node:path";
import { wrapSystemError } from "../../core/index.ts";
import { readAt } from "../../fs/index.ts";
import { corrupt, openRecord, RecordFile } from "./record-file.ts";

const guessBytes = 8 * 1024;
const maxOpenFiles = 64;

export interface BlockPlace {
  readonly segment: number;
  readonly offset: number;
}

export interface NamedSegment {
  readonly segment: number;
  /** Its blocks, and those of them that are still needed. */
  readonly blocks: number;
  readonly live: number;
}

/** Blocks of bytes in files, called segments, that are only written at their ends. A file goes when none of its blocks is needed. */
export class BlockFiles {
  readonly #folder: string;
  readonly #segmentBytes: number;
  readonly #segments = new Map<number, { blocks: number; live: number }>();
  /** Files that are open for reading, the least recently used first. */
  readonly #open = new Map<number, number>();
  /** The segment that is written; undefined until there is a block to write. */
  #current: { readonly segment: number; readonly file: RecordFile } | undefined;
  #next: number;
  /** Segments with blocks that a killed process wrote, and perhaps not durably. */
  readonly #unsynced = new Set<number>();

  /** @param next - number of the next segment: no file of that number or a higher one is needed */
  constructor(folder: string, segmentBytes: number, segments: readonly NamedSegment[], next: number) {
    this.#folder = folder;
    this.#segmentBytes = segmentBytes;
    this.#next = next;
    for (const { segment, blocks, live } of segments) this.#segments.set(segment, { blocks, live });
  }

  get nextSegment(): number {
    return this.#next;
  }

  get segments(): NamedSegment[] {
    return [...this.#segments].filter(([, { live }]) => live > 0).map(([segment, counts]) => ({ segment, ...counts }));
  }

  /** Whether a file of the folder is a segment that is not needed. */
  isLeftOver(name: string): boolean {
    const match = /^blocks-(\d+)$/.exec(name);
    if (match === null || Number(match[1]) === this.#current?.segment) return false;
    return (this.#segments.get(Number(match[1]))?.live ?? 0) === 0;
  }

  append(bytes: Uint8Array): BlockPlace {
    if (this.#current === undefined || this.#current.file.sizeBytes >= this.#segmentBytes)
      this.#current = this.#begin();
    const { segment, file } = this.#current;
    const offset = file.append(bytes);
    this.#count(segment);
    return { segment, offset };
  }

  /** Counts a block that a process wrote that was killed since. */
  restore(segment: number): void {
    this.#count(segment);
    this.#unsynced.add(segment);
  }

  #count(segment: number): void {
    const counts = this.#segments.get(segment) ?? { blocks: 0, live: 0 };
    counts.blocks++;
    counts.live++;
    this.#segments.set(segment, counts);
    this.#next = Math.max(this.#next, segment + 1);
  }

  /** @throws TidemarkError `state-corrupt` if it is not what was written */
  read(place: BlockPlace): Buffer {
    const bytes = this.#find(place);
    if (bytes === undefined) throw corrupt(this.#pathOf(place.segment));
    return bytes;
  }

  /** Whether a block is as it was written. */
  has(place: BlockPlace): boolean {
    return existsSync(this.#pathOf(place.segment)) && this.#find(place) !== undefined;
  }

  #find({ segment, offset }: BlockPlace): Buffer | undefined {
    if (segment === this.#current?.segment) this.#current.file.write();
    const fd = this.#fdOf(segment);
    let record = readAt(fd, offset, guessBytes);
    const length = record.length < 8 ? 0 : 8 + record.readUInt32LE(0);
    if (length > record.length) record = readAt(fd, offset, length);
    return openRecord(record, 0);
  }

  /** Notes that a block is not needed any more. */
  release(segment: number): void {
    const counts = this.#segments.get(segment);
    if (counts !== undefined) counts.live--;
  }

  /** Segments so few of whose blocks are needed that it is worth writing those again. */
  sparse(): Set<number> {
    const found = [...this.#segments].filter(
      ([at, { blocks, live }]) => at !== this.#current?.segment && live * 4 < blocks,
    );
    return new Set(found.filter(([, { live }]) => live > 0).map(([at]) => at));
  }

  /** Hands the blocks to the system, so that they survive this process, but not a power cut. */
  write(): void {
    this.#current?.file.write();
  }

  /** Makes all blocks durable. */
  flush(): void {
    this.#current?.file.flush();
    for (const segment of this.#unsynced) {
      const path = this.#pathOf(segment);
      try {
        // One that a power cut took is written again from the journal.
        if ((this.#segments.get(segment)?.live ?? 0) > 0 && existsSync(path)) fdatasyncSync(this.#fdOf(segment));
      } catch (error) {
        throw wrapSystemError(error, `write ${path}`, { path });
      }
      this.#unsynced.delete(segment);
    }
  }

  forget(): void {
    for (const [segment, { live }] of this.#segments) {
      if (live > 0 || segment === this.#current?.segment) continue;
      this.#segments.delete(segment);
      this.#close(segment);
    }
  }

  close(): void {
    this.#current?.file.close();
    for (const segment of [...this.#open.keys()]) this.#close(segment);
  }

  #begin(): { readonly segment: number; readonly file: RecordFile } {
    this.flush();
    const file = new RecordFile(this.#pathOf(this.#next));
    this.#current?.file.close();
    this.#segments.set(this.#next, { blocks: 0, live: 0 });
    return { segment: this.#next++, file };
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
      this.#close(oldest);
    }
    try {
      const fd = openSync(path, "r");
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
