import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { digestBytes } from "../../core/index.ts";
import { type ContentRules, type MarkedContent, maxContentBytes } from "../../formats/html/index.ts";
import type { ScannedFile } from "../walk/scanned-file.ts";
import type { ByteSink, FileDigest, FileDigester } from "./file-digest.ts";

/** Collects a file's bytes up to a bound. */
class BoundedBytes implements ByteSink {
  #pieces: Buffer[] = [];
  #length = 0;

  restart(): void {
    this.#pieces = [];
    this.#length = 0;
  }

  write(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > maxContentBytes) this.#pieces = [];
    else this.#pieces.push(Buffer.from(piece));
  }

  /** The bytes; undefined if they are too many. */
  get bytes(): Buffer | undefined {
    return this.#length > maxContentBytes ? undefined : Buffer.concat(this.#pieces);
  }
}

function decode(bytes: string): string {
  const buffer = Buffer.from(bytes, "latin1");
  return isUtf8(buffer) ? buffer.toString("utf8") : bytes;
}

/** Digests files and says what of their bytes counts. */
export class ContentExaminer {
  readonly #digester: FileDigester;
  readonly #rules: ContentRules;
  readonly #onPattern: (pattern: number) => void;

  /** @param onPattern - told how far the rules have got, as {@link ContentRules.examine} says, and -1 at the end */
  constructor(digester: FileDigester, rules: ContentRules, onPattern: (pattern: number) => void) {
    this.#digester = digester;
    this.#rules = rules;
    this.#onPattern = onPattern;
  }

  /** @param trouble - why the rules are not to be applied to this file */
  digest(file: Pick<ScannedFile, "location" | "mediaType">, trouble?: string): FileDigest {
    const { mediaType } = file;
    if (!this.#rules.appliesTo(mediaType)) return this.#digester.digest(file);
    const sink = new BoundedBytes();
    const digest = this.#digester.digest(file, trouble === undefined ? sink : undefined);
    if (digest.kind !== "digested") return digest;
    const content = trouble === undefined ? this.#mark(digest.digest, sink.bytes, mediaType) : this.#whole(trouble);
    return { ...digest, content };
  }

  #whole(trouble: string): MarkedContent {
    return { mark: { rules: this.#rules.fingerprint, cover: undefined }, trouble };
  }

  #mark(bytesDigest: string, bytes: Buffer | undefined, mediaType: string): MarkedContent {
    if (bytes === undefined) return this.#whole(`it is larger than ${maxContentBytes} bytes`);
    try {
      const { rest, sketch } = this.#rules.examine(bytes.toString("latin1"), mediaType, decode, this.#onPattern);
      // Rules that leave nothing of a page would hide whatever happens to it.
      if (rest === "") return this.#whole("--ignore leaves nothing of it");
      const rules = this.#rules.fingerprint;
      if (rest === undefined && sketch === undefined) return { mark: { rules, cover: undefined } };
      const contentDigest =
        rest === undefined
          ? bytesDigest
          : createHash("sha256").update(rest, "latin1").digest().subarray(0, digestBytes).toString("base64url");
      return { mark: { rules, cover: { bytesDigest, contentDigest, sketch } } };
    } catch (error) {
      // Such as a tree too deep for the stack.
      return this.#whole((error as Error).message);
    } finally {
      this.#onPattern(-1);
    }
  }
}
