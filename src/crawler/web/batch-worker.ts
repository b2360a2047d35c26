import { parentPort, workerData } from "node:worker_threads";
import { readLinks } from "../../storage/index.ts";
import { planBatch } from "./plan-batch.ts";

/** What the thread is told. */
export interface BatchTask {
  readonly folder: string;
  readonly count: number;
  readonly seed: number;
}

const { folder, count, seed } = workerData as BatchTask;
parentPort?.postMessage(planBatch(() => readLinks(folder), count, seed));
