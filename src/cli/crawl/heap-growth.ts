import { setFlagsFromString } from "node:v8";

/** Growth of the heap between two major garbage collections, as a share of what the first one left. */
const growthPercent = 60;

/**
 * Lets V8 collect garbage of the old generation once the heap has grown by 60 % since the last such collection; by itself it lets a
 * crawl's grow to some four times what is in use. Of a crawl of the Web most of what reaches the old generation is garbage: what belongs to
 * a turn, which outlives some collections of the young generation. Applies to the whole process, from the next collection on.
 */
export function boundHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
}
