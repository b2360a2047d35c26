import type { FormatPart, LogFormat } from "./log-format.ts";
import { type LogLine, logField } from "./log-line.ts";

const space = 0x20;
const backslash = 0x5c;
const dash = 0x2d;
const openBracket = 0x5b;

/** Reads a line's fields by a format. @returns false if the line is not of it; then the fields mean nothing */
export function parseFormattedLine(
  { start, parts }: LogFormat,
  bytes: Uint8Array,
  from: number,
  to: number,
  line: LogLine,
): boolean {
  line.clear();
  line.bytes = bytes;
  line.isEscaped = true;
  if (!isAt(bytes, from, to, start)) return false;
  let at = from + start.length;
  for (const part of parts) {
    const end = findEnd(bytes, at, to, part);
    if (end < 0) return false;
    if (part.field >= 0) {
      if ((line.from[part.field] as number) < 0) line.from[part.field] = at;
      line.to[part.field] = end;
    }
    at = end + part.end.length;
  }
  splitRequest(line);
  skipToTime(line);
  return hasStatus(line);
}

/** The name of a user stands before the time, and is what the client says: it may have a time in brackets, too. */
function skipToTime({ bytes, from, to }: LogLine): void {
  const begin = from[logField.time] as number;
  if (begin < 0) return;
  for (let at = (to[logField.time] as number) - 1; at >= begin; at--) {
    if (bytes[at] !== openBracket) continue;
    from[logField.time] = at + 1;
    return;
  }
}

function isAt(bytes: Uint8Array, at: number, to: number, text: Uint8Array): boolean {
  if (at + text.length > to) return false;
  for (let index = 0; index < text.length; index++) if (bytes[at + index] !== text[index]) return false;
  return true;
}

function findEnd(bytes: Uint8Array, from: number, to: number, { kind, end }: FormatPart): number {
  const first = end.length === 0 ? -1 : (end[0] as number);
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte === first && isAt(bytes, at, to, end)) return at;
    if (kind === "text") {
      // An escaped byte ends nothing.
      if (byte === backslash) at++;
    } else if (byte === space || (kind === "number" && byte !== dash && (byte < 0x30 || byte > 0x39))) return -1;
  }
  return first < 0 ? to : -1;
}

/** Three digits, as every answer has. */
export function hasStatus(line: LogLine): boolean {
  const status = line.numberOf(logField.status);
  return status >= 100 && status <= 999;
}

/** Finds method and target of a request line; what is no request line, as of a port scan, has none. */
export function splitRequest(line: LogLine): void {
  const { from: starts, to: ends, bytes } = line;
  const from = starts[logField.request] as number;
  if (from < 0 || (starts[logField.target] as number) >= 0) return;
  const to = ends[logField.request] as number;
  let first = from;
  while (first < to && bytes[first] !== space) first++;
  if (first === from || first === to) return;
  const last = bytes.lastIndexOf(space, to - 1);
  starts[logField.method] = from;
  ends[logField.method] = first;
  starts[logField.target] = first + 1;
  ends[logField.target] = last > first ? last : to;
}
