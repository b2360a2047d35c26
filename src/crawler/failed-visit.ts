import { firstErrorOf, TidemarkError, wrapSystemError } from "../core/index.ts";
import { TakerFailure } from "../storage/index.ts";
import type { VisitEnd } from "./engine/visit-plan.ts";

/** Errors that prevent all visits are not the fault of a site. */
const ours: ReadonlySet<string> = new Set(["disk-full", "no-permission", "read-only", "io"]);

/**
 * How a visit to one of many sites ended that an error broke off.
 *
 * @throws what ends the visits to all of them: an error of a callback of `keep`, and TidemarkError `state-corrupt`
 */
export function failedVisitOf(error: unknown, origin: string): VisitEnd & { readonly kind: "failed" } {
  const first = firstErrorOf(error);
  if (first instanceof TakerFailure) throw first.cause;
  const known = wrapSystemError(first, `crawl ${origin}/`, { site: origin });
  if (known instanceof TidemarkError && known.code === "state-corrupt") throw known;
  return { kind: "failed", error: known, isOurs: known instanceof TidemarkError && ours.has(known.code) };
}
