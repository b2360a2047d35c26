const encoder = new TextEncoder();

/** Bytes of a text of which each character is one: what archives are made of is ASCII. */
export function encodeText(text: string): Uint8Array {
  const ascii = encoder.encode(text);
  if (ascii.length === text.length) return ascii;
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}
