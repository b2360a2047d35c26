/** What the lab needs from outside. */
export interface LabPorts {
  /** Exports a real folder and measures what was published. See {@link SiteMeasure}. */
  measureSite(root: string): Promise<SiteMeasure>;
  /** Reads a site's real changes, oldest first. */
  readHistory(file: string): Promise<readonly HistoryEvent[]>;
  /** Size of a text of bytes (a character a byte) as gzip of the exporter's level. */
  gzipBytes(text: string): number;
}

/** What a site publishes, measured. Sizes are bytes. */
export interface SiteMeasure {
  readonly pages: number;
  readonly pageBytes: number;
  readonly archives: readonly { readonly entries: number; readonly plainBytes: number; readonly packedBytes: number }[];
  /** Index and list of the base, as they are served. */
  readonly indexBytes: number;
  /** The same entries as the paper writes them: date, path and size a line, sorted by last-modified, in segments of 2000. */
  readonly paperArchives: readonly {
    readonly entries: number;
    readonly plainBytes: number;
    readonly packedBytes: number;
  }[];
}

/** What happened to one file of a site. */
export interface HistoryEvent {
  /** Seconds since 1970; never earlier than that of the event before. */
  readonly time: number;
  /** From the site's root, a character a byte. */
  readonly path: string;
  /** Size afterwards, 0 where it is not known; undefined if the file was deleted. */
  readonly sizeBytes: number | undefined;
}
