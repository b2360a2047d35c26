/** BOINC writes keys and signatures as lines of 32 bytes. */
const bytesPerLine = 32;
/** Keys have 1024 bits: the client has no room for more. */
export const keyBits = 1024;
const modulusBytes: number = keyBits / 8;

/** Writes bytes as hexadecimal digits, 32 bytes a line, ended by a line with a dot. */
export function formatHexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let from = 0; from < bytes.length; from += bytesPerLine)
    lines.push(
      [...bytes.subarray(from, from + bytesPerLine)].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    );
  return `${[...lines, "."].join("\n")}\n`;
}

/**
 * Writes a public key as clients read it: the number of bits, then modulus and exponent, 128 bytes each, as
 * {@link formatHexLines}.
 *
 * @param modulus - 128 bytes, big-endian
 * @param exponent - big-endian, 128 bytes at most
 * @throws RangeError if one of them is too long
 */
export function formatPublicKey(modulus: Uint8Array, exponent: Uint8Array): string {
  const key = new Uint8Array(2 * modulusBytes);
  if (modulus.length > modulusBytes || exponent.length > modulusBytes) throw new RangeError("the key is too long");
  key.set(modulus, modulusBytes - modulus.length);
  key.set(exponent, key.length - exponent.length);
  return `${keyBits}\n${formatHexLines(key)}`;
}
