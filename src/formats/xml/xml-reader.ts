import { SaxesParser } from "saxes";
import { excerpt, type Problem } from "../../core/index.ts";
import { BareAmpersands, XmlDecoder } from "./xml-decoder.ts";

/** Elements may stand this deep; sitemaps and ResourceSync documents need 3, their extensions a few more. */
export const maxXmlDepth = 32;
/** Longest run of characters without a tag, in characters: of a text, a comment, an attribute. */
export const maxXmlTokenCharacters: number = 256 * 1024;
const maxAttributes = 256;
const maxWarnings = 20;
const sliceBytes = 64 * 1024;

/** A tag that opens an element. */
export interface XmlTag {
  /** As written, with its prefix. */
  readonly name: string;
  /** The name without its prefix. */
  readonly local: string;
  /** Empty if there is none. */
  readonly prefix: string;
  /** The namespace. */
  readonly uri: string;
  /** By their names as written, with prefix. */
  readonly attributes: Readonly<Record<string, { readonly value: string }>>;
}

/** What is told of a document as it is read. Depth counts from 1, the root. */
export interface XmlReceiver {
  /** Prefixes are resolved; one that is bound to nothing is in the namespace `unbound:` and itself. */
  onOpen(tag: XmlTag, depth: number): void;
  /** Text or a CDATA section; one text may come in several pieces. */
  onText(text: string): void;
  onClose(depth: number): void;
}

/**
 * Reads XML within bounds. A document type is only a name, and one with declarations of its own is refused, so there are no
 * entities but XML's five; depth, attributes and the length of a token are bounded, and what is not well-formed ends the reading; only an `&` that
 * should have been `&amp;` is forgiven. Nothing in the
 * bytes makes it throw: {@link XmlReader.problem} says why the rest was not read.
 */
export class XmlReader {
  readonly #parser: SaxesParser<{ xmlns: true }>;
  readonly #decoder: XmlDecoder;
  readonly #ampersands: BareAmpersands = new BareAmpersands();
  readonly #maxBytes: number;
  readonly #warnings: Problem[] = [];
  #warningCount = 0;
  #bytes = 0;
  #depth = 0;
  #attributes = 0;
  #lastEventAt = 0;
  #problem: Problem | undefined;
  #sawUnbound = false;
  #ended = false;

