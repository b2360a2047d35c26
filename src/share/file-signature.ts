import {
  createHash,
  createPrivateKey,
  createPublicKey,
  type Hash,
  hash,
  type KeyObject,
  sign,
  verify,
} from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { PassThrough } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { TidemarkError, wrapSystemError } from "../core/index.ts";
import { formatSignedText } from "../formats/web-events/index.ts";
import { readIdentity } from "../http/index.ts";
import type { SignedFile } from "./engine/peer-signatures.ts";

/** Signs the files of a share. */
export class FileSigner {
  readonly #key: KeyObject;
  readonly #repository: string;
  /** The public key as base64url. */
  readonly publicKey: string;

  /**
   * @param keyFile - of an Ed25519 key: PEM (PKCS #8), or a JWK as `tidemark identity init` writes it
   * @param repository - URL of the folder of the files
   * @throws TidemarkError `bad-option`, without anything of the key; `not-found`, `no-permission`
   */
  constructor(keyFile: string, repository: string) {
    this.#key = readKey(keyFile);
    this.#repository = repository;
    this.publicKey = createPublicKey(this.#key).export({ format: "jwk" }).x as string;
  }

  /**
   * Reads a file and signs it.
   *
   * @param name - in the repository; what ends with `.gz` is decompressed
   * @param file - where it is now
   * @returns the signature as base64url; it is the same for the same content
   */
  async sign(name: string, file: string): Promise<string> {
    const url = new URL(name, this.#repository).href;
    const text = formatSignedText(url, await digestOf(file, name.endsWith(".gz")));
    return sign(null, Buffer.from(text), this.#key).toString("base64url");
  }
}

function readKey(file: string): KeyObject {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw wrapSystemError(error, `read ${file}`, { file });
  }
  try {
    if (text.trimStart().startsWith("{")) return readIdentity(text).key;
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch {}
  throw new TidemarkError("bad-option", `${file} is no Ed25519 key in PEM (PKCS #8) or as a JWK.`, {
    hint: `Make one with \`tidemark identity init\`, or with: openssl genpkey -algorithm ed25519 -out ${file}`,
    details: { file },
  });
}

async function digestOf(file: string, isPacked: boolean): Promise<string> {
  const digest: Hash = createHash("sha256");
  await pipeline(createReadStream(file), isPacked ? createGunzip() : new PassThrough(), async (content) => {
    for await (const piece of content) digest.update(piece as Uint8Array);
  });
  return digest.digest("hex");
}

/** Whether one of a file's signatures is that of a key. */
export function isSigned({ key, url, content, signatures }: SignedFile): boolean {
  const text = Buffer.from(formatSignedText(url, hash("sha256", content)));
  const publicKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: key }, format: "jwk" });
  return signatures.some((signature) => verify(null, text, publicKey, Buffer.from(signature, "base64url")));
}
