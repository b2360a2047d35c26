/** Field of `robots.shr`: the Ed25519 key whose owner signs the days' files and the index of archives. */
export const signatureKeyField = "x-tidemark-ed25519";
/** What the name of a file's signatures adds to its own. */
export const signatureEnding = ".sig";
/** Most bytes of a file of signatures. */
export const maxSignatureBytes = 256;

// Bits that the last character has beyond those of the bytes must be 0: a key has one form.
const keyForm = /^[\w-]{42}[AEIMQUYcgkosw048]$/;
const signaturesForm = /^(?:[\w-]{85}[AQgw]\n){1,2}$/;

/** Whether a text is a public key: its 32 bytes as base64url. */
export function isSignatureKey(text: string): boolean {
  return keyForm.test(text);
}

/**
 * Formats a file of signatures. It is published before the file that it signs, so that it also has the signature of the
 * file's last version: a reader finds that of the version that it read.
 */
export function formatSignatures(signature: string, last: string | undefined): string {
  return last === undefined ? `${signature}\n` : `${signature}\n${last}\n`;
}

/** @returns the signatures as base64url, that of the newest version first; undefined if it is no file of signatures */
export function parseSignatures(text: string): readonly string[] | undefined {
  return signaturesForm.test(text) ? text.trimEnd().split("\n") : undefined;
}

/**
 * What a signature is over.
 *
 * @param url - of the file, so that no file passes for another one
 * @param digest - SHA-256 of the file's bytes without any compression, in hexadecimal digits
 */
export function formatSignedText(url: string, digest: string): string {
  return `tidemark-share-signature 1\n${url}\n${digest}\n`;
}
