import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { wrapSystemError } from "../../core/index.ts";

/** A page as the database takes it: path, size, digest, last-modified, media type. */
export type SpooledPage = readonly [string, number | null, string | null, number, string];

/** What a reading said, in its order. */
export type SpooledStep =
  | { readonly kind: "list"; readonly pages: readonly SpooledPage[]; readonly onlyHeld: boolean }
  | { readonly kind: "withdraw"; readonly paths: readonly string[] };

/** So much waits in memory; most readings never need the file. */
const memoryCharacters = 256 * 1024;
const pieceBytes = 64 * 1024;
const newline = 0x0a;

/**
 * What a reading listed, until all of it is there: in memory, and beyond a bound in a file. No transaction is open
 * meanwhile, so other sites may write to the same database. The file is worth nothing once its process is gone.
 */
export class IntakeSpool {
  readonly #file: string;
  #lines: string[] = [];
  #characters = 0;
  #descriptor: number | undefined;

  /** @param file - in a folder that is emptied when the store is opened; both are made only if there is much */
  constructor(file: string) {
    this.#file = file;
  }

  add(step: SpooledStep): void {
    const line = JSON.stringify(step);
    this.#lines.push(line);
    this.#characters += line.length;
    if (this.#characters >= memoryCharacters) this.#spill();
  }

  /** Gives every step in the order in which they were added. */
  *steps(): Generator<SpooledStep, void, void> {
    for (const line of this.#spilledLines()) yield JSON.parse(line) as SpooledStep;
    for (const line of this.#lines) yield JSON.parse(line) as SpooledStep;
  }

  /** Forgets everything; harmless if that was done. */
  discard(): void {
    this.#lines = [];
    this.#characters = 0;
    if (this.#descriptor === undefined) return;
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    rmSync(this.#file, { force: true });
  }

  #open(): number {
    mkdirSync(dirname(this.#file), { recursive: true });
    return openSync(this.#file, "w+");
  }

  #spill(): void {
    const bytes = Buffer.from(`${this.#lines.join("\n")}\n`);
    this.#lines = [];
    this.#characters = 0;
    try {
      this.#descriptor ??= this.#open();
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#descriptor, bytes, at);
    } catch (error) {
      throw wrapSystemError(error, `write ${this.#file}`, { file: this.#file });
    }
  }

  *#spilledLines(): Generator<string, void, void> {
    if (this.#descriptor === undefined) return;
    const piece = Buffer.allocUnsafe(pieceBytes);
    const begun: Buffer[] = [];
    for (let position = 0; ; ) {
      const length = this.#read(this.#descriptor, piece, position);
      if (length === 0) return;
      position += length;
      let from = 0;
      for (let end = piece.indexOf(newline); end !== -1 && end < length; end = piece.indexOf(newline, from)) {
        yield Buffer.concat([...begun.splice(0), piece.subarray(from, end)]).toString("utf8");
        from = end + 1;
      }
      begun.push(Buffer.from(piece.subarray(from, length)));
    }
  }

  #read(descriptor: number, piece: Buffer, position: number): number {
    try {
      return readSync(descriptor, piece, 0, piece.length, position);
    } catch (error) {
      throw wrapSystemError(error, `read ${this.#file}`, { file: this.#file });
    }
  }
}
