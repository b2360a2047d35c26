import { isUtf8 } from "node:buffer";
import { createHash } from "node:crypto";
import { type ContentRules, type MarkedContent, maxContentBytes } from "../../formats/html/index.ts";
import { type DigestibleFile, type FileDigest, type FileDigester, shortenDigest } from "./file-digest.ts";

/** Collects a file's bytes up to a bound. */
class BoundedBytes {
  #pieces: Buffer[] = [];
  #length = 0;

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
  digest(file: DigestibleFile, trouble: string | undefined): FileDigest {
    const { mediaType } = file;
    if (!this.#rules.appliesTo(mediaType)) return this.#digester.digest(file);
    if (trouble !== undefined) {
      const digest = this.#digester.digest(file);
      return digest.kind === "digested" ? { ...digest, content: this.#whole(trouble) } : digest;
    }
    let kept = new BoundedBytes();
    const digest = this.#digester.digest(file, () => {
      kept = new BoundedBytes();
      return kept;
    });
    if (digest.kind !== "digested") return digest;
    return { ...digest, content: this.#mark(digest.digest, kept.bytes, mediaType) };
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
        rest === undefined ? bytesDigest : shortenDigest(createHash("sha256").update(rest, "latin1"));
      return { mark: { rules, cover: { bytesDigest, contentDigest, sketch } } };
    } catch (error) {
      // Such as a tree too deep for the stack.
      return this.#whole((error as Error).message);
    } finally {
      this.#onPattern(-1);
    }
  }
}
