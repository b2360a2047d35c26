import { TidemarkError } from "../../core/index.ts";
import { isHtmlType, maxContentBytes } from "./content-rules.ts";
import { resemblance, sketchOf } from "./sketch.ts";

/** Compares the visible texts of HTML pages. */
export interface TextComparison {
  /** Whether pages of this type and of at most so many bytes are compared. */
  readonly appliesTo: (mediaType: string, sizeBytes: number) => boolean;
  /** The estimated resemblance of two pages, 0 to 1; see {@link resemblance}. */
  readonly compare: (before: Uint8Array, after: Uint8Array) => number;
}

/** Loads what compares pages: a parser of HTML, which most have no need of. */
export async function loadTextComparison(): Promise<TextComparison> {
  const { visibleText } = await import("./visible-text.ts");
  const decoder = new TextDecoder();
  const sketch = (page: Uint8Array): Uint8Array => sketchOf(visibleText(decoder.decode(page)));
  return {
    appliesTo: (mediaType, sizeBytes) => isHtmlType(mediaType) && sizeBytes <= maxContentBytes,
    compare: (before, after) => resemblance(sketch(before), sketch(after)),
  };
}

/** A threshold of resemblance, if there is one. @throws TidemarkError `bad-option` */
export function checkSignificant(value: number | undefined): number | undefined {
  if (value === undefined || (value > 0 && value <= 1)) return value;
  throw new TidemarkError("bad-option", `--significant must be more than 0 and at most 1, not ${value}.`, {
    hint: "For instance --significant 0.9",
  });
}
