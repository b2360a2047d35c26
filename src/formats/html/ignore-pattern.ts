import { TidemarkError } from "../../core/index.ts";

/** A part of a text, from the first character to the one before `end`. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Sorts ranges and joins those that touch or overlap; empty ones vanish. */
export function joinRanges(ranges: readonly ByteRange[]): ByteRange[] {
  const sorted = ranges.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start);
  const joined: ByteRange[] = [];
  for (const range of sorted) {
    const last = joined.at(-1);
    if (last === undefined || range.start > last.end) joined.push(range);
    else if (range.end > last.end) joined[joined.length - 1] = { start: last.start, end: range.end };
  }
  return joined;
}

/** Gives what is left of a text without ranges that {@link joinRanges} gave. */
export function cutRanges(text: string, ranges: readonly ByteRange[]): string {
  let rest = "";
  let at = 0;
  for (const { start, end } of ranges) {
    rest += text.slice(at, start);
    at = end;
  }
  return rest + text.slice(at);
}

/** A regular expression that is looked for in the bytes of a page. */
export interface IgnoredExpression {
  readonly kind: "expression";
  readonly text: string;
  readonly expression: RegExp;
}

/** A selector of HTML elements. */
export interface IgnoredSelector {
  readonly kind: "selector";
  readonly text: string;
}

/** One thing that is cut out of pages before they are compared. */
export type IgnorePattern = IgnoredExpression | IgnoredSelector;

const maxPatternLength = 4096;
const expressionForm = /^\/(.+)\/([a-z]*)$/s;
const knownFlags = /^[gims]*$/;

/** The error for a pattern that means nothing. */
export function refusePattern(text: string, why: string): TidemarkError {
  const shown = text.length > 200 ? `${text.slice(0, 200)}...` : text;
  return new TidemarkError("bad-option", `--ignore ${shown}: ${why}.`, {
    hint: "Write a regular expression between slashes, such as '/built at [^<]*/i', or a selector, such as '#hits'.",
    details: { pattern: shown },
  });
}

/** One character a byte: so patterns meet the bytes of a UTF-8 page. */
export function toBytesText(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return bytes;
}

/**
 * Reads a pattern. The selector itself is not looked at here.
 *
 * @param text - `/expression/flags`, flags of `g`, `i`, `m` and `s`, or a selector
 * @throws TidemarkError `bad-option`
 */
export function parseIgnorePattern(text: string): IgnorePattern {
  if (text.trim() === "") throw refusePattern(text, "it is empty");
  if (text.length > maxPatternLength) throw refusePattern(text, `it is longer than ${maxPatternLength} characters`);
  if (!text.startsWith("/")) return { kind: "selector", text };
  const [, source, flags] = expressionForm.exec(text) ?? [];
  if (source === undefined || flags === undefined) throw refusePattern(text, "a slash is missing at its end");
  if (!knownFlags.test(flags)) throw refusePattern(text, "its flags may be g, i, m and s, for it meets bytes");
  try {
    const own = [...new Set(`${flags}g`)].sort().join("");
    return { kind: "expression", text, expression: new RegExp(toBytesText(source), own) };
  } catch (error) {
    throw refusePattern(text, (error as Error).message.replace(/^Invalid regular expression: /, ""));
  }
}

/** Finds all that an expression matches in a text of one character a byte. May take for ever. */
export function findMatches({ expression }: IgnoredExpression, bytes: string): ByteRange[] {
  const ranges: ByteRange[] = [];
  let start = 0;
  let end = 0;
  for (const match of bytes.matchAll(expression)) {
    // Matches that touch are one range: a page may consist of nothing else.
    if (match.index > end) {
      ranges.push({ start, end });
      start = match.index;
    }
    end = match.index + match[0].length;
  }
  ranges.push({ start, end });
  return ranges;
}
