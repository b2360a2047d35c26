import { maxMetaBytes, saysNoindex } from "../../formats/robots/index.ts";

/** Whether a `meta` element may be in bytes of a media type. */
export function isHtml(mediaType: string): boolean {
  return mediaType === "text/html" || mediaType === "application/xhtml+xml";
}

/** The beginning of a page while it is read, and what it says of indexing. */
export class PageHead {
  #text = "";
  #isFull = false;
  #saysNoindex = false;

  /** Whether nothing more is looked at. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Whether the page asks not to be indexed; known once the head is full. */
  get saysNoindex(): boolean {
    return this.#saysNoindex;
  }

  /** Forgets what was read, because it is read again. */
  restart(): void {
    this.#text = "";
    this.#isFull = false;
    this.#saysNoindex = false;
  }

  /** Takes the next bytes. @param isEnd - whether these are the last */
  add(bytes: Buffer, isEnd: boolean): void {
    this.#text += bytes.toString("latin1", 0, Math.min(bytes.length, maxMetaBytes - this.#text.length));
    if (!isEnd && this.#text.length < maxMetaBytes) return;
    this.#isFull = true;
    this.#saysNoindex = saysNoindex(this.#text);
    this.#text = "";
  }
}
