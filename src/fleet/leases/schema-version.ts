import { TidemarkError } from "../../core/index.ts";

/**
 * Versions of a schema only add to it, so that programs of several versions work side by side; one that could not says which version a
 * program has to know.
 */
export function refuseNewerSchema(needed: number, known: number, what: string): void {
  if (needed <= known) return;
  throw new TidemarkError("state-version", `A newer version of the program has changed ${what}.`, {
    hint: "Install that version here too.",
    details: { needed, known },
  });
}

/** What is thrown where a fleet is looked for, and there is none. */
export function noFleet(where: string): TidemarkError {
  return new TidemarkError("not-found", `There is no fleet in ${where}.`, {
    hint: "Check the address; a worker, or tidemark fleet add, makes the database.",
    details: { where },
  });
}
