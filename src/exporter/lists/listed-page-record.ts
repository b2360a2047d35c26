import { digestBytes } from "../../core/index.ts";
import type { ByteText, SortedRecord } from "../../fs/index.ts";
import type { ListedPage } from "./listed-page.ts";

/** Characters of a digest, base64url without padding. */
const digestLetters = Math.ceil((digestBytes * 8) / 6);

const flagSize = 1;
const flagTime = 2;
const flagDigest = 4;
const flagType = 8;

/** Distinct types of a list; those beyond count as unknown, so that a hostile list costs no memory. */
const maxTypes = 4096;

/** Writes listed pages as bytes and reads them back. Records live as long as a run of the program: they are no format. */
export class ListedPageRecords {
  readonly #types: string[] = [];
  readonly #numbers: Map<string, number> = new Map();

  /** Writes a page, its path first. */
  encode({ path, sizeBytes, lastModified, mediaType, digest }: ListedPage, text: ByteText): void {
    const type = mediaType === undefined ? undefined : this.#numberOf(mediaType);
    text.put(path);
    text.putUint(
      (sizeBytes === undefined ? 0 : flagSize) |
        (lastModified === undefined ? 0 : flagTime) |
        (digest === undefined ? 0 : flagDigest) |
        (type === undefined ? 0 : flagType),
      1,
    );
    if (sizeBytes !== undefined) text.putUint(sizeBytes, 7);
    if (lastModified !== undefined) text.putUint(lastModified, 5);
    if (digest !== undefined) text.put(digest);
    if (type !== undefined) text.putUint(type, 2);
  }

  /** Reads a page, whose path is the key of the record. */
  decode({ bytes, start, keyEnd }: SortedRecord): ListedPage {
    const path = bytes.toString("latin1", start, keyEnd);
    const flags = bytes[keyEnd] ?? 0;
    let at = keyEnd + 1;
    let sizeBytes: number | undefined;
    let lastModified: number | undefined;
    let digest: string | undefined;
    let mediaType: string | undefined;
    if ((flags & flagSize) !== 0) {
      sizeBytes = bytes.readUIntBE(at, 6) * 256 + (bytes[at + 6] ?? 0);
      at += 7;
    }
    if ((flags & flagTime) !== 0) {
      lastModified = bytes.readUIntBE(at, 5);
      at += 5;
    }
    if ((flags & flagDigest) !== 0) {
      digest = bytes.toString("latin1", at, at + digestLetters);
      at += digestLetters;
    }
    if ((flags & flagType) !== 0) mediaType = this.#types[bytes.readUInt16BE(at)];
    return { path, sizeBytes, lastModified, mediaType, digest };
  }

  #numberOf(type: string): number | undefined {
    const known = this.#numbers.get(type);
    if (known !== undefined || this.#types.length >= maxTypes) return known;
    this.#numbers.set(type, this.#types.length);
    this.#types.push(type);
    return this.#types.length - 1;
  }
}
