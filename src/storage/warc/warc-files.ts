import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { rm, truncate } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, wrapSystemError } from "../../core/index.ts";
import { formatBase32, formatRecordId, parseCdxjLine } from "../../formats/warc/index.ts";
import { renameDurably, syncFiles } from "../../fs/index.ts";
import type { OrphanedCaptures } from "./orphaned-captures.ts";
import { type NewRecord, type RecordPlace, WarcFile } from "./warc-file.ts";
import { writeWarcIndex } from "./warc-index.ts";

/** Where WARC files go, and what they say of themselves. */
export interface WarcFilesOptions {
  readonly folder: string;
  /** Folder for files that are not kept. */
  readonly temporary: string;
  /** What names begin with, such as the host. */
  readonly prefix: string;
  /** A file that has reached this is closed. Default 1,000,000,000. */
  readonly maxBytes?: number;
  /** The block of `warcinfo`, beside `format` and `conformsTo`: names and values. */
  readonly info: Readonly<Record<string, string>>;
  readonly clock: Clock;
}

/** A file that is to be gone on with. */
export interface PausedWarc {
  readonly name: string;
  readonly sizeBytes: number;
}

const openEnding = ".open";
const warcEnding = ".warc.gz";
const defaultMaxBytes = 1_000_000_000;
const standard = "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/";

export function indexOfWarc(path: string): string {
  return `${path.slice(0, -warcEnding.length)}.cdxj`;
}

/** A WARC file of a folder, finished or being written, by the name that it has when it is finished. */
export function findWarc(folder: string, name: string): string | undefined {
  const path = join(folder, name);
  return [path, `${path}${openEnding}`].find((file) => existsSync(file));
}

/** Whether a WARC file of a folder is not finished; not if there is no folder. */
export function hasOpenWarc(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => name.endsWith(`${warcEnding}${openEnding}`));
}

/** Finished WARC files of a folder, oldest first. */
export function listWarcs(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(warcEnding))
    .sort();
}

/** The SHA-1 of bytes as records have it. */
export function formatSha1(bytes: Uint8Array): string {
  return `sha1:${formatBase32(createHash("sha1").update(bytes).digest())}`;
}

export function newRecordId(): string {
  return formatRecordId(randomBytes(16));
}

/**
 * The WARC files of a folder, one of which is being written as `<prefix>-<time>-<serial>.warc.gz.open`. A file gets its
 * name when it is full or closed, with an index beside it. One caller at a time.
 */
export class WarcFiles {
  readonly #options: WarcFilesOptions;
  readonly #maxBytes: number;
  #file: WarcFile | undefined;
  #serial: number;
  #temporaries = 0;
  #finished = 0;

  constructor(options: WarcFilesOptions) {
    this.#options = options;
    this.#maxBytes = options.maxBytes ?? defaultMaxBytes;
    mkdirSync(options.folder, { recursive: true });
    const serials = readdirSync(options.folder).map((name) => Number(/-(\d{5,9})\.warc\.gz/.exec(name)?.[1] ?? -1));
    this.#serial = serials.reduce((most, serial) => Math.max(most, serial), -1) + 1;
  }

  /** Whether the next record begins another file. */
  get isFull(): boolean {
    return this.#file !== undefined && this.#file.sizeBytes >= this.#maxBytes;
  }

  /** Files that got their names. */
  get finished(): number {
    return this.#finished;
  }

  /** Names a file in the folder of temporary files. */
  newTemporary(): string {
    return join(this.#options.temporary, `warc-${this.#temporaries++}`);
  }

  /**
   * Ends what a killed run left: an open file is cut off after its last whole record and gets its name, and a
   * missing index is made.
   *
   * @param judge - told of each capture of an open file before that gets its name: it is told again if this is killed before
   */
  async recover(judge?: OrphanedCaptures): Promise<void> {
    const { folder } = this.#options;
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name);
      if (path === this.#file?.path) continue;
      if (name.endsWith(`${warcEnding}${openEnding}`)) await this.#finish(path, judge);
      else if (name.endsWith(warcEnding) && statSync(indexOfWarc(path), { throwIfNoEntry: false }) === undefined)
        await writeWarcIndex(path, name, indexOfWarc(path), this.#options.temporary);
    }
  }

  /** Adds the records of one capture to one file. @returns where each begins */
  async append(records: readonly NewRecord[]): Promise<RecordPlace[]> {
    if (this.isFull) await this.close();
    this.#file ??= await this.#begin();
    const file = this.#nameOf(this.#file.path);
    const places: RecordPlace[] = [];
    for (const record of records) {
      places.push({ file, offset: await this.#file.append(record) });
    }
    return places;
  }

  async flush(): Promise<void> {
    await this.#file?.flush();
  }

  /** Leaves the file that is being written as it is, durably. @returns what {@link resume} goes on with, if there is one */
  async pause(): Promise<PausedWarc | undefined> {
    if (this.isFull) await this.close();
    const file = this.#file;
    if (file === undefined) return undefined;
    this.#file = undefined;
    await file.flush();
    file.close();
    return { name: this.#nameOf(file.path), sizeBytes: file.sizeBytes };
  }

  /** Goes on with a file that was left, before {@link recover}; not with one to which a killed run added something since. */
  resume({ name, sizeBytes }: PausedWarc): void {
    const path = join(this.#options.folder, `${name}${openEnding}`);
    if (statSync(path, { throwIfNoEntry: false })?.size === sizeBytes) this.#file = new WarcFile(path, sizeBytes);
  }

  /** Ends the file that is being written; the next record begins another. */
  async close(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    this.#file = undefined;
    await file.flush();
    file.close();
    await this.#finish(file.path);
  }

  async #begin(): Promise<WarcFile> {
    const { folder, prefix, clock, info } = this.#options;
    const seconds = Math.floor(clock() / 1000);
    const time = new Date(seconds * 1000).toISOString().replace(/\D/g, "").slice(0, 14);
    const name = `${prefix}-${time}-${String(this.#serial++).padStart(5, "0")}${warcEnding}`;
    const file = new WarcFile(join(folder, `${name}${openEnding}`));
    const lines = Object.entries({ ...info, format: "WARC File Format 1.1", conformsTo: standard });
    const start = Buffer.from(lines.map(([field, value]) => `${field}: ${value}\r\n`).join(""));
    await file.append({
      head: {
        type: "warcinfo",
        recordId: newRecordId(),
        date: seconds,
        filename: name,
        contentType: "application/warc-fields",
        blockDigest: formatSha1(start),
      },
      start,
    });
    await syncFiles([file.path]);
    return file;
  }

  #nameOf(path: string): string {
    return path.slice(this.#options.folder.length + 1, -openEnding.length);
  }

  // First the index, then the name: what has its name is finished.
  async #finish(openPath: string, judge?: OrphanedCaptures): Promise<void> {
    const path = openPath.slice(0, -openEnding.length);
    const index = indexOfWarc(path);
    try {
      const onLine = (line: string): void => {
        const capture = judge === undefined ? undefined : parseCdxjLine(line);
        if (capture?.ok === true) judge?.add(capture.value);
      };
      const name = this.#nameOf(openPath);
      const { wholeBytes, captures } = await writeWarcIndex(openPath, name, index, this.#options.temporary, onLine);
      judge?.end();
      if (captures === 0) {
        await rm(openPath);
        await rm(index);
        return;
      }
      if (statSync(openPath).size > wholeBytes) await truncate(openPath, wholeBytes);
      await renameDurably(openPath, path);
      this.#finished++;
    } catch (error) {
      throw wrapSystemError(error, `finish ${path}`, { file: path });
    }
  }
}
