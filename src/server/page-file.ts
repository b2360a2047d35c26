/** A page whose file is not found by its URL alone. */
export interface PageFile {
  /** With query, as it is requested. */
  readonly path: string;
  /** Without parameters. */
  readonly mediaType: string;
  /** Below the folder, joined by `/`, one character (0 to 255) a byte. */
  readonly names: string;
}

/** Finds the pages of a mirror by their paths with query. */
export interface PageFinder {
  find(path: string): PageFile | undefined;
}
