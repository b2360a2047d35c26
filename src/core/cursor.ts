import type { EpochSeconds } from "./time.ts";

/** How far a reader has followed a site: it has applied everything up to and including `publication`. */
export interface Cursor {
  /** The exporter's epoch. A cursor of another epoch is not valid. */
  readonly epoch: string;
  readonly publication: EpochSeconds;
}
