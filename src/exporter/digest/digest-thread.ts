import { Worker } from "node:worker_threads";
import type { ContentRuleSource } from "../../formats/html/index.ts";
import type { PackedDigests, PackedFiles } from "./digest-codec.ts";
import type { IncludeMode } from "./include-scanner.ts";

/** What a thread is told when it begins. */
export interface DigestThreadSettings {
  readonly ruleSource: ContentRuleSource | undefined;
  readonly ioLimitBytesPerSecond: number | undefined;
  /** Whether pages that ask not to be indexed are told apart. */
  readonly findsNoindex: boolean;
  readonly includes: IncludeMode;
  readonly threadMemoryMiB: number;
  /** Where the thread says what it is at; see {@link watchAt}. */
  readonly watch: Int32Array;
}

/** What a thread is asked. */
export interface DigestTask {
  readonly files: PackedFiles;
}

/** What it answers. */
export interface DigestAnswer {
  readonly digests: PackedDigests;
}

/** Number of the file in its task; number of the pattern that is applied, -1 for none; files whose content was looked at. */
export const watchAt = { file: 0, pattern: 1, steps: 2 } as const;

/** A thread that digests, and what can be seen of it from outside. */
export class DigestThread {
  readonly #worker: Worker;
  readonly #watch: Int32Array = new Int32Array(new SharedArrayBuffer(12));
  #seenSteps = -1;
  #seenSinceMs = 0;

  /** @param onEnd - called once if the thread ends by itself or is stopped by {@link kill} */
  constructor(
    settings: Omit<DigestThreadSettings, "watch">,
    onAnswer: (answer: DigestAnswer) => void,
    onEnd: (cause: string) => void,
  ) {
    this.#watch[watchAt.pattern] = -1;
    const workerData: DigestThreadSettings = { ...settings, watch: this.#watch };
    this.#worker = new Worker(new URL("./digest-worker.js", import.meta.url), {
      workerData,
      resourceLimits: { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: settings.threadMemoryMiB },
    });
    let cause = "it ended";
    this.#worker.on("message", onAnswer);
    this.#worker.on("error", (error) => {
      cause = error.message;
    });
    this.#worker.on("exit", () => onEnd(cause));
  }

  /** Sends a task. A thread does its tasks in turn. */
  send(task: DigestTask): void {
    this.#worker.postMessage(task);
  }

  /** The file and the pattern that the thread is busy with, if it applies one. */
  get step(): { readonly file: number; readonly pattern: number } | undefined {
    const pattern = this.#watch[watchAt.pattern] ?? -1;
    return pattern < 0 ? undefined : { file: this.#watch[watchAt.file] ?? 0, pattern };
  }

  /** Since when, on the clock of `nowMs`, the content of one file has been looked at, as far as was seen. */
  busySinceMs(nowMs: number): number {
    const steps = Atomics.load(this.#watch, watchAt.steps);
    if (steps !== this.#seenSteps || this.step === undefined) {
      this.#seenSteps = steps;
      this.#seenSinceMs = nowMs;
    }
    return this.#seenSinceMs;
  }

  /** Stops the thread wherever it is; its end is told. */
  kill(): void {
    void this.#worker.terminate();
  }

  /** Stops the thread; its end is not told. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#worker.removeAllListeners();
    this.#worker.on("error", () => undefined);
    await this.#worker.terminate();
  }
}
