/** Lengths of the codes of all bytes, in bits (RFC 7541 appendix B); codes of one length are in the order of their bytes. */
const lengths = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26,
] as const;
const endOfString = 256;
const maxLength = 30;

/** Of each length: the first code, how many codes there are, and where their symbols begin. */
const firstCode = new Uint32Array(maxLength + 1);
const counts = new Uint16Array(maxLength + 1);
const firstSymbol = new Uint16Array(maxLength + 1);
const symbols = new Uint16Array(endOfString + 1);
arrange();

function arrange(): void {
  const all = [...lengths, maxLength];
  let code = 0;
  let at = 0;
  for (let length = 1; length <= maxLength; length++) {
    code *= 2;
    firstCode[length] = code;
    firstSymbol[length] = at;
    for (const [symbol, own] of all.entries()) if (own === length) symbols[at++] = symbol;
    counts[length] = at - (firstSymbol[length] ?? 0);
    code += counts[length] ?? 0;
  }
}

/**
 * Undoes the Huffman code of a string.
 *
 * @returns one character a byte, or undefined for what is no such code, or is padded otherwise than it must be
 * @see RFC 7541 section 5.2
 */
export function decodeHuffman(bytes: Uint8Array): string | undefined {
  let text = "";
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = code * 2 + ((byte >> bit) & 1);
      length++;
      if (length > maxLength) return undefined;
      const offset = code - (firstCode[length] ?? 0);
      if (offset >= (counts[length] ?? 0)) continue;
      const symbol = symbols[(firstSymbol[length] ?? 0) + offset] ?? endOfString;
      if (symbol === endOfString) return undefined;
      text += String.fromCharCode(symbol);
      code = 0;
      length = 0;
    }
  }
  // The padding is the beginning of the code that ends a string: fewer than eight ones.
  return length < 8 && code === 2 ** length - 1 ? text : undefined;
}
