import { closeSync, fstatSync, openSync } from "node:fs";
import { inflateRawSync } from "node:zlib";
import type { Result } from "../../core/index.ts";
import { decodeHttpHead, fieldOf, maxHttpHeadBytes } from "../../formats/http/index.ts";
import { maxWarcHeadBytes, WarcDecoder } from "../../formats/warc/index.ts";
import { readAt } from "../../fs/index.ts";
import { findWarc, formatSha1 } from "./warc-files.ts";
import type { HeldPayload } from "./warc-memory.ts";

/** Undoes a content coding of HTTP; at most `maxBytes` come out. */
export type ContentDecoder = (body: Uint8Array, contentEncoding: string, maxBytes: number) => Result<Uint8Array>;

const headEnd = Buffer.from("\r\n\r\n");
/** Our members have a header without optional fields (RFC 1952 section 2.3). */
const gzipHeaderBytes = 10;
/** What deflate adds to what cannot be packed stays far below this. */
const slackBytes = 64 * 1024;

/** The bytes of a file from an offset, at most so many. */
function readFrom(file: string, offset: number, maxBytes: number): Buffer {
  const fd = openSync(file, "r");
  try {
    return readAt(fd, offset, Math.max(0, Math.min(maxBytes, fstatSync(fd).size - offset)));
  } finally {
    closeSync(fd);
  }
}

/** The block of the record whose gzip member stands at the beginning; undefined if it is damaged, or no such response. */
function decodeBlock(member: Uint8Array, record: string, maxBytes: number): Buffer | undefined {
  const pieces: Buffer[] = [];
  let isResponse = false;
  let isWhole = false;
  const decoder = new WarcDecoder({
    head: ({ type, recordId }) => {
      isResponse = type === "response" && recordId === record;
    },
    block: (piece) => void pieces.push(Buffer.from(piece)),
    end: () => {
      isWhole = true;
    },
  });
  const isRead = decoder.push(inflateRawSync(member.subarray(gzipHeaderBytes), { maxOutputLength: maxBytes })).ok;
  return isRead && isResponse && isWhole ? Buffer.concat(pieces) : undefined;
}

/**
 * Reads a payload back from the file that holds it.
 *
 * @param folder - that of the site's WARC files
 * @returns undefined if it is larger than that, or the file is damaged or was moved away
 */
export function readWarcPayload(
  folder: string,
  held: HeldPayload,
  maxBytes: number,
  decode: ContentDecoder,
): Uint8Array | undefined {
  const mostBytes = maxBytes + maxHttpHeadBytes + maxWarcHeadBytes;
  if (held.sizeBytes > maxBytes) return undefined;
  try {
    const file = findWarc(folder, held.file);
    if (file === undefined) return undefined;
    const packedBytes = held.sizeBytes + maxHttpHeadBytes + maxWarcHeadBytes + slackBytes;
    const block = decodeBlock(readFrom(file, held.offset, packedBytes), held.record, mostBytes);
    const end = block?.indexOf(headEnd) ?? -1;
    if (block === undefined || end < 0) return undefined;
    const coding = fieldOf(decodeHttpHead(block.subarray(0, end + headEnd.length)), "content-encoding");
    const body = block.subarray(end + headEnd.length);
    if (formatSha1(body) !== held.payload) return undefined;
    if (coding === undefined) return body;
    const decoded = decode(body, coding, maxBytes);
    return decoded.ok ? decoded.value : undefined;
  } catch {
    // A file that users moved, cut or damaged: the page is judged as if nothing were known of it.
    return undefined;
  }
}
