import { parentPort, workerData } from "node:worker_threads";
import { runRankThread, type SharedRanks } from "./rank-thread.ts";

/** What a thread is told. */
export interface RankThreadSettings {
  readonly shared: SharedRanks;
  readonly thread: number;
}

const { shared, thread } = workerData as RankThreadSettings;
const result = runRankThread(shared, thread, (round, residual) => {
  if (thread === 0) parentPort?.postMessage({ round, residual });
});
if (thread === 0) parentPort?.postMessage(result);
