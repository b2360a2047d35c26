import { TidemarkError } from "../../core/index.ts";

/** A path as a literal of SQL. The dialects disagree on how to write an apostrophe or a backslash, so there may be none. */
export function pathLiteral(path: string): string {
  if (/['\\]/.test(path))
    throw new TidemarkError("bad-option", `The path ${path} has an apostrophe or a backslash.`, {
      hint: "Name another folder with --scratch.",
      details: { path },
    });
  return `'${path}'`;
}
