import { execFile } from "node:child_process";

/**
 * Makes a file system durable as a whole, with one call for all who ask while the one before is under way: many sites
 * whose bodies lie in one folder do not wait for each other.
 */
export class GroupSync {
  readonly #folder: string;
  #running: Promise<boolean> | undefined;
  #next: Promise<boolean> | undefined;

  /** @param folder - any folder of the file system */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Makes everything durable that was written before the call. @returns whether the system can do that */
  run(): Promise<boolean> {
    if (this.#running === undefined) return this.#begin();
    // What is under way may have passed by what was written last.
    this.#next ??= this.#running.then(() => this.#begin());
    return this.#next;
  }

  #begin(): Promise<boolean> {
    this.#next = undefined;
    const run = new Promise<boolean>((resolve) => {
      execFile("sync", ["-f", this.#folder], (error) => resolve(error === null));
    });
    this.#running = run;
    return run.finally(() => {
      if (this.#running === run) this.#running = undefined;
    });
  }
}
