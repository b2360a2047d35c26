import { Buffer } from "node:buffer";

/** 32 bits of a text, by FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

/** The links of a page as sorted hashes, in base64: enough to see how many changed. */
export function packLinks(links: readonly string[]): string {
  const hashes = Uint32Array.from(links, hashOf).sort();
  return Buffer.from(hashes.buffer).toString("base64");
}

/** What {@link packLinks} packed, ascending. */
export function unpackLinks(packed: string): Uint32Array {
  const bytes = Buffer.from(packed, "base64");
  const copy = new Uint8Array(bytes);
  return new Uint32Array(copy.buffer, 0, copy.length >> 2);
}
