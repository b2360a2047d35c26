/**
 * Names by their first letter and length, so that nearly all others are told apart without being cut out of the text:
 * 26 sets of lengths, as bits.
 */
function maskOf(names: Iterable<string>): Int32Array {
  const mask = new Int32Array(32);
  for (const name of names) {
    const letter = name.charCodeAt(0) & 31;
    mask[letter] = (mask[letter] ?? 0) | (1 << name.length);
  }
  return mask;
}

// Of these the parser must know even where they have no attribute.
const namedTags = "style title textarea xmp iframe noembed script plaintext svg math form".split(" ");
const namedMask = maskOf(namedTags);

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 9 || code === 13 || code === 12;

/** Reads a tag that lies wholly in a text, and keeps of it only what is wanted: most tags cost no memory at all. */
export class WholeTag {
  /** Of the last tag: its name in lower case; empty if nobody needs it. */
  name = "";
  isSelfClosing = false;
  readonly #wanted: ReadonlySet<string>;
  readonly #mask: Int32Array;
  readonly #attributes: Map<string, string>;
  readonly #maxValueLength: number;

  /** @param attributes - gets the wanted attributes of each tag */
  constructor(wanted: ReadonlySet<string>, attributes: Map<string, string>, maxValueLength: number) {
    this.#wanted = wanted;
    this.#mask = maskOf(wanted);
    this.#attributes = attributes;
    this.#maxValueLength = maxValueLength;
  }

  /**
   * @param open - where the tag's `<` stands
   * @returns what is behind its `>`; -1 if that is not there, or it is no plain tag
   */
  read(text: string, open: number): number {
    this.name = "";
    const { length } = text;
    let at = open + 1;
    let code = text.charCodeAt(at);
    const letter = code | 32;
    if (code === 47) return this.#readEnd(text, at + 1);
    if (!(letter >= 97 && letter <= 122)) return -1;
    while (at < length && code !== 62 && code !== 47 && !isSpace(code)) code = text.charCodeAt(++at);
    if (at >= length) return -1;
    const size = at - open - 1;
    const end = at;
    if (this.#attributes.size > 0) this.#attributes.clear();
    const next = this.#readAttributes(text, at);
    if (next === -1) return -1;
    const isNamed = size < 16 && ((namedMask[letter & 31] ?? 0) & (1 << size)) !== 0;
    if (isNamed || this.#attributes.size > 0) this.name = text.slice(open + 1, Math.min(end, open + 65)).toLowerCase();
    return next;
  }

  // An end tag without attributes; others are left to who reads slowly.
  #readEnd(text: string, start: number): number {
    const letter = text.charCodeAt(start) | 32;
    if (!(letter >= 97 && letter <= 122)) return -1;
    for (let at = start + 1; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (code === 62) return at + 1;
      if (code === 47 || isSpace(code)) return -1;
    }
    return -1;
  }

  #readAttributes(text: string, start: number): number {
    const { length } = text;
    this.isSelfClosing = false;
    for (let at = start; at < length; ) {
      let code = text.charCodeAt(at);
      if (code === 62) return at + 1;
      if (code === 47 || isSpace(code)) {
        if (code === 47) this.isSelfClosing = true;
        at += 1;
        continue;
      }
      this.isSelfClosing = false;
      const nameStart = at;
      // An equals sign at the start is part of the name.
      do code = text.charCodeAt(++at);
      while (at < length && code !== 61 && code !== 62 && code !== 47 && !isSpace(code));
      const nameEnd = at;
      while (at < length && isSpace(code)) code = text.charCodeAt(++at);
      if (at >= length) return -1;
      let valueStart = at;
      let valueEnd = at;
      if (code === 61) {
        do code = text.charCodeAt(++at);
        while (at < length && isSpace(code));
        valueStart = at;
        if (code === 34 || code === 39) {
          valueStart = at + 1;
          valueEnd = text.indexOf(code === 34 ? '"' : "'", valueStart);
          if (valueEnd === -1) return -1;
          at = valueEnd + 1;
        } else {
          while (at < length && code !== 62 && !isSpace(code)) code = text.charCodeAt(++at);
          if (at >= length) return -1;
          valueEnd = at;
        }
      }
      this.#keep(text, nameStart, nameEnd, valueStart, valueEnd);
    }
    return -1;
  }

  #keep(text: string, nameStart: number, nameEnd: number, valueStart: number, valueEnd: number): void {
    const size = nameEnd - nameStart;
    if (size > 31 || ((this.#mask[text.charCodeAt(nameStart) & 31] ?? 0) & (1 << size)) === 0) return;
    const name = text.slice(nameStart, nameEnd).toLowerCase();
    if (this.#wanted.has(name) && !this.#attributes.has(name))
      this.#attributes.set(name, text.slice(valueStart, Math.min(valueEnd, valueStart + this.#maxValueLength)));
  }
}
