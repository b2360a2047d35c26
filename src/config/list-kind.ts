import type { ZodType } from "zod";
import { parseMediaTypeFilter } from "../core/index.ts";
import { mustBe, type SettingKind } from "./setting-kind.ts";

const maxWords = 10_000;

/** How a list is written on the command line: words with commas between, repeated, or both. */
function splitList(given: string): string[] {
  return given.split(",").map((word) => word.trim());
}

const mediaType = mustBe("a media type such as text/html or image/*");
const typeList = mustBe("a list of media types");

/** Media types, such as `text/html` or `image/*`. */
export const mediaTypes: SettingKind<readonly string[]> = {
  expects: "media types",
  hint: "Write text/html, or image/*; several with commas between.",
  form: "values",
  parseText: (given) => {
    const types = splitList(given);
    return types.every(isMediaType) ? types : undefined;
  },
  schema: (zod) => zod.array(zod.string(mediaType).refine(isMediaType, mediaType), typeList).max(maxWords, typeList),
};

function isMediaType(given: string): boolean {
  return parseMediaTypeFilter([given]) !== undefined;
}

/** Some of these words, in an order that means something. */
export function choices<const T extends string>(...words: readonly [T, ...T[]]): SettingKind<readonly T[]> {
  const expects = `one or more of ${words.join(", ")}`;
  const [one, list] = [mustBe(`one of ${words.join(", ")}`), mustBe(`a list of ${expects}`)];
  const isChosen = (word: string): word is T => words.some((known) => known === word);
  return {
    expects,
    form: "values",
    parseText: (given) => {
      const chosen = splitList(given);
      return chosen.every(isChosen) ? chosen : undefined;
    },
    schema: (zod) => zod.array(zod.enum(words, one), list).min(1, list) as unknown as ZodType<readonly T[]>,
  };
}
