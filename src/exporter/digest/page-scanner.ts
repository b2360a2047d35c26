import { type Inclusion, parseInclude } from "../../formats/html/index.ts";
import { maxMetaBytes, saysNoindex } from "../../formats/robots/index.ts";
import type { Location } from "../walk/folder-listing.ts";

/** Whether bytes of a media type may have a `meta` element. */
function isHtml(mediaType: string): boolean {
  return mediaType === "text/html" || mediaType === "application/xhtml+xml";
}

// As Apache's MultiViews has them: index.html.de. The type of such a name says nothing.
const htmlOfLanguage = /\.x?html?\.[a-z]{2}(?:-[a-z]{2})?$/i;

/** Whether a file may be a page of HTML, by its media type or its name. @param location - its bytes, or one character a byte */
export function mayBeHtml(mediaType: string, location: Location): boolean {
  if (isHtml(mediaType)) return true;
  return htmlOfLanguage.test(typeof location === "string" ? location : Buffer.from(location).toString("latin1"));
}

/** The beginning of a page that comes piece by piece, and what it says of indexing. */
export class PageHead {
  readonly #isXml: boolean;
  #text: string | undefined = "";
  #saysNoindex = false;

  constructor(mediaType: string) {
    this.#isXml = mediaType === "application/xhtml+xml";
  }

  /** Whether the page asks not to be indexed; known once enough of it has come. */
  get saysNoindex(): boolean {
    return this.#saysNoindex;
  }

  /** Takes the next bytes. @param isEnd - whether these are the last */
  add(bytes: Buffer, isEnd: boolean): void {
    if (this.#text === undefined) return;
    this.#text += bytes.toString("latin1", 0, Math.min(bytes.length, maxMetaBytes - this.#text.length));
    if (!isEnd && this.#text.length < maxMetaBytes) return;
    this.#saysNoindex = saysNoindex(this.#text, this.#isXml);
    this.#text = undefined;
  }
}

/** In which files server-side includes are looked for. */
export const includeModes = ["auto", "on", "off"] as const;

/**
 * One of {@link includeModes}: in HTML, as the filters of Apache and nginx are usually set; in all text; in none,
 * because the server does not process them.
 */
export type IncludeMode = (typeof includeModes)[number];

/** What a page asks the web server to put in before it is served. */
export interface FoundIncludes {
  /** In the page's order, whichever branch of an `if` they are in. */
  readonly inclusions: readonly Inclusion[];
  /** Whether a part of its output comes from no file, or it includes more than is followed. */
  readonly isDynamic: boolean;
}

/** Inclusions of one file that are followed. */
const maxInclusions = 64;
/** A directive that is longer is one whose output is not known. */
const maxDirectiveBytes = 8192;
const opening = "<!--#";
const closing = "-->";

export function mayInclude(mediaType: string, mode: IncludeMode): boolean {
  if (mode === "off") return false;
  if (isHtml(mediaType)) return true;
  return mode === "on" && /^text\/|[/+](?:xml|json|javascript)$/.test(mediaType);
}

/**
 * Finds server-side includes in a page that comes piece by piece. Memory is one directive and what it found; a page
 * without any costs one search.
 */
export class IncludeScanner {
  #rest: Buffer = Buffer.alloc(0);
  readonly #inclusions: Inclusion[] = [];
  #isDynamic = false;
  #isFound = false;

  /** Takes the next bytes; they are only looked at during the call. */
  add(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    let at = bytes.indexOf(opening);
    while (at !== -1) {
      const inner = at + opening.length;
      const window = bytes.subarray(inner, inner + maxDirectiveBytes);
      const end = window.indexOf(closing);
      if (end === -1 && window.length < maxDirectiveBytes) {
        this.#rest = Buffer.from(bytes.subarray(at));
        return;
      }
      if (end === -1) this.#takeUnknown();
      else this.#take(window.toString("latin1", 0, end));
      at = bytes.indexOf(opening, inner + Math.max(end, 0));
    }
    this.#rest = Buffer.from(bytes.subarray(Math.max(0, bytes.length - opening.length + 1)));
  }

  /** What was found in all that came; undefined if there is no directive. */
  result(): FoundIncludes | undefined {
    // One that the end cuts off: a server shows an error in its place.
    if (this.#rest.length >= opening.length) this.#takeUnknown();
    this.#rest = Buffer.alloc(0);
    return this.#isFound ? { inclusions: this.#inclusions, isDynamic: this.#isDynamic } : undefined;
  }

  #take(text: string): void {
    const directive = parseInclude(text);
    if (directive === undefined) return;
    this.#isFound = true;
    const room = maxInclusions - this.#inclusions.length;
    this.#inclusions.push(...directive.inclusions.slice(0, room));
    this.#isDynamic ||= directive.isDynamic || directive.inclusions.length > room;
  }

  #takeUnknown(): void {
    this.#isFound = true;
    this.#isDynamic = true;
  }
}

/** What a whole page asks the web server to put in; undefined if it has no directive. */
export function findIncludes(page: Buffer): FoundIncludes | undefined {
  const scanner = new IncludeScanner();
  scanner.add(page);
  return scanner.result();
}
