import { Worker } from "node:worker_threads";
import { type ErrorCode, TidemarkError } from "../../src/core/error.ts";
import type { LabRow } from "../../src/core/lab-result.ts";
import type { Point } from "../experiment/experiment.ts";
import type { Values } from "../experiment/parameter.ts";

/** What a thread is told when it begins. */
export interface LabThreadSettings {
  /** Folder for what it must put on a disk for a while; whoever starts the thread removes it. */
  readonly scratchFolder: string;
}

/** A point of an experiment that is to be run. */
export interface LabTask {
  readonly experiment: string;
  readonly point: Point;
  readonly values: Values;
  readonly seed: number;
}

/** What a thread answers: progress any number of times, then one of the others. */
export type LabAnswer =
  | { readonly kind: "progress"; readonly share: number }
  | { readonly kind: "rows"; readonly rows: readonly LabRow[] }
  | {
      readonly kind: "broken";
      readonly code: ErrorCode;
      readonly message: string;
      readonly hint: string | undefined;
      readonly details: Readonly<Record<string, unknown>>;
    }
  | { readonly kind: "bug"; readonly message: string };

interface Job {
  readonly resolve: (rows: readonly LabRow[]) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: (share: number) => void;
}

/** A thread that runs one point at a time. */
export class LabThread implements AsyncDisposable {
  readonly #worker: Worker;
  #job: Job | undefined;
  #end: Error | undefined;

  constructor(settings: LabThreadSettings) {
    this.#worker = new Worker(new URL("./lab-worker.js", import.meta.url), { workerData: settings });
    this.#worker.on("message", (answer: LabAnswer) => this.#take(answer));
    this.#worker.on("error", (error) => this.#fail(error));
    this.#worker.on("exit", () => this.#fail(new Error("the thread ended before its work did")));
  }

  /**
   * Runs a point.
   *
   * @throws TidemarkError that the point threw; Error if the thread dies, for instance of too little memory
   */
  run(task: LabTask, onProgress: (share: number) => void): Promise<readonly LabRow[]> {
    return new Promise((resolve, reject) => {
      if (this.#end !== undefined) return reject(this.#end);
      this.#job = { resolve, reject, onProgress };
      this.#worker.postMessage(task);
    });
  }

  /** Stops the thread wherever it is; what it runs fails. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#fail(new TidemarkError("aborted", "Stopped before the end."));
    await this.#worker.terminate();
  }

  #take(answer: LabAnswer): void {
    const job = this.#job;
    if (answer.kind === "progress") job?.onProgress(answer.share);
    if (job === undefined || answer.kind === "progress") return;
    this.#job = undefined;
    if (answer.kind === "rows") job.resolve(answer.rows);
    else if (answer.kind === "bug") job.reject(new Error(answer.message));
    else {
      const { code, message, hint, details } = answer;
      job.reject(new TidemarkError(code, message, { ...(hint !== undefined && { hint }), details }));
    }
  }

  #fail(error: Error): void {
    this.#end ??= error;
    this.#job?.reject(this.#end);
    this.#job = undefined;
  }
}
