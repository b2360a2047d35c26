import {
  type Change,
  type ChangeKind,
  changeKinds,
  excerpt,
  isDigest,
  isMediaType,
  maxEpochSeconds,
  ok,
  type Problem,
  pathOf,
  problem,
  type Result,
} from "../../core/index.ts";
import { isCanonicalPath } from "../url/index.ts";

/** First line of every archive. Short: the archive of a single change has a hundred bytes. */
export const archiveHeader = "tm1";

/** Most changes that one archive may hold; a reader refuses one that holds or promises more. */
export const maxArchiveChanges = 65_536;

/** Largest uncompressed archive that is read, in bytes; 2000 lines of the longest paths are below it. */
export const maxArchiveBytes: number = 32 * 1024 * 1024;

const letters = { created: "C", updated: "U", deleted: "D" } as const;
// A Map: an object would know letters such as "constructor".
const kindsByLetter: ReadonlyMap<string, ChangeKind> = new Map(changeKinds.map((kind) => [letters[kind], kind]));
const wholeNumber = /^(?:0|[1-9]\d{0,15})$/;

/** What a line is written to, piece by piece. All that is put in is ASCII. */
export interface LineSink {
  put(text: string): void;
  /** Appends a whole number from 0 to 2^53 - 1 in decimal digits. */
  putNumber(value: number): void;
}

/**
 * Writes a change as a line of an archive, LF included:
 * `change  last-modified  size  media-type  digest  path`, TAB between, `-` for what a deletion has not, and for a
 * size or digest that is not known; `0` for the last-modified of a page that was not there before the interval either.
 */
export function writeChangeLine(sink: LineSink, change: Change): void {
  if (change.kind === "deleted") {
    sink.put(change.cameAndWent === true ? "D\t0\t-\t-\t-\t" : "D\t-\t-\t-\t-\t");
    sink.put(change.path);
  } else {
    const { lastModified, sizeBytes, mediaType, digest, path } = change.page;
    sink.put(change.kind === "created" ? "C\t" : "U\t");
    sink.putNumber(lastModified);
    sink.put("\t");
    if (sizeBytes === undefined) sink.put("-");
    else sink.putNumber(sizeBytes);
    sink.put("\t");
    sink.put(mediaType);
    sink.put("\t");
    sink.put(digest ?? "-");
    sink.put("\t");
    sink.put(path);
  }
  sink.put("\n");
}

class Line implements LineSink {
  text = "";

  put(text: string): void {
    this.text += text;
  }

  putNumber(value: number): void {
    this.text += String(value);
  }
}

/** A change as a line of an archive, see {@link writeChangeLine}, without the LF. */
export function formatChangeLine(change: Change): string {
  const line = new Line();
  writeChangeLine(line, change);
  return line.text.slice(0, -1);
}

/** Writes an archive's content: the header and the lines, each ended by LF, as ASCII. */
export function formatArchive(lines: readonly string[]): string {
  return lines.length === 0 ? `${archiveHeader}\n` : `${archiveHeader}\n${lines.join("\n")}\n`;
}

/** Reads one line of an archive. Everything in it is checked: it comes from the network. */
export function parseChangeLine(line: string): Result<Change, Problem> {
  const fields = line.split("\t", 7);
  const [letter = "", lastModifiedText = "", sizeText = "", mediaType = "", digest = "", path = ""] = fields;
  const kind = kindsByLetter.get(letter);
  if (fields.length !== 6 || kind === undefined) return problem("bad-line", `not a change: ${excerpt(line)}`);
  if (!isCanonicalPath(path)) return problem("bad-path", `not a canonical path: ${excerpt(path)}`);
  if (kind === "deleted") return ok(lastModifiedText === "0" ? { kind, path, cameAndWent: true } : { kind, path });
  const lastModified = Number(lastModifiedText);
  const sizeBytes = sizeText === "-" ? undefined : Number(sizeText);
  if (!wholeNumber.test(lastModifiedText) || lastModified > maxEpochSeconds) {
    return problem("bad-line", `not a last-modified: ${excerpt(line)}`);
  }
  if (sizeBytes !== undefined && !(wholeNumber.test(sizeText) && Number.isSafeInteger(sizeBytes)))
    return problem("bad-line", `not a size: ${excerpt(line)}`);
  if (!isMediaType(mediaType)) return problem("bad-line", `not a media type: ${excerpt(line)}`);
  if (digest !== "-" && !isDigest(digest)) return problem("bad-line", `not a digest: ${excerpt(line)}`);
  return ok({ kind, page: { path, sizeBytes, lastModified, mediaType, digest: digest === "-" ? undefined : digest } });
}

/**
 * Reads an archive's content.
 *
 * @param content - uncompressed bytes, at most {@link maxArchiveBytes}
 * @returns the changes in the archive's order, or the first problem; an archive is taken whole or not at all
 */
export function parseArchive(content: Uint8Array): Result<Change[], Problem> {
  if (content.length > maxArchiveBytes) return problem("too-large", `an archive of ${content.length} bytes`);
  const text = new TextDecoder("latin1").decode(content);
  if (!text.startsWith(`${archiveHeader}\n`))
    return problem("bad-header", `not an archive: it begins with ${excerpt(text)}`);
  if (!text.endsWith("\n")) return problem("truncated", "the archive's last line has no end");
  const changes: Change[] = [];
  for (let from = archiveHeader.length + 1; from < text.length; ) {
    const to = text.indexOf("\n", from);
    const change = parseChangeLine(text.slice(from, to));
    if (!change.ok) return problem(change.error.code, `line ${changes.length + 2}: ${change.error.message}`);
    changes.push(change.value);
    if (changes.length > maxArchiveChanges) return problem("too-large", `more than ${maxArchiveChanges} changes`);
    from = to + 1;
  }
  return ok(changes);
}

/** Orders changes by path, as bytes; the order of lines in the archives of the tiers. */
export function compareChangesByPath(a: Change, b: Change): number {
  const left = pathOf(a);
  const right = pathOf(b);
  return left < right ? -1 : left > right ? 1 : 0;
}
