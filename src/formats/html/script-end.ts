const mark = /<!--|-->|<\/?script(?=[\t\n\f\r />])/gi;

/**
 * Finds where a script ends, piece by piece: in `<!-- <script>` the next `</script>` does not end the element.
 *
 * @see HTML Living Standard, sections 13.2.5.15 to 13.2.5.31
 */
export class ScriptEnd {
  // 0 outside of "<!--", 1 within, 2 within and behind "<script".
  #escapes = 0;
  /** Where what was not understood yet begins: it is to stand before the next piece. */
  rest = 0;

  /** @returns where the end tag stands; -1 if it is not in this text */
  find(text: string, start: number): number {
    let at = start;
    mark.lastIndex = start;
    for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
      const [what] = found;
      if (what === "<!--") {
        if (this.#escapes === 0) this.#escapes = 1;
        mark.lastIndex -= 2;
      } else if (what === "-->") this.#escapes = 0;
      else if (what.charCodeAt(1) !== 47) this.#escapes = this.#escapes === 0 ? 0 : 2;
      else if (this.#escapes === 2) this.#escapes = 1;
      else return found.index;
      at = mark.lastIndex;
    }
    this.rest = Math.max(at, text.length - 8);
    return -1;
  }
}
