import { closeSync, openSync, readFileSync, readSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { wrapSystemError } from "../core/index.ts";
import { temporaryName, writeWhole } from "./durable-file.ts";

/** A body in a temporary file. */
export class BodyFile {
  readonly file: string;
  /** Undefined once it is closed. */
  #fd: number | undefined;

  constructor(file: string) {
    this.file = file;
    try {
      this.#fd = openSync(file, "wx", 0o644);
    } catch (error) {
      throw wrapSystemError(error, `write ${file}`, { file });
    }
  }

  write(chunk: Uint8Array): void {
    if (this.#fd === undefined) throw new TypeError("the body is closed");
    try {
      writeWhole(this.#fd, chunk);
    } catch (error) {
      throw wrapSystemError(error, `write ${this.file}`, { file: this.file });
    }
  }

  read(): Uint8Array {
    return readFileSync(this.file);
  }

  /** Gives up the file descriptor; the file stays. */
  close(): void {
    if (this.#fd === undefined) return;
    closeSync(this.#fd);
    this.#fd = undefined;
  }

  discard(): void {
    this.close();
    try {
      unlinkSync(this.file);
    } catch {
      // It was kept, or is removed with the folder at the next start.
    }
  }
}

/**
 * Bytes that do not fit in memory, in a file without a name: whatever becomes of the process, nothing is left of it.
 * Blocks while it writes and reads.
 */
export class SpillFile implements Disposable {
  readonly #folder: string;
  #fd: number | undefined;
  #sizeBytes = 0;

  /** @param folder - where it is made, when something is first written */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Appends bytes. @throws TidemarkError `disk-full`, `no-permission` */
  append(bytes: Uint8Array): void {
    try {
      this.#fd ??= this.#open();
      for (let at = 0; at < bytes.length; ) {
        const length = writeSync(this.#fd, bytes, at, bytes.length - at, this.#sizeBytes);
        at += length;
        this.#sizeBytes += length;
      }
    } catch (error) {
      throw wrapSystemError(error, `sort in ${this.#folder}`, { path: this.#folder });
    }
  }

  /** Reads from a place into a part of a buffer. @returns how many bytes came */
  read(buffer: Uint8Array, start: number, length: number, position: number): number {
    if (this.#fd === undefined) return 0;
    try {
      return readSync(this.#fd, buffer, start, length, position);
    } catch (error) {
      throw wrapSystemError(error, `sort in ${this.#folder}`, { path: this.#folder });
    }
  }

  /** Frees the disk. */
  [Symbol.dispose](): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    this.#sizeBytes = 0;
  }

  // The form of the exporter's own temporary names: one that is killed before the next line is cleaned up after.
  #open(): number {
    const path = temporaryName(join(this.#folder, "run"));
    const fd = openSync(path, "wx+", 0o600);
    rmSync(path, { force: true });
    return fd;
  }
}
