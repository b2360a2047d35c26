import { Buffer } from "node:buffer";
import { existsSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { grow } from "../../core/index.ts";
import { makeMissingFolder, renameSynced } from "../../fs/index.ts";
import { acquireLock, type FileLock } from "../sqlite/lock.ts";
import { corrupt, RecordFile, readRecords } from "./record-file.ts";

export interface WaitingPage {
  /** From 0 to 2^31 - 1. */
  readonly page: number;
  readonly site: number;
  /** Links from the start. */
  readonly depth: number;
}

/** Set in the number of a page that is finished. */
const finishedBit = 0x8000_0000;
const wordsARecord = 64 * 1024;
/** A journal is written anew when it has so many entries for each that still counts. */
const surplus = 4;
const leastSurplus = 1_000_000;

/**
 * Keeps the waiting pages of an order beyond the end of the process, as `ItemKeeper` of the frontier asks: a file to which pages that
 * come and pages that are finished are appended, and which is rewritten when most of it is obsolete. 12 bytes per page that
 * comes, 4 per page that is finished.
 *
 * Until {@link flush} a page that came may be lost with the process, and a page that was finished may be given again.
 */
export class PageJournal implements Disposable {
  readonly #path: string;
  readonly #lock: FileLock;
  #file: RecordFile;
  #words: Uint32Array = new Uint32Array(wordsARecord);
  #count = 0;
  #entries = 0;
  #waiting = 0;

  /**
   * Opens a journal, or begins one. O(its size).
   *
   * @throws TidemarkError `locked` if another process has it
   */
  constructor(path: string) {
    this.#path = path;
    makeMissingFolder(dirname(path));
    this.#lock = acquireLock(`${path}.lock`);
    try {
      this.#file = new RecordFile(path);
      for (const page of this.#entriesOf()) {
        this.#entries++;
        this.#waiting += page.isFinished ? -1 : 1;
      }
    } catch (error) {
      this.#lock.release();
      throw error;
    }
  }

  keep({ page, site, depth }: WaitingPage): void {
    if (!(page >= 0 && page < finishedBit)) throw new RangeError(`not the number of a page: ${page}`);
    if (this.#count + 3 > wordsARecord) this.#append();
    this.#words[this.#count++] = page;
    this.#words[this.#count++] = site;
    this.#words[this.#count++] = depth;
    this.#entries++;
    this.#waiting++;
  }

  finish({ page }: Pick<WaitingPage, "page">): void {
    if (this.#count + 1 > wordsARecord) this.#append();
    this.#words[this.#count++] = page + finishedBit;
    this.#entries++;
    this.#waiting--;
  }

  /** Pages that came and are not finished, in the order in which they came. O(entries); 4 bytes of memory a page. */
  *waiting(): Generator<WaitingPage, void, void> {
    this.#append();
    this.#file.write();
    // By page: the place of the entry that counts, from 1; 0 if it is finished.
    let entryOf: Uint32Array = new Uint32Array(1024);
    let place = 0;
    for (const { page, isFinished } of this.#entriesOf()) {
      place++;
      entryOf = grow(entryOf, page + 1);
      entryOf[page] = isFinished ? 0 : place;
    }
    place = 0;
    for (const { page, site, depth } of this.#entriesOf()) {
      if (entryOf[page] === ++place) yield { page, site, depth };
    }
  }

  flush(): void {
    this.#append();
    this.#file.flush();
    if (this.#entries > leastSurplus + surplus * Math.max(0, this.#waiting)) this.#renew();
  }

  close(): void {
    this.flush();
    this[Symbol.dispose]();
  }

  /** Lets go of the file and the lock without writing what is pending. */
  [Symbol.dispose](): void {
    this.#file.close();
    this.#lock.release();
  }

  #append(): void {
    if (this.#count === 0) return;
    this.#file.append(Buffer.from(this.#words.buffer, 0, this.#count * 4));
    this.#count = 0;
  }

  #renew(): void {
    const next = `${this.#path}.new`;
    rmSync(next, { force: true });
    const pages = this.waiting();
    const [old, entries, waiting] = [this.#file, this.#entries, this.#waiting];
    this.#file = new RecordFile(next);
    this.#entries = 0;
    this.#waiting = 0;
    try {
      for (const page of pages) this.keep(page);
      this.#append();
      this.#file.flush();
      renameSynced(next, this.#path);
    } catch (error) {
      // The rename may have taken place, and only the folder not be durable.
      if (!existsSync(next)) old.close();
      else {
        this.#file.close();
        [this.#file, this.#entries, this.#waiting, this.#count] = [old, entries, waiting, 0];
      }
      throw error;
    }
    old.close();
  }

  *#entriesOf(): Generator<WaitingPage & { readonly isFinished: boolean }, void, void> {
    for (const bytes of readRecords(this.#path)) {
      if (bytes.length % 4 !== 0) throw corrupt(this.#path);
      for (let at = 0; at < bytes.length; at += 4) {
        const first = bytes.readUInt32LE(at);
        const isFinished = first >= finishedBit;
        const page = isFinished ? first - finishedBit : first;
        if (isFinished) yield { page, site: 0, depth: 0, isFinished };
        else {
          yield { page, site: bytes.readUInt32LE(at + 4), depth: bytes.readUInt32LE(at + 8), isFinished };
          at += 8;
        }
      }
    }
  }
}
