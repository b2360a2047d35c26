import {
  constants,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateEncrypt,
  publicDecrypt,
} from "node:crypto";
import { TidemarkError } from "../../core/index.ts";
import { formatHexLines, formatPublicKey, keyBits } from "../../formats/boinc/index.ts";

const padding = constants.RSA_PKCS1_PADDING;

/** @returns a new key in PEM (PKCS #8) */
export function makeSigningKey(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: keyBits });
  return privateKey.export({ type: "pkcs8", format: "pem" }) as string;
}

/** @throws TidemarkError `bad-option` if it is not an RSA key of 1024 bits, which is what BOINC's clients read */
export function readSigningKey(pem: string): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = createPrivateKey(pem);
  } catch {
    // Said below: the library's message may have parts of the key.
  }
  if (key?.asymmetricKeyType === "rsa" && key.asymmetricKeyDetails?.modulusLength === keyBits) return key;
  throw new TidemarkError("bad-option", `The signing key is not an RSA key of ${keyBits} bits in PEM.`, {
    hint: "Let `tidemark volunteers init` make one.",
  });
}

/** @returns the key's public half as clients read it */
export function formatCodeSignKey(key: KeyObject): string {
  const { n = "", e = "" } = createPublicKey(key as never).export({ format: "jwk" });
  return formatPublicKey(Buffer.from(n, "base64url"), Buffer.from(e, "base64url"));
}

/** Signs a file by its MD5, 32 hexadecimal digits. @returns lines of hexadecimal digits */
export function signFile(md5: string, key: KeyObject): string {
  return formatHexLines(privateEncrypt({ key, padding }, Buffer.from(md5)));
}

/** Whether a signature is of this MD5 and by this key. */
export function isSignedBy(key: KeyObject, md5: string, signature: string): boolean {
  try {
    const digits = signature.replace(/[\s.]/g, "");
    return publicDecrypt({ key, padding }, Buffer.from(digits, "hex")).toString() === md5;
  } catch {
    return false;
  }
}
