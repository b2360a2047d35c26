import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { wrapSystemError } from "../core/index.ts";
import { renameDurably, SpillFile, temporaryName, writeWhole } from "../fs/index.ts";
import { blockBytes, checksumOf, linksFileOf, linksHeadBytes, linksMagic } from "./graph-folder.ts";
import { pause } from "./pause.ts";

/** Writes links that come in order to a file of links: its offsets at once, its targets when all are known. */
export class LinksWriter implements Disposable {
  readonly #temporary: string;
  readonly #fd: number;
  readonly #targets: SpillFile;
  readonly #nodes: number;
  readonly #offsets = new Uint32Array(blockBytes / 4);
  readonly #block = new Uint32Array(blockBytes / 4);
  #filledOffsets = 0;
  #filled = 0;
  /** Rows whose beginning is written. */
  #rows = 0;
  #links = 0;
  #last: readonly [number, number] = [-1, -1];
  #sum = 0;

  constructor(folder: string, nodes: number) {
    this.#nodes = nodes;
    this.#targets = new SpillFile(folder);
    this.#temporary = temporaryName(linksFileOf(folder));
    try {
      this.#fd = openSync(this.#temporary, "wx", 0o644);
    } catch (error) {
      throw wrapSystemError(error, `write ${this.#temporary}`, { folder });
    }
    // The number of links, which the head has, is known at the end.
    this.#put(Buffer.alloc(linksHeadBytes));
  }

  add(from: number, to: number): void {
    if (from === this.#last[0] && to === this.#last[1]) return;
    this.#last = [from, to];
    this.#beginRows(from + 1);
    this.#block[this.#filled++] = to;
    this.#links++;
    if (this.#filled === this.#block.length) this.#spill();
  }

  #spill(): void {
    this.#targets.append(new Uint8Array(this.#block.buffer, 0, 4 * this.#filled));
    this.#filled = 0;
  }

  #beginRows(count: number): void {
    for (; this.#rows < count; this.#rows++) {
      this.#offsets[this.#filledOffsets++] = this.#links;
      if (this.#filledOffsets === this.#offsets.length) this.#flushOffsets();
    }
  }

  #flushOffsets(): void {
    this.#write(new Uint8Array(this.#offsets.buffer, 0, 4 * this.#filledOffsets));
    this.#filledOffsets = 0;
  }

  #write(bytes: Uint8Array): void {
    this.#sum = checksumOf(bytes, this.#sum);
    this.#put(bytes);
  }

  #put(bytes: Uint8Array): void {
    try {
      writeWhole(this.#fd, bytes);
    } catch (error) {
      throw wrapSystemError(error, "write the links", { file: this.#temporary });
    }
  }

  /** Gives the file its name, durably. @returns how many links it has. @throws TidemarkError `aborted`, `disk-full` */
  async finish(file: string, signal?: AbortSignal): Promise<number> {
    this.#beginRows(this.#nodes + 1);
    this.#flushOffsets();
    this.#spill();
    const block = new Uint8Array(blockBytes);
    for (let at = 0; at < this.#targets.sizeBytes; ) {
      const came = this.#targets.read(block, 0, block.length, at);
      this.#write(block.subarray(0, came));
      at += came;
      await pause(signal);
    }
    const head = Buffer.alloc(linksHeadBytes);
    head.write(linksMagic, "latin1");
    head.writeUInt32LE(this.#nodes, 8);
    head.writeUInt32LE(this.#links, 12);
    const sum = Buffer.alloc(4);
    sum.writeUInt32LE(checksumOf(head, this.#sum));
    this.#put(sum);
    writeSync(this.#fd, head, 0, head.length, 0);
    await renameDurably(this.#temporary, file);
    return this.#links;
  }

  [Symbol.dispose](): void {
    this.#targets[Symbol.dispose]();
    closeSync(this.#fd);
    rmSync(this.#temporary, { force: true });
  }
}
