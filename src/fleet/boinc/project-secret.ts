import { createHmac, timingSafeEqual } from "node:crypto";

/**
 * Derives all that the server gives out and later recognizes. BOINC signs upload certificates with RSA and MD5; as only
 * the server itself reads them, HMAC-SHA-256 does, which is not weak.
 */
export class ProjectSecret {
  readonly #secret: Uint8Array;

  /** @param secret - 32 random bytes */
  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** @returns what a volunteer attaches with: 32 hexadecimal digits */
  accountKey(account: string): string {
    return this.#derive("account", account).slice(0, 32);
  }

  /** @returns what makes a task's URL and file name unguessable: 32 hexadecimal digits */
  token(purpose: "input" | "output", task: string): string {
    return this.#derive(purpose, task).slice(0, 32);
  }

  /** @returns the right to upload a file of this name and of at most this size: 64 hexadecimal digits */
  certificate(fileName: string, maxBytes: number): string {
    return this.#derive("upload", `<name>${fileName}</name><max_nbytes>${maxBytes}</max_nbytes>`);
  }

  #derive(purpose: string, text: string): string {
    return createHmac("sha256", this.#secret).update(`${purpose}\n${text}`).digest("hex");
  }
}

/** Compares in a time that does not tell how much is right. */
export function isSameText(given: string, right: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
}
