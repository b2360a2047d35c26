const mark = /&|<[!?]|<$/g;
const reference = /&(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[\dA-Fa-f]{1,6});/y;
// What may become a reference once more of the text is there.
const beginning = /^&(?:[a-z]{0,4}|#\d{0,7}|#x[\dA-Fa-f]{0,6})$/;
const cdata = "<![CDATA[";
const comment = "<!--";

/**
 * Writes `&` as `&amp;` where it begins none of XML's references, as in `?a=1&b=2` and `&nbsp;`. Many a sitemap has
 * such URLs, and XML would have its reading end there. CDATA sections, comments and processing instructions stay as
 * they are.
 */
export class BareAmpersands {
  #held = "";
  #literalEnd: string | undefined;
  #count = 0;

  /** How many were found. */
  get count(): number {
    return this.#count;
  }

  /**
   * @param text - the next piece of the document
   * @param isLast - whether no more of it comes
   * @returns what can be told by now of all the pieces so far; the rest, of few characters, comes with the next one
   */
  repair(text: string, isLast: boolean): string {
    const all = this.#held + text;
    this.#held = "";
    let done = "";
    let at = 0;
    while (at < all.length) {
      const from = at;
      const passesText = this.#literalEnd === undefined;
      at = passesText ? this.#passText(all, from, isLast) : this.#passLiteral(all, from, isLast);
      done += all.slice(from, at);
      if (this.#held !== "") return done;
      if (passesText && all[at] === "&" && this.#isBare(all, at)) {
        done += "&amp;";
        at++;
        this.#count++;
      }
    }
    return done;
  }

  #isBare(all: string, at: number): boolean {
    reference.lastIndex = at;
    return this.#literalEnd === undefined && !reference.test(all);
  }

  // Goes to the next bare ampersand, past the beginning of a literal section, or to what must be held.
  #passText(all: string, from: number, isLast: boolean): number {
    mark.lastIndex = from;
    for (let found = mark.exec(all); found !== null; found = mark.exec(all)) {
      const at = found.index;
      const rest = all.slice(at, at + cdata.length);
      const mayGoOn = at + rest.length === all.length && rest !== comment && rest.length < cdata.length;
      if (!isLast && mayGoOn && (cdata.startsWith(rest) || comment.startsWith(rest))) return this.#hold(all, at);
      if (found[0] === "&") {
        if (!this.#isBare(all, at)) continue;
        if (!isLast && beginning.test(all.slice(at, at + 12))) return this.#hold(all, at);
        return at;
      }
      if (found[0] === "<?") return this.#begin("?>", at + 2);
      if (rest === cdata) return this.#begin("]]>", at + cdata.length);
      if (rest.startsWith(comment)) return this.#begin("-->", at + comment.length);
    }
    return all.length;
  }

  #passLiteral(all: string, from: number, isLast: boolean): number {
    const end = this.#literalEnd ?? "";
    const at = all.indexOf(end, from);
    if (at === -1) return isLast ? all.length : this.#hold(all, Math.max(from, all.length - end.length + 1));
    this.#literalEnd = undefined;
    return at + end.length;
  }

  #begin(end: string, at: number): number {
    this.#literalEnd = end;
    return at;
  }

  #hold(all: string, at: number): number {
    this.#held = all.slice(at);
    return at;
  }
}
