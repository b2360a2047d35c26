import { Buffer } from "node:buffer";
import { maxUrlBytes } from "./url-tail.ts";

/** A URL that was found. */
export interface QueuedUrl {
  readonly url: string;
  /** The site that it belongs to, as the caller groups them. */
  readonly site: string;
  /** Its priority among those of its site, 0 to 255, the least first: its depth, or its rank in so many steps. */
  readonly priority: number;
}

/** The bounds of a queue. */
export interface UrlQueueOptions {
  /**
   * Memory for URLs and their numbers, in bytes. Beyond that a queue takes about 500 bytes a site and 40 a block of up to 64
   * URLs on disk.
   *
   * @default 268435456
   */
  readonly memoryBytes?: number | undefined;
  /** Size of a file of blocks, in bytes. Default 134,217,728. */
  readonly segmentBytes?: number | undefined;
  /** Size at which the journal gives way to a checkpoint, in bytes. Default 268,435,456. */
  readonly journalBytes?: number | undefined;
}

/** @throws RangeError if it cannot be kept */
export function checkUrl({ url, site, priority }: QueuedUrl): void {
  for (const text of [url, site]) {
    if (text.length * 3 <= maxUrlBytes || Buffer.byteLength(text) <= maxUrlBytes) continue;
    throw new RangeError(`longer than ${maxUrlBytes} bytes: ${text.slice(0, 100)}`);
  }
  if (!(Number.isInteger(priority) && priority >= 0 && priority < 256))
    throw new RangeError(`not a priority: ${priority}`);
}
