import { readFileSync } from "node:fs";
import { type SharedMemory, webAssembly } from "./shared-arrays.ts";

/** What `rank-kernel.wat` exports; all but `count` and `damping` are places in bytes. */
interface RankKernel {
  spread(offset: number, targets: number, rank: number, given: number, count: number, damping: number): number;
}

/** Loads the inner loop of PageRank for arrays in this memory. WebAssembly: V8 checks no bounds in it, and leaves the loop as it is. */
export function loadRankKernel(memory: SharedMemory): RankKernel {
  const module = new webAssembly.Module(readFileSync(new URL("./rank-kernel.wasm", import.meta.url)));
  return new webAssembly.Instance(module, { rank: { memory } }).exports as RankKernel;
}
