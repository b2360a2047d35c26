import { decodeReferences } from "./link-values.ts";

// Of a link's text, in UTF-16 code units: as it is written, and as it is told.
const maxWritten = 4096;
const maxText = 200;
/** Elements that stand within a line, or are not shown, so that what is before and behind them can be one word. */
const inlineElements: ReadonlySet<string> = new Set(
  (
    "a abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q rp rt ruby s samp script small " +
    "span strike strong style sub sup time tt u var wbr"
  ).split(" "),
);

/** What {@link LinkTexts} finds: an element, its `href`, references resolved, and its text. */
type GiveText = (kind: "anchor" | "area", link: string, text: string) => void;

/**
 * The texts of `a` and `area` elements, as a reader sees them: in one line, references resolved, of a picture its alternative
 * text; at most 200 UTF-16 code units.
 */
export class LinkTexts {
  readonly #give: GiveText;
  /** The link that is open, and its text so far. */
  #anchor: { readonly link: string; text: string } | undefined;

  constructor(give: GiveText) {
    this.#give = give;
  }

  beginTag(name: string, attributes: ReadonlyMap<string, string>): void {
    const alt = attributes.get("alt");
    const link = attributes.get("href") ?? attributes.get("xlink:href");
    if (name === "a") {
      // There is no anchor within another.
      this.end();
      if (link !== undefined) this.#anchor = { link: decodeReferences(link), text: "" };
      return;
    }
    if (name === "area" && link !== undefined) this.#end("area", decodeReferences(link), alt ?? "");
    this.#break(name);
    if (name === "img") this.add(` ${alt ?? ""} `);
  }

  endTag(name: string): void {
    if (name === "a") this.end();
    else this.#break(name);
  }

  /** @param text - as it is written */
  add(text: string): void {
    if (this.#anchor === undefined || this.#anchor.text.length >= maxWritten) return;
    this.#anchor.text += text.slice(0, maxWritten - this.#anchor.text.length);
  }

  /** Ends the link that is open. */
  end(): void {
    const anchor = this.#anchor;
    this.#anchor = undefined;
    if (anchor !== undefined) this.#end("anchor", anchor.link, anchor.text);
  }

  #break(name: string): void {
    if (!inlineElements.has(name)) this.add(" ");
  }

  #end(kind: "anchor" | "area", link: string, written: string): void {
    const text = shownText(written.slice(0, maxWritten));
    if (text !== "") this.#give(kind, link, text);
  }
}

/** A text in one line, without control characters and halves of characters; cut where it is long. */
function shownText(written: string): string {
  const text = decodeReferences(written)
    .replace(/[\s\p{Cc}\p{Cs}]+/gu, " ")
    .trim();
  return text
    .slice(0, maxText)
    .replace(/\p{Cs}$/u, "")
    .trimEnd();
}
