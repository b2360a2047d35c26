import { TidemarkError } from "../model/index.ts";

/** @throws TidemarkError `aborted` if the run was stopped */
export function throwIfStopped(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new TidemarkError("aborted", "Search engines were not told of everything.", {
    hint: "Run the same command again: it goes on where it stopped.",
    cause: signal.reason,
  });
}
