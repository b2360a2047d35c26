import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { decodeHttpHead, fieldOf, maxHttpHeadBytes, statusOf } from "../../formats/http/index.ts";
import { formatCdxjLine, WarcDecoder, type WarcHead } from "../../formats/warc/index.ts";
import { RecordSort, renameDurably } from "../../fs/index.ts";
import { readGzipMembers } from "./gzip-members.ts";

/** What reading a WARC file to its end, or to where it is damaged, found. */
export interface WarcExtent {
  /** Where the last whole record ends, in bytes. */
  readonly wholeBytes: number;
  /** Whole records but those of type `warcinfo`. */
  readonly captures: number;
}

const indexed: ReadonlySet<string> = new Set(["response", "revisit"]);

/** What a revisit without a block refers to: only of a 200 it is asked whether it has changed. */
const revisitStatus = 200;

function mediaTypeOf(head: WarcHead, contentType: string | undefined): string {
  if (head.type === "revisit") return "warc/revisit";
  const mediaType = (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
  return mediaType === "" || /\s/.test(mediaType) ? "unk" : mediaType;
}

/**
 * Reads a WARC file whose every record is a gzip member, and tells of each capture.
 *
 * @param name - the file's name in the lines of the index
 * @param onLine - called with a line for each response and revisit, in the order of the file
 */
export async function readWarcFile(path: string, name: string, onLine: (line: string) => void): Promise<WarcExtent> {
  let captures = 0;
  let decoder: WarcDecoder | undefined;
  let head: WarcHead | undefined;
  let records = 0;
  let start: Buffer = Buffer.alloc(0);
  const wholeBytes = await readGzipMembers(path, {
    begin: () => {
      head = undefined;
      records = 0;
      start = Buffer.alloc(0);
      decoder = new WarcDecoder({
        head: (of) => {
          head = of;
        },
        block: (piece) => {
          if (start.length < maxHttpHeadBytes) start = Buffer.concat([start, piece.subarray(0, maxHttpHeadBytes)]);
        },
        end: () => {
          records++;
        },
      });
    },
    content: (piece) => decoder?.push(piece).ok ?? false,
    end: (offset, lengthBytes) => {
      if (head === undefined || records !== 1 || decoder?.end().ok !== true) return false;
      if (head.type !== "warcinfo") captures++;
      if (!indexed.has(head.type) || head.targetUri === undefined) return true;
      const http = decodeHttpHead(start);
      onLine(
        formatCdxjLine({
          url: head.targetUri,
          date: head.date,
          mediaType: mediaTypeOf(head, fieldOf(http, "content-type")),
          status: start.length === 0 && head.type === "revisit" ? revisitStatus : statusOf(http),
          digest: head.payloadDigest,
          filename: name,
          offset,
          lengthBytes,
        }),
      );
      return true;
    },
  });
  return { wholeBytes, captures };
}

/** Adds an ASCII line to a sort of lines. */
export function addLine(sort: RecordSort, line: string): void {
  sort.text.put(line);
  sort.add(line.length);
}

export function* drainLines(sort: RecordSort): Generator<string, void, void> {
  for (const { bytes, start, keyEnd } of sort.drain()) yield bytes.toString("latin1", start, keyEnd);
}

/**
 * Writes the index of a WARC file: sorted, whole and durable before it has its name.
 *
 * @param name - the file's name in the lines of the index
 * @param spillFolder - where lines are sorted that have no room in memory
 * @param onLine - called with each line, in the order of the index
 */
export async function writeWarcIndex(
  path: string,
  name: string,
  index: string,
  spillFolder: string,
  onLine: (line: string) => void = () => undefined,
): Promise<WarcExtent> {
  using sort = new RecordSort(spillFolder);
  const extent = await readWarcFile(path, name, (line) => addLine(sort, line));
  const withEnds = function* (): Generator<string, void, void> {
    for (const line of drainLines(sort)) {
      onLine(line);
      yield `${line}\n`;
    }
  };
  const temporary = `${index}.tmp`;
  try {
    await pipeline(Readable.from(withEnds()), createWriteStream(temporary));
    await renameDurably(temporary, index);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return extent;
}
