import type { EpochSeconds } from "./time.ts";

/** How far a reader has followed a site: everything up to and including `publication` is applied. */
export interface Cursor {
  /** The exporter's epoch; a cursor of another epoch is void. */
  readonly epoch: string;
  readonly publication: EpochSeconds;
}
