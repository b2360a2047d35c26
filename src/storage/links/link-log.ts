import { Buffer } from "node:buffer";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Clock, EpochMs } from "../../core/index.ts";
import { wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder, writeDurably } from "../../fs/index.ts";
import { RecordFile, readRecords } from "../queue/record-file.ts";
import { asBefore } from "./read-links.ts";

/** Of lines before they are compressed. */
const defaultPartBytes = 16 * 1024 * 1024;
/** Lines that are collected before they are written. */
const pieceCharacters = 256 * 1024;
/** Of the links of a line. With the lines that wait, at most 768 KiB, they are one record of the journal, which may have 64 MiB. */
const maxLinkBytes = 32 * 1024 * 1024;
const journalName = /^(\d{8}-\d{6,})\.journal$/;
const partName = /^\d{8}-(\d{6,})\.tsv\.gz$/;

export interface LinkLogOptions {
  readonly clock: Clock;
  /** Bytes of lines at which a part ends. @default 16777216 */
  readonly partBytes?: number;
}

/**
 * The links of the pages that a crawl fetched: a line a visit of a page, in compressed files by day and part. docs/format.md
 * describes the files. What was {@link flush}ed outlives a kill: it stands in a journal until its part is compressed.
 */
export class LinkLog implements AsyncDisposable {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #partBytes: number;
  #part: { readonly name: string; readonly day: string; readonly journal: RecordFile } | undefined;
  #next: number;
  #pending: string[] = [];
  #pendingCharacters = 0;
  /** Parts that are being compressed, one after the other. */
  #ending: Promise<void> = Promise.resolve();
  #failure: { readonly error: unknown } | undefined;

  /** Opens a folder of links, made if it is not there. Parts that a killed run left are ended. Whoever opens it holds it alone. */
  constructor(folder: string, { clock, partBytes = defaultPartBytes }: LinkLogOptions) {
    this.#folder = folder;
    this.#clock = clock;
    this.#partBytes = partBytes;
    makeMissingFolder(folder);
    const names = readdirSync(folder);
    const left = names.flatMap((name) => journalName.exec(name)?.[1] ?? []).sort();
    const numbers = names.flatMap(
      (name) => Number(partName.exec(name)?.[1] ?? journalName.exec(name)?.[1]?.slice(9)) || [],
    );
    this.#next = Math.max(0, ...numbers) + 1;
    for (const name of left) this.#end(name);
  }

  /**
   * Adds what a page linked to when it was fetched. Of what takes more than 32 MiB the texts are left out, and links that are too many then.
   *
   * @param links - absolute URLs, each once
   * @param texts - of links that have any: single lines without control characters
   */
  add(at: EpochMs, url: string, links: readonly string[], texts?: ReadonlyMap<string, readonly string[]>): void {
    this.#addLine(at, url, fieldsOf(links, texts));
  }

  /** Adds that a page was found as it was before. */
  addUnchanged(at: EpochMs, url: string): void {
    this.#addLine(at, url, [asBefore]);
  }

  #addLine(at: EpochMs, url: string, fields: readonly string[]): void {
    const line = `${[Math.floor(at / 1000), url, ...fields].join("\t")}\n`;
    this.#pending.push(line);
    this.#pendingCharacters += line.length;
    if (this.#pendingCharacters >= pieceCharacters) this.#write();
  }

  /** Hands on what was added to the system, so that a kill, though not a power cut, leaves it as it is. */
  write(): void {
    this.#write();
    this.#part?.journal.write();
  }

  /** Makes durable what was added. @throws if an earlier part could not be compressed */
  flush(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#write();
    this.#part?.journal.flush();
  }

  /** Ends the part, so that all that was added stands in compressed files once it resolves. */
  async endPart(): Promise<void> {
    this.flush();
    this.#endPart();
    await this.#ending;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.endPart();
  }

  #write(): void {
    if (this.#pending.length === 0) return;
    const bytes = Buffer.from(this.#pending.join(""));
    const day = new Date(this.#clock()).toISOString().slice(0, 10).replaceAll("-", "");
    if (this.#part !== undefined && (this.#part.day !== day || this.#part.journal.sizeBytes >= this.#partBytes))
      this.#endPart();
    if (this.#part === undefined) {
      const name = `${day}-${String(this.#next++).padStart(6, "0")}`;
      this.#part = { name, day, journal: new RecordFile(this.#journalOf(name)) };
    }
    this.#part.journal.append(bytes);
    this.#pending = [];
    this.#pendingCharacters = 0;
  }

  #endPart(): void {
    if (this.#part === undefined) return;
    const { journal, name } = this.#part;
    journal.flush();
    journal.close();
    this.#part = undefined;
    this.#end(name);
  }

  #end(name: string): void {
    this.#ending = this.#ending
      .then(async () => {
        const path = join(this.#folder, `${name}.tsv.gz`);
        const packed = await pack(readRecords(this.#journalOf(name)));
        if (packed !== undefined) await writeDurably(path, packed);
        rmSync(this.#journalOf(name), { force: true });
      })
      .catch((error: unknown) => {
        this.#failure ??= { error: wrapSystemError(error, `write links to ${this.#folder}`, { folder: this.#folder }) };
      });
  }

  #journalOf(name: string): string {
    return join(this.#folder, `${name}.journal`);
  }
}

/** A URL is repeated for each of its texts, so that a page of a few MiB can have a line of hundreds. */
function fieldsOf(links: readonly string[], texts?: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const fields: string[] = [];
  let bytesLeft = maxLinkBytes;
  for (const link of links) {
    const some = texts?.get(link) ?? [];
    bytesLeft -= (Buffer.byteLength(link) + 1) * Math.max(1, some.length);
    for (const text of some) bytesLeft -= Buffer.byteLength(text) + 1;
    if (bytesLeft < 0) return texts === undefined ? fields : fieldsOf(links);
    if (some.length === 0) fields.push(link);
    for (const text of some) fields.push(`${link} ${text}`);
  }
  return fields;
}

/** Compresses pieces one after the other: of what they hold only one is in memory. @returns undefined if there is none */
async function pack(pieces: Iterable<Uint8Array>): Promise<Buffer | undefined> {
  const packed: Uint8Array[] = [];
  let bytes = 0;
  await pipeline(
    (function* () {
      for (const piece of pieces) {
        bytes += piece.length;
        yield piece;
      }
    })(),
    createGzip(),
    async (source: AsyncIterable<Uint8Array>) => {
      for await (const piece of source) packed.push(piece);
    },
  );
  return bytes === 0 ? undefined : Buffer.concat(packed);
}
