import { TidemarkError } from "../core/index.ts";
import type { LineProblem } from "../graph/index.ts";

const meanings: Readonly<Record<LineProblem["code"], string>> = {
  "not-numbers": "is not made of whole numbers",
  "number-too-large": "has a node that is too large",
  "no-name": "has no name",
  "not-text": "has a control character",
  "line-too-long": "is too long",
  "given-twice": "names a node that has a name",
};

/** Refuses a file for its first line that says nothing: what is left out would be missed nowhere. */
export function refuseLine(file: string, { line, code }: LineProblem, more = ""): never {
  throw new TidemarkError("bad-option", `${file}: line ${line} ${meanings[code]}${more}.`, {
    hint: "Correct the file. `tidemark graph --help` says what is read.",
    details: { file, line, problem: code },
  });
}
