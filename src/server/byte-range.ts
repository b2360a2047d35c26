/** A range of bytes, both ends included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

const rangeForm = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i;

/**
 * Reads Range.
 *
 * @returns undefined if the whole is to be sent: without the field, with several ranges, or with one that is none
 * @see RFC 9110 section 14.2
 */
export function parseRange(field: string | undefined, sizeBytes: number): ByteRange | "unsatisfiable" | undefined {
  const match = field === undefined ? null : rangeForm.exec(field);
  if (match === null) return undefined;
  const [, firstText = "", lastText = ""] = match;
  if (firstText === "") {
    if (lastText === "") return undefined;
    const length = Math.min(Number(lastText), sizeBytes);
    return length === 0 ? "unsatisfiable" : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(firstText);
  const last = lastText === "" ? sizeBytes - 1 : Math.min(Number(lastText), sizeBytes - 1);
  if (lastText !== "" && Number(lastText) < first) return undefined;
  return first >= sizeBytes ? "unsatisfiable" : { first, last };
}
