import { closeSync, constants, createReadStream, fstatSync, openSync, readSync } from "node:fs";
import { rm } from "node:fs/promises";
import { basename } from "node:path";
import { promisify } from "node:util";
import { createGunzip, gunzipSync, gzip, gzipSync } from "node:zlib";
import { wrapSystemError } from "../../core/index.ts";
import { renameDurably, temporaryName, writeWhole } from "../../fs/index.ts";
import { formatProbeRecord, type ProbeRecord, type ProbeRotation, parseProbeRecord } from "./probe-record.ts";

const header = "tidemark-probes 1";

/** Begins the last line, behind which is what the next run wants to know first. */
const endMark = "end";

const pieceCharacters = 512 * 1024;
const maxLineCharacters = 32 * 1024;

/** What a member of gzip has beside content that is stored: header, one block's header, trailer (RFC 1952, RFC 1951). */
const storedOverheadBytes = 10 + 5 + 8;

const compress = promisify(gzip);
const noRotation: ProbeRotation = { cursor: "", after: 0, known: 0, unasked: 0 };

/**
 * Reads the records of a file in path order; a file that is missing has none. One that is corrupt ends there: only
 * requests are lost by it.
 */
export class ProbeReader implements AsyncDisposable {
  readonly #path: string;
  readonly #onCorrupt: (message: string) => void;
  #batches: AsyncGenerator<ProbeRecord[]> | undefined;
  /** Where the run before ended. */
  readonly rotation: ProbeRotation;

  /**
   * @param onCorrupt - is told, once, what is wrong with the file
   * @throws TidemarkError `no-permission`, `io`
   */
  constructor(path: string, onCorrupt: (message: string) => void) {
    this.#path = path;
    this.#onCorrupt = onCorrupt;
    let rotation: ProbeRotation | undefined;
    try {
      rotation = readRotation(path);
      this.#batches = readRecords(path);
    } catch (error) {
      if ((error as { code?: unknown }).code !== "ENOENT") this.#give(error);
    }
    this.rotation = rotation ?? noRotation;
  }

  /** Gives some thousand records at a time; undefined after the last. @throws TidemarkError `io` */
  async next(): Promise<readonly ProbeRecord[] | undefined> {
    try {
      const next = await this.#batches?.next();
      return next?.done === false ? next.value : undefined;
    } catch (error) {
      this.#batches = undefined;
      this.#give(error);
      return undefined;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#batches?.return(undefined);
  }

  // Node's own codes are of the system; zlib's and ours are of the content.
  #give(error: unknown): void {
    if (error instanceof Error && "syscall" in error) throw wrapSystemError(error, `read ${this.#path}`);
    this.#onCorrupt(`What probes found, ${this.#path}, cannot be read on: ${(error as Error).message}`);
  }
}

function readRotation(path: string): ProbeRotation {
  const fd = openSync(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(fd);
    const tail = Buffer.alloc(Math.min(size, maxLineCharacters + storedOverheadBytes));
    readSync(fd, tail, 0, tail.length, size - tail.length);
    // The last four bytes of a member are its uncompressed length.
    const lengthBytes = tail.length < 4 ? 0 : tail.readUInt32LE(tail.length - 4);
    const memberBytes = lengthBytes + storedOverheadBytes;
    if (lengthBytes === 0 || memberBytes > tail.length) throw new RangeError("its end is missing");
    const content = gunzipSync(tail.subarray(tail.length - memberBytes), { maxOutputLength: maxLineCharacters });
    return parseEnd(content.toString("latin1").trimEnd());
  } finally {
    closeSync(fd);
  }
}

async function* readRecords(path: string): AsyncGenerator<ProbeRecord[]> {
  const file = createReadStream(path, { highWaterMark: 256 * 1024 });
  const unpacked = createGunzip({ chunkSize: 256 * 1024 });
  file.on("error", (error) => unpacked.destroy(error));
  let rest = "";
  let isFirst = true;
  let previous = "";
  let count = 0;
  let ended = false;
  try {
    for await (const piece of file.pipe(unpacked) as AsyncIterable<Buffer>) {
      const lines = (rest + piece.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      if (rest.length > maxLineCharacters) throw new RangeError("a line without end");
      const records: ProbeRecord[] = [];
      for (const line of lines) {
        if (ended) throw new RangeError("lines behind the end");
        if (isFirst) {
          if (line !== header) throw new RangeError("not a file of probes");
          isFirst = false;
        } else if (line.startsWith(`${endMark}\t`)) {
          if (parseEnd(line).known !== count) throw new RangeError(`${count} records, and another number was written`);
          ended = true;
        } else {
          const record = parseProbeRecord(line);
          if (record === undefined || record.path <= previous) throw new RangeError(`not the record ${count + 1}`);
          previous = record.path;
          count += 1;
          records.push(record);
        }
      }
      if (records.length > 0) yield records;
    }
    if (!ended || rest !== "") throw new RangeError("its end is missing");
  } finally {
    unpacked.destroy();
    file.destroy();
  }
}

function parseEnd(line: string): ProbeRotation {
  const match = /^end\t(\d{1,15})\t(\/[!-~]*|-)\t(\d{1,15})\t(\d{1,15})$/.exec(line);
  if (match === null) throw new RangeError("its last line is another");
  const [, known, cursor = "-", after, unasked] = match;
  return { cursor: cursor === "-" ? "" : cursor, after: Number(after), known: Number(known), unasked: Number(unasked) };
}

/**
 * Writes records in path order to a temporary file, which takes the name at the end: at any instant, also after a
 * power cut, the name holds the records of one whole run.
 */
export class ProbeWriter implements AsyncDisposable {
  readonly #path: string;
  readonly #temporary: string;
  #fd: number | undefined;
  #text = `${header}\n`;
  #count = 0;

  constructor(path: string) {
    this.#path = path;
    this.#temporary = temporaryName(path);
    this.#fd = this.#attempt(() => openSync(this.#temporary, "wx", 0o600));
  }

  /** Appends a record. @returns whether {@link drain} should be awaited */
  add(record: ProbeRecord): boolean {
    this.#text += `${formatProbeRecord(record)}\n`;
    this.#count += 1;
    return this.#text.length >= pieceCharacters;
  }

  /** Hands what was added to the disk. @throws TidemarkError `disk-full` */
  async drain(): Promise<void> {
    if (this.#text === "") return;
    const bytes = Buffer.from(this.#text, "latin1");
    this.#text = "";
    this.#append(await compress(bytes, { level: 1 }));
  }

  /** Makes the records durable under the file's name. */
  async commit({ cursor, after, unasked }: Omit<ProbeRotation, "known">): Promise<void> {
    await this.drain();
    const line = `${endMark}\t${this.#count}\t${cursor === "" ? "-" : cursor}\t${after}\t${unasked}\n`;
    // Stored, and so of a length that its last bytes tell: the next run reads it before all others.
    this.#append(gzipSync(Buffer.from(line, "latin1"), { level: 0 }));
    this.#close();
    await renameDurably(this.#temporary, this.#path);
  }

  /** Drops what is not committed. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#close();
    await rm(this.#temporary, { force: true });
  }

  #append(bytes: Uint8Array): void {
    const fd = this.#fd;
    if (fd === undefined) throw new TypeError(`${basename(this.#path)} is closed`);
    this.#attempt(() => writeWhole(fd, bytes));
  }

  #close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #attempt<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      throw wrapSystemError(error, `write ${this.#path}`, { path: this.#path });
    }
  }
}
