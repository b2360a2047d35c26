const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Bytes as Base32 without padding, as WARC's readers have digests (RFC 4648 section 6). */
export function formatBase32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) text += letters[(value >> (bits - 5)) & 31];
  }
  return bits === 0 ? text : text + letters[(value << (5 - bits)) & 31];
}
