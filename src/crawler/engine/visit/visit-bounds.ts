import type { FetchStop, SiteMemory } from "../../../core/index.ts";

/** What a site may take of us, whatever it announces. */
export interface ByteBounds {
  /** Most bytes of a page. Default 1 GiB. */
  readonly pageBytes?: number | undefined;
  /** Most bytes of all pages of a site together that are held. Default 1 TiB. */
  readonly siteBytes?: number | undefined;
  /** Most bytes that one visit receives. Default 64 GiB. */
  readonly visitBytes?: number | undefined;
  /** A body that comes more slowly in the long run is given up. Default 64 KiB. */
  readonly leastBytesPerSecond?: number | undefined;
}

const gibibyte = 1024 ** 3;

/** The bounds of one visit, which all of its requests share. What is counted is what came, never what was announced. */
export class VisitBounds {
  readonly #pageBytes: number;
  readonly #siteBytes: number;
  readonly #visitBytes: number;
  readonly leastBytesPerSecond: number;
  #heldBytes = 0;
  #receivedBytes = 0;

  constructor(bounds: ByteBounds = {}) {
    this.#visitBytes = bounds.visitBytes ?? 64 * gibibyte;
    this.#pageBytes = bounds.pageBytes ?? gibibyte;
    this.#siteBytes = bounds.siteBytes ?? 1024 * gibibyte;
    this.leastBytesPerSecond = bounds.leastBytesPerSecond ?? 64 * 1024;
  }

  /** Whether larger pages may come, or more of them, than in the visit that wrote into this memory last; writes what may come now. */
  noteIsRaised(memory: SiteMemory): boolean {
    const now = [this.bodyBytes, this.#siteBytes].map((bytes) => Math.min(bytes, Number.MAX_SAFE_INTEGER));
    const before = memory.readSource("bounds") as readonly number[] | undefined;
    memory.rememberSource("bounds", now);
    return now.some((bytes, at) => bytes > (before?.[at] ?? 0));
  }

  /** Most bytes of a body. One that fits into no visit would be begun in each. */
  get bodyBytes(): number {
    return Math.min(this.#pageBytes, this.#visitBytes);
  }

  /** Whether the visit may receive nothing more. */
  get isSpent(): boolean {
    return this.#receivedBytes >= this.#visitBytes;
  }

  /** Notes what is held of the site, in bytes. */
  begin(heldBytes: number): void {
    this.#heldBytes = heldBytes;
  }

  /** Takes bytes as they come; gives why no more are taken. */
  take(bytes: number): FetchStop | undefined {
    this.#receivedBytes += bytes;
    if (this.#receivedBytes <= this.#visitBytes) return undefined;
    return { reason: "aborted", message: `this visit has received ${this.#visitBytes} bytes, its limit` };
  }

  /**
   * Why a page is not asked for at all, if so.
   *
   * @param saidBytes - its size as it was announced
   * @param heldBytes - of the copy that it would replace; undefined if there is none
   */
  refuse(saidBytes: number | undefined, heldBytes: number | undefined): FetchStop | undefined {
    if (saidBytes !== undefined && saidBytes > this.bodyBytes)
      return tooLarge(`the page is said to have ${saidBytes} bytes, and ${this.bodyBytes} are allowed (--max-page)`);
    return heldBytes === undefined && this.#heldBytes >= this.#siteBytes ? this.#siteIsFull() : undefined;
  }

  /** Room for one page, which is given back with it unless it is kept. @param heldBytes - as of {@link refuse} */
  openPage(heldBytes: number = 0): PageRoom {
    let takenBytes = 0;
    return {
      take: (bytes) => {
        takenBytes += bytes;
        this.#heldBytes += bytes;
        return this.#heldBytes - heldBytes > this.#siteBytes ? this.#siteIsFull() : undefined;
      },
      keep: (sizeBytes) => {
        this.#heldBytes += sizeBytes - heldBytes - takenBytes;
        takenBytes = 0;
      },
      [Symbol.dispose]: () => {
        this.#heldBytes -= takenBytes;
        takenBytes = 0;
      },
    };
  }

  #siteIsFull(): FetchStop {
    return tooLarge(`the pages of this site may have ${this.#siteBytes} bytes together (--max-site)`);
  }
}

/** Counts one page while it comes. */
export interface PageRoom extends Disposable {
  readonly take: (bytes: number) => FetchStop | undefined;
  /** Notes that it is held from now on, in place of what was. */
  readonly keep: (sizeBytes: number) => void;
}

function tooLarge(message: string): FetchStop {
  return { reason: "too-large", message };
}
