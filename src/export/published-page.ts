import type { EpochSeconds } from "../model/index.ts";

/** What the exporter remembers of a page that it published. */
export interface PublishedPage {
  readonly path: string;
  /** The file's size, and that of the published record. */
  readonly sizeBytes: number;
  /** The file's own times when it was last looked at, in microseconds since 1970. */
  readonly mtimeUs: number;
  readonly ctimeUs: number;
  /** The last-modified that is published; it does not move when equal bytes are written again. */
  readonly lastModified: EpochSeconds;
  readonly mediaType: string;
  readonly digest: string | undefined;
  /** The file may have been written to after it was looked at: look again, whatever its times say. */
  readonly racy: boolean;
}
