import { createHash, hash } from "node:crypto";
import { digestBytes } from "../core/index.ts";

/** The content id in an archive's name: the first 16 hexadecimal digits of the SHA-256 of its uncompressed content. */
export function contentId(content: Uint8Array): string {
  return hash("sha256", content, "hex").slice(0, 16);
}

/** A page's digest: the first 8 bytes of the SHA-256 of its body as base64url. */
export function digestOf(content: Uint8Array): string {
  return hash("sha256", content, "buffer").subarray(0, digestBytes).toString("base64url");
}

/** Computes a page's digest piece by piece. */
export interface DigestBuilder {
  update(chunk: Uint8Array): void;
  /** Returns the digest of all pieces: 11 characters. May be called once. */
  digest(): string;
}

/** Begins a page's digest: the first 8 bytes of the SHA-256 as base64url. */
export function createDigest(): DigestBuilder {
  const sha256 = createHash("sha256");
  return {
    update: (chunk) => {
      sha256.update(chunk);
    },
    digest: () => sha256.digest().subarray(0, digestBytes).toString("base64url"),
  };
}
