import { parentPort, workerData } from "node:worker_threads";
import { planBatch } from "./plan-batch.ts";

/** What the thread is told. */
export interface BatchTask {
  readonly folder: string;
  readonly count: number;
  readonly seed: number;
}

const { folder, count, seed } = workerData as BatchTask;
parentPort?.postMessage(planBatch(folder, count, seed));
