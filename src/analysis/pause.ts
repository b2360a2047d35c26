import { setImmediate } from "node:timers/promises";
import { wrapSystemError } from "../core/index.ts";

/** Records of a sort between two pauses. */
export const recordsAtOnce: number = 65_536;

/** Lets signals and other work of the process have their turn. @throws TidemarkError `aborted`, if the signal has fired */
export async function pause(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  if (signal?.aborted) throw wrapSystemError(signal.reason, "go on");
}
