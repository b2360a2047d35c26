import { Worker } from "node:worker_threads";
import type { FileFault, FileTask } from "./file-task.ts";

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
        // What is given over is gone here: a copy, without what else may lie in the same memory.
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
