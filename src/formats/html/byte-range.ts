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
