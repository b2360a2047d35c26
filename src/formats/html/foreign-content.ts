// Elements in SVG whose content is HTML (HTML Living Standard, section 13.2.4.2, the integration points).
const htmlInSvg: ReadonlySet<string> = new Set(["foreignobject", "desc", "title"]);
const htmlInMath: ReadonlySet<string> = new Set(["mi", "mo", "mn", "ms", "mtext", "annotation-xml"]);
// A tag of HTML that cannot be in SVG or MathML ends them (section 13.2.6.5).
const breakouts: ReadonlySet<string> = new Set(
  (
    "b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta " +
    "nobr ol p pre ruby s small span strong strike sub sup table tt u ul var"
  ).split(" "),
);
// Who nests deeper is read as if it did not.
const maxDepth = 256;

/** Knows whether a tag stands in SVG or MathML, where scripts and styles are markup as all else is. */
export class ForeignContent {
  /** Names of the elements that changed the language, outermost first. */
  readonly #open: string[] = [];

  /** Whether neither SVG nor MathML is open. */
  get isEmpty(): boolean {
    return this.#open.length === 0;
  }

  /** Whether the next tag is one of SVG or MathML. */
  get isForeign(): boolean {
    const last = this.#open.at(-1);
    return last === "svg" || last === "math";
  }

  /** @returns whether the element that this start tag begins is one of SVG or MathML */
  open(name: string, isSelfClosing: boolean): boolean {
    if (name === "svg" || name === "math") {
      if (!isSelfClosing) this.#push(name);
      return true;
    }
    if (this.#open.length === 0) return false;
    const last = this.#open.at(-1);
    if (last !== "svg" && last !== "math") return false;
    if (breakouts.has(name)) {
      while (this.isForeign) this.#open.pop();
      return false;
    }
    const isPoint = last === "svg" ? htmlInSvg.has(name) : htmlInMath.has(name);
    if (isPoint && !isSelfClosing) this.#push(name);
    return true;
  }

  close(name: string): void {
    if (this.#open.length === 0) return;
    const at = this.#open.lastIndexOf(name);
    if (at !== -1) this.#open.length = at;
  }

  #push(name: string): void {
    if (this.#open.length < maxDepth) this.#open.push(name);
  }
}
