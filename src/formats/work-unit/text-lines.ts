import { type EpochSeconds, ok, problem, type Result } from "../../core/index.ts";

/** The text of a unit or a result in two parts, which an empty line divides. */
interface TextParts {
  readonly fields: ReadonlyMap<string, string>;
  readonly lines: readonly string[];
}

const maxFieldLines = 32;

/**
 * Takes such a text apart.
 *
 * @param header - its first line
 * @param names - of its fields, in this order, each once
 * @param maxLines - most lines behind the empty one
 * @returns problems `too-long`, `bad-encoding`, `bad-header`, `bad-field`, `bad-line`
 */
export function readParts(
  content: Uint8Array,
  {
    header,
    names,
    maxBytes,
    maxLines,
  }: { header: string; names: readonly string[]; maxBytes: number; maxLines: number },
): Result<TextParts> {
  if (content.length > maxBytes) return problem("too-long", `it is longer than ${maxBytes} bytes`);
  const text = new TextDecoder("latin1").decode(content);
  if (/[^\t\n\x20-\x7e]/.test(text)) return problem("bad-encoding", "it is not ASCII text with LF");
  if (!text.endsWith("\n")) return problem("bad-line", "its last line does not end");
  const end = text.indexOf("\n\n");
  if (end === -1) return problem("bad-header", "no empty line follows the fields");
  const [first, ...fieldLines] = text.slice(0, end).split("\n", maxFieldLines);
  if (first !== header) return problem("bad-header", `it does not begin with ${header}`);
  const fields = new Map<string, string>();
  for (const [at, name] of names.entries()) {
    const line = fieldLines[at] ?? "";
    if (!line.startsWith(`${name}: `)) return problem("bad-field", `line ${at + 2} is not the field ${name}`);
    fields.set(name, line.slice(name.length + 2));
  }
  if (fieldLines.length !== names.length) return problem("bad-field", "it has a field too many");
  const lines = text.slice(end + 2).split("\n", maxLines + 2);
  if (lines.length - 1 > maxLines) return problem("too-long", `it has more than ${maxLines} lines`);
  lines.pop();
  return ok({ fields, lines });
}

/** A whole number in its shortest form; undefined if it is none, or out of bounds. */
export function readCount(text: string | undefined, least: number, most: number): number | undefined {
  if (text === undefined || !/^(?:0|[1-9]\d{0,14})$/.test(text)) return undefined;
  const value = Number(text);
  return value >= least && value <= most ? value : undefined;
}

const latest = 253_402_300_799;

/** Seconds since 1970. */
export function readSeconds(text: string | undefined): EpochSeconds | undefined {
  return readCount(text, 0, latest);
}

/** 128 random bits as 32 hexadecimal digits. */
export function isNonce(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}
