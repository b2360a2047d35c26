import type { QueueEntry } from "./queue-entry.ts";
import type { QueueLanes } from "./queue-lanes.ts";
import type { SeenUrls } from "./seen-urls.ts";

/** Does to the lanes of a checkpoint what happened since. @returns whether numbers of URLs had to go to disk for it */
export function replayEntry(entry: QueueEntry, lanes: QueueLanes, seen: SeenUrls): boolean {
  if (entry.kind === "site") {
    lanes.addSite(entry.name);
    return false;
  }
  const lane = lanes.laneOf(entry.site, entry.lane);
  if (entry.kind === "block") lanes.seal(lane, entry);
  else if (entry.kind === "finished") {
    lane.count--;
    lanes.backlog--;
    if (lanes.finish(entry.block, entry.place)) lane.remove(entry.block, lanes.table);
  } else {
    const isFull = seen.room === 0;
    if (isFull) seen.spill();
    seen.restore(entry.hashed);
    lanes.addUrl(lane, entry.url);
    return isFull;
  }
  return false;
}

/** Gives the numbers of blocks free that no lane has, once all that happened was done again. */
export function freeBlocks({ sites, table }: QueueLanes): void {
  // Not a set of numbers: those of JavaScript end at 2^24.
  const isUsed = new Uint8Array(table.size);
  for (const { lanes } of sites) for (const lane of lanes) for (const block of lane.blocks(table)) isUsed[block] = 1;
  table.freeAllBut((block) => isUsed[block] === 1);
}

/** Writes blocks again that keep files from going of which little else counts. */
export function compactBlocks({ sites, table, files, open }: QueueLanes): void {
  const sparse = files.sparse();
  if (sparse.size === 0) return;
  const move = (block: number): void => {
    const place = table.placeOf(block);
    if (!sparse.has(place.segment)) return;
    table.move(block, files.append(files.read(place)));
    files.release(place.segment);
  };
  for (const { lanes } of sites) for (const lane of lanes) for (const block of lane.blocks(table)) move(block);
  for (const block of open.keys()) move(block);
}
