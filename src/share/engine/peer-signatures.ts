import type { FetchOutcome } from "../../core/index.ts";
import {
  isSignatureKey,
  maxSignatureBytes,
  parseSignatures,
  type ShareControl,
  signatureEnding,
  signatureKeyField,
} from "../../formats/web-events/index.ts";

/** A file of a peer, and what is to be its signature. */
export interface SignedFile {
  /** As `isSignatureKey` knows it. */
  readonly key: string;
  readonly url: string;
  /** Without any compression. */
  readonly content: Uint8Array;
  readonly signatures: readonly string[];
}

/** A signed file is in memory until its signature is checked; more bytes of one are not read. */
export const maxSignedBytes: number = 64 * 1024 * 1024;

/** Takes a file that must not be read before it is known whose it is. */
export class HeldFile {
  readonly #pieces: Uint8Array[] = [];

  readonly write = (piece: Uint8Array): void => {
    this.#pieces.push(piece.slice());
  };

  /** The whole file. */
  get content(): Uint8Array {
    const content = new Uint8Array(this.#pieces.reduce((length, piece) => length + piece.length, 0));
    let at = 0;
    for (const piece of this.#pieces) {
      content.set(piece, at);
      at += piece.length;
    }
    return content;
  }
}

/** @returns the key of a `robots.shr`; undefined if it has none, `bad` if it has several or what is none */
export function signatureKeyOf(others: ShareControl["others"]): string | "bad" | undefined {
  const keys = others.filter(([name]) => name.toLowerCase() === signatureKeyField).map(([, value]) => value);
  const [key] = keys;
  if (key === undefined) return undefined;
  return keys.length === 1 && isSignatureKey(key) ? key : "bad";
}

/** @returns why a peer's key is not accepted; undefined if it is */
export function findKeyProblem(key: string | undefined, known: string | undefined): string | undefined {
  if (key === "bad") return `its ${signatureKeyField} is not one key of 43 characters in base64url`;
  if (known === undefined || key === known) return undefined;
  const change = key === undefined ? "it has no key any more" : `its key is ${key}`;
  return `${change}, and until now it was ${known}. If the peer's operator confirms that, merge once with --accept-key`;
}

/**
 * Checks the signature of a file that came. It is requested after the file: that of the version before is in it too.
 *
 * @returns why the file must not be used; undefined if it may
 */
export async function findSignatureProblem(
  file: Omit<SignedFile, "signatures">,
  isSigned: (file: SignedFile) => boolean,
  get: (url: string, request: { readonly maxBytes: number }) => Promise<FetchOutcome>,
): Promise<string | undefined> {
  const outcome = await get(file.url + signatureEnding, { maxBytes: maxSignatureBytes });
  if (outcome.kind !== "fetched")
    return `it is not signed: ${outcome.kind === "failed" ? outcome.message : `the server answered ${outcome.status}`}`;
  const signatures = parseSignatures(new TextDecoder("latin1").decode(outcome.body));
  if (signatures === undefined) return "it is not signed: its signature is malformed";
  return isSigned({ ...file, signatures }) ? undefined : "its signature is false; nothing of it was merged";
}
