import type { Buffer } from "node:buffer";
import type { LoadedBlock, UrlLane } from "./url-lane.ts";
import { readUrls } from "./url-tail.ts";

/** The first blocks of lanes that are in memory, within a bound; the one that was used longest ago goes first. */
export class LoadedBlocks {
  readonly #maxBytes: number;
  readonly #lanes = new Set<UrlLane>();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The first block of a lane, read if it is not in memory. */
  of(lane: UrlLane, read: (block: number) => Buffer): LoadedBlock {
    this.#lanes.delete(lane);
    this.#lanes.add(lane);
    if (lane.loaded !== undefined) return lane.loaded;
    const bytes = read(lane.firstBlock);
    const loaded = { block: lane.firstBlock, urls: [...readUrls(bytes)], bytes: bytes.length * 2 };
    lane.loaded = loaded;
    this.#bytes += loaded.bytes;
    for (const oldest of this.#lanes) {
      if (this.#bytes <= this.#maxBytes || oldest === lane) break;
      this.drop(oldest);
    }
    return loaded;
  }

  drop(lane: UrlLane): void {
    this.#bytes -= lane.loaded?.bytes ?? 0;
    lane.loaded = undefined;
    this.#lanes.delete(lane);
  }
}
