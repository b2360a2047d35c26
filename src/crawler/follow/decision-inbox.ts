import { randomBytes } from "node:crypto";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { wrapSystemError } from "../../core/index.ts";
import { makeMissingFolder, readSideFile, sideFileIn, writeDurably } from "../../fs/index.ts";

/** A file of the inbox. */
export interface InboxPiece {
  readonly name: string;
  /** Undefined if it is not a regular file of at most {@link maxPieceBytes}. */
  readonly text: string | undefined;
  /** Removes it. @returns whether it is gone; if not, this inbox does not return it again */
  remove(): boolean;
}

const maxPieceBytes = 4096;
const piecesAtATime = 1000;
const temporaryEnding = ".tmp";

/**
 * A folder into which other processes put small files for the process that holds the state; each stays until it was
 * taken.
 */
export class DecisionInbox {
  readonly #folder: string;
  /** Files that could not be removed. */
  readonly #stuck = new Set<string>();

  /** @param into - folder of the mirrors */
  constructor(into: string) {
    this.#folder = sideFileIn(into, "inbox");
  }

  /** Creates the folder and removes leftovers of killed writers. Call it before {@link pieces}. */
  open(): void {
    this.#make();
    try {
      for (const name of this.#names())
        if (name.endsWith(temporaryEnding)) rmSync(join(this.#folder, name), { recursive: true, force: true });
    } catch (error) {
      throw wrapSystemError(error, `open ${this.#folder}`, { folder: this.#folder });
    }
  }

  /**
   * Writes a file atomically and durably.
   *
   * @param at - files are taken in the order of these times
   * @returns its name
   */
  async put(text: string, at: number): Promise<string> {
    const name = `${String(at).padStart(15, "0")}-${randomBytes(6).toString("hex")}.json`;
    this.#make();
    await writeDurably(join(this.#folder, name), text, { mode: "user" });
    return name;
  }

  /** Whether a file was not taken yet. */
  has(name: string): boolean {
    return this.#names().includes(name);
  }

  /** The files, oldest first; at most a thousand. */
  *pieces(): Generator<InboxPiece, void, void> {
    const names = this.#names().filter((name) => !name.endsWith(temporaryEnding) && !this.#stuck.has(name));
    for (const name of names.sort().slice(0, piecesAtATime)) {
      const read = readSideFile(join(this.#folder, name), maxPieceBytes);
      if (read === "missing") continue;
      yield { name, text: typeof read === "string" ? undefined : read.text, remove: () => this.#remove(name) };
    }
  }

  #make(): void {
    try {
      makeMissingFolder(this.#folder);
    } catch (error) {
      throw wrapSystemError(error, `open ${this.#folder}`, { folder: this.#folder });
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
