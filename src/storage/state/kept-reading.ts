import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { wrapSystemError } from "../../core/index.ts";

/** All files of one reading together. */
const maxKeptBytes = 1024 * 1024 * 1024;

/**
 * What was fetched for a reading of a site's archives that is not whole yet, a file each, so that a visit that is killed leaves
 * it to the next. Files are not written durably: whoever reads one checks what it says.
 */
export class KeptReading {
  readonly #folder: string;
  #keptBytes = 0;

  /** @param folder - its own; made with the first file */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What was kept under a name; undefined if nothing was. */
  read(name: string): Uint8Array | undefined {
    try {
      return readFileSync(this.#fileOf(name));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw wrapSystemError(error, `read ${this.#fileOf(name)}`, { file: this.#fileOf(name) });
    }
  }

  /** Keeps something under a name. Beyond 1 GiB nothing more is kept. */
  keep(name: string, content: Uint8Array): void {
    if (this.#keptBytes + content.length > maxKeptBytes) return;
    this.#keptBytes += content.length;
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(this.#fileOf(name), content, { mode: 0o644 });
    } catch (error) {
      throw wrapSystemError(error, `write ${this.#fileOf(name)}`, { file: this.#fileOf(name) });
    }
  }

  /** Removes everything; harmless if there is nothing. */
  clear(): void {
    this.#keptBytes = 0;
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #fileOf(name: string): string {
    return join(this.#folder, createHash("sha256").update(name).digest("hex").slice(0, 32));
  }
}
