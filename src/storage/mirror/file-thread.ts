import { closeSync, futimesSync, mkdirSync, openSync, renameSync, unlinkSync, utimesSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { writeWhole } from "../../fs/index.ts";

export interface FileFault {
  readonly code: string | undefined;
  readonly message: string;
}

export type FileTask =
  | {
      readonly kind: "place";
      readonly target: string | Uint8Array;
      /** File for as long as it is not whole; on the same file system. */
      readonly temporary: string;
      /** Undefined if it is in the temporary file already. */
      readonly content: Uint8Array | undefined;
      /** Seconds since 1970. */
      readonly modifiedAt: number;
    }
  | { readonly kind: "remove"; readonly target: string | Uint8Array };

function nameOf(file: string | Uint8Array): string | Buffer {
  return typeof file === "string" ? file : Buffer.from(file);
}

function folderOf(file: string | Buffer): string | Buffer {
  return typeof file === "string" ? file.slice(0, file.lastIndexOf("/")) : file.subarray(0, file.lastIndexOf("/"));
}

function write(file: string, content: Uint8Array, modifiedAt: number): void {
  const fd = openSync(file, "w", 0o644);
  try {
    writeWhole(fd, content);
    futimesSync(fd, modifiedAt, modifiedAt);
  } finally {
    closeSync(fd);
  }
}

/**
 * Makes a file, or replaces it at once by a whole one; or removes it.
 *
 * @throws what the file system says; the temporary file may be left
 */
export function doFileTask(task: FileTask): void {
  const target = nameOf(task.target);
  if (task.kind === "remove") {
    unlinkSync(target);
    return;
  }
  const { temporary, content, modifiedAt } = task;
  if (content === undefined) utimesSync(temporary, modifiedAt, modifiedAt);
  else write(temporary, content, modifiedAt);
  try {
    renameSync(temporary, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    // Its folder was empty for a moment, and removed with the page that was in it.
    mkdirSync(folderOf(target), { recursive: true });
    renameSync(temporary, target);
  }
}

interface Job {
  readonly resolve: (isDone: boolean) => void;
  readonly reject: (error: Error) => void;
}

/**
 * A thread that makes and removes files, in the order in which it is told. Half of what keeping a page costs is spent in the file
 * system, and meanwhile the next pages can come in.
 */
export class FileThread {
  readonly #worker: Worker;
  readonly #jobs: Job[] = [];
  #hasEnded = false;

  constructor() {
    this.#worker = new Worker(new URL("./file-worker.js", import.meta.url));
    this.#worker.on("message", (faults: readonly (FileFault | undefined)[]) => {
      for (const fault of faults) this.#settle(fault);
    });
    this.#worker.on("error", () => this.#end());
    this.#worker.on("exit", () => this.#end());
    this.#worker.unref();
  }

  /**
   * Has a task done.
   *
   * @returns whether it was tried; false if the thread is not there any more
   * @throws Error with a `code`, as the file system says
   */
  attempt(task: FileTask): Promise<boolean> {
    if (this.#hasEnded) return Promise.resolve(false);
    return new Promise((resolve, reject) => {
      if (this.#jobs.length === 0) this.#worker.ref();
      this.#jobs.push({ resolve, reject });
      if (task.kind === "place" && task.content !== undefined) {
        // A transferred buffer is gone here: so a copy, and only of these bytes.
        const content = new Uint8Array(task.content);
        this.#worker.postMessage({ ...task, content }, [content.buffer]);
      } else this.#worker.postMessage(task);
    });
  }

  /** Ends the thread, which has nothing to do. */
  close(): void {
    this.#end();
    void this.#worker.terminate();
  }

  #settle(fault: FileFault | undefined): void {
    const job = this.#jobs.shift();
    if (this.#jobs.length === 0) this.#worker.unref();
    if (fault === undefined) job?.resolve(true);
    else job?.reject(Object.assign(new Error(fault.message), { code: fault.code }));
  }

  #end(): void {
    this.#hasEnded = true;
    for (const job of this.#jobs.splice(0)) job.resolve(false);
  }
}