  /** @param maxBytes - how much of the document is read at most, as it is fed */
  constructor(receiver: XmlReceiver, maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#decoder = new XmlDecoder((warning) => this.warn(warning.code, warning.message));
    this.#parser = new SaxesParser({
      xmlns: true,
      position: false,
      resolvePrefix: (prefix: string) => this.#resolveUnbound(prefix),
    });
    this.#listen(this.#parser, receiver);
  }

  /** Why reading ended before the document did; undefined while it goes well. */
  get problem(): Problem | undefined {
    return this.#problem;
  }

  /** What was odd and was read all the same, or left out: the first 20. */
  get warnings(): readonly Problem[] {
    return this.#warnings;
  }

  /** How many warnings there were, with those that were not kept. */
  get warningCount(): number {
    return this.#warningCount;
  }

  /** Notes what is odd. */
  warn(code: string, message: string): void {
    this.#warningCount++;
    if (this.#warnings.length < maxWarnings) this.#warnings.push({ code, message });
  }

  /** Ends the reading. To be called by the receiver only, from within its methods; it does not return. */
  stop(code: string, message: string): never {
    this.#problem ??= { code, message };
    throw new Error(message);
  }

  /** Reads on. Does nothing once there is a problem. */
  write(piece: Uint8Array): void {
    if (this.#ended) throw new TypeError("a document that has ended is written to");
    if (this.#bytes === 0 && piece[0] === 0x1f && piece.length > 0)
      this.#problem ??= { code: "compressed", message: "it begins like gzip, not like XML" };
    for (let from = 0; from < piece.length && this.#problem === undefined; from += sliceBytes) {
      const slice = piece.subarray(from, from + sliceBytes);
      const room = this.#maxBytes - this.#bytes;
      this.#bytes += slice.length;
      this.#parse(this.#decoder.decode(slice.length > room ? slice.subarray(0, room) : slice));
      if (slice.length > room)
        this.#problem ??= { code: "too-large", message: `it is larger than ${this.#maxBytes} bytes of it` };
    }
  }

  /** Says that the document ends here. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#problem === undefined) this.#parse(this.#decoder.end(), true);
    if (this.#problem === undefined) this.#guard(() => this.#parser.close());
  }

  // Told once: a document that forgets a prefix forgets it in each of its entries.
  #resolveUnbound(prefix: string): string {
    if (prefix === "") return "";
    if (!this.#sawUnbound) this.warn("unbound-prefix", `no namespace is bound to ${excerpt(prefix)}`);
    this.#sawUnbound = true;
    return `unbound:${prefix}`;
  }

  #parse(decoded: string, isLast = false): void {
    const wasGood = this.#ampersands.count === 0;
    const text = this.#ampersands.repair(decoded, isLast);
    if (wasGood && this.#ampersands.count > 0) this.warn("bare-ampersand", "an & that begins no XML reference");
    if (text === "") return;
    this.#guard(() => this.#parser.write(text));
    if (this.#problem === undefined && this.#parser.position - this.#lastEventAt > maxXmlTokenCharacters)
      this.#problem = { code: "too-long", message: `more than ${maxXmlTokenCharacters} characters without a tag` };
  }

  // The parser holds no promise about what it does after an error, so the first one ends it.
  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#problem ??= { code: "bad-xml", message: error instanceof Error ? error.message : String(error) };
    }
  }

  #listen(parser: SaxesParser<{ xmlns: true }>, receiver: XmlReceiver): void {
    const passed = (): void => {
      this.#lastEventAt = parser.position;
    };
    const text = (characters: string): void => {
      passed();
      if (this.#depth > 0) receiver.onText(characters);
    };
    parser.on("error", (error) => this.stop("bad-xml", error.message));
    parser.on("doctype", (declaration) => {
      passed();
      if (declaration.includes("[")) this.stop("doctype", "a document type with declarations of its own is not read");
    });
    parser.on("comment", passed);
    parser.on("processinginstruction", passed);
    parser.on("text", text);
    parser.on("cdata", text);
    parser.on("attribute", () => {
      passed();
      if (++this.#attributes > maxAttributes) this.stop("too-long", `more than ${maxAttributes} attributes in a tag`);
    });
    parser.on("opentag", (tag) => {
      passed();
      this.#attributes = 0;
      if (++this.#depth > maxXmlDepth) this.stop("too-deep", `elements deeper than ${maxXmlDepth}`);
      receiver.onOpen(tag, this.#depth);
    });
    parser.on("closetag", () => {
      passed();
      receiver.onClose(this.#depth--);
    });
  }
}

/** Reads a document of entries as its bytes arrive, in memory that does not grow with it. */
export class EntryReader<Entry> {
  readonly #xml: XmlReader;
  readonly #entries: Entry[];

  /** @param entries - where the receiver of `xml` puts them */
  constructor(xml: XmlReader, entries: Entry[]) {
    this.#xml = xml;
    this.#entries = entries;
  }

  /** Why the rest of the document was not read; undefined if all of it was, or while it goes well. */
  get problem(): Problem | undefined {
    return this.#xml.problem;
  }

  /** What was odd: entries that were left out, dates that are none. The first 20 of {@link warningCount}. */
  get warnings(): readonly Problem[] {
    return this.#xml.warnings;
  }

  /** How many warnings there were. */
  get warningCount(): number {
    return this.#xml.warningCount;
  }

  /**
   * Reads on.
   *
   * @param piece - the next bytes, as many as there are; they may be overwritten afterwards
   * @returns entries that are complete now, in their order; empty for ever once there is a {@link problem}
   */
  write(piece: Uint8Array): readonly Entry[] {
    this.#xml.write(piece);
    return this.#entries.splice(0);
  }

  /** Says that there are no more bytes. A document that is cut off has a {@link problem} then. */
  end(): readonly Entry[] {
    this.#xml.end();
    return this.#entries.splice(0);
  }
}
