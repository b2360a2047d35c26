import type { Graph } from "../../src/graph/graph.ts";

/** A web to be crawled in virtual time. Pages and sites are integers; all of it lies in typed arrays. */
export interface Web {
  readonly pages: number;
  readonly sites: number;
  /** Links between pages. */
  readonly graph: Graph;
  /** The site of each page. */
  readonly siteOf: Uint32Array;
  /** The home page of each site: what a crawler knows before it begins. */
  readonly homes: Uint32Array;
  /** Bytes of each page. */
  readonly sizeBytes: Float32Array;
  /** Expected changes a day of each page. */
  readonly changesPerDay: Float32Array;
  /** Seconds until a connection to a site gives its first byte. */
  readonly latencySeconds: Float32Array;
  /** Bytes a second that a site gives at most. */
  readonly bytesPerSecond: Float32Array;
}
