import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Clock } from "../../core/index.ts";
import type { LinkLog } from "../../storage/index.ts";
import type { BatchTask } from "./batch-worker.ts";
import type { PlannedBatch } from "./plan-batch.ts";
import type { WebBatch } from "./web-options.ts";

/** So many URLs are moved at a time: the crawl goes on in between. */
const atATime = 1000;

interface BatchesOptions {
  /** Of kept links. */
  readonly folder: string;
  /** Pages of a batch; Infinity for none. */
  readonly pages: number;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly now: Clock;
}

/** Chooses the next batch after every so many pages, on a thread of its own. */
export class Batches {
  readonly #options: BatchesOptions;
  #pages = 0;
  #worker: Worker | undefined;
  #isRunning = false;
  #isStopped = false;

  constructor(options: BatchesOptions) {
    this.#options = options;
  }

  /** Counts pages that were done. */
  count(pages: number): void {
    this.#pages += pages;
  }

  /** Whether another batch is to be chosen. */
  get isDue(): boolean {
    return !this.#isRunning && !this.#isStopped && this.#pages >= this.#options.pages;
  }

  /**
   * Chooses a batch.
   *
   * @param promote - takes some of its pages, which are `from` and later of `all`
   * @returns undefined if it was stopped
   */
  async begin(
    links: LinkLog,
    promote: (urls: readonly string[], from: number, all: number) => void,
  ): Promise<WebBatch | undefined> {
    const { folder, pages: count, random, now } = this.#options;
    const begunAt = now();
    this.#isRunning = true;
    this.#pages = 0;
    try {
      await links.endPart();
      if (this.#isStopped) return undefined;
      const workerData: BatchTask = { folder, count, seed: Math.floor(random() * 2 ** 31) };
      const worker = new Worker(new URL("./batch-worker.js", import.meta.url), { workerData });
      this.#worker = worker;
      const [planned] = (await Promise.race([once(worker, "message"), once(worker, "exit").then(() => [])])) as [
        PlannedBatch?,
      ];
      if (planned === undefined) return undefined;
      const { urls, ...counts } = planned;
      for (let from = 0; from < urls.length && !this.#isStopped; from += atATime) {
        promote(urls.slice(from, from + atATime), from, urls.length);
        await new Promise(setImmediate);
      }
      return { event: "web-batch", pages: urls.length, ...counts, elapsedMs: now() - begunAt };
    } finally {
      this.#worker = undefined;
      this.#isRunning = false;
    }
  }

  /** Leaves what is being chosen. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#worker?.terminate();
  }
}
