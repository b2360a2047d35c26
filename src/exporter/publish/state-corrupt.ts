import { TidemarkError } from "../../core/index.ts";

/** A list of pages that cannot be read. */
export function pagesCorrupt(path: string, cause: unknown): TidemarkError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new TidemarkError("state-corrupt", `The list of pages ${path} cannot be read: ${why}`, {
    hint: "Move the state folder away; the next export begins a new epoch.",
    details: { path },
    cause,
  });
}
