import { TidemarkError } from "../../core/index.ts";
import { decodeHtml } from "./html-decoder.ts";
import {
  type ByteRange,
  cutRanges,
  findMatches,
  type IgnorePattern,
  joinRanges,
  parseIgnorePattern,
} from "./ignore-pattern.ts";
import { resemblance, sketchOf } from "./sketch.ts";

/** What content rules are made from; plain JSON, so that threads can be told. */
export interface ContentRuleSource {
  /** Regular expressions as `/expression/flags`, and selectors of HTML elements. */
  readonly ignore: readonly string[];
  /** Whether visible texts of HTML pages are to be compared. */
  readonly isSketched: boolean;
}

/** What is left of a page's content. */
export interface ExaminedContent {
  /** The bytes that count, one character each; undefined if nothing was cut. */
  readonly rest: string | undefined;
  /** The sketch of the visible text of what is left; undefined if texts are not compared. */
  readonly sketch: Uint8Array | undefined;
}

/** Rules of what in a page's bytes does not count. */
export interface ContentRules {
  readonly source: ContentRuleSource;
  /** A whole number of 32 bits; other rules have, but once in 4 billion, another. */
  readonly fingerprint: number;
  /** Whether the rules say anything about pages of this type. */
  readonly appliesTo: (mediaType: string) => boolean;
  /**
   * Applies the rules to a page. An expression may take for ever: run it where it can be stopped.
   *
   * @param bytes - the page, one character a byte
   * @param decode - gives the text of such bytes
   * @param onPattern - told the number of each pattern in `source` before it is applied, and then their count
   */
  readonly examine: (
    bytes: string,
    mediaType: string,
    decode: (bytes: string) => string,
    onPattern: (pattern: number) => void,
  ) => ExaminedContent;
}

/** Pages larger than this are compared whole: 4 MiB. */
export const maxContentBytes: number = 4 * 1024 * 1024;

/** Part of the fingerprint: another way to cut or to sketch makes old marks void. */
const rulesVersion = 1;

const xhtmlType = "application/xhtml+xml";

/** Whether selectors and texts mean anything in this media type. */
function isHtmlType(mediaType: string): boolean {
  return mediaType === "text/html" || mediaType === xhtmlType;
}

/** Whether regular expressions are looked for in this media type: `text/*`, XML, JSON and JavaScript. */
export function isExpressionType(mediaType: string): boolean {
  return /^text\/|^application\/(?:.*\+)?(?:xml|json)$|^image\/.*\+xml$|^application\/(?:javascript|ecmascript)$/.test(
    mediaType,
  );
}

/** FNV-1a, 32 bits, over UTF-16 units. */
function fingerprintOf(text: string): number {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x0100_0193);
  return hash >>> 0;
}

/**
 * Makes rules from patterns. Their order, and patterns that are given twice, make no difference:
 * each is applied to the page as it is served, and all that any of them finds is cut.
 *
 * @returns undefined if there is nothing to do
 * @throws TidemarkError `bad-option`, which shows the pattern and says what is wrong with it
 */
export async function compileContentRules(source: ContentRuleSource): Promise<ContentRules | undefined> {
  const texts = [...new Set(source.ignore)].sort();
  if (texts.length === 0 && !source.isSketched) return undefined;
  const patterns = texts.map(parseIgnorePattern);
  const hasExpressions = patterns.some(({ kind }) => kind === "expression");
  const { findCut, findSketch } = await loadCutters(patterns, source.isSketched);
  return {
    source: { ignore: texts, isSketched: source.isSketched },
    fingerprint: fingerprintOf(JSON.stringify([rulesVersion, texts, source.isSketched])),
    appliesTo: (mediaType) => isHtmlType(mediaType) || (hasExpressions && isExpressionType(mediaType)),
    examine: (bytes, mediaType, decode, onPattern) => {
      const isHtml = isHtmlType(mediaType);
      const cut = joinRanges(findCut(bytes, mediaType, onPattern));
      const rest = cut.length === 0 ? undefined : cutRanges(bytes, cut);
      onPattern(texts.length);
      return { rest, sketch: isHtml ? findSketch?.(decode(rest ?? bytes), mediaType) : undefined };
    },
  };
}

type FindCut = (bytes: string, mediaType: string, onPattern: (pattern: number) => void) => ByteRange[];

// The parser of HTML is loaded only where there is need of it: most sites give no rules.
async function loadCutters(patterns: readonly IgnorePattern[], isSketched: boolean) {
  const selectors = patterns.some(({ kind }) => kind === "selector") ? await import("./selector-cut.ts") : undefined;
  const cuts = patterns.map((pattern) =>
    pattern.kind === "selector" ? selectors?.compileSelector(pattern) : undefined,
  );
  const findCut: FindCut = (bytes, mediaType, onPattern) => {
    let ranges: ByteRange[] = [];
    let document: Parameters<NonNullable<(typeof cuts)[number]>>[0] | undefined;
    for (const [at, pattern] of patterns.entries()) {
      onPattern(at);
      if (pattern.kind === "expression") ranges = ranges.concat(findMatches(pattern, bytes));
      else if (isHtmlType(mediaType)) {
        document ??= selectors?.parseBytes(bytes, mediaType === xhtmlType);
        if (document !== undefined) ranges = ranges.concat(cuts[at]?.(document) ?? []);
      }
    }
    return ranges;
  };
  if (!isSketched) return { findCut, findSketch: undefined };
  const [{ visibleText }, { sketchOf }] = await Promise.all([import("./visible-text.ts"), import("./sketch.ts")]);
  return {
    findCut,
    findSketch: (html: string, mediaType: string) => sketchOf(visibleText(html, mediaType === xhtmlType)),
  };
}

/** Compares the visible texts of HTML pages. */
export interface TextComparison {
  /** Whether pages of this type and of at most so many bytes are compared. */
  readonly appliesTo: (mediaType: string, sizeBytes: number) => boolean;
  /** The estimated resemblance of two pages of a type, 0 to 1; see {@link resemblance}. */
  readonly compare: (before: Uint8Array, after: Uint8Array, mediaType: string) => number;
}

/** A page's text. What only a field of the answer says of its encoding is not known here: then a byte is a letter. */
function decodeAnyHow(page: Uint8Array): string {
  const { text, encoding } = decodeHtml(page, undefined);
  return encoding === "utf-8" && text.includes("\ufffd") ? new TextDecoder("windows-1252").decode(page) : text;
}

/** Loads what compares pages: a parser of HTML, which most have no need of. */
export async function loadTextComparison(): Promise<TextComparison> {
  const { visibleText } = await import("./visible-text.ts");
  const sketch = (page: Uint8Array, mediaType: string): Uint8Array =>
    sketchOf(visibleText(decodeAnyHow(page), mediaType === xhtmlType));
  return {
    appliesTo: (mediaType, sizeBytes) => isHtmlType(mediaType) && sizeBytes <= maxContentBytes,
    compare: (before, after, mediaType) => resemblance(sketch(before, mediaType), sketch(after, mediaType)),
  };
}

/** A threshold of resemblance, if there is one. @throws TidemarkError `bad-option` */
export function checkSignificant(value: number | undefined): number | undefined {
  if (value === undefined || (value > 0 && value <= 1)) return value;
  throw new TidemarkError("bad-option", `--significant must be more than 0 and at most 1, not ${value}.`, {
    hint: "For instance --significant 0.9",
  });
}
