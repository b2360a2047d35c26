import { setImmediate } from "node:timers/promises";

/** Lets signals and other work of the process have their turn. @throws the signal's reason, if it has fired */
export async function pause(signal: AbortSignal | undefined): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}
