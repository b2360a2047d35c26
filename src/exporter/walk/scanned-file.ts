/** Longest encoded path that is published: what sitemaps and most crawlers accept. */
export const maxPublishedPath = 2048;

/** A file of the document root that is to be published. */
export interface ScannedFile {
  /** Percent-encoded path from the root, beginning with `/`. */
  readonly path: string;
  /** Where it is in the file system, links followed; bytes where the name is not ASCII. */
  readonly location: string | Buffer;
  readonly sizeBytes: number;
  /** Modification time in whole microseconds since 1970. */
  readonly mtimeUs: number;
  /** Time of the last change of the inode, in whole microseconds since 1970; nobody can set it back but with the clock. */
  readonly ctimeUs: number;
  /** Of file system and inode, 32 bits: tells files apart that have one path, size and times. */
  readonly stamp?: number;
  /** Media type by the name's ending. */
  readonly mediaType: string;
}

/** A place that could not be looked at: what was published there stays as it was. They come in about path order. */
export interface ScanGap {
  /** Encoded path of a file, or of a folder with `/` at its end. */
  readonly path: string;
}

/** Some thousand files in path order, and the places before or among them that could not be seen. */
export interface ScanBatch {
  readonly files: readonly ScannedFile[];
  readonly gaps: readonly ScanGap[];
}

/** One folder's own files and folders that may be published, in path order. */
export interface FolderLook {
  readonly files: readonly ScannedFile[];
  /** Encoded paths with `/` at their end. */
  readonly folders: readonly string[];
  readonly gaps: readonly ScanGap[];
}

/**
 * A file system's time in whole microseconds since 1970. Times that a double cannot hold exactly,
 * before 1970 and after 2255, become the nearest that it can: anybody may set them on a file.
 */
export function toEpochUs(timeMs: number): number {
  return Math.min(Math.max(Math.floor(timeMs * 1000), 0), Number.MAX_SAFE_INTEGER);
}
