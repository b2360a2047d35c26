import { closeSync, openSync, readFileSync, unlinkSync } from "node:fs";
import { wrapSystemError } from "../core/index.ts";
import { writeWhole } from "./durable-file.ts";

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
