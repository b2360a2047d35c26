import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync, type ZlibOptions } from "node:zlib";
import { excerpt, ok, type Problem, problem, type Result } from "../core/index.ts";

// Larger steps than zlib's 16 KiB: fewer pieces to join, and the overshoot beyond the bound is at most one step.
const stepBytes = 64 * 1024;
/** Small inputs do not allocate the largest step. */
const leastStepBytes = 1024;
const usualRatio = 8;

const maxCodings = 3;

/**
 * Decodes gzip of an archive or an index.
 *
 * @param body - as received. Without gzip's magic bytes it is returned unchanged, because a proxy has decoded it; if a
 * proxy added another layer, that is decoded too
 * @param maxBytes - largest result
 * @returns a problem `too-large` or `bad-coding` otherwise
 */
export function unpackArchive(body: Uint8Array, maxBytes: number): Result<Uint8Array> {
  let content = body;
  for (let layer = 0; layer < 2 && isGzip(content); layer++) {
    const decoded = decodeOne(gunzipSync, content, maxBytes);
    if (!decoded.ok) return decoded;
    content = decoded.value;
  }
  return content.length > maxBytes ? tooLarge(maxBytes) : ok(content);
}

/**
 * Decodes the content codings of a page.
 *
 * @param contentEncoding - codings in the order of application, separated by commas
 * @param maxBytes - largest result, also between two codings
 * @returns a problem `too-large`, `bad-coding` or `unknown-coding` otherwise
 * @see RFC 9110 section 8.4
 */
export function decodeBody(
  body: Uint8Array,
  contentEncoding: string | undefined,
  maxBytes: number,
): Result<Uint8Array> {
  const codings = (contentEncoding ?? "").split(",").map((coding) => coding.trim().toLowerCase());
  const applied = codings.filter((coding) => coding !== "" && coding !== "identity");
  if (applied.length > maxCodings) return problem("unknown-coding", `${applied.length} nested content codings`);
  let content = body;
  for (const coding of applied.reverse()) {
    const decoded = decodeCoding(content, coding, maxBytes);
    if (!decoded.ok) return decoded;
    content = decoded.value;
  }
  return content.length > maxBytes ? tooLarge(maxBytes) : ok(content);
}

function decodeCoding(content: Uint8Array, coding: string, maxBytes: number): Result<Uint8Array> {
  if (coding === "gzip" || coding === "x-gzip") return decodeOne(gunzipSync, content, maxBytes);
  if (coding === "br") return decodeOne(brotliDecompressSync, content, maxBytes);
  if (coding !== "deflate") return problem("unknown-coding", `not a coding that can be undone: ${excerpt(coding)}`);
  // RFC 9110 section 8.4.1.2: some servers omit the zlib wrapper.
  return decodeOne(hasZlibHeader(content) ? inflateSync : inflateRawSync, content, maxBytes);
}

function decodeOne(
  decode: (content: Uint8Array, options: ZlibOptions) => Buffer,
  content: Uint8Array,
  maxBytes: number,
): Result<Uint8Array> {
  try {
    const chunkSize = Math.min(stepBytes, Math.max(leastStepBytes, content.length * usualRatio));
    return ok(decode(content, { maxOutputLength: Math.max(1, maxBytes), chunkSize }));
  } catch (error) {
    if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") return tooLarge(maxBytes);
    return problem("bad-coding", `the coding is broken: ${(error as Error).message}`);
  }
}

function isGzip(content: Uint8Array): boolean {
  return content[0] === 0x1f && content[1] === 0x8b;
}

function hasZlibHeader(content: Uint8Array): boolean {
  const [method = 0, flags = 0] = content;
  return (method & 15) === 8 && ((method << 8) | flags) % 31 === 0;
}

function tooLarge(maxBytes: number): { readonly ok: false; readonly error: Problem } {
  return problem("too-large", `more than ${maxBytes} bytes after decoding`);
}
