import { Buffer } from "node:buffer";

/** What happened to a queue, as its journal has it. Sites and URLs are numbered in the order of their entries. */
export type QueueEntry =
  | { readonly kind: "site"; readonly name: string }
  | {
      readonly kind: "url";
      readonly site: number;
      readonly lane: number;
      readonly url: Buffer;
      /** The number that stands for it among those that were seen. */
      readonly hashed: number;
    }
  /** All URLs of a lane that no block had stand in one now: in a new one, or behind those of its last, which lies elsewhere then. */
  | {
      readonly kind: "block";
      readonly site: number;
      readonly lane: number;
      readonly block: number;
      readonly segment: number;
      readonly offset: number;
    }
  | {
      readonly kind: "finished";
      readonly site: number;
      readonly lane: number;
      readonly block: number;
      readonly place: number;
    };

const kinds = { site: 1, url: 2, block: 3, finished: 4 } as const;
const pieceBytes = 4 * 1024 * 1024;
/** More than the largest entry has. */
const largestBytes = 16 * 1024;

export class EntryWriter {
  readonly #append: (record: Buffer) => void;
  readonly #bytes = Buffer.allocUnsafeSlow(pieceBytes + largestBytes);
  #length = 0;

  constructor(append: (record: Buffer) => void) {
    this.#append = append;
  }

  write(entry: QueueEntry): void {
    const bytes = this.#bytes;
    let at = bytes.writeUInt8(kinds[entry.kind], this.#length);
    if (entry.kind === "site") {
      const length = bytes.write(entry.name, at + 2);
      bytes.writeUInt16LE(length, at);
      at += 2 + length;
    } else {
      at = bytes.writeUInt32LE(entry.site, at);
      at = bytes.writeUInt8(entry.lane, at);
      if (entry.kind === "url") {
        at = bytes.writeUInt16LE(entry.url.length, bytes.writeDoubleLE(entry.hashed, at));
        bytes.set(entry.url, at);
        at += entry.url.length;
      } else {
        at = bytes.writeUInt32LE(entry.block, at);
        if (entry.kind === "finished") at = bytes.writeUInt16LE(entry.place, at);
        else at = bytes.writeUInt32LE(entry.offset, bytes.writeUInt32LE(entry.segment, at));
      }
    }
    this.#length = at;
    if (at >= pieceBytes) this.flush();
  }

  flush(): void {
    if (this.#length > 0) this.#append(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
  }
}

/** The entries of a record of a journal. Their bytes are those of the record. */
export function* readEntries(bytes: Buffer): Generator<QueueEntry, void, void> {
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes.readUInt8(at++);
    if (kind === kinds.site) {
      const end = at + 2 + bytes.readUInt16LE(at);
      yield { kind: "site", name: bytes.toString("utf8", at + 2, end) };
      at = end;
      continue;
    }
    const site = bytes.readUInt32LE(at);
    const lane = bytes.readUInt8(at + 4);
    at += 5;
    if (kind === kinds.url) {
      const end = at + 10 + bytes.readUInt16LE(at + 8);
      yield { kind: "url", site, lane, url: bytes.subarray(at + 10, end), hashed: bytes.readDoubleLE(at) };
      at = end;
    } else if (kind === kinds.block) {
      const [block, segment] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
      yield { kind: "block", site, lane, block, segment, offset: bytes.readUInt32LE(at + 8) };
      at += 12;
    } else if (kind === kinds.finished) {
      yield { kind: "finished", site, lane, block: bytes.readUInt32LE(at), place: bytes.readUInt16LE(at + 4) };
      at += 6;
    } else throw new RangeError(`not a kind of entry: ${kind}`);
  }
}
