import type { EpochSeconds } from "../core/index.ts";
import type { ArchiveFiles, Interval } from "../exporter/index.ts";
import {
  eventArchiveHeader,
  eventGroup,
  type SiteEvent,
  writeEventLine,
  writeSiteLine,
} from "../formats/web-events/index.ts";
import { ByteText } from "../fs/index.ts";

/** Most events of an archive: one of few is a request for little, and one of many is read whole into memory. */
const maxEvents = 32_768;
const maxBytes = 8 * 1024 * 1024;

/** Writes the events of an interval to archives. Memory is one archive. */
export class EventWriter {
  readonly #files: ArchiveFiles;
  readonly #span: { readonly from: EpochSeconds; readonly to: EpochSeconds };
  readonly #text = new ByteText(1 << 18);
  readonly #archives: Interval["archives"][number][] = [];
  #origin = "";
  #count = 0;

  constructor(files: ArchiveFiles, span: { readonly from: EpochSeconds; readonly to: EpochSeconds }) {
    this.#files = files;
    this.#span = span;
  }

  /** Appends an event, in the order of origins and paths. @returns whether {@link cut} must be awaited before the next */
  add(origin: string, event: SiteEvent): boolean {
    if (this.#count === 0) this.#text.put(`${eventArchiveHeader}\n`);
    if (origin !== this.#origin) {
      writeSiteLine(this.#text, origin);
      this.#origin = origin;
    }
    writeEventLine(this.#text, event, this.#span.to);
    this.#count += 1;
    return this.#count >= maxEvents || this.#text.length >= maxBytes;
  }

  /** Ends the archive. */
  async cut(): Promise<void> {
    if (this.#count === 0) return;
    const content = Buffer.from(this.#text.bytes.subarray(0, this.#text.length));
    const entry = await this.#files.write({ ...this.#span, group: eventGroup }, content, this.#count);
    this.#archives.push({ ...entry, segment: this.#archives.length });
    this.#text.clear();
    this.#origin = "";
    this.#count = 0;
  }

  /** Ends the interval. @returns its archives in order */
  async end(): Promise<Interval["archives"]> {
    await this.cut();
    return this.#archives;
  }
}
