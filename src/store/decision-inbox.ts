import { randomBytes } from "node:crypto";
import { closeSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { wrapSystemError } from "../model/index.ts";
import { makeMissingFolder } from "./missing-folder.ts";
import { readSideFile, sideFileIn } from "./side-file.ts";

/** What lay in the inbox. */
export interface InboxPiece {
  readonly name: string;
  /** Undefined if it is no file of at most {@link maxPieceBytes}. */
  readonly text: string | undefined;
  /** Takes it out. @returns whether it is gone; else it is not given out again by this inbox */
  remove(): boolean;
}

const maxPieceBytes = 4096;
const piecesAtATime = 1000;
const temporaryEnding = ".tmp";

/** A folder into which others put small files for who holds the state; each lies there until it was taken. */
export class DecisionInbox {
  readonly #folder: string;
  /** What could not be removed. */
  readonly #stuck = new Set<string>();

  /** @param into - folder of the mirrors */
  constructor(into: string) {
    this.#folder = sideFileIn(into, "inbox");
  }

  /** Makes the folder, and takes away what a writer left that was killed. To be called before pieces are taken. */
  open(): void {
    try {
      makeMissingFolder(this.#folder);
      for (const name of this.#names())
        if (name.endsWith(temporaryEnding)) rmSync(join(this.#folder, name), { recursive: true, force: true });
    } catch (error) {
      throw wrapSystemError(error, `open ${this.#folder}`, { folder: this.#folder });
    }
  }

  /**
   * Puts a piece in, whole and durably.
   *
   * @param at - pieces are taken in the order of this
   * @returns its name
   */
  put(text: string, at: number): string {
    const name = `${String(at).padStart(15, "0")}-${randomBytes(6).toString("hex")}.json`;
    const file = join(this.#folder, name);
    const temporary = `${file}${temporaryEnding}`;
    try {
      makeMissingFolder(this.#folder);
      const handle = openSync(temporary, "wx", 0o644);
      try {
        writeSync(handle, text);
        fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      renameSync(temporary, file);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw wrapSystemError(error, `write ${file}`, { file });
    }
    return name;
  }

  /** Whether a piece was not taken yet. */
  has(name: string): boolean {
    return this.#names().includes(name);
  }

  /** What lies there, the oldest first; a thousand at most. */
  *pieces(): Generator<InboxPiece, void, void> {
    const names = this.#names().filter((name) => !name.endsWith(temporaryEnding) && !this.#stuck.has(name));
    for (const name of names.sort().slice(0, piecesAtATime)) {
      const read = readSideFile(join(this.#folder, name), maxPieceBytes);
      if (read === "missing") continue;
      yield { name, text: typeof read === "string" ? undefined : read.text, remove: () => this.#remove(name) };
    }
  }

  #remove(name: string): boolean {
    try {
      rmSync(join(this.#folder, name), { recursive: true, force: true });
      return true;
    } catch {
      this.#stuck.add(name);
      return false;
    }
  }

  #names(): string[] {
    try {
      return readdirSync(this.#folder);
    } catch (error) {
      if ((error as { code?: unknown }).code === "ENOENT") return [];
      throw wrapSystemError(error, `read ${this.#folder}`, { folder: this.#folder });
    }
  }
}
