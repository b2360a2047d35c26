/** A piece ends at the first paragraph after this many characters that the paragraphs themselves choose... */
const shortPiece = 600;
/** ...and before it has more characters than this. */
const longPiece = 2400;
/** One paragraph in this many ends a piece. */
const endsOneIn = 3;

/** FNV-1a over UTF-16 units; spreads well enough to choose paragraphs. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  // The low bits of the product depend on few bits of the text.
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** Cuts a paragraph that is longer than a piece after a sentence or a word, if there is one in its second half. */
function* cutLong(paragraph: string): Generator<string, void, void> {
  let rest = paragraph;
  while (rest.length > longPiece) {
    const head = rest.slice(0, longPiece);
    const sentence = head.lastIndexOf(". ") + 1;
    const word = head.lastIndexOf(" ");
    const end = [sentence, word].find((at) => at > longPiece / 2) ?? wholeCharacters(head);
    yield rest.slice(0, end).trim();
    rest = rest.slice(end).trim();
  }
  if (rest !== "") yield rest;
}

/** Length of a text without the first half of a surrogate pair at its end. */
function wholeCharacters(text: string): number {
  return /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length;
}

/**
 * Cuts a text into pieces of whole paragraphs. Where a piece ends depends on the paragraphs next to the cut alone
 * (content-defined chunking: Muthitacharoen, Chen and Mazières, *A Low-bandwidth Network File System*, SOSP 2001,
 * section 3.1), so a paragraph that is added or removed changes the pieces next to it and no others.
 *
 * @param text - paragraphs separated by LF
 * @returns none for an empty text
 */
export function cutPieces(text: string): string[] {
  const pieces: string[] = [];
  let piece = "";
  for (const paragraph of text.split("\n").flatMap((one) => [...cutLong(one.trim())])) {
    if (piece !== "" && piece.length + 1 + paragraph.length > longPiece) {
      pieces.push(piece);
      piece = "";
    }
    piece = piece === "" ? paragraph : `${piece}\n${paragraph}`;
    if (piece.length >= shortPiece && hashOf(paragraph) % endsOneIn === 0) {
      pieces.push(piece);
      piece = "";
    }
  }
  return piece === "" ? pieces : [...pieces, piece];
}
