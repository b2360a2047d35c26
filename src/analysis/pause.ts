import { setImmediate } from "node:timers/promises";

/** Records of a sort between two pauses. */
export const recordsAtOnce: number = 65_536;

/** Lets signals and other work of the process have their turn. @throws the signal's reason, if it has fired */
export async function pause(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
