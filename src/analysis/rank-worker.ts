import { parentPort, workerData } from "node:worker_threads";
import { LinksFile } from "./graph-folder.ts";
import { runRankThread, type SharedRanks, spreadFromDisk, spreadInMemory } from "./rank-thread.ts";

/** What a thread is told. */
export interface RankThreadSettings {
  readonly shared: SharedRanks;
  readonly thread: number;
}

const { shared, thread } = workerData as RankThreadSettings;
const { links } = shared;
// The end of the thread closes the file.
const spread = typeof links === "string" ? spreadFromDisk(shared, new LinksFile(links)) : spreadInMemory(shared, links);
const result = runRankThread(shared, thread, spread, (round, residual) => {
  if (thread === 0) parentPort?.postMessage({ round, residual });
});
if (thread === 0) parentPort?.postMessage(result);
