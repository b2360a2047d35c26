import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { wrapSystemError } from "../model/index.ts";

/**
 * The numbers of a site's clocks while a transaction is open: a kill takes with it what was written in that, but not when
 * the site may be asked again. A file beside the state, there only until the clocks are written to the state itself.
 */
export class ClockFile {
  readonly #file: string;

  /** @param site - number within the state */
  constructor(stateFile: string, site: number) {
    this.#file = `${stateFile}-clock-${site}`;
  }

  /** What was written last; undefined if there is nothing, or it cannot be read. */
  read(): string | undefined {
    try {
      return readFileSync(this.#file, "utf8");
    } catch {
      return undefined;
    }
  }

  write(text: string): void {
    const temporary = `${this.#file}.tmp`;
    try {
      writeFileSync(temporary, text);
      renameSync(temporary, this.#file);
    } catch (error) {
      throw wrapSystemError(error, `write ${this.#file}`, { file: this.#file });
    }
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
